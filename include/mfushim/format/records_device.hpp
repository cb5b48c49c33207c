// Work of the device, whose blocks have the queue as their lane, and its state.
#pragma once

#include <cstdint>
#include <tuple>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/field.hpp"

namespace mfushim::format {

// Set in the correlation of a launch that events timed. CUPTI counts from 1.
inline constexpr std::uint32_t kEventCorrelation = 0x8000'0000;

// What all device work shares. Correlation joins it to its launch; nodes of one graph launch share
// that launch's.
struct WorkBase {
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint64_t node = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
};

constexpr auto work_fields() {
  return std::tuple{Field{"duration", &WorkBase::duration, Transform::kByKey},
                    Field{"start", &WorkBase::start, Transform::kSinceEnd},
                    Field{"correlation", &WorkBase::correlation, Transform::kDelta},
                    Field{"graph", &WorkBase::graph},
                    Field{"node", &WorkBase::node, Transform::kDelta}};
}

// Execution of a kernel.
struct GpuKernel : WorkBase {
  static constexpr Kind kKind = Kind::kGpuKernel;
  std::uint32_t config = 0;
  std::uint32_t key() const { return config; }
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple{Field{"config", &GpuKernel::config}}, work_fields());
  }
};

struct GpuCopy : WorkBase {
  static constexpr Kind kKind = Kind::kGpuCopy;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::uint64_t bytes = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{Field{"copy_kind", &GpuCopy::copy_kind}, Field{"bytes", &GpuCopy::bytes}},
        work_fields());
  }
};

struct GpuSet : WorkBase {
  static constexpr Kind kKind = Kind::kGpuSet;
  std::uint64_t bytes = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple{Field{"bytes", &GpuSet::bytes}}, work_fields());
  }
};

// How fast a device ran at one instant of the host's clock, and what held it back. Zero is "not
// known".
struct GpuState {
  static constexpr Kind kKind = Kind::kGpuState;
  std::uint64_t ticks = 0;
  std::uint32_t device = 0;  // device index
  std::uint32_t sm_mhz = 0;  // of the multiprocessors
  std::uint32_t celsius = 0;
  std::uint32_t milliwatts = 0;
  std::uint64_t limits = 0;  // kLimit...
  static constexpr auto fields() {
    return std::tuple{Field{"ticks", &GpuState::ticks, Transform::kDelta},
                      Field{"device", &GpuState::device},
                      Field{"sm_mhz", &GpuState::sm_mhz},
                      Field{"celsius", &GpuState::celsius},
                      Field{"milliwatts", &GpuState::milliwatts},
                      Field{"limits", &GpuState::limits}};
  }
};

}  // namespace mfushim::format
