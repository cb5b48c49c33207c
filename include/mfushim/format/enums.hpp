// The enumerations of the log: values are written to files, so they are only ever appended to.
#pragma once

#include <cstdint>

namespace mfushim::format {

// Record kinds. A reader skips kinds it does not know by their block's length and counts them.
enum class Kind : std::uint16_t {
  kNone = 0,
  // Facts and definitions.
  kFact = 1,
  kName = 2,
  kThread = 3,
  kDevice = 4,
  kStream = 5,
  kQueue = 6,
  kLaunchConfig = 7,
  kGemmShape = 8,
  kCommunicator = 9,
  kCollectiveShape = 10,
  kClockAnchor = 11,
  kOperationShape = 12,
  // Host calls: the block's lane is the thread.
  kLaunch = 20,
  kGraphLaunch = 21,
  kCopy = 22,
  kSet = 23,
  kSync = 24,
  kGemm = 25,
  kCollective = 26,
  kCall = 27,
  kMark = 28,
  kOperation = 29,
  kCaptured = 30,
  kGraph = 31,
  // Device work: the block's lane is the queue.
  kGpuKernel = 40,
  kGpuCopy = 41,
  kGpuSet = 42,
  // What the device was like meanwhile: lane 0.
  kGpuState = 43,
  // Evidence: what was covered, lost, and what it cost.
  kGpuTime = 60,
  kLoss = 61,
  kCoverage = 62,
  kModule = 63,
  kCost = 64,
};

// Element types. Names follow the field: f = IEEE binary float, bf = bfloat, c = complex of that.
enum class DType : std::uint8_t {
  kUnknown = 0,
  kF64,
  kF32,
  kTf32,
  kF16,
  kBf16,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kF6E2M3,
  kF6E3M2,
  kF4E2M1,
  kI64,
  kU64,
  kI32,
  kU32,
  kI16,
  kU16,
  kI8,
  kU8,
  kI4,
  kU4,
  kC64,
  kC32,
  kC16,
  kCBf16,
  kCI8,
  kCU8,
  kCI32,
  kCU32,
  kCI16,
  kCU16,
  kCI64,
  kCU64,
  kCI4,
  kCU4,
};

enum class CopyKind : std::uint8_t {
  kUnknown = 0,
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeer,
  kArray,
};

enum class CollectiveOp : std::uint8_t {
  kUnknown = 0,
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kRecv,
  kPut,  // into a peer's memory, with a signal
  kSignal,
  kWaitSignal,  // for signals of several peers
};

enum class Reduction : std::uint8_t { kNone = 0, kSum, kProd, kMax, kMin, kAvg, kCustom };

// What a matrix product computes; its FLOP formula follows from it.
enum class ProductKind : std::uint8_t {
  kGemm = 0,
  kGemm3m,
  kSyrk,
  kHerk,
  kSyr2k,
  kHer2k,
  kSyrkx,
  kHerkx,
  kSymm,
  kHemm,
  kTrmm,
  kTrsm,
  kGemv,
};

// What a call of a network library (cuDNN) computes; docs/format.md says what its sizes mean.
enum class OperationKind : std::uint8_t {
  kUnknown = 0,
  kConvForward,
  kConvData,    // gradient of the input
  kConvFilter,  // gradient of the weights
  kMatmul,
  kAttentionForward,
  kAttentionBackward,
  kRnnForward,
  kRnnData,
  kRnnWeights,
  kOther,  // no product in it
};

// Bits of OperationShape::flags: the sizes are a bound, what is done less.
inline constexpr std::uint32_t kOperationDynamic = 1u << 0;  // a call may give other sizes
inline constexpr std::uint32_t kOperationRagged = 1u << 1;   // lengths live on the device

// Bits of GpuState::limits, as NVML's "clocks event reasons" have them.
inline constexpr std::uint64_t kLimitIdle = 1u << 0;
inline constexpr std::uint64_t kLimitSettings = 1u << 1;  // application clocks
inline constexpr std::uint64_t kLimitPowerCap = 1u << 2;
inline constexpr std::uint64_t kLimitHardware = 1u << 3;  // by half or more, for one of the next
inline constexpr std::uint64_t kLimitSyncBoost = 1u << 4;
inline constexpr std::uint64_t kLimitHeat = 1u << 5;
inline constexpr std::uint64_t kLimitHardwareHeat = 1u << 6;
inline constexpr std::uint64_t kLimitPowerBrake = 1u << 7;
inline constexpr std::uint64_t kLimitDisplay = 1u << 8;
inline constexpr std::uint64_t kLimitsUnknown = std::uint64_t{1} << 63;  // NVML does not tell

enum class Transpose : std::uint8_t { kNone = 0, kTranspose = 1, kConjugate = 2 };

// Bits of GemmShape::flags.
inline constexpr std::uint32_t kShapeGrouped = 1u << 0;    // m, n, k of one of several groups
inline constexpr std::uint32_t kShapeUnknown = 1u << 1;    // dimensions live on the device
inline constexpr std::uint32_t kShapeScaled = 1u << 2;     // block or tensor scales (fp8, fp4)
inline constexpr std::uint32_t kShapeSideRight = 1u << 3;  // symm, trmm, trsm with side = right
inline constexpr std::uint32_t kShapeSparse = 1u << 4;     // 2:4 structured sparsity
inline constexpr std::uint32_t kShape3m = 1u << 5;  // complex by three real products, not four

// Bits of LaunchConfig::flags.
inline constexpr std::uint32_t kLaunchCooperative = 1u << 0;
inline constexpr std::uint32_t kLaunchProgrammatic = 1u << 1;  // programmatic stream serialization

// Bits of Graph::flags: why what its launches do is not known in full.
inline constexpr std::uint32_t kGraphUnseen = 1u << 0;       // work that came in by unknown ways
inline constexpr std::uint32_t kGraphConditional = 1u << 1;  // bodies that run 0 to n times
inline constexpr std::uint32_t kGraphEdited = 1u << 2;       // executable nodes changed one by one

// Captured::graph where it is not known which.
inline constexpr std::uint32_t kUnknownGraph = 0xffffffff;

enum class GpuTimeSource : std::uint8_t { kNone = 0, kCupti, kEvents, kImported };

enum class LossCause : std::uint8_t {
  kUnknown = 0,
  kRingFull,         // a thread's ring was full: host records not written
  kGpuDropped,       // CUPTI says it dropped GPU records
  kGpuInvalid,       // GPU record with impossible times, quarantined
  kSizeLimit,        // MFUSHIM_MAX_BYTES reached
  kWriteError,       // the log could not be written
  kNotRecorded,      // an internal doubt in a hook: the call ran, its record was left out
  kKilled,           // moved out of the ring file after the process was gone
  kImportSkipped,    // an importer met a row it could not use
  kDefinitionsFull,  // no room left for a new name or shape
  kNotTimed,         // a chosen launch that events did not tell the time of
};

}  // namespace mfushim::format
