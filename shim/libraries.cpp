// Facts about the GPUs and the CUDA libraries in use, asked of the libraries' public functions.
#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "device_clocks.hpp"
#include "facts.hpp"
#include "intern.hpp"
#include "old_glibc.hpp"
#include "recorder.hpp"

// Last, since its macros rename what the rows of the log format spell out.
#include <cuda.h>

namespace mfushim::shim {

namespace {

template <class Function>
Function* find(void* library, const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

struct Driver {
  decltype(&cuDeviceGetCount) count;
  decltype(&cuDeviceGet) get;
  decltype(&cuDeviceGetName) name;
  decltype(&cuDeviceGetAttribute) attribute;
  decltype(&cuDeviceGetUuid) uuid;
  decltype(&cuDeviceGetPCIBusId) bus;
  decltype(&cuDeviceTotalMem) total_memory;

  explicit Driver(void* library) noexcept
      : count(find<decltype(cuDeviceGetCount)>(library, "cuDeviceGetCount")),
        get(find<decltype(cuDeviceGet)>(library, "cuDeviceGet")),
        name(find<decltype(cuDeviceGetName)>(library, "cuDeviceGetName")),
        attribute(find<decltype(cuDeviceGetAttribute)>(library, "cuDeviceGetAttribute")),
        uuid(find<decltype(cuDeviceGetUuid)>(library, "cuDeviceGetUuid_v2")),
        bus(find<decltype(cuDeviceGetPCIBusId)>(library, "cuDeviceGetPCIBusId")),
        total_memory(find<decltype(cuDeviceTotalMem)>(library, "cuDeviceTotalMem_v2")) {}
  bool whole() const noexcept { return count && get && name && attribute && total_memory; }
};

// As nvidia-smi writes it.
void uuid_text(const CUuuid& id, char (&text)[48]) noexcept {
  std::size_t n = static_cast<std::size_t>(std::snprintf(text, sizeof text, "GPU-"));
  for (int i = 0; i < 16; ++i) {
    const bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    n += static_cast<std::size_t>(std::snprintf(text + n, sizeof text - n, dash ? "-%02x" : "%02x",
                                                static_cast<unsigned char>(id.bytes[i])));
  }
}

void record_device(const Driver& driver, int index) noexcept {
  CUdevice handle;
  if (driver.get(&handle, index) != CUDA_SUCCESS) return;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    const bool known = driver.attribute(&value, which, handle) == CUDA_SUCCESS && value > 0;
    return known ? static_cast<std::uint32_t>(value) : 0u;
  };
  char name[256] = "", uuid[48] = "", bus[16] = "";
  format::Device d;
  d.index = static_cast<std::uint32_t>(index);
  if (driver.name(name, sizeof name, handle) == CUDA_SUCCESS) d.name = name;
  if (CUuuid id; driver.uuid && driver.uuid(&id, handle) == CUDA_SUCCESS) {
    uuid_text(id, uuid);
    d.uuid = uuid;
  }
  if (driver.bus != nullptr && driver.bus(bus, sizeof bus, handle) != CUDA_SUCCESS) bus[0] = '\0';
  name_device(d.index, uuid, bus);
  d.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  d.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  d.clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  d.memory_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  d.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  d.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  std::size_t memory = 0;
  if (driver.total_memory(&memory, handle) == CUDA_SUCCESS) d.memory_bytes = memory;
  device(d);
}

// How a library tells its version: as a number returned or stored, or in three parts.
enum class Tells { kNothing, kStores, kReturns, kProperty };

struct Known {
  std::string_view prefix;  // of the file's name
  std::string_view role;
  const char* function;
  Tells tells;
  const char* fact;  // key; nullptr: none
};
constexpr Known kKnown[] = {
    {"libcuda.so", "driver", "cuDriverGetVersion", Tells::kStores, "cuda_driver_version"},
    {"libcudart.so", "cudart", "cudaRuntimeGetVersion", Tells::kStores, "cuda_runtime_version"},
    {"libcublas.so", "cublas", "cublasGetProperty", Tells::kProperty, "cublas_version"},
    {"libcublasLt.so", "cublaslt", "cublasLtGetVersion", Tells::kReturns, "cublaslt_version"},
    {"libcudnn.so", "cudnn", "cudnnGetVersion", Tells::kReturns, "cudnn_version"},
    {"libnccl.so", "nccl", "ncclGetVersion", Tells::kStores, "nccl_version"},
    {"libcupti.so", "cupti", "cuptiGetVersion", Tells::kStores, "cupti_version"},
    {"libcufft.so", "cufft", nullptr, Tells::kNothing, nullptr},
    {"libcusolver.so", "cusolver", nullptr, Tells::kNothing, nullptr},
    {"libcusparse.so", "cusparse", nullptr, Tells::kNothing, nullptr},
    {"libcurand.so", "curand", nullptr, Tells::kNothing, nullptr},
};

void version_text(const Known& known, void* library, char (&text)[32]) noexcept {
  void* const function = known.function != nullptr ? dlsym(library, known.function) : nullptr;
  if (function == nullptr) return;
  if (known.tells == Tells::kStores) {
    int version = 0;
    if (reinterpret_cast<int (*)(int*)>(function)(&version) == 0)
      std::snprintf(text, sizeof text, "%d", version);
  } else if (known.tells == Tells::kReturns) {
    std::snprintf(text, sizeof text, "%zu", reinterpret_cast<std::size_t (*)()>(function)());
  } else if (known.tells == Tells::kProperty) {
    int part[3] = {};
    const auto property = reinterpret_cast<int (*)(int, int*)>(function);
    for (int i = 0; i < 3; ++i)
      if (property(i, &part[i]) != 0) return;
    std::snprintf(text, sizeof text, "%d.%d.%d", part[0], part[1], part[2]);
  }
}

const Known* known_library(std::string_view path) noexcept {
  std::string_view name = path;
  name.remove_prefix(path.rfind('/') + 1);
  for (const Known& known : kKnown)
    if (name.starts_with(known.prefix)) return &known;
  return nullptr;
}

// Paths of the known libraries that are loaded. Collected first: the loader's lock is held while
// it lists, and asking a library for its version must not happen under it.
struct Found {
  std::array<std::array<char, 512>, 24> paths;
  std::size_t count = 0;
};

int collect(dl_phdr_info* info, std::size_t, void* to) {
  Found& found = *static_cast<Found*>(to);
  const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (found.count == found.paths.size() || path.size() >= found.paths[0].size()) return 0;
  if (known_library(path) == nullptr) return 0;
  std::memcpy(found.paths[found.count++].data(), path.data(), path.size() + 1);
  return 0;
}

}  // namespace

void record_devices() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return;
  const Driver driver(library);
  int count = 0;
  if (driver.whole() && driver.count(&count) == CUDA_SUCCESS)
    for (int i = 0; i < count; ++i) record_device(driver, i);
  dlclose(library);
}

void record_modules() noexcept {
  Found found;
  dl_iterate_phdr(collect, &found);
  for (std::size_t i = 0; i < found.count; ++i) {
    const char* const path = found.paths[i].data();
    const Known& known = *known_library(path);
    void* const library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) continue;
    char version[32] = "";
    version_text(known, library, version);
    dlclose(library);
    intern_record(format::Module{path, known.role, version, {}});
    if (known.fact != nullptr && *version != '\0') intern_record(format::Fact{known.fact, version});
  }
}

}  // namespace mfushim::shim
