// Rows of a Kineto trace -> records.
//
// Device work is every complete event ("ph" X) whose category, whatever its case, names a kernel, a
// copy or a memory set, launched in sight or not. A missing duration is 0, and kept; the end is
// start + duration in exact decimal, and both are cut to whole nanoseconds. What is negative or no
// number is counted as lost.
#include "read/import_kineto.hpp"

#include <set>
#include <utility>

#include "read/decimal_time.hpp"
#include "read/format_error.hpp"
#include "read/import_kineto_collective.hpp"
#include "read/import_kineto_convolution.hpp"
#include "read/import_kineto_head.hpp"
#include "read/import_kineto_log.hpp"
#include "read/import_kineto_names.hpp"
#include "read/import_kineto_product.hpp"
#include "read/import_kineto_rows.hpp"

namespace mfushim::read {

namespace {

using format::Kind;
using format::LossCause;

struct Span {
  std::uint64_t start = 0;
  std::uint64_t duration = 0;
};

// Calls that are not recorded for what they are, are when they hold the host up for this long:
// where cudaDeviceGetStreamPriorityRange makes the context, it takes seconds.
constexpr std::uint64_t kStallNs = 100'000;

// Correlation ids of a process are consecutive, so their low bits still tell them apart.
std::uint32_t low_bits(std::uint64_t correlation) {
  return static_cast<std::uint32_t>(correlation);
}

bool asks_for_work(Kind kind) {
  return kind == Kind::kLaunch || kind == Kind::kGraphLaunch || kind == Kind::kCopy ||
         kind == Kind::kSet;
}

class Importer {
 public:
  Importer(ByteSupply text, LogWriter& writer)
      : name_(text.name), stream_(std::move(text)), log_(writer) {}

  ImportedTrace run();

 private:
  void read_object();
  void read_rows();
  void take(const TraceRow& row);
  void take_call(const TraceRow& row);
  void take_operator(const TraceRow& row, RowKind kind);
  void take_work(const TraceRow& row, RowKind kind);
  std::optional<Span> span(const TraceRow& row, LossCause cause);
  PendingCall host_call(const TraceRow& row, const Span& span, Kind kind);
  std::uint32_t queue(const TraceRow& row, const WorkArguments& arguments);
  std::uint32_t launch_config(std::string_view kernel, const WorkArguments& arguments);

  std::string name_;
  JsonStream stream_;
  KinetoLog log_;
  TraceHead head_;
  std::set<std::uint32_t> devices_;  // that have records
  std::string process_;              // of the first host row
  std::uint64_t first_stamp_ = ~std::uint64_t{0};
  ImportedTrace imported_;
  bool has_rows_ = false;  // or says that it has, and they are none
};

ImportedTrace Importer::run() {
  char first = 0;
  stream_.parse([&](JsonCursor& c) { first = c.peek(); });
  if (first == '[')
    read_rows();
  else
    read_object();
  stream_.expect_end();
  if (!has_rows_) throw FormatError::in_file(name_, "has no traceEvents: not a Kineto trace");
  log_.finish();
  head_.write(log_, devices_, process_, first_stamp_);
  imported_.text_bytes = stream_.bytes_read();
  return imported_;
}

void Importer::read_object() {
  bool more = false;
  stream_.parse([&](JsonCursor& c) {
    c.expect('{');
    more = !c.take('}');
  });
  while (more) {
    std::string key;
    stream_.parse([&](JsonCursor& c) {
      key = c.string();
      c.expect(':');
      c.peek();
    });
    if (key == "traceEvents") {
      has_rows_ = true;
      read_rows();
    } else if (TraceHead::wants(key)) {
      stream_.parse([&](JsonCursor& c) { head_.take(key, c.value()); });
    } else {
      JsonSkipper skipper;
      stream_.parse([&](JsonCursor& c) { skipper.run(c); });
    }
    stream_.parse([&](JsonCursor& c) {
      more = c.take(',');
      if (!more) c.expect('}');
    });
  }
}

void Importer::read_rows() {
  bool more = false;
  stream_.parse([&](JsonCursor& c) {
    c.expect('[');
    more = !c.take(']');
  });
  TraceRow row;
  while (more) {
    stream_.parse([&](JsonCursor& c) {
      read_row(c, row);
      more = c.take(',');
      if (!more) c.expect(']');
    });
    has_rows_ = has_rows_ || !row.phase.empty();
    take(row);
    ++imported_.rows;
  }
}

void Importer::take(const TraceRow& row) {
  switch (const RowKind kind = row_kind(row)) {
    case RowKind::kIgnored:
      return;
    case RowKind::kUnknown:
      return log_.lose(LossCause::kImportSkipped,
                       "row of category " + std::string(row.category.substr(0, 40)));
    case RowKind::kApiCall:
      return take_call(row);
    case RowKind::kOperator:
    case RowKind::kAnnotation:
      return take_operator(row, kind);
    default:
      return take_work(row, kind);
  }
}

// Start and whole-nanosecond length; when the row has no usable ones it is counted as lost.
std::optional<Span> Importer::span(const TraceRow& row, LossCause negative) {
  const auto lose = [&](LossCause cause, std::string_view what) {
    log_.lose(cause, what);
    return std::nullopt;
  };
  if (row.start.empty()) return lose(LossCause::kImportSkipped, "row without a time stamp");
  const auto start = parse_microseconds(row.start);
  const auto duration = row.duration.empty() ? DecimalTime{} : parse_microseconds(row.duration);
  if (!start)
    return lose(LossCause::kImportSkipped, "row whose time stamp is not a number in range");
  if (!duration)
    return lose(LossCause::kImportSkipped, "row whose duration is not a number in range");
  if (start->negative) return lose(negative, "row whose time stamp is negative");
  if (duration->negative) return lose(negative, "row whose duration is negative");
  const std::uint64_t end = sum_ns(*start, *duration);
  if (end >> 63) return lose(LossCause::kImportSkipped, "row whose end is out of range");
  first_stamp_ = std::min(first_stamp_, start->ns);
  return Span{start->ns, end - start->ns};
}

PendingCall Importer::host_call(const TraceRow& row, const Span& span, Kind kind) {
  if (process_.empty()) process_ = row.pid;
  PendingCall call;
  call.kind = kind;
  call.lane =
      log_.thread(row.pid, row.tid, static_cast<std::uint64_t>(to_integer(row.tid).value_or(0)));
  call.api = log_.name(row.name);
  call.start = span.start;
  call.duration = span.duration;
  return call;
}

std::uint32_t Importer::launch_config(std::string_view kernel, const WorkArguments& arguments) {
  format::LaunchConfig config;
  config.kernel = log_.name(kernel);
  config.grid_x = arguments.grid[0];
  config.grid_y = arguments.grid[1];
  config.grid_z = arguments.grid[2];
  config.block_x = arguments.block[0];
  config.block_y = arguments.block[1];
  config.block_z = arguments.block[2];
  config.shared_dynamic = arguments.shared_memory;  // static included: Kineto tells the sum
  config.registers = arguments.registers;
  return log_.config(config);
}

void Importer::take_call(const TraceRow& row) {
  const auto kind = call_kind(row.name);
  const auto at = span(row, LossCause::kImportSkipped);
  if (!at || (!kind && at->duration < kStallNs)) return;
  const WorkArguments arguments = read_work_arguments(row.arguments);
  PendingCall call = host_call(row, *at, kind.value_or(Kind::kCall));
  imported_.launches += asks_for_work(call.kind);
  call.correlation = low_bits(arguments.correlation);
  call.bytes = arguments.bytes;
  if (call.kind == Kind::kLaunch && !arguments.kernel.empty())
    call.subject = launch_config(arguments.kernel, arguments);
  log_.call(call);
}

void Importer::take_operator(const TraceRow& row, RowKind kind) {
  std::optional<Kind> record;
  std::uint32_t subject = 0, second_subject = 0;
  if (const ProductOperator* const product = product_operator(row.name)) {
    if (const auto shape = product_shape(*product, read_operator_arguments(row.arguments))) {
      record = Kind::kGemm;
      subject = log_.shape(*shape);
    }
  } else if (is_convolution(row.name)) {
    const auto shapes = convolution_shapes(row.name, read_operator_arguments(row.arguments));
    if (!shapes.empty()) {
      record = Kind::kOperation;
      subject = log_.shape(shapes.front());
      if (shapes.size() > 1) second_subject = log_.shape(shapes.back());
    }
  } else if (may_be_collective(row.name)) {
    const auto arguments = read_operator_arguments(row.arguments);
    if (auto collective = collective_call(row.name, arguments, head_.process())) {
      record = Kind::kCollective;
      collective->shape.communicator = log_.communicator(collective->communicator);
      subject = log_.shape(collective->shape);
    }
  } else if (kind == RowKind::kAnnotation || row.name.starts_with("ProfilerStep#")) {
    // Before 2022 the profiler's steps stood among the operators.
    record = Kind::kMark;
    subject = log_.name(row.name);
  }
  if (!record) return;
  const auto at = span(row, LossCause::kImportSkipped);
  if (!at) return;
  PendingCall call = host_call(row, *at, *record);
  call.subject = subject;
  call.second_subject = second_subject;
  log_.call(call);
}

std::uint32_t Importer::queue(const TraceRow& row, const WorkArguments& arguments) {
  format::Queue queue;
  // Rows stand in the lane of their device and stream, which tells both where the arguments do not;
  // "stream 7" in old traces.
  queue.device = static_cast<std::uint32_t>(
      arguments.device >= 0 ? arguments.device : to_integer(row.pid).value_or(0));
  queue.context = static_cast<std::uint64_t>(arguments.context);
  const auto digits = row.tid.find_first_of("0123456789");
  queue.stream = arguments.has_stream     ? arguments.stream
                 : digits == row.tid.npos ? 0
                                          : to_integer(row.tid.substr(digits)).value_or(0);
  devices_.insert(queue.device);
  return log_.queue(queue);
}

void Importer::take_work(const TraceRow& row, RowKind kind) {
  const auto at = span(row, LossCause::kGpuInvalid);
  if (!at) return;
  const WorkArguments arguments = read_work_arguments(row.arguments);
  ++imported_.gpu_records;
  PendingWork work;
  work.lane = queue(row, arguments);
  work.start = at->start;
  work.duration = at->duration;
  work.correlation = low_bits(arguments.correlation);
  work.graph = static_cast<std::uint32_t>(arguments.graph);
  work.node = arguments.graph_node;
  work.bytes = arguments.bytes;
  if (kind == RowKind::kGpuKernel) {
    work.config = launch_config(row.name, arguments);
  } else {
    work.kind = kind == RowKind::kGpuCopy ? Kind::kGpuCopy : Kind::kGpuSet;
    work.copy_kind = copy_kind(row.name);
  }
  log_.work(work);
}

}  // namespace

ImportedTrace import_kineto(ByteSupply text, LogWriter& writer) {
  return Importer(std::move(text), writer).run();
}

}  // namespace mfushim::read
