// The recorder's own threads: small, and without a part in the job's signals.
#pragma once

#include <pthread.h>

namespace mfushim::shim {

// False when there is no thread to be had.
bool start_thread(pthread_t& thread, void* (*run)(void*), void* argument) noexcept;

}  // namespace mfushim::shim
