// Puts the evidence of the coverage section into one sentence.
#include "report/trust.hpp"

#include <algorithm>

#include "report/text_format.hpp"

namespace mfushim::report {

namespace {

using passes::CoverageResult;

// "a, b and 3 more"
template <class Range, class Text>
std::string some_of(const Range& range, Text&& text) {
  constexpr std::size_t kShown = 2;
  std::string list;
  std::size_t shown = 0;
  for (const auto& item : range) {
    if (shown == kShown) break;
    if (shown++ > 0) list += ", ";
    list += text(item);
  }
  if (range.size() > kShown) print(list, " and {} more", range.size() - kShown);
  return list;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What GPU records say about launches: the only witness that does not depend on hooks.
std::string seen(const passes::Analysis& a) {
  const CoverageResult& c = a.coverage;
  if (c.gpu_records == 0)
    return fmt::format("{} seen; without GPU records nothing tells of others",
                       plural(a.launches.calls, "launch call"));
  std::uint64_t unlaunched = 0;
  for (const auto& [name, records] : c.unlaunched_kernels) unlaunched += records;
  if (c.gpu_without_launch == 0)
    return fmt::format("all {} were seen at their call", plural(c.gpu_records, "GPU record"));
  if (unlaunched == 0)
    return fmt::format("all kernels were seen at their call, {} of {} other than kernels were not",
                       count(c.gpu_without_launch), plural(c.gpu_records, "GPU record"));
  return fmt::format("{} ran without a launch that was seen: {}", plural(unlaunched, "kernel"),
                     some_of(c.unlaunched_kernels, [](const auto& entry) {
                       return fmt::format("{} x {}", count(entry.second),
                                          entry.first.empty() ? "(name not recorded)"
                                                              : shortened(entry.first, 40));
                     }));
}

// Why launches of graphs may have done something else than is counted.
std::string doubtful_graphs(const CoverageResult& c) {
  std::string text;
  const passes::DoubtfulReplays& d = c.doubtful_replays;
  if (d.all > 0) {
    std::vector<std::string> why;
    if (d.unseen > 0) why.push_back("not all that went into the graph was seen");
    if (d.conditional > 0) why.push_back("how often conditional nodes run is not known");
    if (d.edited > 0) why.push_back("nodes were changed after they were made executable");
    print(text, "; {} graph {} may have done something else than is counted: {}", count(d.all),
          d.all == 1 ? "launch" : "launches",
          some_of(why, [](const std::string& reason) { return reason; }));
  }
  if (c.captured_unplaced > 0)
    print(text, "; {} captured into unknown graphs", plural(c.captured_unplaced, "call"));
  return text;
}

// What GPU times leave out, or cannot be trusted with.
std::string bad_records(const passes::Analysis& a) {
  std::string text;
  const CoverageResult& c = a.coverage;
  if (const std::uint64_t invalid = c.all_invalid(); invalid > 0)
    print(text, "; {} left out as impossible", plural(invalid, "GPU record"));
  if (c.gpu_early > 0)
    print(text, "; clocks of host and GPU disagree: {} before the launch",
          plural(c.gpu_early, "GPU record"));
  if (const std::uint64_t missing = a.unaccounted_launches(); missing > 0)
    print(text, "; {} without a GPU record, and nothing says why", plural(missing, "launch call"));
  return text;
}

}  // namespace

std::string trust_sentence(const passes::Analysis& a) {
  const CoverageResult& c = a.coverage;
  std::string sentence = seen(a);
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  if (!c.unhooked_modules.empty())
    print(sentence, "; {} may launch unseen: {}", plural(c.unhooked_modules.size(), "module"),
          some_of(c.unhooked_modules, [](const auto& module) { return file_name(module.path); }));
  if (!c.unhooked_names.empty())
    print(sentence, "; {} looked up without a hook: {}",
          plural(c.unhooked_names.size(), "function"),
          some_of(c.unhooked_names, [](const auto& name) { return name.name; }));
  sentence += doubtful_graphs(c);
  sentence += bad_records(a);
  if (const std::uint64_t lost = c.host_lost + c.gpu_dropped; lost > 0)
    print(sentence, "; {} lost", plural(lost, "record"));
  if (!c.gaps.empty()) print(sentence, "; {} in the logs", plural(c.gaps.size(), "gap"));
  sentence += '.';
  return sentence;
}

}  // namespace mfushim::report
