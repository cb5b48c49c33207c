// Small questions that a run answers about itself.
#include "model/run.hpp"

#include <algorithm>
#include <charconv>

namespace mfushim::model {

const std::string& Process::fact(std::string_view key) const {
  static const std::string kMissing;
  const auto found = facts.find(key);
  return found == facts.end() ? kMissing : found->second;
}

std::optional<std::int64_t> Process::integer_fact(std::string_view key) const {
  const std::string& text = fact(key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<CallSpan> Process::call_span() const {
  if (calls.empty()) return std::nullopt;
  CallSpan span{calls.front().start, calls.front().end};
  for (const HostCall& call : calls) {
    span.first = std::min(span.first, call.start);
    span.last = std::max(span.last, call.end);
  }
  return span;
}

bool Process::is_timed(std::int64_t host_ns) const {
  const auto after =
      std::partition_point(gpu_times.begin(), gpu_times.end(),
                           [&](const GpuTime& time) { return time.since <= host_ns; });
  // The first call makes the recorder start, and begins before it has.
  const auto during = after == gpu_times.begin() ? after : after - 1;
  return during != gpu_times.end() && during->is_complete();
}

std::uint64_t Process::executions(const HostCall& call) const {
  if (call.graph == 0) return 1;
  const auto found = graphs.find(call.graph);
  return found == graphs.end() ? 0 : found->second.executions;
}

std::uint64_t Process::timed_executions(const HostCall& call) const {
  const auto found = graphs.find(call.graph);
  return found == graphs.end() ? 0 : found->second.timed_executions;
}

const DeviceInfo* Rank::device_info() const {
  if (!device) {
    // Whichever it used, where all are alike.
    const auto& all = process->devices;
    const bool alike = !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& entry) {
      return entry.second.name == all.begin()->second.name;
    });
    return alike ? &all.begin()->second : nullptr;
  }
  const auto found = process->devices.find(*device);
  return found == process->devices.end() ? nullptr : &found->second;
}

}  // namespace mfushim::model
