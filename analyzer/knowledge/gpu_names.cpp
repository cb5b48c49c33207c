// Which GPUs a name may mean: names as people write them, names that relatives share, slices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "knowledge/gpus.hpp"

namespace mfushim::knowledge {

namespace {

using Words = std::vector<std::string>;

// Brands, which say nothing beside the model's own name.
constexpr std::array<std::string_view, 3> kBrands = {"nvidia", "tesla", "geforce"};

// What a driver reports as a device's memory, of the table's figure taken as GiB: 0.985 to 0.99 on
// most, less where error correction lies in it.
constexpr double kLeastMemory = 0.88;
constexpr double kMostMemory = 1.02;

Words words_of(std::string_view name) {
  Words words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty() && word.back() == 'g' &&
        std::isdigit(static_cast<unsigned char>(word.front())))
      word += 'b';  // 80g
    if (!word.empty() && std::find(kBrands.begin(), kBrands.end(), word) == kBrands.end())
      words.push_back(word);
    word.clear();
  };
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      finish();
  }
  finish();
  return words;
}

// "sxm" stands for sxm5 too; a word that ends in a digit only for itself (l4 is no l40).
bool stands_for(const std::string& wanted, const std::string& word) {
  if (wanted == word) return true;
  return word.starts_with(wanted) && wanted.size() > 2 &&
         std::all_of(wanted.begin(), wanted.end(),
                     [](unsigned char c) { return std::isalpha(c) != 0; }) &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(wanted.size()), word.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool has_words(const Gpu& gpu, const Words& wanted) {
  const auto all_in = [&](const Words& words) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      return std::any_of(words.begin(), words.end(),
                         [&](const std::string& word) { return stands_for(one, word); });
    });
  };
  if (all_in(words_of(gpu.name))) return true;
  return std::any_of(gpu.driver_names.begin(), gpu.driver_names.end(),
                     [&](const std::string& name) { return all_in(words_of(name)); });
}

bool joined_equal(const Gpu& gpu, const Words& wanted) {
  const auto joined = [](const Words& words) {
    std::string text;
    for (const std::string& word : words) text += word;
    return text;
  };
  const std::string text = joined(wanted);
  if (joined(words_of(gpu.name)) == text) return true;
  return std::any_of(gpu.driver_names.begin(), gpu.driver_names.end(),
                     [&](const std::string& name) { return joined(words_of(name)) == text; });
}

bool is_sxm(const Gpu& gpu) {
  const Words words = words_of(gpu.name);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("sxm"); });
}

// Relatives share the first word of their names.
bool are_relatives(const std::vector<const Gpu*>& gpus) {
  return std::all_of(gpus.begin(), gpus.end(), [&](const Gpu* gpu) {
    return words_of(gpu->name).front() == words_of(gpus.front()->name).front();
  });
}

bool same_peaks(const Gpu& a, const Gpu& b) {
  return std::equal(a.peaks.begin(), a.peaks.end(), b.peaks.begin(), b.peaks.end(),
                    [](const Peak& x, const Peak& y) {
                      return x.dtype == y.dtype && x.flops_per_s == y.flops_per_s;
                    });
}

std::vector<const Gpu*> by_words(std::string_view name) {
  const Words wanted = words_of(name);
  std::vector<const Gpu*> found;
  const auto add = [&](auto fits) {
    if (wanted.empty() || !found.empty()) return;
    for (const Gpu& gpu : all_gpus())
      if (fits(gpu, wanted)) found.push_back(&gpu);
  };
  // One word is a family, whose bare name a driver may give to one of its members.
  if (wanted.size() > 1) add(joined_equal);
  add(has_words);
  add(joined_equal);
  if (!are_relatives(found)) found.clear();
  return found;
}

// Keeps those that the device's own figures allow; all of them where they allow none.
void keep_fitting(std::vector<const Gpu*>& gpus, const DeviceFacts& device) {
  const auto keep = [&](auto fits) {
    std::vector<const Gpu*> kept;
    std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(kept), fits);
    if (!kept.empty()) gpus = kept;
  };
  if (device.sm_count > 0)
    keep([&](const Gpu* gpu) { return gpu->sm_count == static_cast<double>(device.sm_count); });
  const auto bytes = static_cast<double>(device.memory_bytes);
  if (bytes > 0)
    keep([&](const Gpu* gpu) {
      return gpu->memory_bytes && bytes > kLeastMemory * *gpu->memory_bytes &&
             bytes < kMostMemory * *gpu->memory_bytes;
    });
}

// A part of the multiprocessors has that part of the peak; more of them is another device.
void take_part(GpuMatch& match, const DeviceFacts& device, std::string_view what) {
  const Gpu& gpu = *match.candidates.front();
  const auto count = static_cast<double>(device.sm_count);
  if (device.sm_count == 0 || !gpu.sm_count || count > *gpu.sm_count) {
    match.candidates.clear();
    match.note =
        fmt::format("'{}' {}, and the log does not tell how large a part it is", device.name, what);
    return;
  }
  match.part = count / *gpu.sm_count;
  match.note =
      fmt::format("{} of {} multiprocessors of {}", device.sm_count, *gpu.sm_count, gpu.name);
}

}  // namespace

std::optional<GpuMatch::Range> GpuMatch::peak(format::DType dtype) const {
  std::optional<Range> range;
  for (const Gpu* gpu : candidates) {
    const auto peak = gpu->peak(dtype);
    if (!peak) return std::nullopt;
    const double value = *peak * part;
    if (!range) range = Range{value, value};
    range = Range{std::min(range->low, value), std::max(range->high, value)};
  }
  return range;
}

std::optional<double> GpuMatch::boost_mhz() const {
  if (candidates.empty()) return std::nullopt;
  for (const Gpu* gpu : candidates)
    if (gpu->boost_mhz != candidates.front()->boost_mhz) return std::nullopt;
  return candidates.front()->boost_mhz;
}

GpuMatch match_gpu(std::string_view name) {
  GpuMatch match;
  if (const Gpu* exact = find_gpu(name)) {
    match.candidates = {exact};
    return match;
  }
  match.candidates = by_words(name);
  const auto& found = match.candidates;
  if (found.size() < 2 || std::all_of(found.begin(), found.end(), [&](const Gpu* gpu) {
        return same_peaks(*gpu, *found.front());
      }))
    return match;
  std::vector<const Gpu*> sxm;
  std::copy_if(found.begin(), found.end(), std::back_inserter(sxm),
               [](const Gpu* gpu) { return is_sxm(*gpu); });
  if (sxm.empty() || !std::all_of(sxm.begin(), sxm.end(),
                                  [&](const Gpu* gpu) { return same_peaks(*gpu, *sxm.front()); }))
    return match;
  match.note = fmt::format("'{}' taken as {}; it may also be", name, sxm.front()->name);
  for (const Gpu* gpu : found)
    if (std::find(sxm.begin(), sxm.end(), gpu) == sxm.end())
      match.note += fmt::format(" {}", gpu->name);
  match.candidates = sxm;
  return match;
}

GpuMatch identify_gpu(const DeviceFacts& device) {
  GpuMatch match;
  constexpr std::string_view kSlice = " MIG ";
  if (const std::size_t slice = device.name.find(kSlice); slice != std::string_view::npos) {
    if (const Gpu* whole = find_gpu(device.name.substr(0, slice))) {
      match.candidates = {whole};
      take_part(match, device, "is an instance of a partitioned GPU");
    }
    return match;
  }
  const Gpu* const exact = find_gpu(device.name);
  if (!exact) return match;
  if (device.sm_count == 0 || !exact->sm_count || *exact->sm_count == device.sm_count) {
    // The bare name of a family is given by drivers to several of its members.
    match.candidates = words_of(device.name).size() == 1 ? by_words(words_of(device.name).front())
                                                         : std::vector<const Gpu*>{exact};
  } else {
    match.candidates = by_words(device.name);
  }
  if (match.candidates.empty()) match.candidates = {exact};
  const std::size_t possible = match.candidates.size();
  keep_fitting(match.candidates, device);
  if (match.candidates.size() < possible)
    match.note = fmt::format("{} by its multiprocessors and memory", match.candidates[0]->name);
  const Gpu& first = *match.candidates.front();
  if (device.sm_count > 0 && first.sm_count && *first.sm_count != device.sm_count)
    take_part(match, device, "is not the whole device of that name");
  return match;
}

}  // namespace mfushim::knowledge
