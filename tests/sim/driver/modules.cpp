// Loading of MfusimImage, and the look-ups of kernels in what was loaded.
#include "modules.hpp"

#include <unistd.h>

#include <cstring>
#include <unordered_set>

#include "api_call.hpp"
#include "capture.hpp"
#include "driver_impl.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"

namespace mfusim {

// A module, or a library: the one is loaded into a context, the other for all of them.
struct Module {
  std::map<std::string, CUfunction> functions;
  Context* context = nullptr;
  bool opaque = false;
};
struct Library {
  std::map<std::string, CUkernel> kernels;
  bool opaque = false;
  CUmodule module = nullptr;  // made when a program asks for it
};

namespace {

Handles<Kernel, CUfunction>& kernel_table() {
  static auto* table = new Handles<Kernel, CUfunction>;
  return *table;
}
Handles<Module, CUmodule>& modules() {
  static auto* table = new Handles<Module, CUmodule>;
  return *table;
}
Handles<Library, CUlibrary>& libraries() {
  static auto* table = new Handles<Library, CUlibrary>;
  return *table;
}

const MfusimImage* image_of(const void* data) {
  uint64_t magic = 0;
  if (data) memcpy(&magic, data, sizeof magic);
  const auto* image = static_cast<const MfusimImage*>(data);
  return magic == MFUSIM_IMAGE_MAGIC && image->version == 1 ? image : nullptr;
}

std::shared_ptr<Kernel> make_kernel(const MfusimKernel& described) {
  auto kernel = std::make_shared<Kernel>();
  kernel->name = intern(described.name);
  kernel->cost_kind = described.cost_kind;
  if (described.param_sizes) {
    kernel->parameter_sizes.assign(described.param_sizes,
                                   described.param_sizes + described.param_count);
  }
  return kernel;
}

// Of an image that is not looked into, all that is known of a kernel is its name.
std::shared_ptr<Kernel> unknown_kernel(const char* name) {
  return make_kernel({name, MFUSIM_COST_GEOMETRY, 0, nullptr});
}

CUkernel as_kernel(CUfunction function) {
  return reinterpret_cast<CUkernel>(function);
}
CUfunction as_function(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
}

CUresult load_module(CUmodule* out, const void* data) {
  MFUSIM_NEED_CONTEXT(context);
  const MfusimImage* image = image_of(data);
  if (!out || !data) return CUDA_ERROR_INVALID_VALUE;
  auto module = std::make_shared<Module>();
  module->context = context;
  module->opaque = !image;
  *out = modules().handle_of(module.get());
  for (uint32_t i = 0; image && i < image->kernel_count; ++i) {
    auto kernel = make_kernel(image->kernels[i]);
    kernel->module = *out;
    const char* name = kernel->name;
    module->functions[name] = kernel_table().insert(std::move(kernel));
  }
  modules().insert(std::move(module));
  return CUDA_SUCCESS;
}

// The function behind a kernel, made once.
CUfunction function_of(Kernel& kernel) {
  if (!kernel.function) {
    auto function = std::make_shared<Kernel>(kernel);
    kernel.function = kernel_table().insert(std::move(function));
  }
  return kernel.function;
}

CUresult name_of(const char** out, const void* handle) {
  Lock lock;
  const Kernel* kernel = find_kernel(handle);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *out = kernel->name;
  return CUDA_SUCCESS;
}

CUresult parameter_info(const void* handle, size_t index, size_t* offset, size_t* size) {
  Lock lock;
  const Kernel* kernel = find_kernel(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= kernel->parameter_sizes.size() || !offset) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  for (size_t i = 0; i < index; ++i) *offset += kernel->parameter_sizes[i];
  if (size) *size = kernel->parameter_sizes[index];
  return CUDA_SUCCESS;
}

}  // namespace

const char* intern(const std::string& name) {
  static auto* names = new std::unordered_set<std::string>;
  return names->insert(name).first->c_str();
}

Kernel* find_kernel(const void* handle) {
  return kernel_table().find(static_cast<CUfunction>(const_cast<void*>(handle)));
}

CUresult impl_cuModuleLoadData(CUmodule* out, const void* image) {
  return load_module(out, image);
}
CUresult impl_cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned, CUjit_option*,
                                 void**) {
  return load_module(out, image);
}
CUresult impl_cuModuleLoadFatBinary(CUmodule* out, const void* image) {
  return load_module(out, image);
}
CUresult impl_cuModuleLoad(CUmodule* out, const char* path) {
  static constexpr uint64_t kUnread = 0;
  if (!path || access(path, R_OK) != 0) return CUDA_ERROR_FILE_NOT_FOUND;
  return load_module(out, &kUnread);
}

CUresult impl_cuModuleUnload(CUmodule handle) {
  Lock lock;
  Module* module = modules().find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult bad = refuse_unsafe(nullptr)) return bad;
  wait_for_context(lock, *module->context);
  for (const auto& [name, function] : module->functions) kernel_table().erase(function);
  modules().erase(handle);
  return CUDA_SUCCESS;
}

CUresult impl_cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
  Lock lock;
  Module* module = modules().find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  auto it = module->functions.find(name);
  if (it == module->functions.end()) {
    if (!module->opaque) return CUDA_ERROR_NOT_FOUND;
    auto kernel = unknown_kernel(name);
    kernel->module = handle;
    it = module->functions.emplace(name, kernel_table().insert(std::move(kernel))).first;
  }
  *out = it->second;
  return CUDA_SUCCESS;
}
CUresult impl_cuModuleGetFunctionCount(unsigned int* count, CUmodule handle) {
  Lock lock;
  const Module* module = modules().find(handle);
  if (!module || !count) return CUDA_ERROR_INVALID_VALUE;
  *count = unsigned(module->functions.size());
  return CUDA_SUCCESS;
}
CUresult impl_cuModuleEnumerateFunctions(CUfunction* out, unsigned int room, CUmodule handle) {
  Lock lock;
  const Module* module = modules().find(handle);
  if (!module || !out) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& [name, function] : module->functions) {
    if (room-- == 0) break;
    *out++ = function;
  }
  return CUDA_SUCCESS;
}
CUresult impl_cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}
CUresult impl_cuModuleGetGlobal_v2(CUdeviceptr*, size_t*, CUmodule handle, const char*) {
  Lock lock;
  return modules().find(handle) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}

CUresult impl_cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option*, void**, unsigned,
                                CUlibraryOption*, void**, unsigned) {
  const MfusimImage* image = image_of(code);
  if (!out || !code) return CUDA_ERROR_INVALID_VALUE;
  Lock lock;
  auto library = std::make_shared<Library>();
  library->opaque = !image;
  *out = libraries().handle_of(library.get());
  for (uint32_t i = 0; image && i < image->kernel_count; ++i) {
    auto kernel = make_kernel(image->kernels[i]);
    kernel->library = *out;
    const char* name = kernel->name;
    library->kernels[name] = as_kernel(kernel_table().insert(std::move(kernel)));
  }
  libraries().insert(std::move(library));
  return CUDA_SUCCESS;
}

CUresult impl_cuLibraryUnload(CUlibrary handle) {
  Lock lock;
  Library* library = libraries().find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, kernel] : library->kernels) {
    if (Kernel* k = find_kernel(kernel)) kernel_table().erase(k->function);
    kernel_table().erase(as_function(kernel));
  }
  if (library->module) modules().erase(library->module);
  libraries().erase(handle);
  return CUDA_SUCCESS;
}

CUresult impl_cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  Lock lock;
  Library* library = libraries().find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  auto it = library->kernels.find(name);
  if (it == library->kernels.end()) {
    if (!library->opaque) return CUDA_ERROR_NOT_FOUND;
    auto kernel = unknown_kernel(name);
    kernel->library = handle;
    it = library->kernels.emplace(name, as_kernel(kernel_table().insert(std::move(kernel)))).first;
  }
  *out = it->second;
  return CUDA_SUCCESS;
}
CUresult impl_cuLibraryGetKernelCount(unsigned int* count, CUlibrary handle) {
  Lock lock;
  const Library* library = libraries().find(handle);
  if (!library || !count) return CUDA_ERROR_INVALID_VALUE;
  *count = unsigned(library->kernels.size());
  return CUDA_SUCCESS;
}
CUresult impl_cuLibraryEnumerateKernels(CUkernel* out, unsigned int room, CUlibrary handle) {
  Lock lock;
  const Library* library = libraries().find(handle);
  if (!library || !out) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& [name, kernel] : library->kernels) {
    if (room-- == 0) break;
    *out++ = kernel;
  }
  return CUDA_SUCCESS;
}
CUresult impl_cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
  MFUSIM_NEED_CONTEXT(context);
  Library* library = libraries().find(handle);
  if (!library || !out) return CUDA_ERROR_INVALID_HANDLE;
  if (!library->module) {
    auto module = std::make_shared<Module>();
    module->context = context;
    for (const auto& [name, kernel] : library->kernels)
      module->functions[name] = function_of(*find_kernel(kernel));
    library->module = modules().insert(std::move(module));
  }
  *out = library->module;
  return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetFunction(CUfunction* out, CUkernel handle) {
  MFUSIM_NEED_CONTEXT(context);
  Kernel* kernel = find_kernel(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = function_of(*kernel);
  return CUDA_SUCCESS;
}
CUresult impl_cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
  Lock lock;
  const Kernel* kernel = find_kernel(handle);
  if (!kernel || !out) return CUDA_ERROR_INVALID_HANDLE;
  *out = kernel->library;
  return CUDA_SUCCESS;
}
CUresult impl_cuFuncGetModule(CUmodule* out, CUfunction handle) {
  Lock lock;
  const Kernel* kernel = find_kernel(handle);
  if (!kernel || !out) return CUDA_ERROR_INVALID_HANDLE;
  *out = kernel->module;
  return CUDA_SUCCESS;
}

CUresult impl_cuFuncGetName(const char** out, CUfunction function) {
  return name_of(out, function);
}
CUresult impl_cuKernelGetName(const char** out, CUkernel kernel) {
  return name_of(out, kernel);
}
CUresult impl_cuFuncGetParamInfo(CUfunction f, size_t index, size_t* offset, size_t* size) {
  return parameter_info(f, index, offset, size);
}
CUresult impl_cuKernelGetParamInfo(CUkernel k, size_t index, size_t* offset, size_t* size) {
  return parameter_info(k, index, offset, size);
}
CUresult impl_cuFuncLoad(CUfunction function) {
  Lock lock;
  return find_kernel(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult impl_cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  Lock lock;
  if (!find_kernel(function) || !state) return CUDA_ERROR_INVALID_HANDLE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

}  // namespace mfusim

MFUSIM_EXPORT const char* mfusim_kernel_name(const void* function) {
  mfusim::Lock lock;
  const mfusim::Kernel* kernel = mfusim::find_kernel(function);
  return kernel ? kernel->name : nullptr;
}
