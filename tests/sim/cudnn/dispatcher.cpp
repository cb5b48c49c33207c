// libcudnn.so.9 has no code of its own: it opens the library behind it and looks up the same
// names there, as the real one does.
#include <cudnn.h>
#include <dlfcn.h>

namespace {

void* library() {
  static void* const opened = dlopen("libcudnn_graph.so.9", RTLD_NOW | RTLD_LOCAL);
  return opened;
}

cudnnStatus_t missing() {
  return CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED;
}

}  // namespace

// The function behind a name; never null.
extern "C" [[gnu::visibility("hidden")]] void* mfusim_cudnn_behind(const char* name) {
  void* const found = library() != nullptr ? dlsym(library(), name) : nullptr;
  return found != nullptr ? found : reinterpret_cast<void*>(&missing);
}
