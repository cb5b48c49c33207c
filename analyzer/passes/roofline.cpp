// Bytes by formulas where there are any: other kernels' names do not tell what they move.
#include "passes/roofline.hpp"

#include <algorithm>
#include <map>

#include "knowledge/dtypes.hpp"
#include "model/time_limits.hpp"

namespace mfushim::passes {

namespace {

// Neither ceiling explains the time of short calls that reach less than this part of the lower one.
constexpr double kFarBelow = 0.25;
constexpr std::int64_t kShortNs = 20'000;

std::optional<double> rate(std::optional<double> amount, std::int64_t time_ns) {
  if (!amount || *amount <= 0 || time_ns <= 0) return std::nullopt;
  return *amount * 1e9 / static_cast<double>(time_ns);
}

std::optional<double> share(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole) return std::nullopt;
  return *part / *whole;
}

// Classes as they are summed up; the type of most FLOPs wins.
class ClassSums {
 public:
  void add(const std::string& kernel_class, format::DType dtype, const Roofline& work) {
    if (work.calls == 0) return;
    Sum& sum = sums_[kernel_class];
    sum.work += work;
    sum.by_type[dtype] += work.flops;
  }

  std::vector<ClassRoofline> take() const {
    std::vector<ClassRoofline> rows;
    for (const auto& [kernel_class, sum] : sums_) {
      if (sum.work.time_ns <= 0) continue;
      const auto most =
          std::max_element(sum.by_type.begin(), sum.by_type.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      rows.push_back({kernel_class, most->first, sum.work});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.work.time_ns > b.work.time_ns; });
    return rows;
  }

 private:
  struct Sum {
    Roofline work;
    std::map<format::DType, double> by_type;
  };
  std::map<std::string, Sum> sums_;
};

const char* class_of(const format::OperationShape& shape) {
  switch (shape.operation) {
    case format::OperationKind::kConvForward:
    case format::OperationKind::kConvData:
    case format::OperationKind::kConvFilter:
      return "conv";
    case format::OperationKind::kMatmul:
      return "gemm";
    case format::OperationKind::kRnnForward:
    case format::OperationKind::kRnnData:
    case format::OperationKind::kRnnWeights:
      return "rnn";
    default:
      return is_attention(shape) ? "attention" : nullptr;
  }
}

// A copy within a memory reads and writes it, a set writes it.
void add_moves(const model::Run& run, ClassSums& sums) {
  for (const model::Rank& rank : run.ranks) {
    if (!rank.work) continue;
    for (const model::DeviceWork& work : *rank.work) {
      const bool inner = work.kind == model::WorkKind::kCopy &&
                         work.copy_kind == format::CopyKind::kDeviceToDevice;
      if (!inner && work.kind != model::WorkKind::kSet) continue;
      sums.add(inner ? "memcpy" : "memset", format::DType::kUnknown,
               {.flops = 0,
                .bytes = static_cast<double>(work.bytes) * (inner ? 2 : 1),
                .time_ns = work.end - work.start,
                .calls = 1});
    }
  }
}

}  // namespace

const char* bound_name(Bound bound) {
  switch (bound) {
    case Bound::kUnknown:
      return "unknown";
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kLatency:
      return "latency";
  }
  return "";
}

std::optional<double> Ceilings::ridge() const {
  return share(flops_per_s, bytes_per_s);
}

Roofline& Roofline::operator+=(const Roofline& other) {
  if (other.calls == 0) return *this;
  // Bytes of a part would make the rate of the whole too low.
  const bool known = (calls == 0 || bytes) && other.bytes;
  bytes = known ? std::optional(bytes.value_or(0) + *other.bytes) : std::nullopt;
  flops += other.flops;
  calls += other.calls;
  model::add_duration(time_ns, other.time_ns);
  return *this;
}

std::optional<double> Roofline::flops_per_s() const {
  return rate(flops, time_ns);
}

std::optional<double> Roofline::bytes_per_s() const {
  return rate(bytes, time_ns);
}

std::optional<double> Roofline::intensity() const {
  if (!bytes || *bytes <= 0) return std::nullopt;
  return flops / *bytes;
}

std::optional<double> Roofline::of_peak(const Ceilings& ceilings) const {
  return share(flops_per_s(), ceilings.flops_per_s);
}

std::optional<double> Roofline::of_bandwidth(const Ceilings& ceilings) const {
  return share(bytes_per_s(), ceilings.bytes_per_s);
}

Bound Roofline::bound(const Ceilings& ceilings) const {
  const auto bandwidth = of_bandwidth(ceilings);
  const auto peak = flops > 0 ? of_peak(ceilings) : std::optional(0.0);
  if (!bandwidth || !peak || calls == 0) return Bound::kUnknown;
  const bool is_short = time_ns / static_cast<std::int64_t>(calls) < kShortNs;
  if (is_short && std::max(*bandwidth, *peak) < kFarBelow) return Bound::kLatency;
  // The ceiling that is nearer is the one that intensity and ridge give.
  return *peak > *bandwidth ? Bound::kCompute : Bound::kMemory;
}

std::optional<double> bytes_of(const format::GemmShape& s) {
  if (s.product != format::ProductKind::kGemm || (s.flags & format::kShapeUnknown) != 0)
    return std::nullopt;
  const auto bits = [](std::uint64_t rows, std::uint64_t columns, format::DType dtype) {
    return static_cast<double>(rows) * static_cast<double>(columns) * knowledge::dtype_bits(dtype);
  };
  const double parts[] = {bits(s.m, s.k, s.a), bits(s.k, s.n, s.b), bits(s.m, s.n, s.d)};
  double sum = 0;
  for (const double part : parts) {
    if (part <= 0) return std::nullopt;
    sum += part;
  }
  return sum * static_cast<double>(s.batch) / 8;
}

Roofline roofline_of(const ProductRow& row) {
  Roofline result;
  const Flops once = flops_of(row.shape);
  if (once == 0 || row.timed_flops == 0) return result;
  result.flops = static_cast<double>(row.timed_flops);
  result.calls = static_cast<std::uint64_t>(row.timed_flops / once);
  result.time_ns = row.total_ns;
  if (const auto bytes = bytes_of(row.shape))
    result.bytes = *bytes * static_cast<double>(result.calls);
  return result;
}

Roofline roofline_of(const ModelledWork& work) {
  Roofline result;
  result.flops = work.executed();
  if (work.bytes > 0) result.bytes = work.bytes;
  result.time_ns = work.total_ns;
  result.calls = work.calls;
  return result;
}

std::vector<ClassRoofline> find_rooflines(const model::Run& run, const ProductResult& products,
                                          const OperationResult& operations,
                                          const KernelResult& kernels) {
  ClassSums sums;
  for (const ProductRow& row : products.rows) sums.add("gemm", row.dtype, roofline_of(row));
  for (const OperationRow& row : operations.rows)
    if (const char* const name = class_of(row.shape); name && is_exact(row.shape))
      sums.add(name, row.shape.dtype,
               {.flops = static_cast<double>(row.flops),
                .bytes = std::nullopt,
                .time_ns = row.total_ns,
                .calls = row.calls});
  for (const KernelRow& row : kernels.rows)
    if (row.modelled) sums.add(row.kernel_class, row.units, roofline_of(*row.modelled));
  add_moves(run, sums);
  return sums.take();
}

}  // namespace mfushim::passes
