// Where the fields of CUPTI's activity records lie, for every CUPTI from 11.8 on.
//
// Each CUPTI fills its own newest struct of a family, and families only grow at their tails: read
// by fixed offsets, one recorder serves CUDA 11.8, 12.9, 13.0 and 13.5 (compared by compiling all
// four sets of headers). Records are stepped over by CUPTI itself, never by a size of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mfushim::shim::cupti {

// CUPTI_API_VERSION of the oldest library that fills these layouts (CUDA 11.8).
inline constexpr std::uint32_t kOldestVersion = 18;
// From here on (CUDA 12.9) CUPTI takes "no buffer" for an answer; before, it crashes.
inline constexpr std::uint32_t kTakesNoBuffer = 27;

// CUpti_ActivityKind.
inline constexpr std::uint32_t kMemcpy = 1, kMemset = 2, kKernel = 3, kConcurrentKernel = 10,
                               kMemcpyPeer = 22;

// Of all records.
inline constexpr std::size_t kKind = 0;  // uint32

namespace kernel {
inline constexpr std::size_t kRegisters = 6;  // uint16
inline constexpr std::size_t kStart = 16, kEnd = 24;
inline constexpr std::size_t kDevice = 40, kContext = 44, kStream = 48;
inline constexpr std::size_t kGrid = 52, kBlock = 64;  // x, y, z
inline constexpr std::size_t kSharedStatic = 76, kSharedDynamic = 80;
inline constexpr std::size_t kCorrelation = 92;
inline constexpr std::size_t kName = 104;  // const char*
inline constexpr std::size_t kGraphNode = 144, kGraph = 156;
inline constexpr std::size_t kCluster = 176;  // x, y, z
}  // namespace kernel

// Copies within a device and to and from the host; copies between devices differ in their tails.
namespace copy {
inline constexpr std::size_t kCopyKind = 4;  // uint8
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24;
inline constexpr std::size_t kDevice = 32, kContext = 36, kStream = 40;
inline constexpr std::size_t kCorrelation = 44, kGraphNode = 64, kGraph = 72;
}  // namespace copy
namespace peer_copy {
inline constexpr std::size_t kCorrelation = 60, kGraphNode = 72, kGraph = 80;
}  // namespace peer_copy

namespace set {
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24;
inline constexpr std::size_t kDevice = 32, kContext = 36, kStream = 40;
inline constexpr std::size_t kCorrelation = 44, kGraphNode = 64, kGraph = 72;
}  // namespace set

template <class T>
T read(const std::uint8_t* record, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

}  // namespace mfushim::shim::cupti
