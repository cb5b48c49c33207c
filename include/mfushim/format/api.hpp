// The intercepted entry points: enum Api and the table from id to name and class, both from the
// rows in apis_*.def. Logs carry names, not these ids, so rows may come and go in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mfushim::format {

// What a call is to the recorder. The class decides which record it becomes.
enum class ApiClass : std::uint8_t {
  kLaunch,        // kernel launch -> Launch
  kHostFunc,      // host function in a stream -> Call
  kGraphLaunch,   // -> GraphLaunch
  kCopy,          // -> Copy
  kSet,           // -> Set
  kSync,          // waits for the device -> Sync
  kGemm,          // matrix product -> Gemm
  kCollective,    // -> Collective
  kOperation,     // of a network library (cuDNN) -> Operation
  kGroup,         // NCCL group start and end -> Call
  kCommunicator,  // life of communicators -> Communicator
  kAlloc,         // device memory -> Call
  kGraph,         // capture, instantiate, update -> Call
  kDescriptor,    // says what later operations are: no record of its own
  kName,          // makes handles of kernels: no record of its own
  kLifecycle,     // init, contexts, streams: no record of its own
  kLookup,        // hands out entry points: redirected, not recorded
};

enum class Library : std::uint8_t { kDriver, kRuntime, kCublas, kCublasLt, kCudnn, kNccl, kCupti };

// MFUSHIM_API(symbol, class, since, until): `symbol` is the exported name, `since` and `until` are
// CUDA versions as in cuda.h (NCCL and cuDNN: theirs) of the first header that has it and the first
// that has it no more; 0: always.
enum class Api : std::uint16_t {
#define MFUSHIM_API(symbol, api_class, since, until) symbol,
#include "mfushim/format/apis.def"
#undef MFUSHIM_API
  kCount
};

struct ApiRow {
  std::string_view name;
  Library library;
  ApiClass api_class;
  std::uint32_t since;
  std::uint32_t until;
};

inline constexpr std::array<ApiRow, static_cast<std::size_t>(Api::kCount)> kApis = {{
#define MFUSHIM_API(symbol, api_class, since, until) \
  {#symbol, Library::MFUSHIM_LIBRARY, ApiClass::api_class, since, until},
#include "mfushim/format/apis.def"
#undef MFUSHIM_API
}};

constexpr const ApiRow& api_row(Api api) {
  return kApis[static_cast<std::size_t>(api)];
}

}  // namespace mfushim::format
