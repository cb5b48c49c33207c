// What this machine and its environment let the recorder see, before any program runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/doctor_findings.hpp"
#include "commands/doctor_probe.hpp"

namespace mfushim::commands {

// A variable that brings others' code into every program that starts CUDA.
struct Injection {
  std::string variable;
  std::string value;
  bool takes_cupti = false;
  bool interposes = false;  // it defines CUDA functions or dlsym itself
};

struct Machine {
  Probe probe;
  std::vector<Injection> injections;
  std::optional<bool> profiling_is_restricted;  // to administrators; absent: not known
  std::string glibc;
  std::string ring_folder;
  std::optional<std::uint64_t> ring_folder_free;  // bytes; absent: not tmpfs
  std::string recorder;                           // path
};

// `driver_parameters`: the kernel module's, /proc/driver/nvidia/params on a real machine.
Machine examine_machine(const std::string& driver_parameters);

// `has_run`: a program was tried, whose own log tells of its GPU times and launches.
std::vector<Finding> judge(const Machine& machine, bool has_run);

}  // namespace mfushim::commands
