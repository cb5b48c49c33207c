// A module is bound to the recorder if its references to dlsym and to the names of our rows lead
// here. Opened with RTLD_DEEPBIND they lead to libc and to the vendor's library instead, and a
// module in a namespace of its own (dlmopen) never meets us; see blind_spots.hpp.
#include "blind_spots.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "elf_file.hpp"
#include "intern.hpp"
#include "old_glibc.hpp"

extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
}

namespace mfushim::shim {

namespace {

constexpr std::size_t kPathSize = 512;

// The addresses that a module occupies.
struct Span {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

Span span_of(const dl_phdr_info& info) noexcept {
  Span span{~std::uintptr_t{0}, 0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    span.begin = std::min(span.begin, info.dlpi_addr + segment.p_vaddr);
    span.end = std::max(span.end, info.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  return span;
}

bool is_recorder(std::uintptr_t address) noexcept {
  return Span{reinterpret_cast<std::uintptr_t>(__ehdr_start),
              reinterpret_cast<std::uintptr_t>(_end)}
      .holds(address);
}

bool is_device_call(std::string_view name) noexcept {
  using enum format::ApiClass;
  if (!name.starts_with("cu") && !name.starts_with("nccl") && !name.starts_with("__cuda"))
    return false;
  const auto row = std::ranges::find(format::kApis, name, &format::ApiRow::name);
  if (row == format::kApis.end()) return false;
  const format::ApiClass c = row->api_class;
  return c == kLaunch || c == kGraphLaunch || c == kCopy || c == kSet || c == kGemm ||
         c == kCollective;
}

// A reference of a module that leads past us.
struct Stray {
  const void* target = nullptr;  // null: none
  char name[64] = "";
};
struct Bindings {
  Stray look_up;  // dlsym itself
  Stray call;     // a name of ours
};

// The tables that relocations are made of, as the loader relocated them.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t counts[2] = {};

  explicit Dynamic(const ElfW(Dyn) * d) noexcept {
    for (; d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
      if (d->d_tag == DT_RELA) tables[0] = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
      if (d->d_tag == DT_RELASZ) counts[0] = d->d_un.d_val / sizeof(ElfW(Rela));
      if (d->d_tag == DT_JMPREL) tables[1] = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
      if (d->d_tag == DT_PLTRELSZ) counts[1] = d->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  // The vdso's addresses are not relocated.
  bool good(const Span& module) const noexcept {
    return module.holds(reinterpret_cast<std::uintptr_t>(symbols)) &&
           module.holds(reinterpret_cast<std::uintptr_t>(strings));
  }
};

// A slot that still leads into its own module was never called through, or is its own function.
Bindings read_bindings(const dl_phdr_info& info, const ElfW(Dyn) * dynamic) noexcept {
  Bindings found;
  const Span module = span_of(info);
  const Dynamic d(dynamic);
  if (!d.good(module)) return found;
  for (int t = 0; t < 2; ++t)
    for (std::size_t i = 0; d.tables[t] != nullptr && i < d.counts[t]; ++i) {
      const ElfW(Rela)& entry = d.tables[t][i];
      const auto symbol = ELF64_R_SYM(entry.r_info);
      if (symbol == 0 || d.symbols[symbol].st_name == 0) continue;
      const std::string_view name = d.strings + d.symbols[symbol].st_name;
      const bool look_up = name == "dlsym";
      if (!look_up && !is_device_call(name)) continue;
      const std::uintptr_t slot = info.dlpi_addr + entry.r_offset;
      if (!module.holds(slot)) continue;
      std::uintptr_t target = 0;
      std::memcpy(&target, reinterpret_cast<const void*>(slot), sizeof target);
      if (target == 0 || module.holds(target) || is_recorder(target)) continue;
      Stray& stray = look_up ? found.look_up : found.call;
      stray.target = reinterpret_cast<const void*>(target);
      std::snprintf(stray.name, sizeof stray.name, "%s", name.data());
    }
  return found;
}

void tell(const char* path, const char* why) noexcept {
  intern_record(format::Module{path, "unhooked", {}, why});
}

void tell_stray(const char* path, const Stray& stray) noexcept {
  Dl_info info;
  const char* const library =
      dladdr(stray.target, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "unknown";
  const char* const slash = std::strrchr(library, '/');
  char why[256];
  std::snprintf(why, sizeof why, "bound to %s of %s", stray.name,
                slash != nullptr ? slash + 1 : library);
  tell(path, why);
}

// The driver's own parts and the tools' meet no hook by design.
bool is_vendor_internal(std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);
  for (const std::string_view stem : {"libcuda.so", "libcudadebugger", "libnvidia-", "libcupti",
                                      "libnvperf", "libToolsInjection"})
    if (path.starts_with(stem)) return true;
  return false;
}

// One module at a time, so that the loader's lock is held for its relocations only.
struct Visit {
  std::size_t wanted = 0;
  std::size_t at = 0;
  bool met = false;
  char path[kPathSize] = {};
  Bindings bindings;
};

int visit(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& v = *static_cast<Visit*>(data);
  if (v.at++ != v.wanted) return 0;
  v.met = true;
  const char* const name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (std::strlen(name) >= sizeof v.path) return 1;
  // The main program has no name here.
  std::snprintf(v.path, sizeof v.path, "%s", v.wanted == 0 ? "/proc/self/exe" : name);
  if (is_vendor_internal(v.path) || is_recorder(span_of(*info).begin)) return 1;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      v.bindings = read_bindings(
          *info, reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
  return 1;
}

void find_unbound_modules() noexcept {
  for (std::size_t i = 0;; ++i) {
    Visit v;
    v.wanted = i;
    dl_iterate_phdr(visit, &v);
    if (!v.met) return;
    if (v.bindings.call.target != nullptr)
      tell_stray(v.path, v.bindings.call);
    else if (v.bindings.look_up.target != nullptr && mentions_cuda(v.path))
      tell_stray(v.path, v.bindings.look_up);
  }
}

struct Known {
  std::uintptr_t address;
  bool found = false;
};

bool in_own_namespace(std::uintptr_t address) noexcept {
  Known known{address};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& k = *static_cast<Known*>(data);
        k.found = span_of(*info).holds(k.address);
        return k.found ? 1 : 0;
      },
      &known);
  return known.found;
}

// Mapped code that the loader does not list for us: in another namespace.
void find_other_namespaces() noexcept {
  char last[kPathSize] = "";
  for_each_line<kPathSize + 128>("/proc/self/maps", [&](char* line) {
    unsigned long begin = 0;
    char mode[8] = "";
    int at = 0;
    if (std::sscanf(line, "%lx-%*x %7s %*s %*s %*s %n", &begin, mode, &at) < 2 || at == 0) return;
    const char* const path = line + at;
    if (mode[2] != 'x' || path[0] != '/' || std::strcmp(path, last) == 0) return;
    if (in_own_namespace(begin) || !mentions_cuda(path)) return;
    std::snprintf(last, sizeof last, "%s", path);
    tell(path, "in a namespace of its own (dlmopen)");
  });
}

constinit unsigned long long g_loads = 0;  // as the loader counted them last time

}  // namespace

void find_blind_spots(bool at_end) noexcept {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_adds;
        return 1;
      },
      &loads);
  if (loads != g_loads || at_end) find_unbound_modules();
  if (loads != g_loads) find_other_namespaces();
  g_loads = loads;
}

void forget_blind_spots() noexcept {
  g_loads = 0;
}

}  // namespace mfushim::shim
