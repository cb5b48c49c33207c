// `mfushim report LOGS...`: the answer of a run, as text or JSON.
#include "commands/each.hpp"

namespace mfushim::commands {

int report(const Arguments&) {
  throw UsageError("not there yet");
}

}  // namespace mfushim::commands
