// Names and texts of driver errors, from the header's own enumeration.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <string>

#include "driver_impl.hpp"

namespace mfusim {
namespace {

struct Named {
  CUresult value;
  const char* name;
};
constexpr Named kErrors[] = {
#include "driver_errors.inc"
};

// "CUDA_ERROR_OUT_OF_MEMORY" reads as "out of memory".
std::string words(const char* name) {
  constexpr char kPrefix[] = "CUDA_ERROR_";
  if (strncmp(name, kPrefix, sizeof kPrefix - 1) == 0) name += sizeof kPrefix - 1;
  std::string text = name;
  for (char& c : text) c = c == '_' ? ' ' : char(tolower(c));
  return text;
}

const Named* find(CUresult error) {
  const auto* it = std::find_if(std::begin(kErrors), std::end(kErrors),
                                [&](const Named& n) { return n.value == error; });
  return it == std::end(kErrors) ? nullptr : it;
}

}  // namespace

CUresult impl_cuGetErrorName(CUresult error, const char** out) {
  const Named* named = find(error);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = named ? named->name : nullptr;
  return named ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGetErrorString(CUresult error, const char** out) {
  static const auto* texts = [] {
    auto* map = new std::map<CUresult, std::string>;
    for (const Named& named : kErrors) map->emplace(named.value, words(named.name));
    return map;
  }();
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const auto it = texts->find(error);
  *out = it == texts->end() ? nullptr : it->second.c_str();
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace mfusim
