// Opens libraries in several ways and has those with coverage_run make their calls, one after the
// other: open (MODE LIBRARY)... It is linked to nothing of CUDA itself.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

void* open_as(const char* mode, const char* library) {
  if (std::strcmp(mode, "global") == 0) return dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (std::strcmp(mode, "deepbind") == 0)
    return dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (std::strcmp(mode, "namespace") == 0)
    return dlmopen(LM_ID_NEWLM, library, RTLD_NOW | RTLD_LOCAL);
  return dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    void* const library = open_as(arguments[i], arguments[i + 1]);
    if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    const auto run = reinterpret_cast<int (*)()>(dlsym(library, "coverage_run"));
    if (run != nullptr && run() != 0) return 1;
  }
}
