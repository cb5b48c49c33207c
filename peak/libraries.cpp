// Opens the driver and the newest cuBLASLt there is. The exported names are those that cuda.h's
// macros stand for, of which each function is listed once.
#include "libraries.hpp"

#include <dlfcn.h>

namespace mfushim::peak {

namespace {

#define MFUSHIM_TEXT(name) #name
// The name behind cuda.h's macros: cuMemAlloc is exported as cuMemAlloc_v2.
#define MFUSHIM_EXPORTED(name) MFUSHIM_TEXT(name)

void* open_first(std::initializer_list<const char*> names) {
  std::string tried;
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    tried += tried.empty() ? name : std::string(", ") + name;
  }
  throw PeakError("no GPU can be used: there is no " + tried);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw PeakError(std::string("the library has no ") + name);
}

}  // namespace

Libraries open_libraries() {
  Libraries l{};
  void* const driver = open_first({"libcuda.so.1"});
  find(driver, MFUSHIM_EXPORTED(cuInit), l.init);
  find(driver, MFUSHIM_EXPORTED(cuDeviceGet), l.device_get);
  find(driver, MFUSHIM_EXPORTED(cuDeviceGetName), l.device_name);
  find(driver, MFUSHIM_EXPORTED(cuDeviceGetUuid), l.device_uuid);
  find(driver, MFUSHIM_EXPORTED(cuDevicePrimaryCtxRetain), l.retain);
  find(driver, MFUSHIM_EXPORTED(cuCtxSetCurrent), l.set_current);
  find(driver, MFUSHIM_EXPORTED(cuMemAlloc), l.allocate);
  find(driver, MFUSHIM_EXPORTED(cuMemFree), l.free);
  find(driver, MFUSHIM_EXPORTED(cuMemcpyHtoD), l.copy_in);
  find(driver, MFUSHIM_EXPORTED(cuStreamCreate), l.stream_create);
  find(driver, MFUSHIM_EXPORTED(cuEventCreate), l.event_create);
  find(driver, MFUSHIM_EXPORTED(cuEventRecord), l.event_record);
  find(driver, MFUSHIM_EXPORTED(cuEventSynchronize), l.event_wait);
  find(driver, MFUSHIM_EXPORTED(cuEventElapsedTime), l.event_elapsed);
  void* const lt = open_first({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"});
  find(lt, "cublasLtCreate", l.lt_create);
  find(lt, "cublasLtGetVersion", l.lt_version);
  find(lt, "cublasLtMatmulDescCreate", l.desc_create);
  find(lt, "cublasLtMatmulDescDestroy", l.desc_destroy);
  find(lt, "cublasLtMatmulDescSetAttribute", l.desc_set);
  find(lt, "cublasLtMatrixLayoutCreate", l.layout_create);
  find(lt, "cublasLtMatrixLayoutDestroy", l.layout_destroy);
  find(lt, "cublasLtMatmulPreferenceCreate", l.preference_create);
  find(lt, "cublasLtMatmulPreferenceDestroy", l.preference_destroy);
  find(lt, "cublasLtMatmulPreferenceSetAttribute", l.preference_set);
  find(lt, "cublasLtMatmulAlgoGetHeuristic", l.heuristic);
  find(lt, "cublasLtMatmul", l.matmul);
  return l;
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS)
    throw PeakError(std::string(what) + " failed with CUDA error " + std::to_string(result));
}

}  // namespace mfushim::peak
