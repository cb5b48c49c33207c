// Looks whether a library of the vendor's own was loaded beside the doubles: then a test shows
// nothing.
#include "guard.hpp"

#include <dlfcn.h>
#include <limits.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "truth.hpp"

namespace mfusim {
namespace {

constexpr const char* kVendorNames[] = {
    "libcuda.so",     "libcudart.so",     "libcublas.so", "libcublasLt.so",  "libcudnn",
    "libcufft.so",    "libcufile.so",     "libcupti.so",  "libcurand.so",    "libcusolver.so",
    "libcusparse.so", "libcusparseLt.so", "libnccl.so",   "libnvJitLink.so", "libnvidia-ml.so",
    "libnvrtc.so",    "libnvshmem"};

// The build's folder, in which all doubles lie: two above this library's own.
std::string doubles_folder() {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&report_vendor_libraries), &info) ||
      !realpath(info.dli_fname, path))
    return "";
  std::string folder = path;
  for (int i = 0; i < 2; ++i) folder.resize(folder.find_last_of('/'));
  return folder + "/";
}

bool is_vendors(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* vendor : kVendorNames) {
    if (name.compare(0, strlen(vendor), vendor) == 0) return true;
  }
  return false;
}

}  // namespace

void report_vendor_libraries() {
  if (!truth::wanted()) return;
  const std::string doubles = doubles_folder();
  FILE* maps = fopen("/proc/self/maps", "re");
  if (!maps || doubles.empty()) return;
  std::set<std::string> found;
  char line[PATH_MAX + 128];
  while (fgets(line, sizeof line, maps)) {
    const char* at = strchr(line, '/');
    if (!at) continue;
    const std::string path(at, strcspn(at, "\n"));
    if (is_vendors(path) && path.compare(0, doubles.size(), doubles) != 0) found.insert(path);
  }
  fclose(maps);
  for (const std::string& path : found) truth::Object("vendor").add("path", path.c_str()).write();
}

}  // namespace mfusim
