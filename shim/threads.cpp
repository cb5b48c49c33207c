// Starts threads; see threads.hpp.
#include "threads.hpp"

#include <signal.h>
#include <time.h>

#include <cstddef>

#include "old_glibc.hpp"

namespace mfushim::shim {

namespace {

constexpr std::size_t kStackBytes = 512 * 1024;  // thread-locals of the job's libraries included

}  // namespace

bool start_thread(pthread_t& thread, void* (*run)(void*), void* argument) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread, &attributes, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return failed == 0;
}

bool join_thread(pthread_t thread, int seconds) noexcept {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  return pthread_timedjoin_np(thread, nullptr, &until) == 0;
}

}  // namespace mfushim::shim
