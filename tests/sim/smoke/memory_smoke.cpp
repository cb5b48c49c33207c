// Memory of every kind on two devices: pools, pitches, peers, registered host memory, mapped
// ranges.
#include <cuda.h>

#include <cstring>
#include <vector>

#include "expect.hpp"

#define OK(call) EXPECT((call) == CUDA_SUCCESS)

namespace {

CUcontext context_of(CUdevice device) {
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, device));
  return context;
}

size_t free_bytes() {
  size_t free = 0, total = 0;
  OK(cuMemGetInfo(&free, &total));
  return free;
}

// Freed in stream order: the copy before it still reads the memory.
void check_pool(CUstream stream) {
  const size_t before = free_bytes();
  CUdeviceptr memory;
  unsigned char got = 0;
  OK(cuMemAllocAsync(&memory, 1 << 20, stream));
  EXPECT(free_bytes() == before - (1 << 20));
  OK(cuMemsetD8Async(memory, 5, 1 << 20, stream));
  OK(cuMemcpyDtoHAsync(&got, memory, 1, stream));
  OK(cuMemFreeAsync(memory, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT(got == 5 && free_bytes() == before);
  EXPECT(cuMemFreeAsync(memory, stream) == CUDA_ERROR_INVALID_VALUE);
}

void check_rows() {
  CUdeviceptr memory;
  size_t pitch = 0;
  OK(cuMemAllocPitch(&memory, &pitch, 10, 3, 4));
  EXPECT(pitch >= 10);
  const char rows[] = "abcdefghijklmnopqrstuvwxyz1234";
  char got[30];
  CUDA_MEMCPY2D down{};
  down.srcMemoryType = CU_MEMORYTYPE_HOST;
  down.srcHost = rows;
  down.srcPitch = 10;
  down.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  down.dstDevice = memory;
  down.dstPitch = pitch;
  down.WidthInBytes = 10;
  down.Height = 3;
  OK(cuMemcpy2D(&down));
  OK(cuMemcpyDtoH(got, memory + 2 * pitch, 10));
  EXPECT(memcmp(got, rows + 20, 10) == 0);
  OK(cuMemFree(memory));
}

void check_peers(CUcontext first, CUcontext second, CUstream stream) {
  CUdeviceptr here, there;
  int reachable = 0;
  OK(cuDeviceCanAccessPeer(&reachable, 0, 1));
  EXPECT(reachable);
  OK(cuMemAlloc(&here, 64));
  OK(cuCtxPushCurrent(second));
  OK(cuMemAlloc(&there, 64));
  int owner = -1;
  OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there));
  EXPECT(owner == 1);
  OK(cuCtxPopCurrent(nullptr));
  OK(cuMemcpyPeerAsync(there, second, here, first, 64, stream));
  OK(cuStreamSynchronize(stream));
}

void check_registered() {
  std::vector<char> host(8192);
  OK(cuMemHostRegister(host.data(), host.size(), 0));
  EXPECT(cuMemHostRegister(host.data(), host.size(), 0) ==
         CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUmemorytype type;
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                           reinterpret_cast<CUdeviceptr>(host.data() + 100)));
  EXPECT(type == CU_MEMORYTYPE_HOST);
  OK(cuMemHostUnregister(host.data()));
  EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               reinterpret_cast<CUdeviceptr>(host.data())) ==
         CUDA_ERROR_INVALID_VALUE);
}

// One piece of physical memory mapped twice shows the same bytes; it is counted until all is let
// go.
void check_mapping() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  size_t unit = 0;
  OK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  const size_t before = free_bytes();
  CUdeviceptr range;
  CUmemGenericAllocationHandle handle;
  OK(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  OK(cuMemCreate(&handle, unit, &properties, 0));
  EXPECT(free_bytes() == before - unit);
  OK(cuMemMap(range, unit, 0, handle, 0));
  OK(cuMemMap(range + unit, unit, 0, handle, 0));
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  OK(cuMemSetAccess(range, 2 * unit, &access, 1));
  OK(cuMemsetD8(range, 3, 100));
  unsigned char got = 0;
  OK(cuMemcpyDtoH(&got, range + unit + 99, 1));
  EXPECT(got == 3);
  OK(cuMemRelease(handle));
  EXPECT(free_bytes() == before - unit);
  OK(cuMemUnmap(range, 2 * unit));
  EXPECT(free_bytes() == before);
  OK(cuMemAddressFree(range, 2 * unit));
}

}  // namespace

int main() {
  OK(cuInit(0));
  int count = 0;
  OK(cuDeviceGetCount(&count));
  EXPECT(count == 2);
  const CUcontext first = context_of(0), second = context_of(1);
  OK(cuCtxSetCurrent(first));
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  check_pool(stream);
  check_rows();
  check_peers(first, second, stream);
  check_registered();
  check_mapping();
  CUdeviceptr memory;
  EXPECT(cuMemAlloc(&memory, size_t(1) << 40) == CUDA_ERROR_OUT_OF_MEMORY);
  return 0;
}
