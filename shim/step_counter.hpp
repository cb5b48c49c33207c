// Steps of a job, counted while it runs, by its collectives and graph launches: most kinds of them
// happen once in a step.
#pragma once

#include <array>
#include <cstdint>

namespace mfushim::shim {

// Counts calls by kind. In a training job layers and micro-batches share a few kinds, of which each
// step has many; buckets of gradients, parameters outside of layers and norms are kinds of their
// own, of which it has one. So the calls of one kind tell the steps: of those kinds that are as
// frequent as most are, and the rarer where that leaves a choice. In which order calls come does
// not matter: threads may race, and ranks that make the same calls count the same steps.
class StepCounter {
 public:
  // One more call; `kind` is equal for what is alike, and not 0.
  void collective(std::uint32_t kind) noexcept;
  void graph_launch(std::uint32_t graph) noexcept;

  // 0 until they are told, which is looked into each time that there are twice as many calls. Fewer
  // than before, when what was taken for steps turns out to be parts of them.
  std::uint64_t steps() const noexcept;

 private:
  static constexpr std::uint32_t kSlots = 1024;  // for kinds; a power of two

  struct Kind {
    std::uint64_t key = 0;  // 0: none
    std::uint64_t count = 0;
    std::uint64_t last = 0;  // which of all calls
  };

  void add(std::uint64_t key) noexcept;
  Kind* find(std::uint64_t key) noexcept;
  void look() noexcept;
  void start_anew() noexcept;

  std::array<Kind, kSlots> kinds_{};
  std::uint32_t known_ = 0;      // slots in use
  std::uint64_t calls_ = 0;      // since the latest start
  std::uint64_t next_look_ = 0;  // in calls
  const Kind* told_by_ = nullptr;
  std::uint64_t before_ = 0;  // steps before the latest start
};

}  // namespace mfushim::shim
