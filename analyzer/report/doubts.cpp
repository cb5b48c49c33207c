// Lists causes by whether they explain the number.
#include "report/doubts.hpp"

#include <fmt/format.h>

#include "report/text_format.hpp"

namespace mfushim::report {

std::string_view verdict_of(double mfu) {
  if (mfu > 1) return "impossible: more than the peak";
  return mfu > knowledge::kUsualHigh ? "higher than any published training run"
                                     : "lower than a training run that works";
}

Json causes_json(const std::vector<knowledge::Cause>& causes) {
  Json list = Json::array();
  for (const knowledge::Cause& cause : causes)
    list.push_back({{"cause", cause.name},
                    {"text", cause.text},
                    {cause.of_observed ? "of_observed" : "mfu", cause.value},
                    {"explains", cause.explains}});
  return list;
}

void print_causes(std::string& out, const std::vector<knowledge::Cause>& causes,
                  std::string_view explained, std::string_view unexplained) {
  for (const bool explains : {true, false}) {
    print(out, "  {}\n", explains ? explained : unexplained);
    bool any = false;
    for (const knowledge::Cause& cause : causes) {
      if (cause.explains != explains) continue;
      any = true;
      print(out, "    {:>10}  if {}\n",
            cause.of_observed ? fmt::format("{:.3g} times", cause.value) : percent(cause.value),
            cause.text);
    }
    if (!any) print(out, "             -  none of the usual mistakes\n");
  }
}

}  // namespace mfushim::report
