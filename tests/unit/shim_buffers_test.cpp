// The buffers for CUPTI: none beyond the cap, whoever asks, and each comes back to where it was.
#include <catch2/catch.hpp>

#include <set>

#include "cupti_buffers.hpp"

using namespace mfushim::shim::cupti;

TEST_CASE("there are as many buffers as the cap allows", "[buffers]") {
  std::set<std::uint8_t*> taken;
  const auto take_all = [&](bool always, std::size_t most) {
    while (std::uint8_t* const buffer = take_buffer(always)) {
      REQUIRE(taken.insert(buffer).second);
      REQUIRE(is_our_buffer(buffer));
      REQUIRE(taken.size() <= most);
    }
    CHECK(taken.size() == most);
    CHECK(buffers_in_use() == most);
  };
  take_all(false, kPooledBuffers);
  // For a CUPTI that crashes without one.
  take_all(true, 2 * kPooledBuffers);
  std::uint8_t* const one = *taken.begin();
  for (std::uint8_t* const buffer : taken) give_back(buffer);
  CHECK(buffers_in_use() == 0);
  CHECK_FALSE(is_our_buffer(nullptr));
  CHECK_FALSE(is_our_buffer(one + kBufferBytes * 2 * kPooledBuffers * 64));
  std::uint8_t* const again = take_buffer(false);
  CHECK(taken.count(again) == 1);
  give_back(again);
}
