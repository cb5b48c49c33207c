// Allocation and pointers, where the runtime's forms differ from the driver's.
#include "driver.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {

cudaError_t impl_cudaMalloc(void** out, size_t bytes) {
  MFUSIM_NEED_CONTEXT();
  if (!out) return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  return as_error(driver().cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(out), bytes));
}
cudaError_t impl_cudaMallocHost(void** out, size_t bytes) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuMemAllocHost_v2(out, bytes));
}
cudaError_t impl_cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t rows) {
  MFUSIM_NEED_CONTEXT();
  return as_error(
      driver().cuMemAllocPitch_v2(reinterpret_cast<CUdeviceptr*>(out), pitch, width, rows, 4));
}
cudaError_t impl_cudaFree(void* pointer) {
  MFUSIM_NEED_CONTEXT();  // cudaFree(0) is how programs ask for a context
  return pointer ? as_error(driver().cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pointer)))
                 : cudaSuccess;
}
cudaError_t impl_cudaFreeHost(void* pointer) {
  MFUSIM_NEED_CONTEXT();
  return pointer ? as_error(driver().cuMemFreeHost(pointer)) : cudaSuccess;
}

cudaError_t impl_cudaPointerGetAttributes(struct cudaPointerAttributes* out, const void* pointer) {
  MFUSIM_NEED_CONTEXT();
  if (!out) return cudaErrorInvalidValue;
  unsigned type = 0, managed = 0;
  int device = -2;
  void *device_pointer = nullptr, *host_pointer = nullptr;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* values[] = {&type, &managed, &device, &device_pointer, &host_pointer};
  const CUresult result =
      driver().cuPointerGetAttributes(5, asked, values, reinterpret_cast<CUdeviceptr>(pointer));
  *out = {};
  out->type = managed                        ? cudaMemoryTypeManaged
              : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
              : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                             : cudaMemoryTypeUnregistered;
  out->device = device;
  out->devicePointer = device_pointer;
  out->hostPointer = out->type == cudaMemoryTypeDevice ? nullptr : host_pointer;
  return as_error(result);
}

}  // namespace mfusim::runtime
