// The sections of the text, in the order in which a reader needs them.
#include "report/text_report.hpp"

namespace mfushim::report {

std::string text_report(const passes::Analysis&) {
  return "\n";
}

}  // namespace mfushim::report
