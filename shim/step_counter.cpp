// Finds the period of marks and follows it; see step_counter.hpp.
#include "step_counter.hpp"

#include <algorithm>

namespace mfushim::shim {

namespace {

std::uint32_t hash(std::uint64_t what, std::uint32_t length) noexcept {
  const std::uint64_t mixed = (what * 0x9E3779B97F4A7C15 ^ length) * 0xD6E8FEB86659FD93;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace

void StepCounter::collective(std::uint32_t shape) noexcept {
  if (shape != run_of_) close_run();
  run_of_ = shape;
  ++run_;
}

void StepCounter::graph_launch(std::uint32_t graph) noexcept {
  close_run();
  add(hash(std::uint64_t{1} << 32 | graph, 1), 1);
}

void StepCounter::close_run() noexcept {
  if (run_ != 0) add(hash(run_of_, run_), run_);
  run_ = 0;
}

void StepCounter::add(std::uint32_t mark, std::uint32_t length) noexcept {
  before_[count_ % kKept] = calls_;
  marks_[count_++ % kKept] = mark;
  calls_ += length;
  if (!follow(mark) && count_ >= std::max(next_look_, kFewest)) look();
}

// Whether the mark is where a step has it.
bool StepCounter::follow(std::uint32_t mark) noexcept {
  if (following_ && mark == cycle_[phase_]) {
    if (++phase_ < period_) return true;
  } else {
    if (following_) {
      following_ = false;
      lost_at_ = count_ - 1;
      next_look_ = count_ + kFewest;
    }
    // What came between, like an evaluation, may be over.
    if (!ends_in_cycle()) return false;
    following_ = true;
  }
  phase_ = 0;
  ++steps_;
  return true;
}

bool StepCounter::ends_in_cycle() const noexcept {
  if (period_ == 0 || count_ - lost_at_ < period_) return false;
  for (std::uint64_t i = 0; i < period_; ++i)
    if (mark(count_ - 1 - i) != cycle_[period_ - 1 - i]) return false;
  return true;
}

// Of the marks that are kept and in no step.
std::uint64_t StepCounter::oldest() const noexcept {
  return std::max(lost_at_, count_ - std::min(count_, kKept));
}

// The first of the marks that hold three quarters of these calls.
std::uint64_t StepCounter::latest_most() const noexcept {
  const std::uint32_t known = calls_ - before_[oldest() % kKept];
  std::uint64_t first = count_ - 1;
  while (calls_ - before_[first % kKept] < known - known / 4) --first;
  return std::min(first, count_ - kFewest);
}

bool StepCounter::repeats(std::uint64_t period, std::uint64_t from) const noexcept {
  for (std::uint64_t i = count_; i-- > from + period;)
    if (mark(i) != mark(i - period)) return false;
  return true;
}

// The shortest period of most of what is known: layers of a step repeat too, not for so long.
void StepCounter::look() noexcept {
  const std::uint64_t from = latest_most();
  next_look_ = count_ + std::max(kFewest, (count_ - oldest()) / 4);
  for (std::uint64_t period = 1; period * kPeriods <= count_ - from; ++period)
    if (repeats(period, from)) return adopt(period);
}

void StepCounter::adopt(std::uint64_t period) noexcept {
  std::uint64_t begin = count_ - period;
  while (begin > oldest() && mark(begin - 1) == mark(begin - 1 + period)) --begin;
  period_ = period;
  steps_ += (count_ - begin) / period;
  phase_ = (count_ - begin) % period;
  following_ = true;
  for (std::uint64_t i = 0; i < period; ++i) cycle_[i] = mark(begin + i);
}

}  // namespace mfushim::shim
