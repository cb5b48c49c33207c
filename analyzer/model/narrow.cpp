// Calls keep their order, so that indices of calls change by a table.
#include "model/narrow.hpp"

#include <algorithm>

#include "model/graphs.hpp"

namespace mfushim::model {

namespace {

// Captured calls stay with what is around them: launches in the window may do their work.
std::vector<bool> kept_by_graphs(const Process& process) {
  std::vector<bool> kept(process.calls.size());
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    if (process.calls[i].graph == 0) continue;
    for (std::uint32_t at = i; at != kNone && !kept[at]; at = process.calls[at].parent)
      kept[at] = true;
  }
  return kept;
}

// New index of each call; kNone for those that go.
std::vector<std::uint32_t> keep_calls(Process& process, const Window& window) {
  const std::vector<bool> captured = kept_by_graphs(process);
  std::vector<std::uint32_t> places(process.calls.size(), kNone);
  std::vector<HostCall> kept;
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    const HostCall& call = process.calls[i];
    if (!captured[i] && (call.start < window.start || call.start >= window.end)) continue;
    places[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(call);
  }
  for (HostCall& call : kept)
    if (call.parent != kNone) call.parent = places[call.parent];
  process.calls = std::move(kept);
  for (auto& [thread, list] : process.threads) {
    for (std::uint32_t& call : list) call = places[call];
    std::erase(list, kNone);
  }
  return places;
}

void keep_work(std::vector<DeviceWork>& list, const std::vector<std::uint32_t>& places) {
  const auto is_kept = [&](const DeviceWork& work) {
    return work.call != kNone && places[work.call] != kNone;
  };
  const auto first = std::find_if(list.begin(), list.end(), is_kept);
  const auto last = std::find_if(list.rbegin(), list.rend(), is_kept);
  if (first == list.end()) return list.clear();
  const std::int64_t start = first->start;
  const std::int64_t end = last->start;
  std::erase_if(list, [&](const DeviceWork& work) {
    return work.call == kNone ? work.start < start || work.start > end : !is_kept(work);
  });
  for (DeviceWork& work : list) {
    if (work.call != kNone) work.call = places[work.call];
    if (work.owner != kNone) work.owner = places[work.owner];
  }
}

}  // namespace

void narrow(Run& run, const std::vector<Window>& windows) {
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    Process& process = *run.processes[i];
    const std::vector<std::uint32_t> places = keep_calls(process, windows[i]);
    for (auto& [device, list] : process.work) keep_work(list, places);
    count_executions(process);
    find_owners_in_graphs(process);
    std::erase_if(process.marks, [&](const Mark& mark) {
      return mark.start < windows[i].start || mark.start >= windows[i].end;
    });
  }
}

}  // namespace mfushim::model
