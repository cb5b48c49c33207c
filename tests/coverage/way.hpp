// How calls.cpp reaches a function of a CUDA library: CALL(symbol) is the function, by the way that
// the file is compiled for.
//   COVERAGE_WAY 0   linked
//                1   dlsym, by the library's handle
//                2   the driver's by cuGetProcAddress with its first ABI, all others by dlsym
//                3   likewise with its second ABI
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace coverage {

[[noreturn]] inline void give_up(const char* what, int code) {
  std::fprintf(stderr, "%s: %d\n", what, code);
  std::exit(1);
}

inline void* library(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) give_up(dlerror(), 0);
  return handle;
}

inline void* library_of(std::string_view symbol) {
  const auto major = std::string(".so.") + COVERAGE_MAJOR;
  if (symbol.starts_with("cublasLt")) return library("libcublasLt" + major);
  if (symbol.starts_with("cublas")) return library("libcublas" + major);
  if (symbol.starts_with("cudnn")) return library("libcudnn.so.9");
  if (symbol.starts_with("nccl")) return library("libnccl.so.2");
  if (symbol.starts_with("cuda") || symbol.starts_with("__cuda"))
    return library("libcudart" + major);
  return library("libcuda.so.1");
}

inline void* by_name(const char* symbol) {
  void* const function = dlsym(library_of(symbol), symbol);
  if (function == nullptr) give_up(symbol, 0);
  return function;
}

// What a driver's symbol is called there: without the suffix of its ABI, the newest of CUDA 12.0.
inline void* by_proc_address(std::string symbol) {
  constexpr int kVersion = 12000;
  constexpr std::uint64_t kPerThread = 2;
  const std::string_view all = symbol;
  std::uint64_t flags = 0;
  if (all.ends_with("_ptsz") || all.ends_with("_ptds")) {
    flags = kPerThread;
    symbol.resize(symbol.size() - 5);
  }
  if (symbol.size() > 3 && symbol.compare(symbol.size() - 3, 2, "_v") == 0)
    symbol.resize(symbol.size() - 3);
  void* function = nullptr;
  int result = 0;
  if (COVERAGE_WAY == 2) {
    using First = int (*)(const char*, void**, int, std::uint64_t);
    static const auto ask = reinterpret_cast<First>(by_name("cuGetProcAddress"));
    result = ask(symbol.c_str(), &function, kVersion, flags);
  } else {
    using Second = int (*)(const char*, void**, int, std::uint64_t, int*);
    static const auto ask = reinterpret_cast<Second>(by_name("cuGetProcAddress_v2"));
    result = ask(symbol.c_str(), &function, kVersion, flags, nullptr);
  }
  if (result != 0 || function == nullptr) give_up(symbol.c_str(), result);
  return function;
}

template <class Function>
Function find(const char* symbol) {
  const std::string_view name = symbol;
  const bool driver = name.starts_with("cu") && !name.starts_with("cuda") &&
                      !name.starts_with("cublas") && !name.starts_with("cudnn");
  return reinterpret_cast<Function>(COVERAGE_WAY >= 2 && driver ? by_proc_address(symbol)
                                                                : by_name(symbol));
}

}  // namespace coverage

#if COVERAGE_WAY == 0
#define CALL(symbol) (::symbol)
#else
#define CALL(symbol) (coverage::find<decltype(&::symbol)>(#symbol))
#endif
#define CHECK(symbol, ...) \
  if (const int code = static_cast<int>(CALL(symbol)(__VA_ARGS__))) coverage::give_up(#symbol, code)
