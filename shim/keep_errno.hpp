// Keeps errno as the program left it.
#pragma once

#include <cerrno>

namespace mfushim::shim {

// What is looked up inside a hook may change errno; the program must not see it.
class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }

 private:
  int saved_;
};

}  // namespace mfushim::shim
