// Groups product calls by everything that the table prints.
#include "passes/products.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

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
      if (longest != group.kernels.end()) group.row.kernel = longest->first;
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
    const format::GemmShape& shape = process.shapes[call.subject];
    const std::string library = library_of(process.names[call.api]);
    Group& group = groups_[key_of(shape, library)];
    group.row.shape = shape;
    group.row.dtype = effective_dtype(shape);
    group.row.library = library;
    return group;
  }

  void add_times(const model::Process& process) {
    rank_of_call_.clear();
    for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
      const model::Rank& rank = run_.ranks[i];
      if (rank.process != &process) continue;
      if (!first_rank_.contains(&process)) first_rank_[&process] = i;
      if (!rank.work) continue;
      for (const model::DeviceWork& work : *rank.work) {
        if (work.owner == kNone || process.calls[work.owner].kind != CallKind::kGemm) continue;
        rank_of_call_[work.owner] = i;
        Group& group = group_of(process, process.calls[work.owner]);
        model::add_duration(group.row.total_ns, work.end - work.start);
        if (work.kind == model::WorkKind::kKernel)
          model::add_duration(
              group.kernels[process.kernel_names[process.configs[work.config].kernel].text],
              work.end - work.start);
      }
    }
  }

  void add_calls(const model::Process& process) {
    const auto first_rank = first_rank_.find(&process);
    for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
      const HostCall& call = process.calls[i];
      if (call.kind != CallKind::kGemm || call.result != 0) continue;
      Group& group = group_of(process, call);
      const Flops flops = flops_of(group.row.shape) * call.number;
      group.row.calls += call.number;
      group.row.flops += flops;
      result_.flops += flops;
      result_.executions += call.number;
      if (flops == 0) result_.unknown_shapes += call.number;
      const auto ran_on = rank_of_call_.find(i);
      if (ran_on != rank_of_call_.end()) {
        group.row.timed_flops += flops;
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
  std::map<const model::Process*, std::size_t> first_rank_;
};

}  // namespace

std::optional<double> ProductRow::flops_per_s() const {
  if (timed_flops == 0 || total_ns <= 0) return std::nullopt;
  return static_cast<double>(timed_flops) * 1e9 / static_cast<double>(total_ns);
}

ProductResult find_products(const model::Run& run) {
  return Finder(run).find();
}

}  // namespace mfushim::passes
