// Tables and evidence of the text report; tables show their first rows and say how many there are.
#include "report/text_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "knowledge/enum_names.hpp"
#include "report/run_facts.hpp"
#include "report/text_format.hpp"
#include "report/trust.hpp"

namespace mfushim::report {

namespace {

using passes::Analysis;

constexpr std::size_t kRows = 10;

void print_more(std::string& out, std::size_t rows) {
  if (rows > kRows) print(out, "  ... and {} more (--json has all)\n", count(rows - kRows));
}

std::string optional_rate(const std::optional<double>& rate, std::string_view unit) {
  return rate ? si(*rate, unit) : "unknown";
}

// The operations of a general product, else what it is.
std::string product_label(const format::GemmShape& shape) {
  if (shape.product != format::ProductKind::kGemm)
    return std::string(knowledge::name_of(shape.product));
  return fmt::format("{}{}", knowledge::name_of(shape.trans_a), knowledge::name_of(shape.trans_b));
}

std::map<std::string_view, std::uint64_t> counted(const std::vector<std::string>& texts) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const std::string& text : texts) ++counts[text];
  return counts;
}

}  // namespace

void print_launches(std::string& out, const Analysis& a) {
  const passes::LaunchResult& l = a.launches;
  if (l.calls == 0) {
    print(out, "LAUNCH   no launch was recorded\n");
    return;
  }
  print(out, "LAUNCH   {}, {} each = {} of host time; {}\n", plural(l.calls, "launch call"),
        duration(l.host_ns / static_cast<std::int64_t>(l.calls)), duration(l.host_ns),
        l.graph_launches == 0 ? "no CUDA graph"
                              : fmt::format("{} of graphs", count(l.graph_launches)));
  if (l.delay)
    print(out,
          "         from call to start on the GPU: {} median, {} p90, {} p99 (long: the host "
          "is ahead)\n",
          duration(l.delay->p50), duration(l.delay->p90), duration(l.delay->p99));
}

void print_overlap(std::string& out, const Analysis& a) {
  if (!a.has_device_times()) {
    print(out, "OVERLAP  not known: no GPU times\n");
    return;
  }
  if (a.sum.comm == 0) {
    print(out, "OVERLAP  no communication was recorded\n");
    return;
  }
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return percent(static_cast<double>(part) / static_cast<double>(whole));
  };
  print(out, "OVERLAP  {} hidden behind compute: {} of {} communication, {} exposed\n",
        share(a.sum.overlap, a.sum.comm), duration(a.sum.overlap), duration(a.sum.comm),
        duration(a.sum.exposed_comm));
  const auto& c = a.collectives;
  if (c.wait_ns && c.transfer_ns && *c.transfer_ns > 0)
    print(out, "         {} of it waits for the last rank; {} of the transfer itself is hidden\n",
          duration(*c.wait_ns), share(c.hidden_transfer_ns, *c.transfer_ns));
}

void print_collectives(std::string& out, const Analysis& a) {
  const auto& rows = a.collectives.rows;
  if (rows.empty()) {
    print(out, "COLLECTIVES  none was recorded\n");
    return;
  }
  print(out, "COLLECTIVES             calls        bytes        time   algorithm         bus\n");
  for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) {
    const passes::CollectiveRow& row = rows[i];
    print(out, "  {:<14} {:<5} {:>6} {:>12} {:>11} {:>11} {:>11}  {}\n", knowledge::name_of(row.op),
          knowledge::name_of(row.dtype), count(row.calls),
          row.bytes == 0 ? "unknown" : si(static_cast<double>(row.bytes), "B"),
          row.timed_calls > 0 ? duration(row.duration_ns) : "unknown",
          optional_rate(row.alg_bytes_per_s(), "B/s"), optional_rate(row.bus_bytes_per_s(), "B/s"),
          row.wait_ns ? fmt::format("{} of it waiting", duration(*row.wait_ns)) : "wait included");
  }
  print_more(out, rows.size());
}

void print_products(std::string& out, const Analysis& a) {
  const auto& rows = a.products.rows;
  if (rows.empty()) {
    print(out, "GEMMS    no matrix product was recorded\n");
    return;
  }
  print(out,
        "GEMMS          m       n       k  batch type    calls        time        speed of peak\n");
  for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) {
    const passes::ProductRow& row = rows[i];
    const auto rate = row.flops_per_s();
    const auto peak = common_peak(*a.run, row.dtype);
    const bool known = (row.shape.flags & format::kShapeUnknown) == 0;
    const auto size = [&](std::uint64_t value) { return known ? std::to_string(value) : "?"; };
    print(out, "  {:<6} {:>6} {:>7} {:>7} {:>6} {:<6} {:>6} {:>11} {:>12} {:>7}  {}\n",
          product_label(row.shape), size(row.shape.m), size(row.shape.n), size(row.shape.k),
          row.shape.batch, knowledge::name_of(row.dtype), count(row.calls),
          row.is_timed() ? duration(row.total_ns) : "unknown", rate ? si(*rate, "FLOP/s") : "-",
          rate && peak ? percent(*rate / *peak) : "-", shortened(row.kernel, 40));
  }
  print_more(out, rows.size());
}

void print_rooflines(std::string& out, const Analysis& a) {
  if (a.rooflines.empty()) {
    print(out, "ROOFLINE no work with a known size was timed\n");
    return;
  }
  const auto optional_percent = [](const std::optional<double>& share) {
    return share ? percent(*share) : std::string("-");
  };
  const passes::Ceilings ceilings = common_ceilings(*a.run, a.efficiency.dtype);
  print(out, "ROOFLINE             time        speed of peak        bytes of memory  bound\n");
  for (const passes::ClassRoofline& row : a.rooflines) {
    const passes::Ceilings own = common_ceilings(*a.run, row.dtype);
    print(out, "  {:<10} {:>12} {:>12} {:>7} {:>12} {:>9}  {}\n", row.kernel_class,
          duration(row.work.time_ns),
          row.work.flops > 0 ? optional_rate(row.work.flops_per_s(), "FLOP/s") : "-",
          row.work.flops > 0 ? optional_percent(row.work.of_peak(own)) : "-",
          optional_rate(row.work.bytes_per_s(), "B/s"),
          optional_percent(row.work.of_bandwidth(own)), passes::bound_name(row.work.bound(own)));
  }
  const auto ridge = ceilings.ridge();
  if (!ridge) return;
  print(out, "  ridge at {:.0f} FLOPs to a byte of {}", *ridge,
        knowledge::name_of(a.efficiency.dtype));
  if (const auto memory = products_below_ridge(*a.run, a.products))
    print(out, "; {} below it, at {} of the memory's bandwidth (MBU)",
          plural(memory->calls, "product"), optional_percent(memory->of_bandwidth(ceilings)));
  out += '\n';
}

void print_kernels(std::string& out, const Analysis& a) {
  const auto& rows = a.kernels.rows;
  if (rows.empty()) {
    print(out, "TOP KERNELS  no kernel time was recorded\n");
    return;
  }
  print(out, "TOP KERNELS        time   share    calls\n");
  for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) {
    const passes::KernelRow& row = rows[i];
    const double share = a.kernels.total_ns > 0 ? static_cast<double>(row.total_ns) /
                                                      static_cast<double>(a.kernels.total_ns)
                                                : 0;
    print(out, "  {:>21} {:>7} {:>8}  {:<11} {}\n", duration(row.total_ns), percent(share),
          count(row.calls), row.kernel_class,
          row.name.empty() ? "(name not recorded)" : shortened(row.name, 60));
  }
  print_more(out, rows.size());
}

void print_doors(std::string& out, const passes::CoverageResult& c) {
  std::map<std::string_view, std::uint64_t> calls_by_door;
  for (const passes::Layer& layer : c.layers) calls_by_door[layer.door] += layer.calls;
  const char* separator = "         calls came by ";
  for (const auto& [door, calls] : calls_by_door) {
    print(out, "{}{} {}", separator, door, count(calls));
    separator = ", ";
  }
  if (!calls_by_door.empty()) out += '\n';
}

void print_own_cost(std::string& out, const Analysis& a) {
  const passes::CoverageResult& c = a.coverage;
  if (c.hook_ns && c.process_ns > 0)
    print(out, "         own cost {} inside the program's threads, {} of its time; {} in others\n",
          duration(*c.hook_ns),
          percent(static_cast<double>(*c.hook_ns) / static_cast<double>(c.process_ns)),
          duration(c.writer_ns + c.cupti_ns));
  if (!a.window_cost) return;
  const passes::WindowCost& w = *a.window_cost;
  print(out, "         a window loses {} of its launches (median of {}", percent(w.median),
        count(w.windows));
  if (w.low && w.high)
    print(out, ", {} to {} with a confidence of 90 %", percent(*w.low), percent(*w.high));
  print(out, "): {} of the job\n", percent(w.median * a.windows.share().value_or(0)));
}

void print_trust(std::string& out, const Analysis& a) {
  const passes::CoverageResult& c = a.coverage;
  print(out, "TRUST    {}\n", trust_sentence(a));
  print(out, "         {}, {} with a GPU record; {}, {} without launch, {} invalid, {} dropped\n",
        plural(a.launches.calls, "launch call"), count(a.launches.with_gpu_record),
        plural(c.gpu_records, "GPU record"), count(c.gpu_without_launch), count(c.all_invalid()),
        count(c.gpu_dropped));
  for (const auto& [cause, records] : c.gpu_invalid)
    print(out, "         left out: {} x {}\n", count(records),
          cause.empty() ? "invalid, as the recorder says" : cause);
  print_doors(out, c);
  for (const passes::UnhookedModule& module : c.unhooked_modules)
    print(out, "         may launch unseen: {}{}{}\n", module.path, module.why.empty() ? "" : ": ",
          module.why);
  for (const passes::UnhookedName& name : c.unhooked_names)
    print(out, "         looked up, and not hooked: {}{}{}\n", name.name,
          name.version == "0" ? "" : " of version ", name.version == "0" ? "" : name.version);
  for (const std::string& loss : c.losses) print(out, "         lost: {}\n", loss);
  for (const auto& [reason, processes] : counted(c.no_gpu_time))
    print(out, "         no GPU time in {} of {} processes: {}\n", processes,
          a.run->processes.size(), reason);
  if (c.unknown_records > 0)
    print(out, "         {} of kinds that a newer version writes\n",
          plural(c.unknown_records, "record"));
  if (c.clock_error_ns && c.gpu_early == 0) {
    print(out, "         host and GPU clocks agree within {}", duration(*c.clock_error_ns));
    if (!a.collectives.rows.empty())
      print(out, "; ends of collectives within {}", duration(a.collectives.clock_residual_ns));
    out += '\n';
  }
  print_own_cost(out, a);
}

}  // namespace mfushim::report
