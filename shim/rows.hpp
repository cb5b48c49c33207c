// What the class of a row means to a hook, and which rows are twins.
#pragma once

#include <cstdint>
#include <string_view>

#include "frame.hpp"
#include "mfushim/format/api.hpp"

namespace mfushim::shim {

constexpr bool is_recorded(format::ApiClass c) {
  using enum format::ApiClass;
  return c != kDescriptor && c != kName && c != kLifecycle && c != kLookup;
}

// Starts the recorder, and its arguments must be read.
consteval bool is_device_work(format::ApiClass c) {
  using enum format::ApiClass;
  return c == kLaunch || c == kGraphLaunch || c == kCopy || c == kSet || c == kGemm ||
         c == kCollective || c == kOperation;
}

// A call of the same class beneath adds what it knows: the driver's call beneath the runtime's.
// A product or collective says all in its outermost call.
consteval bool tells_more(format::ApiClass c) {
  using enum format::ApiClass;
  return c != kGemm && c != kCollective && c != kOperation && c != kCommunicator && c != kGroup;
}

// Whether a call inside another is the same work: one record, of the outer call. A second launch
// inside one launch is a launch of its own; a product inside an operation is the operation's.
constexpr bool is_part(const format::ApiRow& row, const Frame& outer) {
  using enum format::ApiClass;
  if (outer.api_class != row.api_class)
    return row.api_class == kGemm && outer.api_class == kOperation;
  return row.api_class != kLaunch || !outer.details.filled;
}

consteval bool is_per_thread(format::Api api) {
  const std::string_view name = format::api_row(api).name;
  return name.ends_with("_ptsz") || name.ends_with("_ptds");
}

consteval format::Api row_named(std::string_view name, format::Api otherwise) {
  for (std::size_t i = 0; i < format::kApis.size(); ++i)
    if (format::kApis[i].name == name) return static_cast<format::Api>(i);
  return otherwise;
}

// The row that a twin is a twin of: the one with a per-thread default stream (_ptsz, _ptds), with
// 64-bit dimensions (_64), of a later ABI (_v2), NCCL's strong name (p) and its calls with a
// configuration.
consteval format::Api plain(format::Api api) {
  std::string_view name = format::api_row(api).name;
  if (is_per_thread(api)) name.remove_suffix(5);
  if (name.ends_with("_64")) name.remove_suffix(3);
  if (name.starts_with("pnccl")) name.remove_prefix(1);
  if (name.starts_with("nccl") && name.ends_with("Config"))
    return row_named(name.substr(0, name.size() - 6), row_named(name, api));
  const std::string_view first = name.substr(0, name.size() - 3);
  if (first.size() + 3 == name.size() && name.substr(first.size(), 2) == "_v")
    return row_named(first, row_named(name, api));
  return row_named(name, api);
}

// What all ranks of a job do in the same order. Not what two of them have with each other: experts
// and pipelines send as much as there happens to be.
consteval bool marks_steps(format::Api api) {
  const format::ApiRow& row = format::api_row(api);
  const std::string_view name = row.name;
  return row.api_class == format::ApiClass::kGraphLaunch ||
         (row.api_class == format::ApiClass::kCollective && !name.ends_with("Send") &&
          !name.ends_with("Recv") && !name.ends_with("Signal"));
}

// Of a communicator that does not block, a call may say "in progress".
constexpr bool is_under_way(format::ApiClass c, std::int32_t result) {
  constexpr std::int32_t kNcclInProgress = 7;
  return result == 0 || (c == format::ApiClass::kCollective && result == kNcclInProgress);
}

template <format::Api api, format::Api... list>
concept AnyOf = ((api == list) || ...);

// The library's own code for a function it does not have. NCCL has none: its "invalid usage".
consteval int not_supported(format::Library library) {
  switch (library) {
    case format::Library::kDriver:
    case format::Library::kRuntime:
      return 801;
    case format::Library::kCublas:
    case format::Library::kCublasLt:
      return 15;
    case format::Library::kCudnn:
      return 3000;
    case format::Library::kNccl:
      return 5;
    case format::Library::kCupti:
      return 27;
  }
}

}  // namespace mfushim::shim
