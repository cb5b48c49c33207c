// The tables of names behind dlsym and cuGetProcAddress, and the pool of entries; see redirect.hpp.
#include "redirect.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "known_versions.h"
#include "old_glibc.hpp"
#include "resolve.hpp"
#include "rows.hpp"
#include "unhooked.hpp"

extern "C" {
constinit mfushim::shim::Entry mfushim_pool[mfushim::shim::kEntryPool] = {};

struct FilterAnswer {
  void* function;  // null: ask the real dlsym, by `handle`
  void* handle;
};
FilterAnswer mfushim_filter(void* handle, const char* name, const void* caller);
}

namespace mfushim::shim {
namespace {

using format::Api;
using format::kApis;
using format::Library;

constexpr std::size_t kPoolCodeSize = 16;
constexpr std::uint64_t kPerThreadStream = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

constinit std::atomic<std::uint32_t> g_pool_used{0};
constinit std::array<std::atomic<std::uint32_t>, kApiCount> g_handed_out{};

// All rows by exported name.
constexpr auto kByName = [] {
  std::array<Api, kApiCount> rows{};
  for (std::size_t i = 0; i < kApiCount; ++i) rows[i] = static_cast<Api>(i);
  std::ranges::sort(rows, {}, [](Api a) { return format::api_row(a).name; });
  return rows;
}();

// A driver entry point as cuGetProcAddress knows it.
struct Variant {
  std::string_view family;  // the name without _v2 and _ptsz
  bool per_thread;
  std::uint32_t since;
  Api api;
};

constexpr Variant variant_of(Api api) {
  const format::ApiRow& row = format::api_row(api);
  std::string_view family = row.name;
  const bool per_thread = family.ends_with("_ptsz") || family.ends_with("_ptds");
  if (per_thread) family.remove_suffix(5);
  if (family.size() > 3 && family[family.size() - 3] == '_' && family[family.size() - 2] == 'v')
    family.remove_suffix(3);
  return {family, per_thread, row.since, api};
}

constexpr std::size_t kDriverRows =
    std::ranges::count(kApis, Library::kDriver, &format::ApiRow::library);

// Driver rows by family.
constexpr auto kVariants = [] {
  std::array<Variant, kDriverRows> variants{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < kApiCount; ++i)
    if (kApis[i].library == Library::kDriver) variants[n++] = variant_of(static_cast<Api>(i));
  std::ranges::sort(variants, {}, [](const Variant& v) { return std::pair(v.family, v.since); });
  return variants;
}();

const Api* find_name(std::string_view name) {
  const auto row = [](Api a) { return format::api_row(a).name; };
  const auto found = std::ranges::lower_bound(kByName, name, {}, row);
  return found != kByName.end() && row(*found) == name ? &*found : nullptr;
}

const void* thunk_of(Api api) {
  struct Table {
    Library library;
    const Entry* entries;
  };
  constexpr Table kTables[] = {
      {Library::kCublas, mfushim_exported_cublas},  {Library::kCublasLt, mfushim_exported_cublaslt},
      {Library::kCudnn, mfushim_exported_cudnn},    {Library::kCupti, mfushim_exported_cupti},
      {Library::kDriver, mfushim_exported_driver},  {Library::kNccl, mfushim_exported_nccl},
      {Library::kRuntime, mfushim_exported_runtime}};
  const Library library = format::api_row(api).library;
  std::size_t first = 0;
  while (kApis[first].library != library) ++first;
  for (const Table& t : kTables)
    if (t.library == library) return t.entries[static_cast<std::size_t>(api) - first].thunk;
  return nullptr;
}

void* code_of(std::uint32_t index) {
  return const_cast<unsigned char*>(mfushim_pool_code + kPoolCodeSize * index);
}

// Whether the exported symbol of this row is that very function.
bool is_exported_as(Provider* provider, const Variant& v, const void* genuine) {
  return provider != nullptr && provider->find(v.api) == genuine;
}

}  // namespace

void* entry_for(Api api, void* genuine, Door door, const void* caller) noexcept {
  const void* const thunk = thunk_of(api);
  // Ours already: a library that is not linked -Bsymbolic names its own function and gets our
  // symbol.
  if (thunk == nullptr || is_own(genuine)) return genuine;
  // Who asked is only of interest for what is counted; askers share entries when these run short.
  const std::uint16_t asker =
      is_recorded(format::api_row(api).api_class) ? caller_number(caller) : 0;
  const auto serves = [&](const Entry& e) {
    return e.real == genuine &&
           ((e.asker == asker && e.door == door) || g_pool_used.load() > kEntryPool / 4 * 3);
  };
  auto& head = g_handed_out[static_cast<std::size_t>(api)];
  std::uint32_t first = head.load(std::memory_order_acquire);
  std::uint32_t mine = 0;
  for (;;) {
    for (std::uint32_t i = first; i != 0; i = mfushim_pool[i - 1].next)
      if (serves(mfushim_pool[i - 1])) return code_of(i - 1);
    if (mine == 0) {
      mine = g_pool_used.fetch_add(1, std::memory_order_relaxed) + 1;
      if (mine > kEntryPool) {
        g_pool_used.store(kEntryPool, std::memory_order_relaxed);
        count_unhooked(format::api_row(api).name, 0);
        return genuine;
      }
    }
    Entry& entry = mfushim_pool[mine - 1];
    entry.thunk = thunk;
    entry.real = genuine;
    entry.api = api;
    entry.door = door;
    entry.asker = asker;
    entry.next = static_cast<std::uint16_t>(first);
    if (head.compare_exchange_weak(first, mine, std::memory_order_release,
                                   std::memory_order_acquire))
      return code_of(mine - 1);
  }
}

void* redirect(std::string_view name, int version, std::uint64_t flags, void* genuine,
               const void* caller, Provider* provider) noexcept {
  const auto [begin, end] = std::ranges::equal_range(kVariants, name, {}, &Variant::family);
  if (genuine == nullptr) return genuine;
  if (begin == end) {
    if (may_do_work(name)) count_unhooked(name, version);
    return genuine;
  }
  const auto asked = static_cast<std::uint32_t>(version);
  const bool per_thread = (flags & kPerThreadStream) != 0;
  const auto entry = [&](Api api) { return entry_for(api, genuine, Door::kGetProc, caller); };
  const Variant* chosen = nullptr;
  for (const Variant& v : std::ranges::subrange(begin, end)) {
    if (v.since > asked || (v.per_thread && !per_thread)) continue;
    // Oldest first; a per-thread twin beats any plain one.
    if (chosen == nullptr || v.per_thread >= chosen->per_thread) chosen = &v;
  }
  if (chosen != nullptr && is_exported_as(provider, *chosen, genuine)) return entry(chosen->api);
  for (const Variant& v : std::ranges::subrange(begin, end))
    if (is_exported_as(provider, v, genuine)) return entry(v.api);
  constexpr std::uint32_t kKnown = std::max(MFUSHIM_CUDA_VERSION, MFUSHIM_CUDA_KNOWN);
  if (chosen != nullptr && asked <= kKnown) return entry(chosen->api);
  count_unhooked(begin->family, version);
  return genuine;
}

void start_recording() noexcept {
  start();
  if (recording()) tell_unhooked();
}

}  // namespace mfushim::shim

using namespace mfushim::shim;

// Called by our dlsym with its arguments and its caller.
FilterAnswer mfushim_filter(void* handle, const char* name, const void* caller) {
  load_real_dlsym();
  if (name == nullptr || handle == RTLD_NEXT ||
      (name[0] != 'c' && name[0] != 'n' && name[0] != '_'))
    return {nullptr, handle};
  const Api* const api = find_name(name);
  if (api == nullptr && may_do_work(name) && !is_excluded(caller, Library::kCudnn) &&
      real_dlsym(handle, name) != nullptr)
    count_unhooked(name, 0);
  if (api == nullptr || is_excluded(caller, mfushim::format::api_row(*api).library))
    return {nullptr, handle};
  void* const genuine = real_dlsym(handle, name);
  if (genuine == nullptr) return {nullptr, handle};
  if (!is_own(genuine)) return {entry_for(*api, genuine, Door::kDlsym, caller), handle};
  // A search of the global scope met us. Where no library has the function, without us the answer
  // would have been no: libc, which lacks it, says so in the loader's words.
  Provider* provider = nullptr;
  if (linked_function(*api, caller, provider) != nullptr) return {nullptr, handle};
  return {nullptr, dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)};
}
