// Correlations, sequences and names, resolved once so that passes only follow indices.
#include "model/join.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "knowledge/kernels/kernel.hpp"
#include "model/graphs.hpp"
#include "model/product_types.hpp"

namespace mfushim::model {

namespace {

// Recorded calls inside of one call at most; the parent of a later one stays unknown.
constexpr std::size_t kNearby = 65536;

// Ends of NCCL groups are calls like others but for their names.
void mark_group_ends(Process& process) {
  std::map<std::uint32_t, CallKind> kinds;  // by name
  std::uint32_t simulated = 0;
  process.names.for_each([&](std::uint32_t id, const std::string& name) {
    if (name == "ncclGroupEnd" || name == "pncclGroupEnd") kinds[id] = CallKind::kGroupEnd;
    if (name == "ncclGroupSimulateEnd" || name == "pncclGroupSimulateEnd")
      kinds[id] = CallKind::kGroupSimulation;
    if (name == "simulated") simulated = id;
  });
  if (kinds.empty()) return;
  for (HostCall& call : process.calls) {
    if (call.kind != CallKind::kOther) continue;
    const auto kind = kinds.find(call.api);
    if (kind == kinds.end()) continue;
    // An inner end simulates nothing.
    if (kind->second == CallKind::kGroupSimulation && (simulated == 0 || call.subject != simulated))
      continue;
    call.kind = kind->second;
  }
}

// Sequence numbers of a thread lie close together, so that counting orders them; `list` holds one
// thread's calls.
void order_by_sequence(const std::vector<HostCall>& calls, std::vector<std::uint32_t>& list) {
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (const std::uint32_t i : list) {
    first = std::min(first, calls[i].sequence);
    last = std::max(last, calls[i].sequence);
  }
  if (last - first > 4 * list.size() + 4096) {
    std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      return calls[a].sequence < calls[b].sequence;
    });
    return;
  }
  std::vector<std::uint32_t> place(last - first + 2);
  for (const std::uint32_t i : list) ++place[calls[i].sequence - first + 1];
  for (std::size_t at = 1; at < place.size(); ++at) place[at] += place[at - 1];
  std::vector<std::uint32_t> ordered(list.size());
  for (const std::uint32_t i : list) ordered[place[calls[i].sequence - first]++] = i;
  list = std::move(ordered);
}

// The call around each call is a few places before it.
void find_parents(std::vector<HostCall>& calls, const std::vector<std::uint32_t>& ordered) {
  for (std::size_t at = 0; at < ordered.size(); ++at) {
    HostCall& call = calls[ordered[at]];
    const std::uint64_t distance = std::exchange(call.parent, kNone);
    if (distance == 0 || distance > call.sequence) continue;
    const std::uint64_t wanted = call.sequence - distance;
    const auto found = std::lower_bound(
        ordered.begin() + static_cast<std::ptrdiff_t>(at > kNearby ? at - kNearby : 0),
        ordered.begin() + static_cast<std::ptrdiff_t>(at), wanted,
        [&](std::uint32_t i, std::uint64_t sequence) { return calls[i].sequence < sequence; });
    if (calls[*found].sequence == wanted) call.parent = *found;
  }
}

void join_calls(Process& process) {
  for (std::uint32_t i = 0; i < process.calls.size(); ++i)
    process.threads[process.calls[i].thread].push_back(i);
  for (auto& [thread, list] : process.threads) {
    order_by_sequence(process.calls, list);
    find_parents(process.calls, list);
  }
}

// Collectives of a group whose outermost end was a simulation asked for nothing.
void drop_simulated(Process& process) {
  for (const auto& [thread, list] : process.threads) {
    std::vector<std::uint32_t> group;
    for (const std::uint32_t i : list) {
      const HostCall& call = process.calls[i];
      if (call.kind == CallKind::kCollective) {
        if (!group.empty() && process.calls[group.back()].group != call.group) group.clear();
        if (call.group != 0) group.push_back(i);
      } else if (call.kind == CallKind::kGroupSimulation) {
        for (const std::uint32_t member : group) process.calls[member].kind = CallKind::kOther;
        group.clear();
      }
    }
  }
}

// Which call has a correlation id: a plain table, as ids of one process lie close together.
class CorrelationIndex {
 public:
  explicit CorrelationIndex(const std::vector<HostCall>& calls) {
    for (std::uint32_t i = 0; i < calls.size(); ++i)
      if (calls[i].correlation != 0) entries_.emplace_back(calls[i].correlation, i);
    if (!std::is_sorted(entries_.begin(), entries_.end()))
      std::sort(entries_.begin(), entries_.end());
    if (entries_.empty()) return;
    first_ = entries_.front().first;
    const std::size_t range = entries_.back().first - first_ + std::size_t{1};
    if (range > 16 * entries_.size() + 4096) return;
    table_.assign(range, kNone);
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
      table_[entry->first - first_] = entry->second;
  }

  std::uint32_t find(std::uint32_t correlation) const {
    if (correlation == 0 || correlation < first_) return kNone;
    if (!table_.empty())
      return correlation - first_ < table_.size() ? table_[correlation - first_] : kNone;
    const auto found = std::lower_bound(entries_.begin(), entries_.end(),
                                        std::pair(correlation, std::uint32_t{0}));
    return found != entries_.end() && found->first == correlation ? found->second : kNone;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;
  std::vector<std::uint32_t> table_;
  std::uint32_t first_ = 0;
};

bool is_compute(CallKind kind) {
  return kind == CallKind::kGemm || kind == CallKind::kOperation;
}

void resolve_names(Process& process, const knowledge::UserRules* rules) {
  process.configs.for_each([&](std::uint32_t, const format::LaunchConfig& config) {
    const std::string& name = process.names[config.kernel];
    if (name.empty() || !process.kernel_names[config.kernel].text.empty()) return;
    std::string text = knowledge::demangle(name);
    knowledge::KernelFacts facts = knowledge::describe_kernel(text, rules);
    process.kernel_names.set(config.kernel, {std::move(text), std::move(facts)});
  });
}

bool is_communication(const Process& process, const DeviceWork& work) {
  if (work.kind != WorkKind::kKernel) return false;
  if (work.owner != kNone && !is_compute(process.calls[work.owner].kind)) return true;
  const auto& name = process.kernel_names[process.configs[work.config].kernel];
  return name.facts.kernel_class == knowledge::kCommunicationClass;
}

void join_work(Process& process) {
  const CorrelationIndex index(process.calls);
  for (auto& [device, list] : process.work)
    for (DeviceWork& work : list) {
      work.call = index.find(work.correlation);
      work.owner = owner_of(process.calls, work.call);
    }
  find_owners_in_graphs(process);
  for (auto& [device, list] : process.work) {
    for (DeviceWork& work : list) work.communication = is_communication(process, work);
    const auto before = [](const DeviceWork& a, const DeviceWork& b) {
      return std::pair(a.start, a.end) < std::pair(b.start, b.end);
    };
    if (!std::is_sorted(list.begin(), list.end(), before))
      std::stable_sort(list.begin(), list.end(), before);
  }
}

}  // namespace

void join(Process& process, const knowledge::UserRules* rules) {
  mark_group_ends(process);
  resolve_names(process, rules);
  join_calls(process);
  drop_simulated(process);
  count_executions(process);
  join_work(process);
  let_kernels_tell_types(process);
}

}  // namespace mfushim::model
