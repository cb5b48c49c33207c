// Counts by kind, and chooses the kind that tells steps; see step_counter.hpp.
#include "step_counter.hpp"

#include <algorithm>

namespace mfushim::shim {

namespace {

constexpr std::uint64_t kFirstLook = 16;  // calls
constexpr std::uint64_t kFewest = 8;      // steps that a kind must have been in
constexpr std::uint64_t kGone = 256;      // steps without its kind, and the job does something else
constexpr std::uint64_t kGraph = 1ULL << 32;  // in a key

// As frequent, but for what began later or comes now and then on top.
bool are_alike(std::uint64_t a, std::uint64_t b) noexcept {
  return std::max(a, b) - std::min(a, b) <= 1 + std::min(a, b) / 64;
}

}  // namespace

void StepCounter::collective(std::uint32_t kind) noexcept {
  if (kind != 0) add(kind);
}

void StepCounter::graph_launch(std::uint32_t graph) noexcept {
  add(kGraph | graph);
}

std::uint64_t StepCounter::steps() const noexcept {
  return before_ + (told_by_ != nullptr ? told_by_->count : 0);
}

void StepCounter::add(std::uint64_t key) noexcept {
  // Too many kinds: sizes that differ from call to call.
  if (known_ > kSlots / 4 * 3) start_anew();
  Kind& kind = *find(key);
  if (kind.key == 0) ++known_;
  kind.key = key;
  ++kind.count;
  kind.last = ++calls_;
  if (told_by_ != nullptr && calls_ - told_by_->last > calls_ / told_by_->count * kGone)
    start_anew();
  else if (calls_ >= std::max(next_look_, kFirstLook))
    look();
}

// Its slot, or the one that is free for it.
StepCounter::Kind* StepCounter::find(std::uint64_t key) noexcept {
  auto slot = static_cast<std::uint32_t>(key * 0x9E3779B97F4A7C15 >> 32);
  while (kinds_[slot % kSlots].key != key && kinds_[slot % kSlots].key != 0) ++slot;
  return &kinds_[slot % kSlots];
}

void StepCounter::start_anew() noexcept {
  before_ = steps();
  told_by_ = nullptr;
  kinds_.fill({});
  known_ = 0;
  calls_ = next_look_ = 0;
}

void StepCounter::look() noexcept {
  next_look_ = 2 * calls_;
  const auto is_present = [&](const Kind& kind) { return kind.last > calls_ / 4 * 3; };
  const Kind* best = nullptr;
  std::uint32_t most = 0, present = 0;
  for (const Kind& kind : kinds_) {
    if (!is_present(kind)) continue;
    ++present;
    const auto like_it = static_cast<std::uint32_t>(
        std::count_if(kinds_.begin(), kinds_.end(), [&](const Kind& other) {
          return is_present(other) && are_alike(kind.count, other.count);
        }));
    if (best != nullptr && (like_it < most || (like_it == most && kind.count >= best->count)))
      continue;
    best = &kind;
    most = like_it;
  }
  // Calls that are all alike may be many to a step. A graph launched again and again is one.
  const bool is_told =
      best != nullptr && best->count >= kFewest && (present > 1 || (best->key & kGraph) != 0);
  told_by_ = is_told ? best : nullptr;
}

}  // namespace mfushim::shim
