// What the driver, CUPTI and NVML of this machine say when they are asked.
#pragma once

#include <string>
#include <vector>

namespace mfushim::commands {

struct LibraryAnswer {
  std::string path;     // empty: not found
  int version = 0;      // as the library counts; 0: not known
  std::string problem;  // why it cannot be used; empty: it can
};

struct Probe {
  LibraryAnswer driver;
  std::vector<std::string> devices;
  LibraryAnswer cupti;  // without a driver not asked
  LibraryAnswer nvml;
};

// In a process of its own: what hangs, crashes or stays loaded there does no harm. Nothing is made
// on a GPU; CUPTI's one place is taken and let go.
Probe probe_libraries();

}  // namespace mfushim::commands
