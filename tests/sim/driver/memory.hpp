// What is allocated: host memory that stands for device memory, with a table to tell addresses
// apart.
#pragma once
#include "contexts.hpp"
#include "operations.hpp"

namespace mfusim {

struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;
  uint32_t memory = 0;  // enum MfusimMemory
  int device = 0;       // whose memory it is, or who allocated the host memory
  CUcontext context = nullptr;
  uint64_t id = 0;
  bool owned = true;  // false for registered host memory
  bool pooled = false;
};

// New memory, or NULL when the device (for device memory) or the host has no room.
void* allocate(size_t bytes, uint32_t memory, int device);
CUresult release(uintptr_t address, bool host);
const Allocation* find_allocation(const void* address);
inline const void* address_of(CUdeviceptr pointer) {
  return reinterpret_cast<const void*>(pointer);
}
// Memory whose pages somebody else made (host memory, mapped ranges): known by address, not
// counted, not freed here.
void note_foreign(uintptr_t base, size_t bytes, uint32_t memory, int device);
void forget_foreign(uintptr_t base);
// Takes room on the device without an address, or gives it back; false when there is none.
bool reserve_bytes(int device, size_t bytes);
void return_bytes(int device, size_t bytes);
// Pageable for addresses that nobody allocated here.
Place place_of(const void* address);

}  // namespace mfusim
