// Order, nesting and numbering of the records of an imported trace.
#include "read/import_kineto_log.hpp"

#include <algorithm>
#include <tuple>

#include "read/json_cursor.hpp"

namespace mfushim::read {

namespace {

using format::Kind;
using format::LossCause;

// The record's fields as bytes, so that equal contents are equal keys whatever the padding.
template <class Record>
void append_content(std::string& to, const Record& record) {
  std::apply(
      [&](const auto&... field) {
        const auto append = [&](const auto& value) {
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, std::string_view>) {
            to.append(value).push_back('\0');
          } else {
            const std::uint64_t bits = format::detail::to_bits(value);
            to.append(reinterpret_cast<const char*>(&bits), sizeof bits);
          }
        };
        (append(record.*field.member), ...);
      },
      Record::fields());
}

template <class T>
T& at_id(std::vector<T>& by_id, std::uint32_t id) {
  if (by_id.size() <= id) by_id.resize(id + 1);
  return by_id[id];
}

bool computes(Kind kind) {
  return kind == Kind::kGemm || kind == Kind::kOperation;
}

bool holds_calls(Kind kind) {
  return computes(kind) || kind == Kind::kCollective;
}

template <class Record>
Record host_call(const PendingCall& call) {
  Record record;
  record.api = call.api;
  record.subject = call.subject;
  record.start = call.start;
  record.duration = call.duration;
  record.sequence = call.sequence;
  record.parent = call.parent;
  if constexpr (requires { record.correlation; }) record.correlation = call.correlation;
  if constexpr (requires { record.bytes; }) record.bytes = call.bytes;
  if constexpr (requires { record.copy_kind; }) record.copy_kind = call.copy_kind;
  return record;
}

template <class Record>
Record device_work(const PendingWork& work) {
  Record record;
  record.start = work.start;
  record.duration = work.duration;
  record.correlation = work.correlation;
  record.graph = work.graph;
  record.node = work.node;
  if constexpr (requires { record.config; }) record.config = work.config;
  if constexpr (requires { record.bytes; }) record.bytes = work.bytes;
  if constexpr (requires { record.copy_kind; }) record.copy_kind = work.copy_kind;
  return record;
}

}  // namespace

DefinitionTable::Entry DefinitionTable::get(std::string_view content) {
  if (const auto known = ids_.find(content); known != ids_.end()) return {known->second, false};
  if (ids_.size() == kMax) return {0, false};
  const auto id = static_cast<std::uint32_t>(ids_.size() + 1);
  ids_.emplace(content, id);
  return {id, true};
}

DefinitionTable::Entry KinetoLog::entry(DefinitionTable& table, std::string_view content) {
  const auto found = table.get(content);
  if (found.id == 0) lose(LossCause::kDefinitionsFull, "more definitions than a log holds");
  return found;
}

template <class Record>
std::uint32_t KinetoLog::define(DefinitionTable& table, Record record) {
  record.id = 0;
  content_.clear();
  append_content(content_, record);
  const auto [id, is_new] = entry(table, content_);
  if (is_new) {
    record.id = id;
    writer_.add(0, record);
  }
  return id;
}

std::uint32_t KinetoLog::name(std::string_view raw) {
  const auto [id, is_new] = entry(names_, raw);
  if (is_new) writer_.add(0, format::Name{id, unescape(raw, text_)});
  return id;
}

std::uint32_t KinetoLog::thread(std::string_view process, std::string_view thread,
                                std::uint64_t tid) {
  content_.assign(process).push_back('\0');
  content_.append(thread);
  const auto [id, is_new] = entry(threads_, content_);
  if (is_new) writer_.add(0, format::Thread{id, tid, {}});
  return id;
}

std::uint32_t KinetoLog::queue(const format::Queue& queue) {
  return define(queues_, queue);
}
std::uint32_t KinetoLog::config(const format::LaunchConfig& config) {
  return define(configs_, config);
}
std::uint32_t KinetoLog::shape(const format::GemmShape& shape) {
  return define(products_, shape);
}
std::uint32_t KinetoLog::shape(const format::CollectiveShape& shape) {
  const std::uint32_t id = define(collectives_, shape);
  at_id(shape_communicator_, id) = shape.communicator;
  return id;
}
std::uint32_t KinetoLog::shape(const format::OperationShape& shape) {
  return define(operations_, shape);
}
std::uint32_t KinetoLog::communicator(const format::Communicator& communicator) {
  return define(communicators_, communicator);
}

void KinetoLog::call(const PendingCall& call) {
  if (calls_.size() == kInOrder) flush();
  calls_.push_back(call);
}

void KinetoLog::work(const PendingWork& work) {
  if (work_.size() == kInOrder) flush();
  work_.push_back(work);
}

// Numbers the calls of each thread at their entry and finds what they are inside of. A product or
// operation inside either, and a collective inside a collective, is the same work seen twice: left
// out.
void KinetoLog::order_calls() {
  std::sort(calls_.begin(), calls_.end(), [](const PendingCall& a, const PendingCall& b) {
    return std::tuple(a.lane, a.start, b.end()) < std::tuple(b.lane, b.start, a.end());
  });
  struct Enclosing {
    Kind kind;
    std::uint64_t end, sequence;
  };
  std::vector<Enclosing> open;
  std::uint32_t lane = 0;
  std::erase_if(calls_, [&](PendingCall& call) {
    if (call.lane != lane) open.clear();
    lane = call.lane;
    while (!open.empty() && open.back().end <= call.start) open.pop_back();
    if (holds_calls(call.kind) && std::any_of(open.begin(), open.end(), [&](const Enclosing& e) {
          return e.kind == call.kind || (computes(e.kind) && computes(call.kind));
        }))
      return true;
    call.sequence = ++at_id(sequences_, lane);
    call.parent =
        open.empty() ? 0 : static_cast<std::uint32_t>(call.sequence - open.back().sequence);
    if (holds_calls(call.kind)) open.push_back({call.kind, call.end(), call.sequence});
    return false;
  });
}

void KinetoLog::flush() {
  order_calls();
  const auto by_start = [](const auto& a, const auto& b) { return a.start < b.start; };
  std::stable_sort(calls_.begin(), calls_.end(), by_start);
  std::stable_sort(work_.begin(), work_.end(), by_start);
  auto work = work_.begin();
  for (const PendingCall& call : calls_) {
    for (; work != work_.end() && work->start < call.start; ++work) write(*work);
    write(call);
  }
  for (; work != work_.end(); ++work) write(*work);
  calls_.clear();
  work_.clear();
}

std::uint32_t KinetoLog::number_collective(std::uint32_t shape) {
  return at_id(calls_of_, at_id(shape_communicator_, shape))++;
}

void KinetoLog::write(const PendingCall& call) {
  const auto add = [&](const auto& record) { writer_.add(call.lane, record); };
  switch (call.kind) {
    case Kind::kLaunch:
      return add(host_call<format::Launch>(call));
    case Kind::kGraphLaunch:
      return add(host_call<format::GraphLaunch>(call));
    case Kind::kCopy:
      return add(host_call<format::Copy>(call));
    case Kind::kSet:
      return add(host_call<format::Set>(call));
    case Kind::kSync:
      return add(host_call<format::Sync>(call));
    case Kind::kGemm:
      return add(host_call<format::Gemm>(call));
    case Kind::kOperation: {
      auto record = host_call<format::Operation>(call);
      add(record);
      if (call.second_subject == 0) return;
      record.subject = call.second_subject;
      return add(record);
    }
    case Kind::kMark:
      return add(host_call<format::Mark>(call));
    case Kind::kCollective: {
      auto record = host_call<format::Collective>(call);
      record.number = number_collective(call.subject);
      return add(record);
    }
    default:
      return add(host_call<format::Call>(call));
  }
}

void KinetoLog::write(const PendingWork& work) {
  const auto add = [&](const auto& record) { writer_.add(work.lane, record); };
  if (work.kind == Kind::kGpuCopy) return add(device_work<format::GpuCopy>(work));
  if (work.kind == Kind::kGpuSet) return add(device_work<format::GpuSet>(work));
  add(device_work<format::GpuKernel>(work));
}

void KinetoLog::finish() {
  flush();
  for (const auto& [what, count] : losses_)
    writer_.add(0, format::Loss{what.first, count, 0, 0, what.second});
}

}  // namespace mfushim::read
