// Small questions that a run answers about itself.
#include "model/run.hpp"

#include <charconv>

namespace mfushim::model {

const std::string& Process::fact(std::string_view key) const {
  static const std::string kMissing;
  const auto found = facts.find(key);
  return found == facts.end() ? kMissing : found->second;
}

std::optional<std::int64_t> Process::integer_fact(std::string_view key) const {
  const std::string& text = fact(key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const DeviceInfo* Rank::device_info() const {
  if (!device) return nullptr;
  const auto found = process->devices.find(*device);
  return found == process->devices.end() ? nullptr : &found->second;
}

}  // namespace mfushim::model
