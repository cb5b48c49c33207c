// Finds the driver and its functions.
#include "driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "device.hpp"

namespace mfusim::runtime {
namespace {

struct Row {
  const char* name;
  int version;
  bool per_thread;
  const char* function;
};
#define MFUSIM_ROW(name, version, per_thread, function) {name, version, per_thread, #function},
constexpr Row kRows[] = {
#include "proc_table.inc"
};
#undef MFUSIM_ROW

struct State {
  std::mutex mutex;
  std::atomic<bool> loaded{false};
  cudaError_t result = cudaErrorInitializationError;
  Driver legacy, per_thread;
  SimHooks hooks;
};
State& state() {
  static State* s = new State;
  return *s;
}

const Row* row_of(const char* function) {
  for (const Row& row : kRows) {
    if (strcmp(row.function, function) == 0) return &row;
  }
  return nullptr;
}

template <typename Function>
void ask(decltype(&cuGetProcAddress_v2) get, Function& slot, const char* function,
         cuuint64_t flags) {
  const Row* row = row_of(function);
  if (!row) return;
  // A per-thread twin may be younger than the function itself.
  int version = row->version;
  for (const Row& twin : kRows) {
    if (flags && twin.per_thread && strcmp(twin.name, row->name) == 0 && twin.version > version)
      version = twin.version;
  }
  void* found = nullptr;
  CUdriverProcAddressQueryResult status;
  if (get(row->name, &found, version, flags, &status) == CUDA_SUCCESS)
    slot = reinterpret_cast<Function>(found);
}

void fill(decltype(&cuGetProcAddress_v2) get, Driver& table, cuuint64_t flags) {
#define MFUSIM_SLOT(function) ask(get, table.function, #function, flags);
#include "driver_slots.inc"
#undef MFUSIM_SLOT
}

cudaError_t load(State& s) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return cudaErrorInsufficientDriver;
  const auto get =
      reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(library, "cuGetProcAddress_v2"));
  if (!get) return cudaErrorInsufficientDriver;
  void* probe = nullptr;
  get("", &probe, 0, 0, nullptr);  // the vendor's runtime starts with this question
  fill(get, s.legacy, CU_GET_PROC_ADDRESS_DEFAULT);
  fill(get, s.per_thread, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  s.hooks.enter = reinterpret_cast<MfusimApiFn>(dlsym(library, MFUSIM_API_ENTER_SYMBOL));
  s.hooks.leave = reinterpret_cast<MfusimApiFn>(dlsym(library, MFUSIM_API_LEAVE_SYMBOL));
  s.hooks.stub = reinterpret_cast<MfusimStubFn>(dlsym(library, MFUSIM_STUB_SYMBOL));
  return as_error(s.legacy.cuInit(0));
}

const SimHooks kNoHooks;

}  // namespace

const Driver& driver() {
  return per_thread_default() ? state().per_thread : state().legacy;
}
const SimHooks& sim_hooks() {
  return state().loaded.load(std::memory_order_acquire) ? state().hooks : kNoHooks;
}

cudaError_t initialize() {
  State& s = state();
  if (s.loaded.load(std::memory_order_acquire)) return s.result;
  std::lock_guard lock(s.mutex);
  if (!s.loaded.load(std::memory_order_relaxed)) {
    s.result = load(s);
    s.loaded.store(true, std::memory_order_release);
  }
  return s.result;
}

}  // namespace mfusim::runtime
