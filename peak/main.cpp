// mfushim-peak SECONDS DTYPE,... MxNxK,...: how fast this GPU multiplies matrices, as JSON on
// stdout. `mfushim peak` checks the arguments and starts it.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "product.hpp"
#include "sensors.hpp"

namespace {

using namespace mfushim::peak;
using Json = nlohmann::ordered_json;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Shape parse_shape(const std::string& text) {
  Shape shape{};
  if (std::sscanf(text.c_str(), "%ldx%ldx%ld", &shape.m, &shape.n, &shape.k) != 3 || shape.m <= 0 ||
      shape.n <= 0 || shape.k <= 0)
    throw PeakError("'" + text + "' is no shape MxNxK");
  return shape;
}

Json describe(const Device& device, std::string& uuid) {
  const Libraries& l = device.libraries;
  CUdevice gpu = 0;
  check(l.device_get(&gpu, 0), "finding a GPU");
  char name[256] = {};
  check(l.device_name(name, sizeof name, gpu), "naming the GPU");
  CUuuid id{};
  check(l.device_uuid(&id, gpu), "identifying the GPU");
  uuid = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(id.bytes[i]));
    uuid += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(hex);
  }
  return {{"name", name}, {"uuid", uuid}, {"cublaslt_version", l.lt_version()}};
}

// The best shape's speed over its whole share of the time: sustained, not the luckiest moment.
Json measure_type(const Device& device, const std::string& name,
                  const std::vector<std::string>& shapes, double seconds, Sensors& sensors) {
  Json json = {{"dtype", name}};
  const ElementType* const type = find_type(name);
  if (!type) throw PeakError("products of type '" + name + "' cannot be measured");
  Json list = Json::array();
  double best = 0;
  for (const std::string& text : shapes) {
    const Shape shape = parse_shape(text);
    const auto speed = measure(device, *type, shape, seconds, [&] { sensors.sample(); });
    if (!speed) continue;
    const double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                         static_cast<double>(shape.k) * static_cast<double>(speed->products);
    const double rate = flops / speed->seconds;
    list.push_back({{"shape", text},
                    {"products", speed->products},
                    {"seconds", speed->seconds},
                    {"flops_per_s", rate}});
    if (rate <= best) continue;
    best = rate;
    json["flops_per_s"] = rate;
    json["shape"] = text;
  }
  if (list.empty()) json["absent_because"] = "cuBLASLt has no such product on this GPU";
  json["shapes"] = std::move(list);
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: mfushim-peak SECONDS DTYPE,... MxNxK,...\n", stderr);
    return 2;
  }
  try {
    const double seconds = std::strtod(argv[1], nullptr);
    const auto dtypes = split(argv[2]);
    const auto shapes = split(argv[3]);
    const Device device = open_device();
    std::string uuid;
    Json json = {{"schema", "mfushim.peak/1"}, {"device", describe(device, uuid)}};
    Sensors sensors(uuid);
    const double each = seconds / static_cast<double>(dtypes.size() * shapes.size());
    Json results = Json::array();
    for (const std::string& dtype : dtypes)
      results.push_back(measure_type(device, dtype, shapes, each, sensors));
    json["results"] = std::move(results);
    sensors.report(json);
    std::puts(json.dump(2).c_str());
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const PeakError& error) {
    std::fprintf(stderr, "mfushim: %s\n", error.what());
    return 1;
  }
}
