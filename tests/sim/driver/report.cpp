// One line of truth and one activity for each piece of device work, from the same integers.
#include "report.hpp"

#include <algorithm>

#include "api_call.hpp"
#include "device_clock.hpp"
#include "truth.hpp"

namespace mfusim {
namespace {

const char* copy_kind(const CopyOp& c) {
  const bool from = c.source.memory >= MFUSIM_DEVICE, to = c.destination.memory >= MFUSIM_DEVICE;
  if (from && to) return c.source.device == c.destination.device ? "DtoD" : "PtoP";
  return from ? "DtoH" : to ? "HtoD" : "HtoH";
}

truth::Object& add_origin(truth::Object& line, const Work& work) {
  return line.add("device", uint64_t(work.origin.device))
      .add("ctx", uint64_t(work.origin.context))
      .add("stream", uint64_t(work.origin.stream))
      .add("start", work.start)
      .add("end", work.end)
      .add("corr", uint64_t(work.origin.correlation))
      .add("graph", uint64_t(work.origin.graph))
      .add("node", work.origin.graph_node);
}

MfusimActivity activity_of(const Work& work, MfusimActivityKind kind) {
  MfusimActivity a{};
  a.kind = kind;
  a.device = a.source_device = a.destination_device = work.origin.device;
  a.context = work.origin.context;
  a.stream = work.origin.stream;
  a.correlation = work.origin.correlation;
  a.graph = work.origin.graph;
  a.graph_node = work.origin.graph_node;
  a.start_ns = work.start;
  a.end_ns = work.end;
  return a;
}

void tell(const MfusimActivity& activity) {
  const MfusimTracer* listener = tracer();
  if (listener->activity) listener->activity(&activity);
}

void report(const Work& work, const KernelOp& k) {
  if (truth::wanted()) {
    truth::Object line("kernel");
    line.add("name", k.name)
        .add("grid", k.grid)
        .add("block", k.block)
        .add("shared", uint64_t(k.shared_bytes));
    line.add("flops", k.costed ? k.cost.flops : 0.0)
        .add("comm", uint64_t(k.costed && k.cost.is_comm));
    add_origin(line, work).add("piece", k.piece).write();
  }
  MfusimActivity a = activity_of(work, MFUSIM_KERNEL);
  a.name = k.name;
  for (int i = 0; i < 3; ++i) {
    a.grid[i] = k.grid[i];
    a.block[i] = k.block[i];
  }
  a.shared_bytes = k.shared_bytes;
  tell(a);
}

void report(const Work& work, const CopyOp& c) {
  if (truth::wanted()) {
    truth::Object line("copy");
    line.add("kind", copy_kind(c)).add("bytes", uint64_t(c.bytes()));
    add_origin(line, work).write();
  }
  MfusimActivity a = activity_of(work, MFUSIM_COPY);
  a.bytes = c.bytes();
  a.source = c.source.memory;
  a.destination = c.destination.memory;
  a.source_device = uint32_t(c.source.device);
  a.destination_device = uint32_t(c.destination.device);
  tell(a);
}

void report(const Work& work, const SetOp& s) {
  if (truth::wanted()) {
    truth::Object line("set");
    line.add("bytes", uint64_t(s.bytes()));
    add_origin(line, work).write();
  }
  MfusimActivity a = activity_of(work, MFUSIM_SET);
  a.bytes = s.bytes();
  a.value = uint32_t(s.value);
  tell(a);
}

void report(const Work& work, const GraphEndOp& graph) {
  MfusimActivity a = activity_of(work, MFUSIM_GRAPH);
  for (const WorkPtr& root : graph.roots) a.start_ns = std::min(a.start_ns, root->start);
  tell(a);
}

template <typename Other>
void report(const Work&, const Other&) {}

}  // namespace

void report_work(const Work& work) {
  std::visit([&](const auto& op) { report(work, op); }, *work.operation);
}

void report_launch() {
  if (!truth::wanted()) return;
  truth::Object("launch")
      .add("api", current_call())
      .add("corr", uint64_t(current_correlation()))
      .add("time", now_ns())
      .write();
}

void report_graph_launch(uint32_t exec, uint64_t nodes) {
  if (!truth::wanted()) return;
  truth::Object("graph_launch")
      .add("exec", uint64_t(exec))
      .add("nodes", nodes)
      .add("corr", uint64_t(current_correlation()))
      .add("time", now_ns())
      .write();
}

void report_sync(const MfusimSync& sync) {
  if (truth::wanted()) {
    truth::Object("sync")
        .add("api", current_call())
        .add("blocked", sync.end_ns - sync.start_ns)
        .write();
  }
  const MfusimTracer* listener = tracer();
  if (listener->synchronization) listener->synchronization(&sync);
}

}  // namespace mfusim
