// Groups product calls by everything that the table prints.
#include "passes/products.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "knowledge/kernels/kernel.hpp"
#include "model/time_limits.hpp"

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;
using model::kNone;

std::string library_of(const std::string& api) {
  for (const char* prefix : {"cublasLt", "cublas", "cudnn", "aten"})
    if (api.starts_with(prefix)) {
      std::string library = prefix;
      std::transform(library.begin(), library.end(), library.begin(),
                     [](char c) { return static_cast<char>(std::tolower(c)); });
      return library;
    }
  return "";
}

auto key_of(const format::GemmShape& s, const std::string& library) {
  return std::tuple(s.product, s.m, s.n, s.k, s.batch, s.trans_a, s.trans_b, s.a, s.b, s.c, s.d,
                    s.compute, s.math_mode, s.flags, library);
}
using Key = decltype(key_of({}, {}));

struct Group {
  ProductRow row;
  std::map<std::string, std::int64_t> kernels;
};

class Finder {
 public:
  explicit Finder(const model::Run& run) : run_(run) { result_.by_rank.resize(run.ranks.size()); }

  ProductResult find() {
    for (const auto& process : run_.processes) {
      add_times(*process);
      add_calls(*process);
    }
    for (auto& [key, group] : groups_) {
      const auto longest =
          std::max_element(group.kernels.begin(), group.kernels.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (longest != group.kernels.end())
        std::tie(group.row.kernel, group.row.kernel_ns) = *longest;
      find_helper(group);
      result_.rows.push_back(std::move(group.row));
    }
    std::stable_sort(result_.rows.begin(), result_.rows.end(),
                     [](const ProductRow& a, const ProductRow& b) {
                       return std::tuple(a.total_ns, a.flops) > std::tuple(b.total_ns, b.flops);
                     });
    return std::move(result_);
  }

 private:
  Group& group_of(const model::Process& process, const HostCall& call) {
    format::GemmShape shape = process.shapes[call.subject];
    if (!has_known_shape(process, call)) shape.flags |= format::kShapeUnknown;
    const std::string library = library_of(process.names[call.api]);
    Group& group = groups_[key_of(shape, library)];
    group.row.shape = shape;
    group.row.dtype = effective_dtype(shape);
    group.row.library = library;
    return group;
  }

  void add_times(const model::Process& process) {
    rank_of_call_.clear();
    find_grouped(process);
    for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
      const model::Rank& rank = run_.ranks[i];
      if (rank.process != &process) continue;
      if (!first_rank_.contains(&process)) first_rank_[&process] = i;
      if (!rank.work) continue;
      last_kernel_.clear();
      for (const model::DeviceWork& work : *rank.work) {
        find_conversion(process, work);
        if (work.owner == kNone || process.calls[work.owner].kind != CallKind::kGemm) continue;
        add_work(process, work, i);
      }
    }
  }

  // The records of one grouped call share its sequence; the first owns the device work.
  void find_grouped(const model::Process& process) {
    groups_of_call_.clear();
    const auto is_group = [&](std::uint32_t call) {
      return process.calls[call].kind == CallKind::kGemm &&
             (process.shapes[process.calls[call].subject].flags & format::kShapeGrouped) != 0;
    };
    for (const auto& [thread, list] : process.threads)
      for (std::size_t first = 0, next; first < list.size(); first = next) {
        next = first + 1;
        if (!is_group(list[first])) continue;
        while (next < list.size() &&
               process.calls[list[next]].sequence == process.calls[list[first]].sequence)
          ++next;
        groups_of_call_[list[first]] = {list.begin() + static_cast<std::ptrdiff_t>(first),
                                        list.begin() + static_cast<std::ptrdiff_t>(next)};
      }
  }

  static void find_helper(Group& group) {
    for (const auto& [name, ns] : group.kernels) {
      if (name == group.row.kernel || ns <= group.row.helper_ns) continue;
      if (knowledge::describe_kernel(name).kernel_class != "gemm_aux") continue;
      group.row.helper = name;
      group.row.helper_ns = ns;
    }
  }

  // A product and a kernel that changes types, one right after the other on their stream.
  void find_conversion(const model::Process& process, const model::DeviceWork& work) {
    if (work.kind != model::WorkKind::kKernel) return;
    const auto is_product = [&](const model::DeviceWork& kernel) {
      return kernel.owner != kNone && process.calls[kernel.owner].kind == CallKind::kGemm;
    };
    const auto name_of = [&](const model::DeviceWork& kernel) -> const model::KernelName& {
      return process.kernel_names[process.configs[kernel.config].kernel];
    };
    const auto converts = [&](const model::DeviceWork& kernel) {
      return kernel.owner == kNone && name_of(kernel).facts.converts;
    };
    const auto count = [&](const model::DeviceWork& product, const model::DeviceWork& converter,
                           std::uint64_t ProductRow::*calls) {
      ProductRow& row = group_of(process, process.calls[product.owner]).row;
      ++(row.*calls);
      row.converter = name_of(converter).text;
      model::add_duration(row.converter_ns, converter.end - converter.start);
    };
    const auto [at, first] = last_kernel_.try_emplace(work.queue, &work);
    const model::DeviceWork& before = *std::exchange(at->second, &work);
    if (first) return;
    if (is_product(work) && converts(before))
      count(work, before, &ProductRow::converted_before);
    else if (converts(work) && is_product(before))
      count(before, work, &ProductRow::converted_after);
  }

  void add_work(const model::Process& process, const model::DeviceWork& work, std::size_t rank) {
    const auto grouped = groups_of_call_.find(work.owner);
    if (grouped == groups_of_call_.end())
      return add_part(process, work, rank, work.owner, work.end - work.start);
    const auto flops = [&](std::uint32_t call) {
      return flops_of(process.shapes[process.calls[call].subject]) * process.calls[call].number;
    };
    Flops flops_left = 0;
    for (const std::uint32_t call : grouped->second) flops_left += flops(call);
    std::int64_t left = work.end - work.start;
    for (const std::uint32_t call : grouped->second) {
      const bool last = flops(call) == flops_left;
      const auto share =
          static_cast<long double>(flops(call)) / static_cast<long double>(flops_left);
      const std::int64_t part =
          last ? left : static_cast<std::int64_t>(static_cast<long double>(left) * share);
      add_part(process, work, rank, call, part);
      left -= part;
      flops_left -= flops(call);
    }
  }

  void add_part(const model::Process& process, const model::DeviceWork& work, std::size_t rank,
                std::uint32_t call, std::int64_t duration) {
    rank_of_call_[call] = rank;
    Group& group = group_of(process, process.calls[call]);
    model::add_duration(group.row.total_ns, duration);
    if (work.kind == model::WorkKind::kKernel)
      model::add_duration(
          group.kernels[process.kernel_names[process.configs[work.config].kernel].text], duration);
  }

  void add_calls(const model::Process& process) {
    const auto first_rank = first_rank_.find(&process);
    for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
      const HostCall& call = process.calls[i];
      if (call.kind != CallKind::kGemm || call.result != 0) continue;
      // A grouped call without groups multiplied nothing, nor did a graph that was never launched.
      const std::uint64_t times = process.executions(call) * call.number;
      if (times == 0) continue;
      Group& group = group_of(process, call);
      const Flops flops = flops_of(group.row.shape) * times;
      group.row.calls += times;
      group.row.flops += flops;
      const Flops executed = executed_flops_of(group.row.shape) * times;
      group.row.executed += executed;
      result_.flops += flops;
      result_.executed += executed;
      result_.executions += times;
      if (!has_known_shape(process, call)) result_.unknown_shapes += times;
      const auto ran_on = rank_of_call_.find(i);
      if (ran_on != rank_of_call_.end()) {
        group.row.timed_flops += call.graph == 0 ? flops
                                                 : flops_of(group.row.shape) * call.number *
                                                       process.timed_executions(call);
        result_.by_rank[ran_on->second] += flops;
      } else if (first_rank != first_rank_.end()) {
        result_.by_rank[first_rank->second] += flops;
      }
    }
  }

  const model::Run& run_;
  ProductResult result_;
  std::map<Key, Group> groups_;
  std::unordered_map<std::uint32_t, std::size_t> rank_of_call_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> groups_of_call_;
  std::map<const model::Process*, std::size_t> first_rank_;
  std::unordered_map<std::uint32_t, const model::DeviceWork*> last_kernel_;  // by queue
};

}  // namespace

bool has_known_shape(const model::Process& process, const model::HostCall& call) {
  return call.subject != 0 && (process.shapes[call.subject].flags & format::kShapeUnknown) == 0;
}

std::optional<double> ProductRow::flops_per_s() const {
  if (timed_flops == 0 || total_ns <= 0) return std::nullopt;
  return static_cast<double>(timed_flops) * 1e9 / static_cast<double>(total_ns);
}

ProductResult find_products(const model::Run& run) {
  return Finder(run).find();
}

}  // namespace mfushim::passes
