// Binds libzstd to the log's Compressor and Decompressor.
#include "read/zstd_codec.hpp"

#include <zstd.h>

#include <new>

namespace mfushim::read {

namespace {

constexpr int kLevel =
    3;  // further levels win a few per cent on byte planes and cost several times

std::size_t compress(void* context, std::span<const std::uint8_t> from,
                     std::span<std::uint8_t> to) {
  const std::size_t size = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(context), to.data(), to.size(),
                                             from.data(), from.size(), kLevel);
  return ZSTD_isError(size) || size >= from.size() ? 0 : size;
}

bool decompress(void* context, std::span<const std::uint8_t> from, std::span<std::uint8_t> to) {
  return ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(context), to.data(), to.size(), from.data(),
                             from.size()) == to.size();
}

}  // namespace

void ZstdCodec::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}
void ZstdCodec::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

ZstdCodec::ZstdCodec() : compress_(ZSTD_createCCtx()), decompress_(ZSTD_createDCtx()) {
  if (!compress_ || !decompress_) throw std::bad_alloc();
}

ZstdCodec::~ZstdCodec() = default;

format::Compressor ZstdCodec::compressor() {
  return {compress, compress_.get()};
}
format::Decompressor ZstdCodec::decompressor() {
  return {decompress, decompress_.get()};
}

}  // namespace mfushim::read
