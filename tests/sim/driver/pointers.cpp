// cuPointerGetAttribute(s): what kind of memory an address is.
#include <cstring>

#include "driver_impl.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

template <typename T>
CUresult give(void* out, T value) {
  memcpy(out, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult attribute_of(const Allocation& a, CUpointer_attribute attribute, void* out) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(out, a.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(out, a.memory == MFUSIM_PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return give(out, a.base);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return give(out, (unsigned long long)(a.id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(out, unsigned(a.memory == MFUSIM_MANAGED));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(out, a.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give(out, a.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give(out, a.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(out, 1);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return give(out, 0);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return give(out, static_cast<void*>(nullptr));
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// What attributes read as for memory that CUDA does not know.
void attribute_of_unknown(CUpointer_attribute attribute, void* out) {
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
    give(out, -2);
  } else if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT ||
             attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
             attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
             attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID) {
    give(out, static_cast<void*>(nullptr));
  } else {
    give(out, 0);
  }
}

}  // namespace

CUresult impl_cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr pointer) {
  Lock lock;
  const Allocation* a = find_allocation(address_of(pointer));
  if (!out || !a) return CUDA_ERROR_INVALID_VALUE;
  return attribute_of(*a, attribute, out);
}

CUresult impl_cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes,
                                     void** out, CUdeviceptr pointer) {
  Lock lock;
  const Allocation* a = find_allocation(address_of(pointer));
  for (unsigned i = 0; i < count; ++i) {
    if (!a) {
      attribute_of_unknown(attributes[i], out[i]);
    } else if (CUresult bad = attribute_of(*a, attributes[i], out[i])) {
      return bad;
    }
  }
  return CUDA_SUCCESS;
}

CUresult impl_cuPointerSetAttribute(const void*, CUpointer_attribute, CUdeviceptr) {
  return CUDA_SUCCESS;
}

}  // namespace mfusim
