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

std::vector<bool> calls_in(const Process& process, const Window& window) {
  std::vector<bool> inside(process.calls.size());
  for (std::uint32_t i = 0; i < process.calls.size(); ++i)
    inside[i] = process.calls[i].start >= window.start && process.calls[i].start < window.end;
  return inside;
}

// Those that launched work in a window of device times, with what is around them; the records of
// one grouped call share its sequence, and the first owns the work.
std::vector<bool> timed_calls(const Process& process) {
  std::vector<bool> timed(process.calls.size());
  for (const auto& [device, list] : process.work)
    for (const DeviceWork& work : list)
      for (std::uint32_t at = work.in_window ? work.call : kNone; at != kNone && !timed[at];
           at = process.calls[at].parent)
        timed[at] = true;
  for (const auto& [thread, list] : process.threads)
    for (std::size_t i = 1; i < list.size(); ++i)
      if (process.calls[list[i]].sequence == process.calls[list[i - 1]].sequence &&
          timed[list[i - 1]])
        timed[list[i]] = true;
  return timed;
}

// New index of each call; kNone for those that go.
std::vector<std::uint32_t> keep_calls(Process& process, const std::vector<bool>& wanted) {
  const std::vector<bool> captured = kept_by_graphs(process);
  std::vector<std::uint32_t> places(process.calls.size(), kNone);
  std::vector<HostCall> kept;
  for (std::uint32_t i = 0; i < process.calls.size(); ++i) {
    if (!captured[i] && !wanted[i]) continue;
    places[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(process.calls[i]);
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

void reduce(Process& process, const std::vector<bool>& wanted) {
  const std::vector<std::uint32_t> places = keep_calls(process, wanted);
  for (auto& [device, list] : process.work) keep_work(list, places);
  count_executions(process);
  find_owners_in_graphs(process);
}

}  // namespace

void narrow(Run& run, const std::vector<Window>& windows) {
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    Process& process = *run.processes[i];
    reduce(process, calls_in(process, windows[i]));
    std::erase_if(process.marks, [&](const Mark& mark) {
      return mark.start < windows[i].start || mark.start >= windows[i].end;
    });
  }
}

bool is_timed_throughout(const Run& run) {
  for (const auto& process : run.processes)
    for (const auto& [device, windows] : process->windows)
      if (windows.size() != 1 || windows.front().start != DeviceWindow{}.start ||
          windows.front().end != DeviceWindow{}.end)
        return false;
  return true;
}

Run timed_part(const Run& run) {
  Run part;
  part.id = run.id;
  part.ranks = run.ranks;
  for (const auto& process : run.processes) {
    Process& copy = *part.processes.emplace_back(std::make_unique<Process>(*process));
    reduce(copy, timed_calls(copy));
    for (Rank& rank : part.ranks) {
      if (rank.process != process.get()) continue;
      rank.process = &copy;
      if (rank.work) rank.work = &copy.work.at(*rank.device);
      if (rank.windows) rank.windows = &copy.windows.at(*rank.device);
    }
  }
  return part;
}

}  // namespace mfushim::model
