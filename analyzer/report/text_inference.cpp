// The model as its products show it, and the way from the peak to MFU.
#include "report/text_inference.hpp"

#include <fmt/ranges.h>

#include "report/text_format.hpp"

namespace mfushim::report {

namespace {

void print_sharing(std::string& out, const passes::WeightSharing& sharing, std::size_t steps) {
  const std::string divided = fmt::format("{}", fmt::join(sharing.divided_by, ", "));
  print(out, "\n  weights shared by {} ranks: {} sums of {} x {} a step over communicator {},",
        sharing.ranks, count(sharing.sums / steps), count(sharing.activation.rows),
        count(sharing.activation.width), sharing.communicator);
  print(out, "\n  {} of them right after a forward product whose inner dimension ({}) they divide",
        count(sharing.forward_sums / steps), divided);
}

}  // namespace

void print_inference(std::string& out, const passes::Inference& i) {
  std::uint64_t forward = 0, recomputed = 0, products = 0;
  for (const passes::ProductFamily& family : i.families) {
    forward += family.forward;
    recomputed += family.recomputed;
    products += family.products;
  }
  print(out, "INFERRED from {}{}: ", plural(products, "matrix product"),
        i.steps > 0 ? fmt::format(" of {}", plural(i.steps, "step")) : std::string());
  if (!i.has_backward) {
    print(out, "no backward pass");
    if (i.rows) print(out, "; {} tokens to a product", count(*i.rows));
    out += '\n';
    return;
  }
  print(out, "{} forward, {} done again: {} of the FLOPs\n", count(forward), count(recomputed),
        percent(i.recompute_share()));
  if (!i.rows || !i.micro_batches) return;
  print(out, "  tokens {} a micro-batch (the dimension of all weights' products) x {} to a step",
        count(*i.rows), count(*i.micro_batches));
  if (i.tokens != *i.rows * *i.micro_batches) print(out, " ({} in the mean)", count(i.tokens));
  if (i.data_parallel && *i.data_parallel > 1) print(out, " x {} replicas", *i.data_parallel);
  if (i.sharing && i.sharing->ranks > 1) print_sharing(out, *i.sharing, i.steps);
  out += '\n';
}

void print_repeats(std::string& out, const passes::Repeats& r) {
  if (r.operations_again > 0)
    print(out,
          "  again  {} of the FLOPs of recorded operations: more forward than backward of one "
          "shape\n",
          percent(static_cast<double>(r.operations_again) / static_cast<double>(r.operations)));
  if (r.kernels_again.calls > 0)
    print(out,
          "  again  {} of {} that no call announces: more forward than backward of one shape\n",
          count(r.kernels_again.calls), plural(r.kernels.calls, "kernel"));
}

void print_waterfall(std::string& out, const passes::Waterfall& waterfall) {
  print(out, "PEAK TO MFU{:>36} {:>8} {:>9} {:>14}\n", "factor", "left %", "points",
        "alone: MFU +");
  double product = 1;
  for (const passes::WaterfallRow& row : waterfall.rows) {
    product *= row.factor;
    print(out, "  {:<38} {:>6.4f} {:>8.1f} {:>9.2f} {:>14.1f}\n", row.name, row.factor,
          row.left * 100, row.points_lost, row.gain_if_fixed * 100);
  }
  print(out, "  {:<38} {:>6.4f} {:>18.2f}\n", "product", product, 100 * (1 - product));
}

}  // namespace mfushim::report
