// What was inferred, with the counts that it was inferred from.
#include "report/json_inference.hpp"

namespace mfushim::report {

namespace {

Json sharing_json(const passes::WeightSharing& sharing, std::size_t steps) {
  const auto per_step = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(steps);
  };
  return {{"communicator", sharing.communicator},
          {"rows", sharing.activation.rows},
          {"width", sharing.activation.width},
          {"sums_of_forward_products_per_step", per_step(sharing.forward_sums)},
          {"sums_per_step", per_step(sharing.sums)},
          {"gathers_per_step", per_step(sharing.gathers)},
          {"divided", sharing.divided_by}};
}

}  // namespace

Json inference_section(const passes::Inference& i) {
  Json json;
  json["steps"] = i.steps;
  json["executed_flops"] = flops_json(i.executed);
  json["recomputed_flops"] = flops_json(i.recomputed);
  json["recompute_share"] = i.recompute_share();
  json["model_flops"] = flops_json(i.executed - i.recomputed);
  if (i.steps > 0)
    json["model_flops_per_step"] =
        static_cast<double>(i.executed - i.recomputed) / static_cast<double>(i.steps);
  put(json, "tokens_per_product", i.rows);
  put(json, "micro_batches", i.micro_batches);
  if (i.sharing) json["tensor_parallel"] = i.sharing->ranks;
  put(json, "data_parallel", i.data_parallel);
  put(json, "tokens_per_step", i.tokens_per_step());
  json["evidence"]["backward"] = i.has_backward;
  if (i.pipeline_transfers > 0)
    json["evidence"]["pipeline_transfers_per_step"] = i.pipeline_transfers;
  if (i.sharing && i.sharing->ranks > 1)
    json["evidence"]["tensor_parallel"] = sharing_json(*i.sharing, i.steps);
  Json& families = json["evidence"]["families"] = Json::array();
  for (const passes::ProductFamily& family : i.families) {
    Json entry = {{"dimensions", family.dimensions}, {"batch", family.batch}};
    if (family.rows != 0) entry["rows"] = family.rows;
    entry.update({{"products", family.products},
                  {"forward", family.forward},
                  {"weight_gradients", family.gradients},
                  {"recomputed", family.recomputed},
                  {"flops", flops_json(family.flops)}});
    families.push_back(std::move(entry));
  }
  return json;
}

Json repeats_section(const passes::Repeats& r) {
  return {{"operations",
           {{"flops", flops_json(r.operations)}, {"flops_again", flops_json(r.operations_again)}}},
          {"kernels",
           {{"calls", r.kernels.calls},
            {"calls_again", r.kernels_again.calls},
            {"flops", r.kernels.needed},
            {"flops_again", r.kernels_again.needed}}}};
}

Json waterfall_section(const passes::Analysis& a) {
  const std::optional<double> step_s = a.mean_step_s();
  Json list = Json::array();
  for (const passes::WaterfallRow& row : a.waterfall->rows) {
    Json entry = {{"name", row.name},
                  {"factor", row.factor},
                  {"left", row.left},
                  {"peak_points_lost", row.points_lost}};
    if (step_s) entry["seconds_per_step"] = row.points_lost / 100 * *step_s;
    entry["mfu_gain_if_fixed"] = row.gain_if_fixed;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace mfushim::report
