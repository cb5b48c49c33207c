// The time ledger against a count of single nanoseconds, and its check against a broken ledger.
#include <catch2/catch.hpp>

#include <array>
#include <random>

#include "passes/ledger.hpp"

namespace mfushim::passes {
namespace {

using model::DeviceWork;
using model::WorkKind;

constexpr std::size_t kEnd = 200;

struct Counted {
  std::int64_t busy = 0, compute = 0, comm = 0, copy = 0, overlap = 0, exposed_comm = 0,
               exposed_copy = 0;
};

// What each single nanosecond says.
Counted count_nanoseconds(const std::vector<DeviceWork>& work) {
  std::array<std::array<bool, 3>, kEnd> at{};
  for (const DeviceWork& w : work)
    for (auto t = w.start; t < w.end; ++t)
      at[static_cast<std::size_t>(t)][w.communication               ? 1
                                      : w.kind == WorkKind::kKernel ? 0
                                                                    : 2] = true;
  Counted c;
  for (const auto& [compute, comm, copy] : at) {
    c.busy += compute || comm || copy;
    c.compute += compute;
    c.comm += comm;
    c.copy += copy;
    c.overlap += comm && compute;
    c.exposed_comm += comm && !compute;
    c.exposed_copy += copy && !compute && !comm;
  }
  return c;
}

std::vector<DeviceWork> random_work(std::mt19937& random) {
  std::vector<DeviceWork> work(1 + random() % 12);
  for (DeviceWork& w : work) {
    w.start = static_cast<std::int64_t>(random() % (kEnd - 40));
    w.end = w.start + static_cast<std::int64_t>(random() % 40);
    const auto kind = random() % 4;
    w.kind = kind < 2 ? WorkKind::kKernel : kind == 2 ? WorkKind::kCopy : WorkKind::kSet;
    w.communication = kind == 1;
  }
  std::sort(work.begin(), work.end(),
            [](const DeviceWork& a, const DeviceWork& b) { return a.start < b.start; });
  return work;
}

Ledger ledger_of(const std::vector<DeviceWork>& work) {
  const model::Process process;
  model::Rank rank;
  rank.process = &process;
  rank.work = &work;
  return make_ledger(find_activity(rank, View::kExact));
}

}  // namespace

TEST_CASE("the ledger equals a count of single nanoseconds", "[analyzer]") {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const auto work = random_work(random);
    const Counted c = count_nanoseconds(work);
    const Ledger l = ledger_of(work);
    INFO("round " << round);
    std::int64_t last = 0;
    for (const DeviceWork& w : work) last = std::max(last, w.end);
    CHECK(l.records == work.size());
    CHECK(l.total == last - work.front().start);
    CHECK(l.busy == c.busy);
    CHECK(l.idle == l.total - c.busy);
    CHECK(l.compute == c.compute);
    CHECK(l.comm == c.comm);
    CHECK(l.copy == c.copy);
    CHECK(l.overlap == c.overlap);
    CHECK(l.exposed_comm == c.exposed_comm);
    CHECK(l.exposed_copy == c.exposed_copy);
    CHECK(l.compute + l.exposed_comm + l.exposed_copy + l.idle == l.total);
  }
}

TEST_CASE("a ledger that does not add up is refused", "[analyzer]") {
  Ledger whole = ledger_of({{.start = 0, .end = 10}, {.start = 20, .end = 30}});
  CHECK_NOTHROW(check(whole));
  for (std::int64_t Ledger::*part : {&Ledger::compute, &Ledger::exposed_comm, &Ledger::exposed_copy,
                                     &Ledger::idle, &Ledger::total}) {
    Ledger broken = whole;
    ++(broken.*part);
    CHECK_THROWS_AS(check(broken), std::logic_error);
  }
}

TEST_CASE("a fault in one union shows in the check", "[analyzer]") {
  Activity activity;
  activity.records = 1;
  activity.spans.add({0, 10});
  activity.all.add({0, 10});
  activity.compute.add({0, 9});  // one nanosecond is in no class
  CHECK_THROWS_AS(make_ledger(activity), std::logic_error);
}

TEST_CASE("no work is a ledger of zeros", "[analyzer]") {
  const Ledger l = ledger_of({});
  CHECK(l.total == 0);
  CHECK(l.records == 0);
}

}  // namespace mfushim::passes
