// Allocation, registration and what is known of an address.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "capture.hpp"
#include "driver_impl.hpp"
#include "gpu_model.hpp"
#include "mfusim/tracing.h"

namespace mfusim {
namespace {

// Larger blocks are mapped without being touched, so that tens of GB of model cost the host
// nothing.
constexpr size_t kMapFrom = size_t(1) << 16;
constexpr size_t kAlignment = 512;
constexpr uint64_t kReservedBytes = uint64_t(600)
                                    << 20;  // about what a context takes on the real device

uint64_t g_next_id = 1;

std::map<uintptr_t, Allocation>& table() {
  static auto* map = new std::map<uintptr_t, Allocation>;
  return *map;
}
std::map<int, uint64_t>& used_bytes() {
  static auto* map = new std::map<int, uint64_t>;
  return *map;
}

bool counts_on_device(uint32_t memory) {
  return memory >= MFUSIM_DEVICE;
}
uint64_t free_bytes(int device) {
  const uint64_t taken = used_bytes()[device] + kReservedBytes, all = gpu_model().memory_bytes;
  return taken < all ? all - taken : 0;
}

void* map_host(size_t bytes) {
  if (bytes < kMapFrom) {
    void* small = nullptr;
    return posix_memalign(&small, kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1)) == 0
               ? small
               : nullptr;
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

void unmap_host(const Allocation& a) {
  void* p = reinterpret_cast<void*>(a.base);
  if (a.bytes < kMapFrom) {
    free(p);
  } else {
    munmap(p, a.bytes);
  }
}

CUresult allocate_device(CUdeviceptr* out, size_t bytes, uint32_t memory) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult bad = refuse_unsafe(nullptr)) return bad;
  void* p = allocate(bytes, memory, context->device);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUdeviceptr>(p);
  return CUDA_SUCCESS;
}

CUresult allocate_host(void** out, size_t bytes) {
  MFUSIM_NEED_CONTEXT(context);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult bad = refuse_unsafe(nullptr)) return bad;
  *out = allocate(std::max<size_t>(bytes, 1), MFUSIM_PINNED, context->device);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult free_blocking(uintptr_t address, bool host) {
  MFUSIM_NEED_CONTEXT(context);
  if (address == 0) return CUDA_SUCCESS;
  if (CUresult bad = refuse_unsafe(nullptr)) return bad;
  wait_for_context(lock, *context);
  return release(address, host);
}

}  // namespace

void* allocate(size_t bytes, uint32_t memory, int device) {
  if (counts_on_device(memory) && !reserve_bytes(device, bytes)) return nullptr;
  void* p = map_host(bytes);
  if (!p) {
    if (counts_on_device(memory)) return_bytes(device, bytes);
    return nullptr;
  }
  const auto base = reinterpret_cast<uintptr_t>(p);
  const Context* context = current_context();
  table()[base] = {
      base, bytes, memory, device, context ? contexts().handle_of(context) : nullptr, g_next_id++};
  return p;
}

CUresult release(uintptr_t address, bool host) {
  const auto it = table().find(address);
  if (it == table().end() || !it->second.owned) return CUDA_ERROR_INVALID_VALUE;
  const Allocation a = it->second;
  if (host == counts_on_device(a.memory)) return CUDA_ERROR_INVALID_VALUE;
  if (counts_on_device(a.memory)) return_bytes(a.device, a.bytes);
  table().erase(it);
  unmap_host(a);
  return CUDA_SUCCESS;
}

void note_foreign(uintptr_t base, size_t bytes, uint32_t memory, int device) {
  const Context* context = current_context();
  table()[base] = {
      base,        bytes, memory, device, context ? contexts().handle_of(context) : nullptr,
      g_next_id++, false};
}
void forget_foreign(uintptr_t base) {
  table().erase(base);
}

bool reserve_bytes(int device, size_t bytes) {
  if (bytes > free_bytes(device)) return false;
  used_bytes()[device] += bytes;
  return true;
}
void return_bytes(int device, size_t bytes) {
  used_bytes()[device] -= bytes;
}

const Allocation* find_allocation(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto it = table().upper_bound(at);
  if (it == table().begin()) return nullptr;
  --it;
  return at - it->second.base < it->second.bytes ? &it->second : nullptr;
}

Place place_of(const void* address) {
  const Allocation* a = find_allocation(address);
  return a ? Place{a->memory, a->device} : Place{MFUSIM_PAGEABLE, 0};
}

CUresult impl_cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  return allocate_device(out, bytes, MFUSIM_DEVICE);
}
CUresult impl_cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned int flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return allocate_device(out, bytes, MFUSIM_MANAGED);
}
CUresult impl_cuMemAllocPitch_v2(CUdeviceptr* out, size_t* pitch, size_t width, size_t rows,
                                 unsigned int) {
  if (!pitch) return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + kAlignment - 1) & ~(kAlignment - 1);
  return allocate_device(out, *pitch * rows, MFUSIM_DEVICE);
}
CUresult impl_cuMemFree_v2(CUdeviceptr pointer) {
  return free_blocking(pointer, false);
}

CUresult impl_cuMemAllocHost_v2(void** out, size_t bytes) {
  return allocate_host(out, bytes);
}
CUresult impl_cuMemHostAlloc(void** out, size_t bytes, unsigned int) {
  return allocate_host(out, bytes);
}
CUresult impl_cuMemFreeHost(void* pointer) {
  return free_blocking(reinterpret_cast<uintptr_t>(pointer), true);
}

CUresult impl_cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned int) {
  MFUSIM_NEED_CONTEXT(context);
  if (!pointer || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (find_allocation(pointer)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  note_foreign(reinterpret_cast<uintptr_t>(pointer), bytes, MFUSIM_PINNED, context->device);
  return CUDA_SUCCESS;
}
CUresult impl_cuMemHostUnregister(void* pointer) {
  MFUSIM_NEED_CONTEXT(context);
  const auto it = table().find(reinterpret_cast<uintptr_t>(pointer));
  if (it == table().end() || it->second.owned) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  table().erase(it);
  return CUDA_SUCCESS;
}
CUresult impl_cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* pointer, unsigned int) {
  Lock lock;
  if (!out || !find_allocation(pointer)) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUdeviceptr>(pointer);
  return CUDA_SUCCESS;
}
CUresult impl_cuMemHostGetFlags(unsigned int* out, void* pointer) {
  Lock lock;
  const Allocation* a = find_allocation(pointer);
  if (!out || !a || a->memory != MFUSIM_PINNED) return CUDA_ERROR_INVALID_VALUE;
  *out = CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult impl_cuMemGetInfo_v2(size_t* free, size_t* total) {
  MFUSIM_NEED_CONTEXT(context);
  if (free) *free = free_bytes(context->device);
  if (total) *total = gpu_model().memory_bytes;
  return CUDA_SUCCESS;
}

CUresult impl_cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  Lock lock;
  const Allocation* a = find_allocation(address_of(pointer));
  if (!a) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = a->base;
  if (bytes) *bytes = a->bytes;
  return CUDA_SUCCESS;
}

// Managed memory never moves here: hints succeed and do nothing.
CUresult impl_cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream) {
  return CUDA_SUCCESS;
}
CUresult impl_cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned int, CUstream) {
  return CUDA_SUCCESS;
}
CUresult impl_cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice) {
  return CUDA_SUCCESS;
}
CUresult impl_cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) {
  return CUDA_SUCCESS;
}

}  // namespace mfusim
