// The trace's own names for facts, and the log's.
#include "read/import_kineto_head.hpp"

#include <algorithm>
#include <array>

#include "read/import_kineto_rows.hpp"
#include "read/json_cursor.hpp"

namespace mfushim::read {

namespace {

struct FactName {
  std::string_view key;   // in the trace
  std::string_view fact;  // in the log
};

constexpr std::array<FactName, 8> kFacts = {{{"schemaVersion", "kineto.schema_version"},
                                             {"traceName", "kineto.trace_name"},
                                             {"trace_id", "kineto.trace_id"},
                                             {"host_name", "host"},
                                             {"cuda_runtime_version", "cuda_runtime_version"},
                                             {"cuda_driver_version", "cuda_driver_version"},
                                             {"hip_runtime_version", "hip_runtime_version"},
                                             {"hip_driver_version", "hip_driver_version"}}};

// September 2001: a trace that tells no base counts from 1970, unless it is made by hand.
constexpr std::uint64_t kPlausibleTime = 1'000'000'000'000'000'000;

constexpr std::string_view kDevices = "deviceProperties";
constexpr std::string_view kOldDevices = "computeProperties";
constexpr std::string_view kJob = "distributedInfo";
constexpr std::string_view kBaseTime = "baseTimeNanoseconds";

// Members of an object by name; anything but an object has none.
template <class F>
void read_object(std::string_view value, F&& f) {
  if (!value.starts_with('{')) return;
  JsonCursor cursor(value);
  for_each_member(cursor, [&](std::string_view key, JsonCursor& c) { f(key, c.text()); });
}

template <class Number>
void store(Number& to, std::string_view text) {
  if (const auto number = to_integer(text); number && *number >= 0)
    to = static_cast<Number>(*number);
}

}  // namespace

bool TraceHead::wants(std::string_view key) {
  return key == kDevices || key == kOldDevices || key == kJob || key == kBaseTime ||
         std::any_of(kFacts.begin(), kFacts.end(), [&](const FactName& f) { return f.key == key; });
}

void TraceHead::take(std::string_view key, std::string_view value) {
  if (key == kDevices || key == kOldDevices) return take_devices(value);
  if (key == kJob) return take_job(value);
  if (key == kBaseTime) return store(base_time_ns_, value);
  for (const FactName& fact : kFacts)
    if (fact.key == key) add_fact(fact.fact, value);
}

void TraceHead::add_fact(std::string_view key, std::string_view raw) {
  if (raw.size() >= 2 && raw.starts_with('"')) raw = raw.substr(1, raw.size() - 2);
  std::string memory;
  facts_.emplace_back(key, unescape(raw, memory));
}

void TraceHead::take_devices(std::string_view value) {
  if (!value.starts_with('[')) return;
  JsonCursor cursor(value);
  for_each_element(cursor, [&](JsonCursor& c) {
    NamedDevice named;
    std::uint32_t major = 0, minor = 0;
    std::string memory;
    read_object(c.value(), [&](std::string_view key, std::string_view text) {
      if (key == "id") store(named.device.index, text);
      if (key == "name") named.name = unescape(text, memory);
      if (key == "totalGlobalMem") store(named.device.memory_bytes, text);
      if (key == "computeMajor") store(major, text);
      if (key == "computeMinor") store(minor, text);
      if (key == "numSms") store(named.device.sm_count, text);
    });
    named.device.compute_capability = 10 * major + minor;
    devices_.push_back(std::move(named));
  });
}

void TraceHead::take_job(std::string_view value) {
  read_object(value, [&](std::string_view key, std::string_view text) {
    if (key == "rank") store(process_.rank, text);
    if (key == "world_size") store(process_.world_size, text);
    if (key == "rank" || key == "world_size") {
      if (to_integer(text)) add_fact(key, text);
    } else if (key == "backend" || key == "nccl_version") {
      add_fact(key, text);
    }
  });
}

void TraceHead::write(KinetoLog& log, const std::set<std::uint32_t>& used, std::string_view pid,
                      std::uint64_t first_stamp) const {
  log.fact("source", "kineto");
  log.fact("pid", pid);
  for (const auto& [key, value] : facts_) log.fact(key, value);
  for (const NamedDevice& named : devices_) {
    if (!used.contains(named.device.index)) continue;
    format::Device device = named.device;
    device.name = named.name;
    log.add(device);
  }
  const std::uint64_t base = static_cast<std::uint64_t>(base_time_ns_);
  if (first_stamp != ~std::uint64_t{0}) {
    const std::uint64_t start = base + first_stamp;
    if (start >= kPlausibleTime) log.fact("start_unix_ns", std::to_string(start));
    log.add(format::ClockAnchor{first_stamp, 0, start, 0});
  }
  log.add(format::GpuTime{format::GpuTimeSource::kImported, 0, base_time_ns_, 0, "Kineto trace"});
}

}  // namespace mfushim::read
