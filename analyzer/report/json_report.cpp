// One function per section of mfushim.report/1.
#include "report/json_report.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "knowledge/enum_names.hpp"
#include "knowledge/gpus.hpp"
#include "passes/gemm_hints.hpp"
#include "report/json_inference.hpp"
#include "report/json_mfu.hpp"
#include "report/json_roofline.hpp"
#include "report/json_steps.hpp"
#include "report/run_facts.hpp"
#include "report/trust.hpp"

namespace mfushim::report {

namespace {

Json run_section(const passes::Analysis& a) {
  const RunFacts facts = find_run_facts(*a.run);
  Json json;
  json["id"] = a.run->id;
  json["command"] = facts.command;
  json["hosts"] = facts.hosts;
  json["ranks"] = a.run->ranks.size();
  put(json, "start_unix_ns", facts.start_unix_ns);
  put(json, "duration_ns", facts.duration_ns);
  return json;
}

void put_clock(Json& json, const passes::DeviceClock& clock) {
  json["clock_mhz"] = {{"min", clock.min_mhz},
                       {"mean", clock.mean_mhz},
                       {"max", clock.max_mhz},
                       {"samples", clock.samples}};
  json["clock_limits"] = Json::object();
  for (const passes::DeviceClock::Limit& limit : clock.limits)
    json["clock_limits"][std::string(limit.name)] = limit.share;
  put(json, "max_celsius", clock.max_celsius);
  put(json, "mean_watts", clock.mean_watts);
}

Json device_section(const model::Rank& rank, const std::optional<passes::DeviceClock>& clock) {
  Json json;
  json["index"] = *rank.device;
  if (clock) put_clock(json, *clock);
  const model::DeviceInfo* const device = rank.device_info();
  if (!device) return json;
  if (!device->name.empty()) json["name"] = device->name;
  if (device->sm_count) json["sm_count"] = device->sm_count;
  const knowledge::GpuMatch gpu = passes::find_gpu(rank);
  if (gpu.candidates.empty()) return json;
  for (const knowledge::Peak& peak : gpu.candidates.front()->peaks)
    if (const auto value = passes::datasheet_peak(rank, peak.dtype))
      json["peak_flops"][std::string(knowledge::name_of(peak.dtype))] = *value;
  // How much of the memory's bandwidth a slice has does not follow from its multiprocessors.
  if (gpu.candidates.size() == 1 && gpu.part == 1)
    put(json, "hbm_bytes_per_s", gpu.candidates.front()->hbm_bytes_per_s);
  return json;
}

Json time_section(const passes::Ledger& l) {
  return {{"total_ns", l.total},
          {"busy_ns", l.busy},
          {"idle_ns", l.idle},
          {"compute_ns", l.compute},
          {"comm_ns", l.comm},
          {"copy_ns", l.copy},
          {"overlap_ns", l.overlap},
          {"exposed_comm_ns", l.exposed_comm},
          {"exposed_copy_ns", l.exposed_copy},
          {"records", l.records}};
}

Json rank_sections(const passes::Analysis& a) {
  Json list = Json::array();
  for (std::size_t i = 0; i < a.run->ranks.size(); ++i) {
    const model::Rank& rank = a.run->ranks[i];
    Json json;
    json["rank"] = rank.number ? Json(*rank.number) : Json(nullptr);
    if (!rank.process->fact("host").empty()) json["host"] = rank.process->fact("host");
    put(json, "pid", rank.process->integer_fact("pid"));
    json["log"] = rank.process->path;
    if (rank.device) json["device"] = device_section(rank, a.clocks[i]);
    if (a.ledgers[i]) json["time"] = time_section(*a.ledgers[i]);
    json["flops"] = flops_json(a.products.by_rank[i] + a.operations.by_rank[i]);
    list.push_back(std::move(json));
  }
  return list;
}

Json launch_section(const passes::LaunchResult& l) {
  Json json = {{"calls", l.calls}, {"failed", l.failed}, {"host_ns", l.host_ns}};
  if (l.bound) {
    json["launch_bound_ns"] = l.bound->total_ns;
    if (l.bound->device_total_ns > 0)
      json["launch_bound_share"] = ratio(static_cast<double>(l.bound->total_ns),
                                         static_cast<double>(l.bound->device_total_ns));
    json["launch_bound_split"] = {{"launch_calls_ns", l.bound->launch_calls_ns},
                                  {"other_calls_ns", l.bound->other_calls_ns},
                                  {"outside_ns", l.bound->outside_ns},
                                  {"device_ns", l.bound->device_ns}};
  }
  if (l.delay)
    json["delay_ns"] = {{"p50", l.delay->p50}, {"p90", l.delay->p90}, {"p99", l.delay->p99}};
  json["graph_launches"] = l.graph_launches;
  if (l.graphs_with_record > 0)
    json["kernels_per_graph_launch"] =
        ratio(static_cast<double>(l.graph_kernels), static_cast<double>(l.graphs_with_record));
  json["records"] = l.records;
  json["records_shorter_than_call"] = l.shorter_than_call;
  json["records_call_over_50us"] = l.call_over_50us;
  json["records_delay_over_100us"] = l.delay_over_100us;
  return json;
}

Json overlap_section(const passes::Analysis& a) {
  const passes::CollectiveResult& c = a.collectives;
  Json json = {
      {"comm_ns", a.sum.comm}, {"hidden_ns", a.sum.overlap}, {"exposed_ns", a.sum.exposed_comm}};
  if (a.sum.comm > 0)
    json["efficiency"] = ratio(static_cast<double>(a.sum.overlap), static_cast<double>(a.sum.comm));
  if (c.transfer_ns && *c.transfer_ns > 0)
    json["transfer_efficiency"] =
        ratio(static_cast<double>(c.hidden_transfer_ns), static_cast<double>(*c.transfer_ns));
  put(json, "wait_ns", c.wait_ns);
  json["by_communicator"] = Json::array();
  for (const auto& o : c.overlap)
    json["by_communicator"].push_back({{"communicator", o.communicator},
                                       {"comm_ns", o.comm_ns},
                                       {"hidden_ns", o.hidden_ns},
                                       {"exposed_ns", o.comm_ns - o.hidden_ns}});
  return json;
}

Json comm_section(const passes::CollectiveResult& c) {
  Json list = Json::array();
  for (const passes::CollectiveRow& row : c.rows) {
    Json json = {{"communicator", row.communicator}, {"op", knowledge::name_of(row.op)}};
    if (row.dtype != format::DType::kUnknown) json["dtype"] = knowledge::name_of(row.dtype);
    if (row.size > 0) json["size"] = row.size;
    json["calls"] = row.calls;
    if (row.bytes != 0) json["bytes"] = row.bytes;
    if (row.timed_calls > 0) json["total_ns"] = row.duration_ns;
    put(json, "alg_bytes_per_s", row.alg_bytes_per_s());
    put(json, "bus_bytes_per_s", row.bus_bytes_per_s());
    put(json, "wait_ns", row.wait_ns);
    put(json, "transfer_ns", row.transfer_ns);
    list.push_back(std::move(json));
  }
  return list;
}

// FLOPs that no call announced: the calls without are those that one did. Speeds beside ceilings
// are of what is not masked.
void put_modelled(Json& json, const passes::ModelledWork& work, const passes::Ceilings& ceilings) {
  json["flops"] = work.flops;
  json["flops_source"] = "modelled";
  json["flops_low"] = work.low;
  json["flops_high"] = work.high;
  if (work.masked > 0) json["masked_flops"] = work.masked;
  json["modelled_calls"] = work.calls;
  put_roofline(json, passes::roofline_of(work), ceilings);
}

// By kernel: the products that one kernel alone does.
std::map<std::string_view, passes::ClassRoofline> rooflines_of_products(
    const passes::ProductResult& products) {
  std::map<std::string_view, passes::ClassRoofline> result;
  for (const passes::ProductRow& row : products.rows) {
    if (row.kernel.empty() || row.kernel_ns != row.total_ns) continue;
    passes::ClassRoofline& sum = result[row.kernel];
    sum.dtype = row.dtype;
    sum.work += passes::roofline_of(row);
  }
  return result;
}

Json kernel_section(const passes::Analysis& a) {
  const passes::KernelResult& k = a.kernels;
  const auto products = rooflines_of_products(a.products);
  Json list = Json::array();
  for (const passes::KernelRow& row : k.rows) {
    Json json = {{"name", row.name}, {"class", row.kernel_class}};
    if (!row.dtype.empty()) json["dtype"] = row.dtype;
    json.update({{"calls", row.calls},
                 {"total_ns", row.total_ns},
                 {"share", k.total_ns > 0 ? ratio(static_cast<double>(row.total_ns),
                                                  static_cast<double>(k.total_ns))
                                          : 0.0},
                 {"mean_ns", row.total_ns / static_cast<std::int64_t>(row.calls)}});
    const auto product = products.find(row.name);
    if (row.modelled) {
      put_modelled(json, *row.modelled, common_ceilings(*a.run, row.units));
    } else if (product != products.end() && product->second.work.time_ns == row.total_ns) {
      json["flops"] = product->second.work.flops;
      json["flops_source"] = "recorded";
      put_roofline(json, product->second.work, common_ceilings(*a.run, product->second.dtype));
    } else {
      json["bound"] = passes::bound_name(passes::Bound::kUnknown);
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json gemm_section(const passes::Analysis& a) {
  Json list = Json::array();
  const model::DeviceInfo* const device =
      a.run->ranks.empty() ? nullptr : a.run->ranks.front().device_info();
  const std::uint32_t sm_count = device ? device->sm_count : 0;
  for (const passes::ProductRow& row : a.products.rows) {
    const format::GemmShape& s = row.shape;
    const bool known = (s.flags & format::kShapeUnknown) == 0;
    Json json = known ? Json{{"m", s.m}, {"n", s.n}, {"k", s.k}} : Json::object();
    json.update({{"batch", s.batch},
                 {"dtype", knowledge::name_of(row.dtype)},
                 {"compute_type", passes::compute_type_name(s.compute)},
                 {"trans", std::string(knowledge::name_of(s.trans_a)) +
                               std::string(knowledge::name_of(s.trans_b))},
                 {"product", knowledge::name_of(s.product)},
                 {"library", row.library}});
    if (!known) json["sizes"] = "on the device";
    if (!row.kernel.empty()) json["kernel"] = row.kernel;
    json["calls"] = row.calls;
    json["flops"] = flops_json(row.flops);
    if (row.executed != row.flops) json["executed_flops"] = flops_json(row.executed);
    if (row.is_timed()) json["total_ns"] = row.total_ns;
    put_roofline(json, passes::roofline_of(row), common_ceilings(*a.run, row.dtype));
    if (const std::string hint = passes::gemm_hint(row, sm_count); !hint.empty())
      json["hint"] = hint;
    list.push_back(std::move(json));
  }
  return list;
}

Json operation_section(const passes::OperationResult& operations) {
  Json list = Json::array();
  for (const passes::OperationRow& row : operations.rows) {
    const format::OperationShape& s = row.shape;
    Json json = {{"operation", knowledge::name_of(s.operation)}, {"api", row.api}};
    if (passes::flops_of(s) != 0)
      json.update({{"batch", s.batch},
                   {"groups", s.groups},
                   {"m", s.m},
                   {"n", s.n},
                   {"k", s.k},
                   {"l", s.l},
                   {"window", s.window},
                   {"dtype", knowledge::name_of(s.dtype)}});
    json["calls"] = row.calls;
    json["exact"] = passes::is_exact(s);
    if (s.operation != format::OperationKind::kUnknown) json["flops"] = flops_json(row.flops);
    if (row.total_ns > 0) json["total_ns"] = row.total_ns;
    list.push_back(std::move(json));
  }
  return list;
}

// How much the windows cost, as far as launches tell.
Json window_cost_section(const passes::WindowCost& cost, double timed_share) {
  Json json = {{"windows", cost.windows},
               {"launches_lost", {{"median", cost.median}}},
               {"share", cost.median * timed_share}};
  put(json["launches_lost"], "low", cost.low);
  put(json["launches_lost"], "high", cost.high);
  return json;
}

Json gpu_time_section(const passes::Analysis& a) {
  const passes::WindowResult& w = a.windows;
  Json json = {{"windows", w.windows}, {"timed_ns", w.timed_ns}, {"total_ns", w.total_ns}};
  put(json, "share", w.share());
  put(json, "coincidence", w.coincidence());
  if (a.window_cost) json["cost"] = window_cost_section(*a.window_cost, w.share().value_or(0));
  json["stretches"] = Json::array();
  for (const passes::TimedStretch& s : w.stretches)
    json["stretches"].push_back({{"log", s.process->path},
                                 {"start_unix_ns", s.start_ns},
                                 {"end_unix_ns", s.end_ns},
                                 {"source", knowledge::name_of(s.source)},
                                 {"reason", s.reason}});
  return json;
}

Json coverage_section(const passes::Analysis& a) {
  const passes::CoverageResult& c = a.coverage;
  const std::uint64_t calls = a.launches.calls;
  const std::uint64_t with = a.launches.with_gpu_record;
  Json json;
  json["launches"] = {{"seen_by_api", calls},
                      {"with_gpu_record", with},
                      {"without", calls > with ? calls - with : 0},
                      {"outside_windows", a.windows.untimed_launches},
                      {"unaccounted", a.unaccounted_launches()}};
  json["gpu_time"] = gpu_time_section(a);
  json["gpu_records"] = {{"total", c.gpu_records},       {"without_launch", c.gpu_without_launch},
                         {"invalid", c.all_invalid()},   {"invalid_by_cause", Json::array()},
                         {"before_launch", c.gpu_early}, {"dropped", c.gpu_dropped}};
  for (const auto& [cause, records] : c.gpu_invalid)
    json["gpu_records"]["invalid_by_cause"].push_back({{"cause", cause}, {"records", records}});
  json["host_records_lost"] = c.host_lost;
  json["records_of_unknown_kind"] = c.unknown_records;
  json["doubtful_replays"] = {{"all", c.doubtful_replays.all},
                              {"unseen", c.doubtful_replays.unseen},
                              {"conditional", c.doubtful_replays.conditional},
                              {"edited", c.doubtful_replays.edited}};
  json["captured_unplaced"] = c.captured_unplaced;
  json["trust"] = trust_sentence(a);
  json["layers"] = Json::array();
  for (const passes::Layer& layer : c.layers)
    json["layers"].push_back({{"door", layer.door},
                              {"library", layer.library},
                              {"class", layer.call_class},
                              {"calls", layer.calls}});
  json["unhooked_modules"] = Json::array();
  for (const passes::UnhookedModule& module : c.unhooked_modules)
    json["unhooked_modules"].push_back({{"path", module.path}, {"why", module.why}});
  json["unhooked_names"] = Json::array();
  for (const passes::UnhookedName& name : c.unhooked_names)
    json["unhooked_names"].push_back({{"name", name.name}, {"version", name.version}});
  json["kernels_without_launch"] = Json::array();
  for (const auto& [name, records] : c.unlaunched_kernels)
    json["kernels_without_launch"].push_back({{"name", name}, {"records", records}});
  put(json, "clock_error_ns", c.clock_error_ns);
  if (!a.collectives.rows.empty()) json["rank_clock_residual_ns"] = a.collectives.clock_residual_ns;
  if (c.hook_ns) {
    json["shim"] = {{"host_ns", *c.hook_ns}, {"writer_ns", c.writer_ns}, {"cupti_ns", c.cupti_ns}};
    if (c.process_ns > 0)
      json["shim"]["share"] =
          ratio(static_cast<double>(*c.hook_ns), static_cast<double>(c.process_ns));
  }
  json["gaps"] = Json::array();
  for (const passes::Gap& gap : c.gaps) {
    Json entry = {{"file", gap.file}, {"what", gap.what}};
    put(entry, "missing_ns", gap.missing_ns);
    json["gaps"].push_back(std::move(entry));
  }
  json["losses"] = c.losses;
  json["no_gpu_time"] = c.no_gpu_time;
  return json;
}

const char* view_name(passes::View view) {
  switch (view) {
    case passes::View::kExact:
      return "exact";
    case passes::View::kHta:
      return "hta";
    case passes::View::kTracelens:
      return "tracelens";
  }
  return "";
}

}  // namespace

Json json_report(const passes::Analysis& a) {
  Json json;
  json["schema"] = "mfushim.report/1";
  json["tool"] = {{"version", MFUSHIM_VERSION}};
  json["view"] = view_name(a.view);
  json["run"] = run_section(a);
  json["ranks"] = rank_sections(a);
  if (a.steps) json["steps"] = steps_section(*a.steps, a.step_mfu);
  json["mfu"] = mfu_section(a);
  if (a.inference) json["inference"] = inference_section(*a.inference);
  json["done_again"] = repeats_section(a.repeats);
  json["launch"] = launch_section(a.launches);
  json["overlap"] = overlap_section(a);
  json["comm"] = comm_section(a.collectives);
  json["roofline"] = roofline_section(a);
  json["kernels"] = kernel_section(a);
  json["gemms"] = gemm_section(a);
  json["operations"] = operation_section(a.operations);
  json["coverage"] = coverage_section(a);
  return json;
}

}  // namespace mfushim::report
