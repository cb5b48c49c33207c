// A share of a ceiling is there where the GPU is known.
#include "report/json_roofline.hpp"

#include "knowledge/enum_names.hpp"
#include "report/run_facts.hpp"

namespace mfushim::report {

void put_roofline(Json& json, const passes::Roofline& work, const passes::Ceilings& ceilings) {
  put(json, "flops_per_s", work.flops_per_s());
  put(json, "of_peak", work.of_peak(ceilings));
  if (work.bytes && work.calls > 0) json["bytes"] = *work.bytes / static_cast<double>(work.calls);
  put(json, "bytes_per_s", work.bytes_per_s());
  put(json, "of_bandwidth", work.of_bandwidth(ceilings));
  if (work.flops > 0) put(json, "flops_per_byte", work.intensity());
  json["bound"] = passes::bound_name(work.bound(ceilings));
}

Json roofline_section(const passes::Analysis& a) {
  Json json = Json::object();
  const passes::Ceilings ceilings = common_ceilings(*a.run, a.efficiency.dtype);
  put(json, "bytes_per_s", ceilings.bytes_per_s);
  put(json, "ridge_flops_per_byte", ceilings.ridge());
  if (const auto memory = products_below_ridge(*a.run, a.products)) {
    json["products_below_ridge"] = {{"calls", memory->calls}, {"total_ns", memory->time_ns}};
    put(json["products_below_ridge"], "bytes_per_s", memory->bytes_per_s());
    put(json["products_below_ridge"], "mbu", memory->of_bandwidth(ceilings));
  }
  json["classes"] = Json::array();
  for (const passes::ClassRoofline& row : a.rooflines) {
    Json entry = {{"class", row.kernel_class}};
    if (row.dtype != format::DType::kUnknown) entry["dtype"] = knowledge::name_of(row.dtype);
    entry.update({{"calls", row.work.calls}, {"total_ns", row.work.time_ns}});
    put_roofline(entry, row.work, common_ceilings(*a.run, row.dtype));
    json["classes"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace mfushim::report
