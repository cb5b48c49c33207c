// The model's work where it is known, else the observed; the observed share in any case.
#include "report/json_mfu.hpp"

#include "knowledge/enum_names.hpp"
#include "report/doubts.hpp"
#include "report/json_inference.hpp"

namespace mfushim::report {

namespace {

std::string_view source_name(passes::PeakSource source) {
  switch (source) {
    case passes::PeakSource::kDatasheet:
      return "datasheet";
    case passes::PeakSource::kMeasured:
      return "measured";
    case passes::PeakSource::kClockAdjusted:
      return "clock_adjusted";
    case passes::PeakSource::kGiven:
      return "given";
  }
  return {};
}

Json denominator_json(const passes::Efficiency& e) {
  Json json = {{"source", source_name(e.peak_source)}, {"dtype", knowledge::name_of(e.dtype)}};
  put(json, "flops_per_s", e.peak);
  if (!e.peak) {
    json["low_flops_per_s"] = e.peak_range->low;
    json["high_flops_per_s"] = e.peak_range->high;
  }
  put(json, "datasheet_flops_per_s", e.datasheet_peak);
  put(json, "measured_flops_per_s", e.measured_peak);
  if (e.clock_adjusted) {
    json["clock_adjusted_flops_per_s"] = e.clock_adjusted->flops_per_s;
    json["clock_mhz"] = e.clock_adjusted->mean_mhz;
    json["boost_clock_mhz"] = e.clock_adjusted->boost_mhz;
  }
  if (!e.peak_note.empty()) json["note"] = e.peak_note;
  return json;
}

Json numerator_json(const passes::CountedWork& work, const passes::ModelMfu* model) {
  Json json = {{"source", model ? "model" : work.is_inferred ? "inferred" : "observed"}};
  if (model) {
    if (!model->name.empty()) json["model"] = model->name;
    json["flops_per_token"] = model->flops_per_token;
    json["tokens_per_step"] = model->tokens_per_step;
    json["flops_per_step"] = model->flops_per_step;
    json["tokens_source"] = model->tokens_are_inferred ? "inferred" : "given";
    if (model->seq > 0) json["seq"] = model->seq;
    json["gpus"] = model->gpus;
  }
  if (work.exact > 0) json["flops"] = flops_json(work.exact);
  if (work.modelled > 0)
    json.update({{"modelled_flops", flops_json(work.modelled)},
                 {"modelled_flops_low", work.modelled_low},
                 {"modelled_flops_high", work.modelled_high}});
  const double inferred = model && model->tokens_are_inferred ? 1 : 0;
  json["exact_share"] = model ? 0.0 : 1 - work.modelled_share();
  json["modelled_share"] = model ? 1 - inferred : work.modelled_share();
  json["inferred_share"] = inferred;
  put(json, "unknown_time_share", work.unknown_share);
  return json;
}

void put_model(Json& json, const passes::ModelMfu& m) {
  put(json, "value", m.value);
  put(json, "low", m.low);
  put(json, "high", m.high);
  put(json, "causal", m.causal);
  put(json, "noncausal", m.noncausal);
  json["convention"] = knowledge::name_of(m.convention);
  json["tokens_per_s"] = m.tokens_per_s;
  put(json, "of_observed", m.of_observed);
}

void put_observed(Json& json, const passes::Analysis& a) {
  const passes::Efficiency& e = a.efficiency;
  put(json, "value", e.value);
  put(json, "low", e.low);
  put(json, "high", e.high);
  if (!e.value) return;
  put(json, "causal", e.causal);
  put(json, "noncausal", e.noncausal);
  json["convention"] = a.work.is_masked ? "causal" : "noncausal";
}

void put_padding(Json& json, const passes::Padding& padding) {
  if (padding.per_s) {
    json["tokens_per_s"] = *padding.per_s;
    json["tokens_per_s_per_gpu"] = *padding.per_s / padding.gpus;
  }
  if (!padding.computed) return;
  json["padding"] = {{"useful_tokens_per_step", padding.useful},
                     {"computed_tokens_per_step", *padding.computed}};
  put(json["padding"], "share", padding.share());
}

}  // namespace

Json mfu_section(const passes::Analysis& a) {
  const passes::Efficiency& e = a.efficiency;
  const passes::ModelMfu* model =
      a.model_mfu && a.model_mfu->absent_because.empty() ? &*a.model_mfu : nullptr;
  Json json = Json::object();
  if (model)
    put_model(json, *model);
  else
    put_observed(json, a);
  put(json, "hfu", model && model->hfu ? model->hfu : e.hfu);
  if (!e.absent_because.empty() && !(model && model->value))
    json["absent_because"] = e.absent_because;
  if (a.model_mfu && !model) json["model_absent_because"] = a.model_mfu->absent_because;
  put(json, "flops_per_s", e.flops_per_s);
  if (e.flops_per_s) json["time_source"] = e.is_by_steps ? "host_steps" : "device";
  if (a.work.all() > 0 || model) json["numerator"] = numerator_json(a.work, model);
  if (a.padding) put_padding(json, *a.padding);
  if (e.peak_range) json["denominator"] = denominator_json(e);
  if (a.waterfall) json["waterfall"] = waterfall_section(a);
  if (model && a.work.all() > 0) put_observed(json["observed"], a);
  if (model && !model->causes.empty()) json["doubt"]["causes"] = causes_json(model->causes);
  if (!model && !e.causes.empty()) json["doubt"]["causes"] = causes_json(e.causes);
  return json;
}

}  // namespace mfushim::report
