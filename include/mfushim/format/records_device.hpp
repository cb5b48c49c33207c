// Work of the device; the lane of their blocks is the queue.
#pragma once

#include <cstdint>
#include <tuple>

#include "mfushim/format/enums.hpp"
#include "mfushim/format/field.hpp"

namespace mfushim::format {

// Kernel execution. Correlation joins it to its launch; nodes of one graph launch share that
// launch's.
struct GpuKernel {
  static constexpr Kind kKind = Kind::kGpuKernel;
  std::uint32_t config = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return config; }
  static constexpr auto fields() {
    return std::tuple{Field{"config", &GpuKernel::config},
                      Field{"duration", &GpuKernel::duration, Transform::kByKey},
                      Field{"start", &GpuKernel::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuKernel::correlation, Transform::kDelta},
                      Field{"graph", &GpuKernel::graph},
                      Field{"node", &GpuKernel::node, Transform::kDelta}};
  }
};

struct GpuCopy {
  static constexpr Kind kKind = Kind::kGpuCopy;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple{Field{"copy_kind", &GpuCopy::copy_kind},
                      Field{"bytes", &GpuCopy::bytes},
                      Field{"duration", &GpuCopy::duration, Transform::kByKey},
                      Field{"start", &GpuCopy::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuCopy::correlation, Transform::kDelta},
                      Field{"graph", &GpuCopy::graph},
                      Field{"node", &GpuCopy::node, Transform::kDelta}};
  }
};

struct GpuSet {
  static constexpr Kind kKind = Kind::kGpuSet;
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint64_t start = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  std::uint32_t key() const { return static_cast<std::uint32_t>(bytes); }
  static constexpr auto fields() {
    return std::tuple{Field{"bytes", &GpuSet::bytes},
                      Field{"duration", &GpuSet::duration, Transform::kByKey},
                      Field{"start", &GpuSet::start, Transform::kSinceEnd},
                      Field{"correlation", &GpuSet::correlation, Transform::kDelta},
                      Field{"graph", &GpuSet::graph},
                      Field{"node", &GpuSet::node, Transform::kDelta}};
  }
};

}  // namespace mfushim::format
