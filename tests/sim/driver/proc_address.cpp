// cuGetProcAddress: which ABI variant of a name a caller of a given CUDA version means.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "driver_impl.hpp"

namespace mfusim {
namespace {

struct Row {
  const char* name;  // without _v2 and _ptsz
  int version;       // CUDA version that introduced this variant
  bool per_thread;
  void* address;
};
#define MFUSIM_ROW(name, version, per_thread, function) \
  {name, version, per_thread, reinterpret_cast<void*>(&::function)},
const Row kRows[] = {
#include "proc_table.inc"
};
#undef MFUSIM_ROW

// The newest variant that the asked version knows; *known says whether the name exists at all.
void* find(const char* symbol, int version, bool per_thread, bool* known) {
  void* best = nullptr;
  int best_version = -1;
  const auto by_name = [](const Row& row, const char* name) { return strcmp(row.name, name) < 0; };
  auto row = std::lower_bound(std::begin(kRows), std::end(kRows), symbol, by_name);
  for (; row != std::end(kRows) && strcmp(row->name, symbol) == 0; ++row) {
    if (row->per_thread != per_thread) continue;
    *known = true;
    if (row->version <= version && row->version > best_version) {
      best = row->address;
      best_version = row->version;
    }
  }
  return best;
}

CUresult look_up(const char* symbol, void** out, int version, cuuint64_t flags,
                 CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t kKnownFlags =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !out || (flags & ~kKnownFlags)) return CUDA_ERROR_INVALID_VALUE;
  bool known = false;
  *out = nullptr;
  if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    *out = find(symbol, version, true, &known);
  // Most functions have no per-thread twin; then the plain one is meant.
  if (!*out && !known) *out = find(symbol, version, false, &known);
  if (status) {
    *status = *out    ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

CUresult impl_cuGetProcAddress(const char* symbol, void** out, int version, cuuint64_t flags) {
  return look_up(symbol, out, version, flags, nullptr);
}
CUresult impl_cuGetProcAddress_v2(const char* symbol, void** out, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult* status) {
  return look_up(symbol, out, version, flags, status);
}

// The private tables that the vendor's own runtime asks for: none exist here, on purpose. That
// runtime therefore stops with an error on the simulator.
CUresult impl_cuGetExportTable(const void** out, const CUuuid*) {
  if (out) *out = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace mfusim
