// Finds orphaned ring files and recovers each.
#include "read/ring_recovery.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "mfushim/format/ring_recovery.hpp"
#include "read/zstd_codec.hpp"

namespace mfushim::read {

namespace {

std::string problem_of(const format::RingOutcome& outcome) {
  switch (outcome.fate) {
    case format::RingFate::kOther:
      return "it was written by another build of mfushim";
    case format::RingFate::kNoLog:
      return "its log is no longer there";
    case format::RingFate::kChanged:
      return "its log is not as the process left it";
    case format::RingFate::kFailed:
      return std::generic_category().message(outcome.error);
    default:
      return {};
  }
}

// Nothing for rings in use, of others, or without content.
void recover_one(const std::string& path, format::DrainMemory& memory, ZstdCodec& codec,
                 std::vector<RecoveredRing>& found) {
  const auto outcome = format::recover_ring(path.c_str(), memory, codec.compressor());
  RecoveredRing ring{path, outcome.log_path.data(), outcome.records, problem_of(outcome)};
  if (outcome.fate == format::RingFate::kMoved || !ring.problem.empty())
    found.push_back(std::move(ring));
}

}  // namespace

std::vector<RecoveredRing> recover_rings(const std::string& folder) noexcept {
  std::vector<RecoveredRing> found;
  try {
    std::unique_ptr<format::DrainMemory> memory;
    ZstdCodec codec;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string path = entry.path().string();
      if (!entry.path().filename().string().starts_with(format::kRingPrefix)) continue;
      if (!memory) memory = std::make_unique_for_overwrite<format::DrainMemory>();
      recover_one(path, *memory, codec, found);
    }
  } catch (const std::exception&) {
    // No folder for rings, or no memory to look into them: there is nothing to recover from here.
  }
  return found;
}

std::vector<RecoveredRing> recover_rings() noexcept {
  const char* const folder = std::getenv("MFUSHIM_RING_DIR");
  return recover_rings(folder != nullptr && *folder != '\0' ? folder : format::kRingFolder);
}

}  // namespace mfushim::read
