// Virtual memory management: address ranges and physical memory apart, as expandable allocators use
// them.
#include <sys/mman.h>
#include <unistd.h>

#include "driver_impl.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

constexpr size_t kGranularity = size_t(2) << 20;  // as every data-centre GPU has it

// Physical memory is an anonymous file, so that two mappings of it show the same bytes.
struct Physical {
  int fd = -1;
  size_t bytes = 0;
  CUmemAllocationProp properties{};
  unsigned references = 1;
};
std::map<CUmemGenericAllocationHandle, Physical>& physicals() {
  static auto* map = new std::map<CUmemGenericAllocationHandle, Physical>;
  return *map;
}
CUmemGenericAllocationHandle g_next_handle = 1;

struct Mapping {
  size_t bytes = 0;
  CUmemGenericAllocationHandle handle = 0;
};
std::map<CUdeviceptr, Mapping>& mappings() {
  static auto* map = new std::map<CUdeviceptr, Mapping>;
  return *map;
}

void drop(CUmemGenericAllocationHandle handle) {
  const auto it = physicals().find(handle);
  if (--it->second.references != 0) return;
  return_bytes(it->second.properties.location.id, it->second.bytes);
  close(it->second.fd);
  physicals().erase(it);
}

bool aligned(uint64_t value) {
  return value != 0 && value % kGranularity == 0;
}

}  // namespace

CUresult impl_cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp* properties,
                                            CUmemAllocationGranularity_flags) {
  if (!out || !properties) return CUDA_ERROR_INVALID_VALUE;
  *out = kGranularity;
  return CUDA_SUCCESS;
}

CUresult impl_cuMemAddressReserve(CUdeviceptr* out, size_t bytes, size_t, CUdeviceptr,
                                  unsigned long long flags) {
  if (!out || !aligned(bytes) || flags) return CUDA_ERROR_INVALID_VALUE;
  // Mapped with room to spare, and trimmed to the granularity.
  void* wide = mmap(nullptr, bytes + kGranularity, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (wide == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto begin = reinterpret_cast<uintptr_t>(wide);
  const uintptr_t first = (begin + kGranularity - 1) / kGranularity * kGranularity;
  if (first > begin) munmap(wide, first - begin);
  const uintptr_t end = first + bytes;
  munmap(reinterpret_cast<void*>(end), begin + bytes + kGranularity - end);
  *out = first;
  return CUDA_SUCCESS;
}
CUresult impl_cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  if (!aligned(address) || !aligned(bytes)) return CUDA_ERROR_INVALID_VALUE;
  return munmap(reinterpret_cast<void*>(address), bytes) == 0 ? CUDA_SUCCESS
                                                              : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes,
                          const CUmemAllocationProp* properties, unsigned long long flags) {
  if (!out || !properties || !aligned(bytes) || flags) return CUDA_ERROR_INVALID_VALUE;
  Lock lock;
  if (!reserve_bytes(properties->location.id, bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  const int fd = memfd_create("mfusim", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, off_t(bytes)) != 0) {
    if (fd >= 0) close(fd);
    return_bytes(properties->location.id, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = g_next_handle++;
  physicals()[*out] = {fd, bytes, *properties};
  return CUDA_SUCCESS;
}
CUresult impl_cuMemRelease(CUmemGenericAllocationHandle handle) {
  Lock lock;
  if (!physicals().count(handle)) return CUDA_ERROR_INVALID_VALUE;
  drop(handle);
  return CUDA_SUCCESS;
}
CUresult impl_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* out,
                                                     CUmemGenericAllocationHandle handle) {
  Lock lock;
  const auto it = physicals().find(handle);
  if (!out || it == physicals().end()) return CUDA_ERROR_INVALID_VALUE;
  *out = it->second.properties;
  return CUDA_SUCCESS;
}
CUresult impl_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* address) {
  Lock lock;
  const Allocation* mapped = find_allocation(address);
  const auto it = mapped ? mappings().find(mapped->base) : mappings().end();
  if (!out || it == mappings().end()) return CUDA_ERROR_INVALID_VALUE;
  *out = it->second.handle;
  ++physicals()[*out].references;
  return CUDA_SUCCESS;
}

CUresult impl_cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long) {
  Lock lock;
  const auto it = physicals().find(handle);
  if (it == physicals().end() || !aligned(address) || !aligned(bytes) ||
      offset + bytes > it->second.bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Physical& physical = it->second;
  if (mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           physical.fd, off_t(offset)) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  ++physical.references;
  mappings()[address] = {bytes, handle};
  note_foreign(address, bytes, MFUSIM_DEVICE, physical.properties.location.id);
  return CUDA_SUCCESS;
}
CUresult impl_cuMemUnmap(CUdeviceptr address, size_t bytes) {
  Lock lock;
  // A range of several mappings may be unmapped at once.
  auto it = mappings().lower_bound(address);
  if (it == mappings().end() || it->first != address) return CUDA_ERROR_INVALID_VALUE;
  while (it != mappings().end() && it->first < address + bytes) {
    mmap(reinterpret_cast<void*>(it->first), it->second.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    forget_foreign(it->first);
    drop(it->second.handle);
    it = mappings().erase(it);
  }
  return CUDA_SUCCESS;
}
// Every device may do everything with every mapping.
CUresult impl_cuMemSetAccess(CUdeviceptr address, size_t, const CUmemAccessDesc*, size_t) {
  Lock lock;
  return find_allocation(address_of(address)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult impl_cuMemGetAccess(unsigned long long* out, const CUmemLocation*, CUdeviceptr) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

}  // namespace mfusim
