// The registry of fat binaries, functions and variables, and nvcc's launch configuration stack.
#include "registration.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

struct FatBinary {
  std::vector<std::string> names;
  std::vector<const void*> functions;  // on the host, each with the name at its place
  CUlibrary library = nullptr;
};
struct Function {
  FatBinary* binary = nullptr;
  std::string name;
  CUkernel kernel = nullptr;  // once loaded
};
struct Variable {
  size_t bytes = 0;
  void* address = nullptr;  // once used
};

struct Registry {
  std::mutex mutex;
  std::map<FatBinary*, std::unique_ptr<FatBinary>> binaries;
  std::map<const void*, Function> functions;
  std::map<const void*, Variable> variables;
};
// Never destroyed: unregistration runs among the program's last exit handlers.
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

// The image that stands for a fat binary: its kernels' names, whose cost follows from their
// geometry.
bool load(FatBinary& binary) {
  if (binary.library) return true;
  std::vector<MfusimKernel> kernels;
  for (const std::string& name : binary.names)
    kernels.push_back({name.c_str(), MFUSIM_COST_GEOMETRY, 0, nullptr});
  const MfusimImage image{MFUSIM_IMAGE_MAGIC, 1, uint32_t(kernels.size()), kernels.data()};
  return driver().cuLibraryLoadData(&binary.library, &image, nullptr, nullptr, 0, nullptr, nullptr,
                                    0) == CUDA_SUCCESS;
}

bool is_kernel(const void* handle) {
  const char* name = nullptr;
  return driver().cuKernelGetName(&name, static_cast<CUkernel>(const_cast<void*>(handle))) ==
         CUDA_SUCCESS;
}

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> t_configurations;

}  // namespace

CUkernel kernel_of(const void* host_function) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.functions.find(host_function);
  if (it == r.functions.end()) {
    return is_kernel(host_function) ? static_cast<CUkernel>(const_cast<void*>(host_function))
                                    : nullptr;
  }
  Function& f = it->second;
  if (!f.kernel && load(*f.binary))
    driver().cuLibraryGetKernel(&f.kernel, f.binary->library, f.name.c_str());
  return f.kernel;
}

bool variable_of(const void* symbol, DeviceVariable& out) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.variables.find(symbol);
  if (it == r.variables.end()) return false;
  Variable& v = it->second;
  CUdeviceptr address = 0;
  if (!v.address && driver().cuMemAlloc_v2(&address, v.bytes) == CUDA_SUCCESS)
    v.address = reinterpret_cast<void*>(address);
  out = {v.address, v.bytes};
  return v.address != nullptr;
}

cudaError_t impl_cudaGetSymbolAddress(void** address, const void* symbol) {
  MFUSIM_NEED_CONTEXT();
  DeviceVariable variable;
  if (!variable_of(symbol, variable)) return cudaErrorInvalidSymbol;
  *address = variable.address;
  return cudaSuccess;
}
cudaError_t impl_cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  MFUSIM_NEED_CONTEXT();
  DeviceVariable variable;
  if (!variable_of(symbol, variable)) return cudaErrorInvalidSymbol;
  *bytes = variable.bytes;
  return cudaSuccess;
}

// The `symbol` is the host variable's address.
#define MFUSIM_SYMBOL(name, symbol)                              \
  MFUSIM_NEED_CONTEXT();                                         \
  DeviceVariable name;                                           \
  if (!variable_of(symbol, name)) return cudaErrorInvalidSymbol; \
  char* const name##_bytes = static_cast<char*>(name.address)

cudaError_t impl_cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind) {
  MFUSIM_SYMBOL(variable, symbol);
  return impl_cudaMemcpy(variable_bytes + offset, from, bytes, kind);
}
cudaError_t impl_cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind) {
  MFUSIM_SYMBOL(variable, symbol);
  return impl_cudaMemcpy(to, variable_bytes + offset, bytes, kind);
}
cudaError_t impl_cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                         size_t offset, enum cudaMemcpyKind kind,
                                         cudaStream_t stream) {
  MFUSIM_SYMBOL(variable, symbol);
  return impl_cudaMemcpyAsync(variable_bytes + offset, from, bytes, kind, stream);
}
cudaError_t impl_cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream) {
  MFUSIM_SYMBOL(variable, symbol);
  return impl_cudaMemcpyAsync(to, variable_bytes + offset, bytes, kind, stream);
}

}  // namespace mfusim::runtime

using namespace mfusim::runtime;

MFUSIM_EXPORT void** __cudaRegisterFatBinary(void*) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  auto binary = std::make_unique<FatBinary>();
  FatBinary* raw = binary.get();
  r.binaries.emplace(raw, std::move(binary));
  return reinterpret_cast<void**>(raw);
}
MFUSIM_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

MFUSIM_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  auto* binary = reinterpret_cast<FatBinary*>(handle);
  for (const void* function : binary->functions) {
    const auto it = r.functions.find(function);
    if (it != r.functions.end() && it->second.binary == binary) r.functions.erase(it);
  }
  r.binaries.erase(binary);
}

MFUSIM_EXPORT void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                          const char* device_name, int, uint3*, uint3*, dim3*,
                                          dim3*, int*) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  auto* binary = reinterpret_cast<FatBinary*>(handle);
  binary->names.push_back(device_name);
  binary->functions.push_back(host_function);
  r.functions[host_function] = {binary, device_name, nullptr};
}

MFUSIM_EXPORT void __cudaRegisterVar(void**, char* host_variable, char*, const char*, int,
                                     size_t bytes, int, int) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.variables[host_variable] = {bytes, nullptr};
}

// Managed variables live in host memory here, which the device shares.
MFUSIM_EXPORT void __cudaRegisterManagedVar(void**, void** host_address, char*, const char*, int,
                                            size_t bytes, int, int) {
  *host_address = calloc(1, bytes);
}
MFUSIM_EXPORT char __cudaInitModule(void**) {
  return 1;
}
MFUSIM_EXPORT void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
MFUSIM_EXPORT void __cudaRegisterUnifiedTable(void**, void*) {}

MFUSIM_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                   cudaStream_t stream) {
  t_configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}
MFUSIM_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                     void* stream) {
  if (t_configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration c = t_configurations.back();
  t_configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared_bytes = c.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}
