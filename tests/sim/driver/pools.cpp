// Stream-ordered allocation: pools hand out memory at once, since payloads move in stream order
// anyway.
#include <algorithm>

#include "capture.hpp"
#include "driver_impl.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

struct Pool {
  int device = 0;
  uint64_t release_threshold = 0;
  uint64_t used = 0, high = 0;
};

Handles<Pool, CUmemoryPool>& pools() {
  static auto* table = new Handles<Pool, CUmemoryPool>;
  return *table;
}
std::map<int, CUmemoryPool>& default_pools() {
  static auto* map = new std::map<int, CUmemoryPool>;
  return *map;
}

CUmemoryPool default_pool(int device) {
  CUmemoryPool& pool = default_pools()[device];
  if (!pool) {
    auto made = std::make_shared<Pool>();
    made->device = device;
    pool = pools().insert(std::move(made));
  }
  return pool;
}

CUresult allocate_async(CUdeviceptr* out, size_t bytes, CUmemoryPool pool_handle,
                        CUstream stream_handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, stream_handle);
  Pool* pool = pools().find(pool_handle ? pool_handle : default_pool(context->device));
  if (!pool || !out) return CUDA_ERROR_INVALID_VALUE;
  void* p = allocate(std::max<size_t>(bytes, 1), MFUSIM_DEVICE, pool->device);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  pool->used += bytes;
  pool->high = std::max(pool->high, pool->used);
  *out = reinterpret_cast<CUdeviceptr>(p);
  if (!stream->capture) return capture_conflict(*stream);
  AllocOp op;
  op.params.bytesize = bytes;
  op.params.dptr = *out;
  op.params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  op.params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {pool->device}};
  return issue(*stream, operation(op));
}

}  // namespace

CUresult impl_cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return allocate_async(out, bytes, nullptr, stream);
}
CUresult impl_cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  return allocate_async(out, bytes, pool, stream);
}

// The release itself is work in the stream: what is issued before it may still name the memory.
CUresult impl_cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  const Allocation* allocation = find_allocation(address_of(pointer));
  if (!allocation || allocation->base != pointer) return CUDA_ERROR_INVALID_VALUE;
  Pool* pool = pools().find(default_pool(allocation->device));
  if (pool && !stream->capture) pool->used -= std::min<uint64_t>(pool->used, allocation->bytes);
  return issue(*stream, operation(FreeOp{pointer, !stream->capture}));
}

CUresult impl_cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* properties) {
  Lock lock;
  if (!out || !properties) return CUDA_ERROR_INVALID_VALUE;
  auto pool = std::make_shared<Pool>();
  pool->device = properties->location.id;
  *out = pools().insert(std::move(pool));
  return CUDA_SUCCESS;
}
CUresult impl_cuMemPoolDestroy(CUmemoryPool handle) {
  Lock lock;
  return pools().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuMemPoolTrimTo(CUmemoryPool handle, size_t) {
  Lock lock;
  return pools().find(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
  Lock lock;
  if (!out || !is_device(device)) return CUDA_ERROR_INVALID_VALUE;
  *out = default_pool(device);
  return CUDA_SUCCESS;
}
CUresult impl_cuDeviceGetMemPool(CUmemoryPool* out, CUdevice device) {
  return impl_cuDeviceGetDefaultMemPool(out, device);
}
CUresult impl_cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  Lock lock;
  if (!is_device(device) || !pools().find(handle)) return CUDA_ERROR_INVALID_VALUE;
  default_pools()[device] = handle;
  return CUDA_SUCCESS;
}
CUresult impl_cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc*, size_t) {
  Lock lock;
  return pools().find(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                    void* value) {
  Lock lock;
  Pool* pool = pools().find(handle);
  if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    pool->release_threshold = *static_cast<cuuint64_t*>(value);
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) pool->high = pool->used;
  return CUDA_SUCCESS;
}
CUresult impl_cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                    void* value) {
  Lock lock;
  const Pool* pool = pools().find(handle);
  if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      *static_cast<cuuint64_t*>(value) = pool->release_threshold;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      *static_cast<cuuint64_t*>(value) = pool->used;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      *static_cast<cuuint64_t*>(value) = pool->high;
      break;
    default:
      *static_cast<int*>(value) = 1;  // the reuse policies
  }
  return CUDA_SUCCESS;
}

}  // namespace mfusim
