// Looks up the functions behind the trampolines that trampolines.py makes.
#include "way.hpp"

extern "C" __attribute__((visibility("hidden"))) void* coverage_resolve(const char* name) {
  // In so many words, so that a test can tell who was called.
  if (std::getenv("COVERAGE_TELL") != nullptr) std::printf("trampoline of %s\n", name);
  return coverage::by_name(name);
}
