// Resolves work in order; see timeline.hpp.
#include "timeline.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>

#include "device_clock.hpp"
#include "report.hpp"

namespace mfusim {
namespace {

// About what a launch takes to reach an idle GPU (published measurements: 2 to 5 us).
constexpr uint64_t kLaunchLatencyNs = 3'000;
// Dependent nodes of one graph start about this much apart.
constexpr uint64_t kGraphHopNs = 1'000;

// A poll is asked again after this long, doubling while nothing happens: many ranks share few
// cores.
constexpr auto kPollMin = std::chrono::microseconds(10);
constexpr auto kPollMax = std::chrono::microseconds(200);

std::condition_variable& resolved_condition() {
  static auto* condition = new std::condition_variable;
  return *condition;
}

const MfusimCost* poll_of(const Work& work) {
  const auto* kernel = std::get_if<KernelOp>(work.operation.get());
  return kernel && kernel->costed && kernel->cost.poll ? &kernel->cost : nullptr;
}

// Runs work whose end is not known beforehand, on a thread of its own that is started at the first.
class Runner {
 public:
  using Step = bool (*)(Work& work);  // without the lock; true when work.end is set
  explicit Runner(Step step) : step_(step) {}

  void take(const WorkPtr& work) {
    pending_.push_back(work);
    if (!started_) {
      started_ = true;
      std::thread([this] { run(); }).detach();
    }
    wake_.notify_one();
  }

 private:
  void run();
  bool step_all(Lock& lock);
  void rest(Lock& lock, std::chrono::microseconds pause);

  Step step_;
  bool started_ = false;
  std::deque<WorkPtr> pending_;
  std::condition_variable wake_;
};

bool step_poll(Work& work) {
  const MfusimCost* cost = poll_of(work);
  uint64_t end = work.start;
  if (!cost->poll(cost->context, work.start, now_ns(), &end)) return false;
  work.end = std::max(end, work.start);
  return true;
}

bool step_host_function(Work& work) {
  const auto& host = std::get<HostOp>(*work.operation);
  if (host.callback) {
    host.callback(host.stream, CUDA_SUCCESS, host.data);
  } else {
    host.function(host.data);
  }
  work.end = std::max(now_ns(), work.start);
  return true;
}

Runner& polls() {
  static auto* runner = new Runner(step_poll);
  return *runner;
}
Runner& host_functions() {
  static auto* runner = new Runner(step_host_function);
  return *runner;
}

void finish(const WorkPtr& first) {
  std::deque<WorkPtr> ready{first};
  while (!ready.empty()) {
    const WorkPtr work = ready.front();
    ready.pop_front();
    move_payload(*work->operation);
    work->resolved = true;
    report_work(*work);
    for (WorkPtr& follower : work->followers) {
      follower->start = std::max(follower->start, work->end + follower->gap);
      if (--follower->waiting_for != 0) continue;
      if (poll_of(*follower)) {
        polls().take(follower);
      } else if (std::holds_alternative<HostOp>(*follower->operation)) {
        host_functions().take(follower);
      } else {
        follower->end = follower->start + duration_ns(*follower->operation);
        ready.push_back(follower);
      }
    }
    work->followers.clear();
  }
  resolved_condition().notify_all();
}

// All that comes before is resolved.
void settle(const WorkPtr& work) {
  if (poll_of(*work)) {
    polls().take(work);
  } else if (std::holds_alternative<HostOp>(*work->operation)) {
    host_functions().take(work);
  } else {
    work->end = work->start + duration_ns(*work->operation);
    finish(work);
  }
}

// One round over the work that may run by now; true when some of it ended.
bool Runner::step_all(Lock& lock) {
  bool progress = false;
  std::deque<WorkPtr> round;
  round.swap(pending_);
  for (const WorkPtr& work : round) {
    if (work->start > now_ns()) {
      pending_.push_back(work);
      continue;
    }
    lock.unlock();
    const bool ended = step_(*work);
    lock.lock();
    if (ended) {
      finish(work);
      progress = true;
    } else {
      pending_.push_back(work);
    }
  }
  return progress;
}

void Runner::rest(Lock& lock, std::chrono::microseconds pause) {
  if (pending_.empty()) {
    wake_.wait(lock);
    return;
  }
  uint64_t earliest = UINT64_MAX;
  for (const WorkPtr& work : pending_) earliest = std::min(earliest, work->start);
  const uint64_t now = now_ns();
  const auto until_start =
      std::chrono::microseconds(earliest > now ? (earliest - now) / 1000 + 1 : 0);
  wake_.wait_until(lock, std::chrono::system_clock::now() + std::max(pause, until_start));
}

void Runner::run() {
  Lock lock;
  auto pause = kPollMin;
  for (;;) {
    pause = step_all(lock) ? kPollMin : std::min(pause * 2, kPollMax);
    rest(lock, pause);
  }
}

}  // namespace

uint64_t launch_latency_ns() {
  return instant() ? 0 : kLaunchLatencyNs;
}
uint64_t graph_hop_ns() {
  return instant() ? 0 : kGraphHopNs;
}

WorkPtr submit(OperationPtr operation, const Origin& origin, std::span<const WorkPtr> after,
               uint64_t not_before, uint64_t gap) {
  auto work = std::make_shared<Work>();
  work->operation = std::move(operation);
  work->origin = origin;
  work->start = not_before;
  work->gap = gap;
  for (const WorkPtr& earlier : after) {
    if (!earlier) continue;
    if (earlier->resolved) {
      work->start = std::max(work->start, earlier->end + gap);
    } else {
      earlier->followers.push_back(work);
      ++work->waiting_for;
    }
  }
  if (work->waiting_for == 0) settle(work);
  return work;
}

bool finished(const WorkPtr& work) {
  return !work || (work->resolved && work->end <= now_ns());
}

uint64_t wait_for(Lock& lock, const WorkPtr& work) {
  if (finished(work)) return 0;
  const uint64_t begin = now_ns();
  resolved_condition().wait(lock, [&] { return work->resolved; });
  const uint64_t end = work->end;
  lock.unlock();
  wait_until(end);
  lock.lock();
  return now_ns() - begin;
}

}  // namespace mfusim
