// Finds the real function behind an intercepted call: the one the program would have got without
// us.
//
// Never by RTLD_NEXT first: a library opened RTLD_LOCAL is not found that way, and others export
// trampolines under the same names (TensorFlow, XLA). But what is preloaded after us comes first.
// Two majors of one library may be loaded, so what is found is kept per library that provides it,
// and per module that calls. The module is known by the return address: a tail call shows its
// caller's caller, which matters only where that one is linked to another major.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "entry.hpp"
#include "mfushim/format/api.hpp"

namespace mfushim::shim {

inline constexpr std::size_t kApiCount = static_cast<std::size_t>(format::Api::kCount);
inline constexpr std::size_t kLibraryCount = 7;

enum class Helper : std::uint8_t {
#define MFUSHIM_HELPER(name) name,
#include "helpers.def"
#undef MFUSHIM_HELPER
  kCount
};

// A loaded module that defines vendor functions. It is kept loaded, so that what was found in it
// stays callable.
struct Provider {
  std::atomic<void*> handle;
  std::array<std::atomic<void*>, kApiCount + static_cast<std::size_t>(Helper::kCount)> functions;

  // Null where the module has no such function.
  void* find(format::Api api) noexcept;
  void* find(Helper helper) noexcept;

 private:
  void* find(std::size_t index, const char* name) noexcept;
};

// The loader's own dlsym; this library counts as its caller.
void load_real_dlsym() noexcept;
void* real_dlsym(void* handle, const char* name) noexcept;

// Whether the address lies in this library.
bool is_own(const void* address) noexcept;

// The function that the module around `caller` would have been linked to; null when there is none.
void* linked_function(format::Api api, const void* caller, Provider*& provider) noexcept;

// The module that defines a function which was looked up.
Provider* provider_of(const void* function) noexcept;
Provider* provider_of(Entry& entry) noexcept;

// The driver, when it is loaded.
Provider* driver() noexcept;

// A function of the driver's with the vendor's type; null while there is none.
template <class Function>
Function driver_function(Helper which) noexcept {
  Provider* const from = driver();
  return from != nullptr ? reinterpret_cast<Function>(from->find(which)) : nullptr;
}
#define MFUSHIM_DRIVER(name) \
  (::mfushim::shim::driver_function<decltype(&::name)>(::mfushim::shim::Helper::name))

// Number of the module around a return address, 0 for code in none; its code, and its file's name.
struct Code {
  std::uintptr_t begin, size;
};
std::uint16_t caller_number(const void* caller) noexcept;
Code caller_code(std::uint16_t number) noexcept;
std::string_view caller_name(std::uint16_t number) noexcept;

// Vendor code that must meet no hook of ours: the driver's own libraries and CUPTI.
bool is_excluded(const void* caller, format::Library asked) noexcept;

}  // namespace mfushim::shim
