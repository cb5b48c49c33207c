// The recorder's own threads: small, and without a part in the job's signals.
#pragma once

#include <pthread.h>

#include "old_glibc.hpp"

namespace mfushim::shim {

// False when there is no thread to be had.
bool start_thread(pthread_t& thread, void* (*run)(void*), void* argument) noexcept;
// Waits for its end, which it was told to come to. False when that takes longer: what hangs must
// not hold the job's end for ever.
bool join_thread(pthread_t thread, int seconds) noexcept;

// Holds a mutex as long as it lives.
class MutexLock {
 public:
  explicit MutexLock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) {
    pthread_mutex_lock(&mutex_);
  }
  ~MutexLock() { pthread_mutex_unlock(&mutex_); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace mfushim::shim
