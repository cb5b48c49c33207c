// A small cache from a key of words to an id, read and written by all threads without locks: what
// repeats in a hot path is looked up here and not made again.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "recorder.hpp"

namespace mfushim::shim {

// A key has two slots side by side; a third key of theirs takes turns with the second. Ids of an
// earlier generation are not found. A version that is odd while a slot is written (a seqlock) keeps
// readers from half-written keys.
template <std::size_t kWords, std::size_t kSlots>
class Memo {
 public:
  using Key = std::array<std::uint64_t, kWords>;

  // The id of an equal key, or what `make()` gives; that may be 0, which is not kept.
  template <class Make>
  [[gnu::always_inline]] std::uint32_t get(const Key& key, Make&& make) noexcept {
    const std::size_t at = hash(key, kIndexes);
    const Found first = look(slots_[at], key, kIndexes);
    if (first.is_equal) [[likely]]
      return first.id;
    return get_second(at, key, std::forward<Make>(make));
  }

  // To be called some time before get(): its memory is likely to be cold.
  [[gnu::always_inline]] void prefetch(const Key& key) const noexcept {
    __builtin_prefetch(&slots_[hash(key, kIndexes)]);
  }

  // Forgets all.
  void clear() noexcept {
    for (Slot& slot : slots_) slot.value.store(0, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> version;
    std::atomic<std::uint64_t> value;  // generation and id
    std::array<std::atomic<std::uint64_t>, kWords> key;
  };

  // Folds over the words: GCC does not unroll loops at -O2, and these are in the path of each
  // launch.
  static constexpr std::make_index_sequence<kWords> kIndexes{};

  struct Found {
    bool is_equal;
    std::uint32_t id;
  };
  template <std::size_t... i>
  [[gnu::always_inline]] static Found look(const Slot& slot, const Key& key,
                                           std::index_sequence<i...>) noexcept {
    const std::uint32_t version = slot.version.load(std::memory_order_acquire);
    std::uint64_t differs = ((slot.key[i].load(std::memory_order_acquire) ^ key[i]) | ...);
    const std::uint64_t value = slot.value.load(std::memory_order_acquire);
    differs |= (version & 1) | (slot.version.load(std::memory_order_relaxed) ^ version);
    differs |= value >> 32 ^ generation();
    return {differs == 0, static_cast<std::uint32_t>(value)};
  }

  template <class Make>
  [[gnu::noinline]] std::uint32_t get_second(std::size_t at, const Key& key, Make&& make) noexcept {
    const Found second = look(slots_[at ^ 1], key, kIndexes);
    if (second.is_equal) return second.id;
    const std::uint32_t id = make();
    const std::uint64_t there = slots_[at].value.load(std::memory_order_relaxed);
    put(slots_[there >> 32 == generation() && there != 0 ? at ^ 1 : at], key, id);
    return id;
  }

  // The high bits of a product depend on all bits of its factor.
  template <std::size_t... i>
  static std::size_t hash(const Key& key, std::index_sequence<i...>) noexcept {
    static_assert(std::has_single_bit(kSlots));
    std::uint64_t h = 0;
    ((h = std::rotl(h, 13) ^ key[i]), ...);
    return h * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(kSlots));
  }

  [[gnu::noinline]] static void put(Slot& slot, const Key& key, std::uint32_t id) noexcept {
    std::uint32_t version = slot.version.load(std::memory_order_relaxed);
    // Another thread is writing: it may have the slot.
    if (id == 0 || (version & 1) != 0 ||
        !slot.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
      return;
    for (std::size_t i = 0; i < kWords; ++i) slot.key[i].store(key[i], std::memory_order_release);
    slot.value.store(std::uint64_t{generation()} << 32 | id, std::memory_order_release);
    slot.version.store(version + 2, std::memory_order_release);
  }

  std::array<Slot, kSlots> slots_{};
};

}  // namespace mfushim::shim
