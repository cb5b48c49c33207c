// zstd in the shape that the log's block coder asks for.
#pragma once

#include <memory>

#include "mfushim/format/block.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace mfushim::read {

class ZstdCodec {
 public:
  ZstdCodec();
  ~ZstdCodec();

  // Valid as long as this object; not for two threads at once.
  format::Compressor compressor();
  format::Decompressor decompressor();

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> compress_;
  std::unique_ptr<ZSTD_DCtx_s, Free> decompress_;
};

}  // namespace mfushim::read
