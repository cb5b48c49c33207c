// Where a call leads: from the entry it came by and the module that made it to the real function.
#pragma once

#include <atomic>
#include <cstdint>

#include "entry.hpp"
#include "mfushim/format/api.hpp"
#include "resolve.hpp"

namespace mfushim::shim {

// Where the calls of one module lead by one entry.
struct Link {
  Code code;           // the module's; all addresses where one asker has the entry for itself
  void* real;          // null: there is none
  Provider* provider;  // null: not asked for yet
  std::uint32_t source;
  std::uint16_t module;  // by its number
  format::Api api;
  bool leaf;  // `real` is code that meets no hook of ours: no recorded call lies beneath
};

// Never fails: a link that leads nowhere where there is no real function.
const Link& find_link(Entry& entry, format::Api api, const void* caller) noexcept;

// What a call means.
struct Target {
  Entry& entry;
  const Link& link;
  const void* caller;

  Provider* provider() const noexcept {
    return link.provider != nullptr ? link.provider : provider_of(entry);
  }

  template <class Function>
  Function helper(Helper which) const noexcept {
    Provider* const from = provider();
    return from == nullptr ? nullptr : reinterpret_cast<Function>(from->find(which));
  }
};

// Takes the entry that the call came by; `caller` is the thunk's return address.
[[gnu::always_inline]] inline Target take_target(format::Api api, const void* caller) noexcept {
  Entry& entry = *mfushim_entry;
  const Link* link = entry.link.load(std::memory_order_acquire);
  if (link == nullptr ||
      reinterpret_cast<std::uintptr_t>(caller) - link->code.begin >= link->code.size) [[unlikely]]
    link = &find_link(entry, api, caller);
  return {entry, *link, caller};
}

}  // namespace mfushim::shim

// The real function of a helper's name, with the vendor's type; null where the library lacks it.
#define MFUSHIM_REAL(target, name) \
  ((target).template helper<decltype(&::name)>(::mfushim::shim::Helper::name))
