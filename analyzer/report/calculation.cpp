// Prints a calculation: the number, the five choices in it, and why it may be impossible.
#include "report/calculation.hpp"

#include <fmt/format.h>

#include <vector>

#include "knowledge/enum_names.hpp"
#include "report/doubts.hpp"
#include "report/text_format.hpp"

namespace mfushim::report {

namespace {

using knowledge::Convention;

double flops_of(const Calculation& c, Convention convention) {
  const auto flops = knowledge::flops_per_token(c.work, convention);
  return flops ? flops->model : 0;
}

std::string_view words_of(Convention convention) {
  switch (convention) {
    case Convention::kCausal:
      return "causal";
    case Convention::kNoncausal:
      return "full square";
    case Convention::kPalm:
      return "palm (6N + 12LQs)";
    case Convention::kSixN:
      return "6N";
  }
  return {};
}

std::vector<knowledge::Cause> causes_of(const Calculation& c, double mfu) {
  return knowledge::find_causes({.mfu = mfu,
                                 .inference = c.work.inference,
                                 .gpus = c.gpus,
                                 .seq = c.work.seq,
                                 .rate_given = !c.step_seconds,
                                 .peak_given = c.peak_given,
                                 .gpu = c.gpu,
                                 .dtype = c.dtype,
                                 .params = c.work.params});
}

// What the numbers would need at the very least; the arithmetic that no cause can argue with.
std::string limit_of(const Calculation& c, double mfu) {
  const double flops = flops_of(c, c.convention);
  if (!c.step_seconds)
    return fmt::format("{:.0f} tokens/s x {} is {} of every GPU, whose peak is {}", c.tokens_per_s,
                       si(flops, "FLOP"), si(c.tokens_per_s * flops, "FLOP/s"),
                       si(*c.peak(), "FLOP/s"));
  return fmt::format(
      "a step is {:.0f} tokens x {} = {}; {} of {} take {:.3f} s at the very least, "
      "and {:.3f} s was given",
      *c.tokens_per_step, si(flops, "FLOP"), si(*c.tokens_per_step * flops, "FLOP"),
      plural(static_cast<std::uint64_t>(c.gpus), "GPU"), si(*c.peak(), "FLOP/s"),
      mfu * *c.step_seconds, *c.step_seconds);
}

void print_doubts(std::string& out, const Calculation& c, double mfu) {
  if (!knowledge::is_doubtful(mfu, c.work.inference)) return;
  print(out, "\nMFU {} is {}\n", percent(mfu), verdict_of(mfu));
  if (mfu > 1) print(out, "  {}\n", limit_of(c, mfu));
  print_causes(out, causes_of(c, mfu),
               fmt::format("it would be usual, {:.0f} to {:.0f} %", knowledge::kUsualLow * 100,
                           knowledge::kUsualHigh * 100),
               "and still not usual");
}

void print_head(std::string& out, const Calculation& c) {
  const knowledge::ModelShape& shape = c.work.shape;
  print(out, "mfushim calc   ");
  if (!shape.name.empty()) print(out, "{}, ", shape.name);
  if (c.work.params) print(out, "{}, ", parameters(*c.work.params));
  if (shape.name.empty() && !c.work.params) print(out, "{:.0f} layers, ", shape.layers);
  if (c.work.seq > 0) print(out, "sequence {:.0f}, ", c.work.seq);
  print(out, "{} x {}, {}\n", c.gpus, c.label.empty() ? "GPU" : c.label,
        c.work.inference ? "inference" : "training");
}

void print_work(std::string& out, const Calculation& c, double flops) {
  const knowledge::ModelShape& shape = c.work.shape;
  const auto counts = knowledge::count_parameters(shape);
  print(out, "  work   {}/token {}, ", si(flops, "FLOP"), words_of(c.convention));
  if (c.convention == Convention::kCausal || c.convention == Convention::kNoncausal)
    print(out,
          "{} in matrix products:\n         output matrix of {:.0f} rows counted{}, input "
          "embedding not\n",
          parameters(counts.products), shape.vocab,
          c.work.mtp > 0 ? " once for each predicted token" : "");
  else if (c.work.params)
    print(out, "{} as given\n", parameters(*c.work.params));
  else
    print(out, "{} that a token passes, embeddings among them\n", parameters(counts.active));
  if (c.work.mtp == 0 && shape.mtp > 0 && !c.work.inference)
    print(out, "         --mtp {} counts the layer that predicts a further token, too\n",
          shape.mtp);
}

Json convention_json(const Calculation& c, Convention convention) {
  Json json;
  const auto flops = knowledge::flops_per_token(c.work, convention);
  json["model_flops_per_token"] = flops->model;
  put(json, "hardware_flops_per_token", flops->hardware);
  if (const auto mfu = c.mfu(convention)) {
    json["mfu"] = *mfu;
    if (flops->hardware) json["hfu"] = *mfu * *flops->hardware / flops->model;
  }
  return json;
}

Json doubts_json(const Calculation& c, double mfu) {
  Json json = {{"verdict", verdict_of(mfu)}};
  if (mfu > 1) json["limit"] = limit_of(c, mfu);
  json["causes"] = causes_json(causes_of(c, mfu));
  return json;
}

void put_peak(Json& json, const Calculation& c) {
  if (const auto peak = c.peak()) {
    json["peak_flops_per_s"] = *peak;
    json["peak_source"] = c.peak_given ? "given" : "datasheet";
    if (!c.peak_given) json["dtype"] = knowledge::name_of(c.dtype);
  } else {
    json["mfu_absent_because"] = c.no_peak_because();
  }
}

}  // namespace

std::optional<double> Calculation::peak() const {
  if (peak_given) return peak_given;
  const auto range = gpu.peak(dtype);
  if (!range || range->low != range->high) return std::nullopt;
  return range->low;
}

std::string Calculation::no_peak_because() const {
  if (label.empty()) return "no GPU was named: give --gpu or --peak";
  if (gpu.candidates.empty())
    return fmt::format("the peak of GPU '{}' is not known: give --peak", label);
  if (const auto range = gpu.peak(dtype))
    return fmt::format("'{}' may be a GPU of {} or of {}: say which, or give --peak", label,
                       si(range->low, "FLOP/s"), si(range->high, "FLOP/s"));
  return fmt::format("the peak of {} for {} is not known: give --peak",
                     gpu.candidates.front()->name, knowledge::name_of(dtype));
}

std::optional<double> Calculation::mfu(Convention by) const {
  const auto flops = knowledge::flops_per_token(work, by);
  const auto top = peak();
  if (!flops || !top) return std::nullopt;
  return flops->model * tokens_per_s / *top;
}

Json calculation_json(const Calculation& c) {
  const auto flops = *knowledge::flops_per_token(c.work, c.convention);
  Json json;
  const auto mfu = c.mfu(c.convention);
  if (mfu) {
    json["mfu"] = *mfu;
    if (flops.hardware) json["hfu"] = *mfu * *flops.hardware / flops.model;
  }
  json["convention"] = knowledge::name_of(c.convention);
  json["flops_per_s_per_gpu"] = flops.model * c.tokens_per_s;
  if (flops.hardware) json["hardware_flops_per_s_per_gpu"] = *flops.hardware * c.tokens_per_s;
  json["model_flops_per_token"] = flops.model;
  put(json, "hardware_flops_per_token", flops.hardware);
  put_peak(json, c);
  json["tokens_per_s_per_gpu"] = c.tokens_per_s;
  if (c.step_seconds) {
    json["step_seconds"] = *c.step_seconds;
    json["tokens_per_step"] = *c.tokens_per_step;
  }
  json["recompute"] = knowledge::name_of(c.work.recompute);
  json["inference"] = c.work.inference;
  if (!c.work.shape.name.empty()) json["model"] = c.work.shape.name;
  if (!c.gpu.candidates.empty()) json["gpu"] = c.gpu.candidates.front()->name;
  if (!c.gpu.note.empty()) json["gpu_note"] = c.gpu.note;
  for (const Convention convention : knowledge::kConventions)
    if (knowledge::missing_for(c.work, convention).empty())
      json["conventions"][std::string(knowledge::name_of(convention))] =
          convention_json(c, convention);
  for (const auto& [field, value] : knowledge::fields_of(c.work.shape))
    json["shape"][std::string(field)] = value;
  if (c.work.shape.hidden > 0) {
    const auto counts = knowledge::count_parameters(c.work.shape);
    json["parameters"] = {
        {"total", counts.total}, {"active", counts.active}, {"in_products", counts.products}};
  }
  if (mfu && knowledge::is_doubtful(*mfu, c.work.inference)) json["doubt"] = doubts_json(c, *mfu);
  return json;
}

std::string calculation_text(const Calculation& c) {
  const auto flops = *knowledge::flops_per_token(c.work, c.convention);
  const auto mfu = c.mfu(c.convention);
  std::string out;
  print_head(out, c);
  if (mfu) {
    print(out, "MFU {} {}", percent(*mfu), words_of(c.convention));
    for (const Convention convention : knowledge::kConventions)
      if (const auto other = c.mfu(convention); other && convention != c.convention)
        print(out, "   {} {}", percent(*other), words_of(convention));
    if (!c.work.inference)
      print(out, "   HFU {} (recompute: {})",
            flops.hardware ? percent(*mfu * *flops.hardware / flops.model) : "unknown",
            knowledge::name_of(c.work.recompute));
    out += '\n';
  } else {
    print(out, "MFU unknown: {}\n", c.no_peak_because());
  }
  print_work(out, c, flops.model);
  print(out, "  speed  {:.1f} tokens/s and {} per GPU", c.tokens_per_s,
        si(flops.model * c.tokens_per_s, "FLOP/s"));
  if (c.step_seconds) print(out, ": {:.0f} tokens in {} s", *c.tokens_per_step, *c.step_seconds);
  out += '\n';
  if (const auto peak = c.peak())
    print(out, "  peak   {}{} dense, {}\n", si(*peak, "FLOP/s"),
          c.peak_given ? "" : fmt::format(" {}", knowledge::name_of(c.dtype)),
          c.peak_given ? "as given" : "data sheet of " + c.gpu.candidates.front()->name);
  if (!c.gpu.note.empty()) print(out, "         {}\n", c.gpu.note);
  if (mfu) print_doubts(out, c, *mfu);
  return out;
}

}  // namespace mfushim::report
