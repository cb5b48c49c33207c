// Turns the rows of one library into thunks with the vendor's own types. A row that the headers
// contradict does not compile, and the error names it.
//
// For a file that includes one vendor header:
//   1. #define MFUSHIM_ROWS "mfushim/format/apis_X.def", before the vendor header:
//        #define MFUSHIM_API(symbol, ...) struct symbol;
//        #include MFUSHIM_ROWS
//   2. overloads of before, after and describe (hook.hpp) in namespace mfushim::shim
//   3. the rows as MFUSHIM_EXPORTED in the initializer of mfushim_exported_X
#pragma once

#include "entry.hpp"
#include "hook.hpp"
#include "known_versions.h"

namespace mfushim::shim {

template <format::Api api, class Function>
struct Thunk;

template <format::Api api, class R, class... Args>
struct Thunk<api, R (*)(Args...)> {
  static R call(Args... args) {
    return static_cast<R>(
        intercept<api, R>(__builtin_return_address(0), __builtin_frame_address(0), args...));
  }
};

// `pick<symbol>()` is the vendor's function. Where the headers lack it, `symbol` is the struct of
// that name, which a function of the same name hides.
struct Absent {};
template <class>
consteval Absent pick() {
  return {};
}
template <auto function>
consteval auto pick() {
  return function;
}

// The thunk of a row, or null.
template <format::Api api, std::uint32_t version, class Function>
struct ThunkOf : Thunk<api, Function> {};
template <format::Api api, std::uint32_t version>
struct ThunkOf<api, version, Absent> {
  static constexpr format::ApiRow kRow = format::api_row(api);
  static constexpr std::uint32_t kOwn =
      kRow.library == format::Library::kNccl ? MFUSHIM_NCCL_OWN : MFUSHIM_CUDA_OWN;
  static_assert(!MFUSHIM_IS_DECLARED(version, kOwn, kRow.since, kRow.until),
                "the headers lack a function that they should have by its row");
  static constexpr std::nullptr_t call = nullptr;
};

}  // namespace mfushim::shim

// The entry of an exported symbol. The cast is none that `constinit` takes, but GCC folds it: the
// recorder has no constructors of its own (a contract test looks).
#define MFUSHIM_EXPORTED(symbol, version)                                              \
  {(const void*)mfushim::shim::ThunkOf<mfushim::format::Api::symbol, version,          \
                                       decltype(mfushim::shim::pick<symbol>())>::call, \
   nullptr,                                                                            \
   nullptr,                                                                            \
   0,                                                                                  \
   mfushim::format::Api::symbol,                                                       \
   mfushim::shim::Door::kSymbol,                                                       \
   0,                                                                                  \
   0},
