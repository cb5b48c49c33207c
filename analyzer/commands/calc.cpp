// `mfushim calc`: MFU from a configuration and a speed, by the arithmetic that `report` uses.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <map>

#include "commands/each.hpp"
#include "commands/model_options.hpp"
#include "knowledge/enum_names.hpp"
#include "read/format_error.hpp"
#include "report/calculation.hpp"

namespace mfushim::commands {

namespace {

struct NumberOption {
  const char* name;
  const char* help;
  bool whole = false;  // a count
};

constexpr NumberOption kNumbers[] = {
    {"gpus", "how many GPUs the job has", true},
    {"params", "parameters, as in 7e9: N of the conventions palm and 6n"},
    {"layers", "layers", true},
    {"hidden", "hidden size", true},
    {"ffn", "width of the feed-forward", true},
    {"heads", "attention heads", true},
    {"kv-heads", "key-value heads, where fewer", true},
    {"head-dim", "size of a head, where not hidden / heads", true},
    {"vocab", "rows of the output matrix", true},
    {"experts", "experts of a layer", true},
    {"topk", "experts that a token visits", true},
    {"moe-ffn", "width of an expert, where not ffn", true},
    {"mtp", "layers that predict further tokens (default 0)", true},
    {"seq", "tokens of a sequence"},
    {"tokens-per-second-per-gpu", "speed"},
    {"step-seconds", "or: time of a step"},
    {"tokens-per-step", "and the tokens of the whole job in it"},
    {"peak", "dense TFLOP/s of one GPU, instead of the data sheet's"},
};

// CalcOptions of dimensions, by the fields they set.
constexpr std::pair<const char*, const char*> kDimensions[] = {
    {"layers", "layers"},     {"hidden", "hidden"},     {"ffn", "ffn"},     {"heads", "heads"},
    {"kv-heads", "kv_heads"}, {"head-dim", "head_dim"}, {"vocab", "vocab"}, {"experts", "experts"},
    {"topk", "topk"},         {"moe-ffn", "moe_ffn"},
};

bool is_whole(std::string_view name) {
  for (const NumberOption& option : kNumbers)
    if (option.name == name) return option.whole;
  return false;
}

struct CalcOptions {
  std::map<std::string, std::string> numbers;
  std::string gpu;
  std::string model;
  std::string dtype;
  std::string convention;
  std::string recompute = "none";
  bool gated = false;
  bool inference = false;
  bool json = false;

  // Absent when it was not given.
  std::optional<double> number(const std::string& name) const {
    const std::string& text = numbers.at(name);
    if (text.empty()) return std::nullopt;
    const double value = parse_number("--" + name, text);
    if (value < 0 || (value == 0 && name != "mtp"))
      throw UsageError(fmt::format("--{} needs a positive number, not '{}'", name, text));
    if (is_whole(name) && value != std::floor(value))
      throw UsageError(fmt::format("--{} needs a whole number, not '{}'", name, text));
    if (name == "seq" && value < 1) throw UsageError("--seq needs at least one token");
    return value;
  }
};

bool parse_options(const Arguments& arguments, CalcOptions& options) {
  CLI::App app{"MFU of a configuration and a speed, without a log.", "mfushim calc"};
  for (const NumberOption& number : kNumbers)
    app.add_option(fmt::format("--{}", number.name), options.numbers[number.name], number.help);
  app.add_option("--gpu", options.gpu, "as in H100, A100-SXM-40GB, 'NVIDIA H100 80GB HBM3'");
  app.add_option("--model", options.model, "a config.json, or the name of a well-known model");
  app.add_option("--dtype", options.dtype, "element type of the peak: bf16, f16, f8e4m3, ...");
  app.add_option("--convention", options.convention, "causal, noncausal, palm, or 6n");
  app.add_option("--recompute", options.recompute, "none, selective, or full: for HFU");
  app.add_flag("--gated", options.gated, "the feed-forward has three matrices (SwiGLU)");
  app.add_flag("--inference", options.inference, "forward only");
  app.add_flag("--json", options.json, "the answer as JSON");
  return parse_arguments(app, arguments);
}

knowledge::ModelShape given_shape(const CalcOptions& options) {
  knowledge::ModelShape shape;
  for (const auto& [option, field] : kDimensions)
    knowledge::set_field(shape, field, options.number(option).value_or(0));
  shape.gated = options.gated;
  if (shape.experts > 0 && shape.topk == 0) throw UsageError("--experts needs --topk");
  // Without heads, queries are as wide as the hidden size.
  if (shape.heads == 0 && shape.hidden > 0) shape.heads = 1;
  knowledge::complete(shape, false, false);
  return shape;
}

knowledge::ModelWork find_work(const CalcOptions& options) {
  knowledge::ModelWork work;
  work.params = options.number("params");
  if (options.model.empty()) {
    work.shape = given_shape(options);
  } else {
    work.shape = load_model(options.model);
    for (const auto& [option, field] : kDimensions)
      if (const auto value = options.number(option))
        knowledge::set_field(work.shape, field, *value);
  }
  if (options.model.empty() && !work.params && work.shape.layers == 0)
    throw UsageError("calc needs --model, --params, or the dimensions (--layers ...)");
  if (work.shape.topk > work.shape.experts)
    throw UsageError("--topk is more than the experts (--experts)");
  if (work.shape.kv_heads > work.shape.heads)
    throw UsageError("--kv-heads is more than the heads (--heads)");
  work.seq = options.number("seq").value_or(0);
  work.mtp = options.number("mtp").value_or(0);
  work.inference = options.inference;
  const auto recompute = knowledge::find_recompute(options.recompute);
  if (!recompute)
    throw UsageError("--recompute is one of none, selective, full, not '" + options.recompute +
                     "'");
  work.recompute = *recompute;
  return work;
}

knowledge::Convention choose_convention(const CalcOptions& options,
                                        const knowledge::ModelWork& work) {
  auto convention = knowledge::find_convention(options.convention);
  if (!convention && !options.convention.empty())
    throw UsageError("--convention is one of causal, noncausal, palm, 6n, not '" +
                     options.convention + "'");
  if (!convention) convention = knowledge::usual_convention(work);
  if (const auto missing = knowledge::missing_for(work, *convention); !missing.empty())
    throw UsageError(
        fmt::format("the convention {} needs {}", knowledge::name_of(*convention), missing));
  return *convention;
}

void read_speed(const CalcOptions& options, report::Calculation& result) {
  const auto rate = options.number("tokens-per-second-per-gpu");
  result.step_seconds = options.number("step-seconds");
  result.tokens_per_step = options.number("tokens-per-step");
  if (rate && result.step_seconds)
    throw UsageError("either --tokens-per-second-per-gpu or --step-seconds, not both");
  if (rate) {
    result.tokens_per_s = *rate;
    result.tokens_per_step.reset();
    return;
  }
  if (!result.step_seconds || !result.tokens_per_step)
    throw UsageError(
        "calc needs --tokens-per-second-per-gpu, or --step-seconds and --tokens-per-step");
  if (options.numbers.at("gpus").empty())
    throw UsageError("the speed of one GPU in a step needs --gpus");
  result.tokens_per_s = *result.tokens_per_step / *result.step_seconds / result.gpus;
}

void read_peak(const CalcOptions& options, report::Calculation& result) {
  if (options.gpu.empty() && options.numbers.at("peak").empty())
    throw UsageError("calc needs --gpu, or --peak");
  result.label = options.gpu;
  if (!options.gpu.empty()) result.gpu = knowledge::match_gpu(options.gpu);
  if (const auto tera = options.number("peak")) result.peak_given = *tera * 1e12;
  if (!options.dtype.empty()) {
    const auto dtype = knowledge::value_of<format::DType>(options.dtype);
    if (!dtype) throw UsageError("--dtype: unknown type '" + options.dtype + "'");
    result.dtype = *dtype;
  } else if (!result.gpu.peak(result.dtype) && result.gpu.peak(format::DType::kF16)) {
    result.dtype = format::DType::kF16;  // before Ampere there was no bfloat16
  }
}

}  // namespace

int calc(const Arguments& arguments) {
  CalcOptions options;
  if (!parse_options(arguments, options)) return kExitDone;
  report::Calculation result;
  result.work = find_work(options);
  result.convention = choose_convention(options, result.work);
  result.gpus = options.number("gpus").value_or(1);
  read_speed(options, result);
  read_peak(options, result);
  if (options.json)
    std::cout << report::calculation_json(result).dump(
                     2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
  else
    std::cout << report::calculation_text(result);
  if (!std::cout.flush()) throw read::FormatError::in_file("stdout", "cannot be written");
  return kExitDone;
}

}  // namespace mfushim::commands
