// See communicator.hpp.
#include "communicator.hpp"

#include <cstdio>

namespace mfusim::nccl {

void Core::finished() {
  --pending_;
  leave_if_done();
}

void Core::close() {
  closed_ = true;
  leave_if_done();
}

void Core::leave_if_done() {
  if (closed_ && pending_ == 0 && segment != nullptr) segment->leave(rank);
}

std::string hash_text(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// FNV-1a.
uint64_t hash_of(const void* bytes, size_t count, uint64_t seed) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < count; ++i) seed = (seed ^ byte[i]) * 0x100000001b3U;
  return seed;
}

}  // namespace mfusim::nccl
