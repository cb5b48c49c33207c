// cudaMemcpy* and cudaMemset*: each kind goes to the driver call that the vendor's runtime makes
// for it.
#include "device.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

CUdeviceptr address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

CUDA_MEMCPY2D plane(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                    size_t rows) {
  CUDA_MEMCPY2D p{};
  p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  p.srcDevice = address(from);
  p.dstDevice = address(to);
  p.srcPitch = from_pitch;
  p.dstPitch = to_pitch;
  p.WidthInBytes = width;
  p.Height = rows;
  return p;
}

CUDA_MEMCPY3D volume(const cudaMemcpy3DParms& p) {
  CUDA_MEMCPY3D v{};
  v.srcMemoryType = v.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  v.srcXInBytes = p.srcPos.x;
  v.srcY = p.srcPos.y;
  v.srcZ = p.srcPos.z;
  v.srcDevice = address(p.srcPtr.ptr);
  v.srcPitch = p.srcPtr.pitch;
  v.srcHeight = p.srcPtr.ysize;
  v.dstXInBytes = p.dstPos.x;
  v.dstY = p.dstPos.y;
  v.dstZ = p.dstPos.z;
  v.dstDevice = address(p.dstPtr.ptr);
  v.dstPitch = p.dstPtr.pitch;
  v.dstHeight = p.dstPtr.ysize;
  v.WidthInBytes = p.extent.width;
  v.Height = p.extent.height;
  v.Depth = p.extent.depth;
  return v;
}

}  // namespace

cudaError_t impl_cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  MFUSIM_NEED_CONTEXT();
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return as_error(driver().cuMemcpyHtoD_v2(address(to), from, bytes));
    case cudaMemcpyDeviceToHost:
      return as_error(driver().cuMemcpyDtoH_v2(to, address(from), bytes));
    case cudaMemcpyDeviceToDevice:
      return as_error(driver().cuMemcpyDtoD_v2(address(to), address(from), bytes));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return as_error(driver().cuMemcpy(address(to), address(from), bytes));
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}
cudaError_t impl_cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return as_error(driver().cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream));
    case cudaMemcpyDeviceToHost:
      return as_error(driver().cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream));
    case cudaMemcpyDeviceToDevice:
      return as_error(driver().cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return as_error(driver().cuMemcpyAsync(address(to), address(from), bytes, stream));
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}
cudaError_t impl_cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                size_t bytes) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuMemcpyPeer(address(to), primary_context(to_device), address(from),
                                        primary_context(from_device), bytes));
}
cudaError_t impl_cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                     size_t bytes, cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuMemcpyPeerAsync(address(to), primary_context(to_device), address(from),
                                             primary_context(from_device), bytes, stream));
}
cudaError_t impl_cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t rows, enum cudaMemcpyKind) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMCPY2D p = plane(to, to_pitch, from, from_pitch, width, rows);
  return as_error(driver().cuMemcpy2DUnaligned_v2(&p));
}
cudaError_t impl_cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                   size_t width, size_t rows, enum cudaMemcpyKind,
                                   cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMCPY2D p = plane(to, to_pitch, from, from_pitch, width, rows);
  return as_error(driver().cuMemcpy2DAsync_v2(&p, stream));
}
cudaError_t impl_cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  MFUSIM_NEED_CONTEXT();
  if (!p || p->srcArray || p->dstArray) return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D v = volume(*p);
  return as_error(driver().cuMemcpy3D_v2(&v));
}
cudaError_t impl_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  if (!p || p->srcArray || p->dstArray) return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D v = volume(*p);
  return as_error(driver().cuMemcpy3DAsync_v2(&v, stream));
}

cudaError_t impl_cudaMemset(void* to, int value, size_t bytes) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuMemsetD8_v2(address(to), static_cast<unsigned char>(value), bytes));
}
cudaError_t impl_cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  return as_error(
      driver().cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, stream));
}
cudaError_t impl_cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t rows) {
  MFUSIM_NEED_CONTEXT();
  return as_error(
      driver().cuMemsetD2D8_v2(address(to), pitch, static_cast<unsigned char>(value), width, rows));
}
cudaError_t impl_cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t rows,
                                   cudaStream_t stream) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuMemsetD2D8Async(address(to), pitch, static_cast<unsigned char>(value),
                                             width, rows, stream));
}

}  // namespace mfusim::runtime
