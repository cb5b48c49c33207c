// Steps of a job, counted while it runs, by what all its ranks do alike: the order of collectives
// and graph launches, which repeats.
#pragma once

#include <array>
#include <cstdint>

namespace mfushim::shim {

// Sees marks. A mark is a graph launch, or a run of collectives that are alike with its length:
// layer by layer they repeat too, which makes no steps. Two ranks that see the same marks count the
// same steps. Passes that accumulate gradients count each, if they end in the same collectives.
class StepCounter {
 public:
  // `shape` and `graph` are equal for what is alike.
  void collective(std::uint32_t shape) noexcept;
  void graph_launch(std::uint32_t graph) noexcept;

  // Complete ones, from where the marks began to repeat; 0 until they are told.
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  static constexpr std::uint64_t kKept = 1 << 14;
  static constexpr std::uint64_t kPeriods = 3;  // that must be alike
  static constexpr std::uint64_t kFewest = 8;   // marks that say something

  void close_run() noexcept;
  void add(std::uint32_t mark, std::uint32_t length) noexcept;
  bool follow(std::uint32_t mark) noexcept;
  void look() noexcept;
  void adopt(std::uint64_t period) noexcept;
  std::uint32_t mark(std::uint64_t index) const noexcept { return marks_[index % kKept]; }
  std::uint64_t oldest() const noexcept;
  std::uint64_t latest_most() const noexcept;
  bool repeats(std::uint64_t period, std::uint64_t from) const noexcept;
  bool ends_in_cycle() const noexcept;

  std::uint32_t run_of_ = 0;  // the shape
  std::uint32_t run_ = 0;     // its length; 0: none
  std::array<std::uint32_t, kKept> marks_{};
  std::uint64_t count_ = 0;                    // of marks so far
  std::array<std::uint32_t, kKept> before_{};  // calls before each mark
  std::uint32_t calls_ = 0;
  std::uint64_t next_look_ = 0;
  std::array<std::uint32_t, kKept / kPeriods> cycle_{};
  std::uint64_t period_ = 0;  // marks of a step; 0: not known
  std::uint64_t phase_ = 0;   // marks of the present step, as long as they are the cycle's
  bool following_ = false;    // they are
  std::uint64_t lost_at_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace mfushim::shim
