// What a Kineto trace says of process, job and machine beside its rows.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mfushim/format/records.hpp"
#include "read/import_kineto_collective.hpp"
#include "read/import_kineto_log.hpp"

namespace mfushim::read {

class TraceHead {
 public:
  // Members of the trace's outermost object that are read; all others are passed over.
  static bool wants(std::string_view key);
  void take(std::string_view key, std::string_view value);

  const ProcessInJob& process() const { return process_; }

  // Writes facts, devices (those of `used` only) and clocks. `pid` as the host rows have it;
  // `first_stamp` is the earliest of all rows, or the largest number when there is none.
  void write(KinetoLog& log, const std::set<std::uint32_t>& used, std::string_view pid,
             std::uint64_t first_stamp) const;

 private:
  struct NamedDevice {
    format::Device device;
    std::string name;
  };

  void take_devices(std::string_view value);
  void take_job(std::string_view value);
  void add_fact(std::string_view key, std::string_view raw);

  ProcessInJob process_;
  std::vector<NamedDevice> devices_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::int64_t base_time_ns_ = 0;  // what the stamps of the trace count from, since 1970
};

}  // namespace mfushim::read
