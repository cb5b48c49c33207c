// A way into a hook: the thunk, and the real function for those who come this way. Every call that
// reaches a thunk came through an entry, which arch/*/entries.S leaves in `mfushim_entry`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mfushim/format/api.hpp"
#include "recorder.hpp"
#include "sources.hpp"

namespace mfushim::shim {

struct Link;
struct Provider;

// The exported symbols are entries without a real function: who calls one is linked to some
// library, and its return address tells to which. All others were handed out for one genuine
// pointer.
struct Entry {
  const void* thunk;  // first: entries.S jumps through it
  void* real;
  std::atomic<Provider*> provider;  // of `real`, once it was asked for
  std::atomic<const Link*> link;    // of the last call
  format::Api api;
  Door door;
  std::uint16_t asker;  // the module it was handed out to, see caller_number
  std::uint16_t next;   // index + 1 in the pool of the next entry of the same api
};
static_assert(sizeof(Entry) == 40, "entries.S multiplies by it");

inline constexpr std::size_t kEntryPool = MFUSHIM_ENTRY_POOL;
static_assert(kEntryPool < 0xffff, "Entry::next holds an index");

}  // namespace mfushim::shim

extern "C" {
// Set by the way in, taken by the thunk at once.
extern MFUSHIM_THREAD_LOCAL mfushim::shim::Entry* mfushim_entry;

// Exported symbols, per library in the order of its rows; `thunk` is null where the headers that
// this was built with lack the name. entries.S has the symbols themselves.
extern mfushim::shim::Entry mfushim_exported_cublas[];
extern mfushim::shim::Entry mfushim_exported_cublaslt[];
extern mfushim::shim::Entry mfushim_exported_cudnn[];
extern mfushim::shim::Entry mfushim_exported_cupti[];
extern mfushim::shim::Entry mfushim_exported_driver[];
extern mfushim::shim::Entry mfushim_exported_nccl[];
extern mfushim::shim::Entry mfushim_exported_runtime[];

// The pool for what is handed out, and the code of its entries: 16 bytes each.
extern mfushim::shim::Entry mfushim_pool[];
extern const unsigned char mfushim_pool_code[];
}
