// What stands in the way of a whole record, and what to do about it.
#pragma once

#include <string>
#include <vector>

namespace mfushim::commands {

struct Finding {
  std::string id;  // stable, for scripts
  bool missing;    // part of the record will be; else it is weaker than it could be
  std::string what;
  std::string remedy;
};

// Why GPU times are not to be had, by CUPTI's own words, and the remedy.
Finding no_gpu_times(const std::string& reason);

}  // namespace mfushim::commands
