// Looks for CUPTI where toolkits and Python wheels put it.
#include "cupti_find.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "old_glibc.hpp"

namespace mfushim::shim::cupti {

namespace {

// Sonames of the majors, newest first; CUDA 11's have the minor in them.
struct Soname {
  int major;
  const char* name;
};
constexpr Soname kSonames[] = {
    {13, "libcupti.so.13"}, {12, "libcupti.so.12"}, {11, "libcupti.so.11.8"}};

// Where CUPTI lies seen from the folder of libcudart: beside it, in a toolkit, in wheels.
constexpr const char* kBesideRuntime[] = {"", "/../extras/CUPTI/lib64", "/../../extras/CUPTI/lib64",
                                          "/../../cuda_cupti/lib"};

struct Runtime {
  int major = 0;
  char folder[PATH_MAX] = "";
};

int find_runtime(dl_phdr_info* info, std::size_t, void* to) {
  constexpr std::string_view kName = "/libcudart.so.";
  const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return 0;
  const std::string_view name(path.data() + slash, path.size() - slash);
  if (!name.starts_with(kName)) return 0;
  Runtime& runtime = *static_cast<Runtime*>(to);
  if (slash >= sizeof runtime.folder) return 0;
  runtime.major = std::atoi(path.data() + slash + kName.size());
  std::memcpy(runtime.folder, path.data(), slash);
  runtime.folder[slash] = '\0';
  return 1;
}

// The major that the loaded runtime, else the driver, is of; 0: unknown.
int wanted_major(const Runtime& runtime) noexcept {
  if (runtime.major != 0) return runtime.major;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (driver == nullptr) return 0;
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  int number = 0;
  if (version != nullptr && version(&number) != 0) number = 0;
  dlclose(driver);
  return number / 1000;
}

void* open_in(const char* folder, const char* below, const char* name) noexcept {
  char path[PATH_MAX];
  const int n = std::snprintf(path, sizeof path, "%s%s/%s", folder, below, name);
  if (n < 0 || static_cast<std::size_t>(n) >= sizeof path) return nullptr;
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

void* open_beside(const Runtime& runtime) noexcept {
  for (const Soname& soname : kSonames) {
    if (soname.major != runtime.major) continue;
    for (const char* const below : kBesideRuntime)
      if (void* const found = open_in(runtime.folder, below, soname.name)) return found;
  }
  return nullptr;
}

}  // namespace

void* open_library() noexcept {
  for (const Soname& soname : kSonames)
    if (void* const found = dlopen(soname.name, RTLD_NOLOAD | RTLD_LAZY)) return found;
  Runtime runtime;
  dl_iterate_phdr(find_runtime, &runtime);
  if (runtime.major != 0)
    if (void* const found = open_beside(runtime)) return found;
  const int newest = wanted_major(runtime);
  for (const Soname& soname : kSonames) {
    if (newest != 0 && soname.major > newest) continue;
    if (void* const found = dlopen(soname.name, RTLD_LAZY | RTLD_LOCAL)) return found;
    if (const char* const home = std::getenv("CUDA_HOME"))
      if (void* const found = open_in(home, "/extras/CUPTI/lib64", soname.name)) return found;
  }
  return nullptr;
}

}  // namespace mfushim::shim::cupti
