// The cache of shapes in front of the log's table of definitions; see products.hpp.
#include "products.hpp"

#include "memo.hpp"
#include "recorder.hpp"

namespace mfushim::shim {
namespace {

using Shapes = Memo<6, 512>;
constinit Shapes g_shapes;

template <class... Value>
std::uint64_t bytes(Value... value) noexcept {
  std::uint64_t word = 0;
  ((word = word << 8 | static_cast<std::uint8_t>(value)), ...);
  return word;
}

}  // namespace

std::uint32_t shape_id(const format::GemmShape& s) noexcept {
  // Epilogues and math modes are bits below 2^16.
  const std::uint64_t modes = std::uint64_t{static_cast<std::uint32_t>(s.compute)} << 32 |
                              (s.math_mode & 0xffff) << 16 | (s.epilogue & 0xffff);
  const Shapes::Key key = {
      s.m,     s.n,   s.k,
      s.batch, modes, bytes(s.product, s.trans_a, s.trans_b, s.a, s.b, s.c, s.d, s.flags)};
  return g_shapes.get(key, [&] { return intern(s); });
}

}  // namespace mfushim::shim
