// The sections of the text, in the order in which a reader needs them. A section without evidence
// says so in one line.
#include "report/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/run_facts.hpp"
#include "report/text_format.hpp"
#include "report/text_inference.hpp"
#include "report/text_mfu.hpp"
#include "report/text_sections.hpp"
#include "report/text_steps.hpp"

namespace mfushim::report {

namespace {

using passes::Analysis;

void print_head(std::string& out, const Analysis& a) {
  const RunFacts facts = find_run_facts(*a.run);
  print(out, "mfushim report");
  if (!facts.command.empty()) print(out, "   {}", shortened(facts.command, 60));
  if (!a.run->id.empty()) print(out, "   run {}", a.run->id);
  print(out, "\n{}", plural(a.run->ranks.size(), "rank"));
  if (!facts.hosts.empty()) print(out, " on {}", plural(facts.hosts.size(), "host"));
  for (const std::string& gpu : facts.gpus) print(out, ", {}", gpu);
  if (facts.duration_ns) print(out, ", {}", duration(*facts.duration_ns));
  print(out, "\n");
  if (a.steps) print_steps(out, *a.steps);
  const passes::WindowResult& w = a.windows;
  if (const auto share = w.share()) {
    print(out, "GPU-timed: {} of {} ({}), {}", duration(w.timed_ns), duration(w.total_ns),
          percent(*share), plural(w.windows, "window"));
    if (a.run->processes.size() > 1)
      print(out, ", {} of it in all processes at once", percent(*w.coincidence()));
    print(out, "; GPU times and what follows from them are of that part alone\n");
  }
}

void print_warnings(std::string& out, const Analysis& a) {
  for (const passes::Gap& gap : a.coverage.gaps)
    print(out, "MISSING  {} of {}: {}\n",
          gap.missing_ns ? duration(*gap.missing_ns) : std::string("an unknown time"), gap.file,
          gap.what);
  const std::uint64_t lost =
      a.coverage.host_lost + a.coverage.gpu_dropped + a.coverage.all_invalid();
  if (lost > 0) print(out, "MISSING  {}: see TRUST\n", plural(lost, "record"));
  if (a.view != passes::View::kExact)
    print(out, "VIEW     {}: {} of {} GPU records count\n",
          a.view == passes::View::kHta ? "as HolisticTraceAnalysis counts" : "as TraceLens counts",
          count(a.sum.records), count(a.coverage.gpu_records));
}

void ledger_line(std::string& out, std::string_view name, std::int64_t ns, const Analysis& a,
                 std::int64_t ranks) {
  const double share =
      a.sum.total > 0 ? static_cast<double>(ns) / static_cast<double>(a.sum.total) : 0;
  print(out, "  {:<22}{} {:>12} {:>8}\n", name, bar(share), duration(ns / ranks), percent(share));
}

void print_ledger(std::string& out, const Analysis& a) {
  const auto ranks = std::count_if(a.ledgers.begin(), a.ledgers.end(),
                                   [](const auto& ledger) { return ledger.has_value(); });
  if (ranks == 0) {
    print(out, "WHERE TIME GOES  not known: no GPU times");
    if (!a.coverage.no_gpu_time.empty()) print(out, " ({})", a.coverage.no_gpu_time[0]);
    print(out, "\n");
    return;
  }
  print(out, "WHERE TIME GOES  {:<37} {:>12} {:>8}\n",
        ranks == 1 ? std::string("") : fmt::format("mean of {} GPUs", ranks),
        duration(a.sum.total / ranks), "100.0 %");
  ledger_line(out, "compute", a.sum.compute, a, ranks);
  ledger_line(out, "exposed communication", a.sum.exposed_comm, a, ranks);
  ledger_line(out, "exposed copies", a.sum.exposed_copy, a, ranks);
  ledger_line(out, "idle", a.sum.idle, a, ranks);
  if (!a.launches.bound || a.sum.idle == 0) return;
  const auto& b = *a.launches.bound;
  print(out, "    host late {}: outside CUDA {}, launching {}, other calls {}, device latency {}\n",
        duration(b.total_ns / ranks), duration(b.outside_ns / ranks),
        duration(b.launch_calls_ns / ranks), duration(b.other_calls_ns / ranks),
        duration(b.device_ns / ranks));
}

}  // namespace

std::string text_report(const Analysis& a) {
  std::string out;
  print_head(out, a);
  print_warnings(out, a);
  out += '\n';
  print_mfu(out, a);
  if (a.inference) print_inference(out, *a.inference);
  print_repeats(out, a.repeats);
  out += '\n';
  print_ledger(out, a);
  out += '\n';
  if (a.waterfall) {
    print_waterfall(out, *a.waterfall);
    out += '\n';
  }
  print_launches(out, a);
  print_overlap(out, a);
  print_collectives(out, a);
  out += '\n';
  print_products(out, a);
  out += '\n';
  print_rooflines(out, a);
  out += '\n';
  print_kernels(out, a);
  out += '\n';
  print_trust(out, a);
  return out;
}

}  // namespace mfushim::report
