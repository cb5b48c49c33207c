// Other preloads, as real jobs have them beside the recorder; one source, three libraries:
//   INTERPOSE_CUDA    exports launch functions, as tracers and quota libraries do, and forwards to
//                     the next definition
//   INTERPOSE_DLSYM   exports dlsym itself, and forwards to libc's
//   INTERPOSE_MALLOC  exports malloc, as jemalloc does, and looks the next one up inside of it
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
[[maybe_unused]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#if defined(INTERPOSE_CUDA)

// Only passed on: what they really are does not matter here.
struct dim3 {
  unsigned x, y, z;
};

namespace {
int g_launches = 0;

// Its own calls of the driver are not the program's.
[[gnu::destructor]] void tell() {
  std::printf("interposer: %d launches\n", g_launches);
}
}  // namespace

extern "C" int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                std::size_t shared, void* stream) {
  static auto* const real =
      next<int(const void*, dim3, dim3, void**, std::size_t, void*)>("cudaLaunchKernel");
  ++g_launches;
  const int result = real(function, grid, block, arguments, shared, stream);
  return result;
}

#elif defined(INTERPOSE_DLSYM)

extern "C" void* dlsym(void* handle, const char* name) noexcept {
  using Dlsym = void*(void*, const char*);
  static auto* const real = reinterpret_cast<Dlsym*>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return real(handle, name);
}

#elif defined(INTERPOSE_MALLOC)

// Served from here while the next malloc is looked up, since that may itself allocate.
namespace {
alignas(16) char g_first[1 << 16];
std::size_t g_used = 0;
bool g_searching = false;
bool g_locked = false;  // as if inside the allocator's own lock
void* (*g_malloc)(std::size_t) = nullptr;
void (*g_free)(void*) = nullptr;

void search() {
  g_searching = true;
  g_locked = true;
  g_free = next<void(void*)>("free");
  g_malloc = next<void*(std::size_t)>("malloc");
  dlsym(RTLD_DEFAULT, "calloc");
  g_locked = false;
  // As an allocator that knows of device memory does.
  dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
  g_searching = false;
}
}  // namespace

extern "C" void* malloc(std::size_t size) noexcept {
  if (g_locked) std::abort();  // a look-up that allocates would wait for itself
  if (g_malloc == nullptr && !g_searching) search();
  if (!g_searching) return g_malloc(size);
  void* const at = g_first + g_used;
  g_used += (size + 15) / 16 * 16;
  return at;
}

extern "C" void free(void* at) noexcept {
  const char* const byte = static_cast<char*>(at);
  if (byte >= g_first && byte < g_first + sizeof g_first) return;
  if (g_free != nullptr) g_free(at);
}

#endif
