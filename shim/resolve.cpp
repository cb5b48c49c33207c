// Finds the real functions through the loader's own tables; see resolve.hpp for the rules.
#include "resolve.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "keep_errno.hpp"
#include "old_glibc.hpp"

extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
MFUSHIM_THREAD_LOCAL mfushim::shim::Entry* mfushim_entry = nullptr;
constinit std::atomic<void* (*)(void*, const char*)> mfushim_real_dlsym{nullptr};
}

namespace mfushim::shim {
namespace {

using format::Api;
using format::Library;

constexpr std::size_t kMaxProviders = 32;
constexpr std::size_t kMaxCallers = 4096;  // Triton made a module per kernel
constexpr std::size_t kMaxPages = 4096;

// A module that calls exported symbols, by the address range of its code. A module that is unloaded
// leaves its range behind; another one in its place gets the same providers.
struct Caller {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::atomic<bool> ready;
  std::array<std::atomic<Provider*>, kLibraryCount> providers;
};

constinit Provider g_providers[kMaxProviders]{};
// The first stands for code in no module: compiled at run time.
constinit Caller g_callers[kMaxCallers]{};
constinit std::atomic<std::size_t> g_caller_count{1};
// Which caller a page of code belongs to, as page number << 16 | index.
constinit std::atomic<std::uint64_t> g_pages[kMaxPages]{};
constinit const char kAbsent = 0;  // its address: looked up, and not there

// How file names of a library begin; what follows is the major.
constexpr std::string_view kStems[kLibraryCount] = {
    "libcuda.so",  "libcudart.so", "libcublas.so", "libcublasLt.so",
    "libcudnn.so", "libnccl.so",   "libcupti.so"};

constexpr const char* kHelperNames[] = {
#define MFUSHIM_HELPER(name) #name,
#include "helpers.def"
#undef MFUSHIM_HELPER
};

std::string_view base_name(const char* path) {
  std::string_view name(path != nullptr ? path : "");
  name.remove_prefix(name.rfind('/') + 1);
  return name;
}

// The module of this name if it is loaded, counted once more; null otherwise.
void* open_loaded(const char* name) {
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

Provider* provider_for(void* handle) {
  if (handle == nullptr) return nullptr;
  for (Provider& p : g_providers) {
    void* there = p.handle.load(std::memory_order_acquire);
    if (there == nullptr && p.handle.compare_exchange_strong(there, handle)) return &p;
    if (there != handle) continue;
    dlclose(handle);  // counted already
    return &p;
  }
  dlclose(handle);
  return nullptr;
}

const link_map* module_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

void* open_module(const link_map* map) {
  return open_loaded(map->l_name != nullptr && map->l_name[0] != '\0' ? map->l_name : nullptr);
}

// The first of the libraries that a module is linked to of which `is` is true; null: none.
template <class Is>
const char* find_needed(const link_map* map, Is&& is) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* d = map->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
  if (strings == nullptr || reinterpret_cast<ElfW(Addr)>(strings) < map->l_addr) return nullptr;
  for (const ElfW(Dyn)* d = map->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && is(strings + d->d_un.d_val)) return strings + d->d_un.d_val;
  return nullptr;
}

// 1. The library that the module itself is linked to.
void* open_needed(const link_map* map, std::string_view stem) {
  void* handle = nullptr;
  find_needed(map, [&](const char* name) {
    if (base_name(name).starts_with(stem)) handle = open_loaded(name);
    return handle != nullptr;
  });
  return handle;
}

// What a library that is preloaded after this one defines under a name: the program would have
// called that. Preloaded libraries come before those that the program is linked to.
void* find_preloaded(const char* name) {
  const link_map* const own = module_of(__ehdr_start);
  if (own == nullptr) return nullptr;
  const link_map* program = own;
  while (program->l_prev != nullptr) program = program->l_prev;
  for (const link_map* m = own->l_next; m != nullptr && m->l_name[0] != '\0'; m = m->l_next) {
    const std::string_view file = base_name(m->l_name);
    if (find_needed(program, [&](const char* needed) { return base_name(needed) == file; }))
      return nullptr;
    void* const handle = open_module(m);
    if (handle == nullptr) continue;
    void* const function = real_dlsym(handle, name);
    dlclose(handle);
    if (function != nullptr && module_of(function) == m) return function;
  }
  return nullptr;
}

// 3. The first loaded library of that name.
void* open_any(std::string_view stem) {
  struct Search {
    std::string_view stem;
    char path[512];
  } search{stem, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        if (!base_name(info->dlpi_name).starts_with(s.stem) ||
            std::strlen(info->dlpi_name) >= sizeof s.path)
          return 0;
        std::strcpy(s.path, info->dlpi_name);
        return 1;
      },
      &search);
  return search.path[0] != '\0' ? open_loaded(search.path) : nullptr;
}

Provider* choose_provider(const link_map* module, Library library, const char* name) {
  const std::string_view stem = kStems[static_cast<std::size_t>(library)];
  if (module != nullptr) {
    if (void* const needed = open_needed(module, stem)) return provider_for(needed);
    // 2. What its own dependencies define, whatever they are called.
    if (void* const handle = open_module(module)) {
      void* const function = real_dlsym(handle, name);
      dlclose(handle);
      if (function != nullptr && !is_own(function)) return provider_of(function);
    }
  }
  if (void* const any = open_any(stem)) return provider_for(any);
  // 4. A global definition after ours.
  void* const function = real_dlsym(RTLD_NEXT, name);
  return function != nullptr && !is_own(function) ? provider_of(function) : nullptr;
}

// Index of the code segment around an address as a new caller; 0 where there is no module.
std::size_t add_caller(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address, begin, end;
  } search{address, 0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || s.address < begin ||
              s.address >= begin + segment.p_memsz)
            continue;
          s.begin = begin;
          s.end = begin + segment.p_memsz;
          return 1;
        }
        return 0;
      },
      &search);
  if (search.end == 0) return 0;
  const std::size_t index = g_caller_count.fetch_add(1);
  if (index >= kMaxCallers) return 0;
  Caller& caller = g_callers[index];
  caller.begin = search.begin;
  caller.end = search.end;
  caller.ready.store(true, std::memory_order_release);
  return index;
}

std::size_t search_caller(std::uintptr_t address) {
  const std::size_t count = g_caller_count.load(std::memory_order_acquire);
  for (std::size_t i = 1; i < count && i < kMaxCallers; ++i) {
    const Caller& c = g_callers[i];
    if (c.ready.load(std::memory_order_acquire) && address >= c.begin && address < c.end) return i;
  }
  return add_caller(address);
}

}  // namespace

void load_real_dlsym() noexcept {
  if (mfushim_real_dlsym.load(std::memory_order_acquire) != nullptr) return;
  void* const real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  mfushim_real_dlsym.store(reinterpret_cast<void* (*)(void*, const char*)>(real),
                           std::memory_order_release);
}

void* real_dlsym(void* handle, const char* name) noexcept {
  load_real_dlsym();
  // No tail call: the loader finds its caller by the return address, and that must be this library.
  void* const function = mfushim_real_dlsym.load(std::memory_order_relaxed)(handle, name);
  __asm__ volatile("");
  return function;
}

bool is_own(const void* address) noexcept {
  const char* const at = static_cast<const char*>(address);
  return at >= __ehdr_start && at < _end;
}

void* Provider::find(std::size_t index, const char* name) noexcept {
  void* function = functions[index].load(std::memory_order_acquire);
  if (function == nullptr) {
    const KeepErrno keep;
    function = real_dlsym(handle.load(std::memory_order_relaxed), name);
    if (void* const other = index < kApiCount ? find_preloaded(name) : nullptr) function = other;
    if (function == nullptr || is_own(function)) function = const_cast<char*>(&kAbsent);
    functions[index].store(function, std::memory_order_release);
  }
  return function == &kAbsent ? nullptr : function;
}

void* Provider::find(Api api) noexcept {
  // Row names are literals, so they end in a zero.
  return find(static_cast<std::size_t>(api), format::api_row(api).name.data());
}

void* Provider::find(Helper helper) noexcept {
  const auto index = static_cast<std::size_t>(helper);
  return find(kApiCount + index, kHelperNames[index]);
}

std::uint16_t caller_number(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uint64_t page = at >> 12;
  auto& known = g_pages[page % kMaxPages];
  const std::uint64_t word = known.load(std::memory_order_acquire);
  if (word >> 16 == page) [[likely]]
    return static_cast<std::uint16_t>(word);
  const KeepErrno keep;
  const std::size_t index = search_caller(at);
  known.store(page << 16 | index, std::memory_order_release);
  return static_cast<std::uint16_t>(index);
}

Code caller_code(std::uint16_t number) noexcept {
  const Caller& caller = g_callers[number];
  return {caller.begin, caller.end - caller.begin};
}

std::string_view caller_name(std::uint16_t number) noexcept {
  Dl_info info;
  if (number == 0 || dladdr(reinterpret_cast<void*>(g_callers[number].begin), &info) == 0)
    return {};
  return base_name(info.dli_fname);
}

void* linked_function(Api api, const void* address, Provider*& provider) noexcept {
  Caller& caller = g_callers[caller_number(address)];
  const format::ApiRow& row = format::api_row(api);
  auto& slot = caller.providers[static_cast<std::size_t>(row.library)];
  provider = slot.load(std::memory_order_acquire);
  if (provider == nullptr) {
    const KeepErrno keep;
    const link_map* const module = &caller != &g_callers[0] ? module_of(address) : nullptr;
    provider = choose_provider(module, row.library, row.name.data());
    if (provider == nullptr) return nullptr;
    slot.store(provider, std::memory_order_release);
  }
  return provider->find(api);
}

Provider* provider_of(const void* function) noexcept {
  const KeepErrno keep;
  const link_map* const map = module_of(function);
  return map != nullptr ? provider_for(open_module(map)) : nullptr;
}

Provider* provider_of(Entry& entry) noexcept {
  Provider* provider = entry.provider.load(std::memory_order_acquire);
  if (provider == nullptr && entry.real != nullptr) {
    provider = provider_of(entry.real);
    entry.provider.store(provider, std::memory_order_release);
  }
  return provider;
}

Provider* driver() noexcept {
  static constinit std::atomic<Provider*> found{nullptr};
  Provider* provider = found.load(std::memory_order_acquire);
  if (provider == nullptr) {
    const KeepErrno keep;
    provider = provider_for(open_loaded("libcuda.so.1"));
    found.store(provider, std::memory_order_release);
  }
  return provider;
}

bool is_excluded(const void* caller, Library asked) noexcept {
  Dl_info info;
  if (is_own(caller)) return true;
  if (dladdr(caller, &info) == 0) return false;
  const std::string_view name = base_name(info.dli_fname);
  for (const std::string_view stem : {"libcuda.so", "libcudadebugger", "libnvidia-", "libcupti",
                                      "libnvperf", "libToolsInjection"})
    if (name.starts_with(stem)) return true;
  // cuDNN's front door looks up its own public names in the library behind it.
  return asked == Library::kCudnn && name.starts_with("libcudnn");
}

}  // namespace mfushim::shim
