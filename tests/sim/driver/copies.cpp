// cuMemcpy*, cuMemset* and cuStreamWriteValue*: every form becomes one CopyOp or SetOp in a stream.
#include <algorithm>

#include "capture.hpp"
#include "copies.hpp"
#include "driver_impl.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

enum class Blocking { no, yes };

CopyOp flat(void* to, const void* from, size_t bytes) {
  CopyOp op;
  op.to = to;
  op.from = from;
  op.width = bytes;
  return op;
}
void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

// Waits where the vendor's driver does: blocking calls that touch host memory, and any copy to
// pageable memory.
CUresult copy(CopyOp op, CUstream handle, Blocking blocking) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (op.bytes() == 0) return CUDA_SUCCESS;
  if (!op.to || !op.from) return CUDA_ERROR_INVALID_VALUE;
  if (blocking == Blocking::yes) {
    if (CUresult bad = refuse_unsafe(stream)) return bad;
  }
  op.source = place_of(op.from);
  op.destination = place_of(op.to);
  const bool host = op.source.memory < MFUSIM_DEVICE || op.destination.memory < MFUSIM_DEVICE;
  const bool waits =
      !stream->capture &&
      ((blocking == Blocking::yes && host) ||
       (op.source.memory == MFUSIM_DEVICE && op.destination.memory == MFUSIM_PAGEABLE));
  const CUresult result = issue(*stream, operation(std::move(op)));
  if (result == CUDA_SUCCESS && waits) wait_for_stream(lock, *stream);
  return result;
}

// The address that one side of a 2D or 3D copy starts at; NULL for arrays, which the simulator has
// not.
void* side(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array) {
  if (array) return nullptr;
  return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer(device);
}

CopyOp plane(const CUDA_MEMCPY2D& p) {
  CopyOp op;
  op.width = p.WidthInBytes;
  op.rows = p.Height;
  op.from_pitch = p.srcPitch ? p.srcPitch : p.WidthInBytes;
  op.to_pitch = p.dstPitch ? p.dstPitch : p.WidthInBytes;
  const auto* from = static_cast<char*>(side(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray));
  auto* to = static_cast<char*>(side(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray));
  if (from) op.from = from + p.srcY * op.from_pitch + p.srcXInBytes;
  if (to) op.to = to + p.dstY * op.to_pitch + p.dstXInBytes;
  return op;
}

template <typename Params>  // CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER share these fields
CopyOp volume(const Params& p) {
  CopyOp op;
  op.width = p.WidthInBytes;
  op.rows = p.Height;
  op.slices = p.Depth;
  op.from_pitch = p.srcPitch ? p.srcPitch : p.WidthInBytes;
  op.to_pitch = p.dstPitch ? p.dstPitch : p.WidthInBytes;
  op.from_slice = op.from_pitch * (p.srcHeight ? p.srcHeight : p.Height);
  op.to_slice = op.to_pitch * (p.dstHeight ? p.dstHeight : p.Height);
  const auto* from = static_cast<char*>(side(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray));
  auto* to = static_cast<char*>(side(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray));
  if (from) op.from = from + p.srcZ * op.from_slice + p.srcY * op.from_pitch + p.srcXInBytes;
  if (to) op.to = to + p.dstZ * op.to_slice + p.dstY * op.to_pitch + p.dstXInBytes;
  return op;
}

CUresult set(CUdeviceptr to, size_t pitch, uint64_t value, uint32_t element_bytes, size_t width,
             size_t rows, CUstream handle, Blocking blocking) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  if (width == 0 || rows == 0) return CUDA_SUCCESS;
  if (!find_allocation(address_of(to))) return CUDA_ERROR_INVALID_VALUE;
  if (blocking == Blocking::yes) {
    if (CUresult bad = refuse_unsafe(stream)) return bad;
  }
  return issue(*stream, operation(SetOp{pointer(to), value, element_bytes, width, rows, pitch}));
}

}  // namespace

CopyOp copy_of(const CUDA_MEMCPY3D& params) {
  CopyOp op = volume(params);
  op.source = place_of(op.from);
  op.destination = place_of(op.to);
  return op;
}

CUresult impl_cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(flat(pointer(to), pointer(from), bytes), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(flat(pointer(to), pointer(from), bytes), stream, Blocking::no);
}
// A batch is one call and as many copies; the attributes are hints that nothing here needs.
CUresult impl_cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                                    CUmemcpyAttributes*, size_t*, size_t, CUstream stream) {
  for (size_t i = 0; i < count; ++i) {
    if (CUresult bad = copy(flat(pointer(to[i]), pointer(from[i]), bytes[i]), stream, Blocking::no))
      return bad;
  }
  return CUDA_SUCCESS;
}
CUresult impl_cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                                 CUmemcpyAttributes* attributes, size_t* indices,
                                 size_t attribute_count, size_t*, CUstream stream) {
  return impl_cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, indices, attribute_count,
                                    stream);
}
CUresult impl_cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return copy(flat(pointer(to), pointer(from), bytes), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                size_t bytes, CUstream stream) {
  return copy(flat(pointer(to), pointer(from), bytes), stream, Blocking::no);
}
CUresult impl_cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(flat(pointer(to), from, bytes), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes,
                                   CUstream stream) {
  return copy(flat(pointer(to), from, bytes), stream, Blocking::no);
}
CUresult impl_cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy(flat(to, pointer(from), bytes), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(flat(to, pointer(from), bytes), stream, Blocking::no);
}
CUresult impl_cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(flat(pointer(to), pointer(from), bytes), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                   CUstream stream) {
  return copy(flat(pointer(to), pointer(from), bytes), stream, Blocking::no);
}
CUresult impl_cuMemcpy2D_v2(const CUDA_MEMCPY2D* p) {
  return copy(plane(*p), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* p) {
  return copy(plane(*p), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* p, CUstream stream) {
  return copy(plane(*p), stream, Blocking::no);
}
CUresult impl_cuMemcpy3D_v2(const CUDA_MEMCPY3D* p) {
  return copy(volume(*p), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* p, CUstream stream) {
  return copy(volume(*p), stream, Blocking::no);
}
CUresult impl_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* p) {
  return copy(volume(*p), nullptr, Blocking::yes);
}
CUresult impl_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* p, CUstream stream) {
  return copy(volume(*p), stream, Blocking::no);
}

CUresult impl_cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
  return set(to, 0, value, 1, n, 1, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) {
  return set(to, 0, value, 2, n, 1, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t n) {
  return set(to, 0, value, 4, n, 1, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return set(to, 0, value, 1, n, 1, stream, Blocking::no);
}
CUresult impl_cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return set(to, 0, value, 2, n, 1, stream, Blocking::no);
}
CUresult impl_cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream stream) {
  return set(to, 0, value, 4, n, 1, stream, Blocking::no);
}
CUresult impl_cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                              size_t rows) {
  return set(to, pitch, value, 1, width, rows, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                               size_t rows) {
  return set(to, pitch, value, 2, width, rows, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                               size_t rows) {
  return set(to, pitch, value, 4, width, rows, nullptr, Blocking::yes);
}
CUresult impl_cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                size_t rows, CUstream stream) {
  return set(to, pitch, value, 1, width, rows, stream, Blocking::no);
}
CUresult impl_cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                 size_t rows, CUstream stream) {
  return set(to, pitch, value, 2, width, rows, stream, Blocking::no);
}
CUresult impl_cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                                 size_t rows, CUstream stream) {
  return set(to, pitch, value, 4, width, rows, stream, Blocking::no);
}

// A set of one element; captured, the node is of that kind too, where the vendor's is a batch of
// memory operations.
CUresult impl_cuStreamWriteValue32(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned) {
  return set(to, 0, value, sizeof value, 1, 1, stream, Blocking::no);
}
CUresult impl_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, cuuint32_t value,
                                      unsigned flags) {
  return impl_cuStreamWriteValue32(stream, to, value, flags);
}
CUresult impl_cuStreamWriteValue64(CUstream stream, CUdeviceptr to, cuuint64_t value, unsigned) {
  return set(to, 0, value, sizeof value, 1, 1, stream, Blocking::no);
}
CUresult impl_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr to, cuuint64_t value,
                                      unsigned flags) {
  return impl_cuStreamWriteValue64(stream, to, value, flags);
}

}  // namespace mfusim
