// cuInit and fork.
#include "process.hpp"

#include <pthread.h>

#include <atomic>

#include "api_call.hpp"
#include "driver_impl.hpp"
#include "gpu_model.hpp"
#include "truth.hpp"

namespace mfusim {
namespace {

enum class State { fresh, ready, no_device, forked };
std::atomic<State> g_state{State::fresh};

void before_fork() {
  simulator_mutex().lock();
  truth::before_fork();
}

void after_fork_in_parent() {
  truth::after_fork_in_parent();
  simulator_mutex().unlock();
}

// A child inherits no device: everything answers CUDA_ERROR_NOT_INITIALIZED for ever, as the
// vendor's does.
void after_fork_in_child() {
  truth::after_fork_in_child();
  simulator_mutex().unlock();
  g_state = State::forked;
}

}  // namespace

bool driver_usable() {
  return g_state.load(std::memory_order_acquire) == State::ready;
}

CUresult unusable_reason() {
  return g_state.load() == State::no_device ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
}

std::mutex& simulator_mutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

CUresult impl_cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock;
  if (g_state == State::fresh) {
    if (gpu_count() == 0) {
      g_state = State::no_device;
    } else {
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
      truth::open_process();
      g_state = State::ready;
    }
  }
  return driver_usable() ? CUDA_SUCCESS : unusable_reason();
}

CUresult impl_cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

}  // namespace mfusim
