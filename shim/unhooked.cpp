// Keeps what was looked up without a hook; see unhooked.hpp.
#include "unhooked.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "recorder.hpp"

namespace mfushim::shim {

namespace {

// As facts of the log: "unhooked.NAME" = version asked.
struct Unhooked {
  std::array<char, 64> name;
  int version;
  std::atomic<bool> ready;
};
constinit std::array<Unhooked, 128> g_unhooked{};
constinit std::atomic<std::size_t> g_count{0};

void tell(const Unhooked& unhooked) noexcept {
  char key[96], value[16];
  std::snprintf(key, sizeof key, "unhooked.%s", unhooked.name.data());
  std::snprintf(value, sizeof value, "%d", unhooked.version);
  fact(key, value);
}

struct Family {
  std::string_view prefix;
  std::array<std::string_view, 8> work;
};
// The first whose prefix fits counts.
constexpr Family kFamilies[] = {
    {"cublas", {"gemm", "Gemm", "Matmul"}},
    {"cudnn", {"Execute", "Forward", "Backward"}},
    {"cu", {"Launch", "Memcpy", "Memset"}},
    {"__cuda", {"Launch"}},
    {"nccl", {"Reduce", "Gather", "Scatter", "Broadcast", "lltoAll", "Send", "Recv", "Signal"}},
    {"pnccl", {"Reduce", "Gather", "Scatter", "Broadcast", "lltoAll", "Send", "Recv", "Signal"}}};

// Of names that only describe such work.
constexpr std::string_view kDescribes[] = {"Node", "Get",    "Set",  "Desc", "Algo", "Preference",
                                           "Attr", "Params", "Type", "Size", "Redop"};

}  // namespace

bool may_do_work(std::string_view name) noexcept {
  const auto has = [name](std::string_view part) {
    return !part.empty() && name.find(part) != name.npos;
  };
  const auto family = std::ranges::find_if(
      kFamilies, [name](const Family& f) { return name.starts_with(f.prefix); });
  return family != std::end(kFamilies) && std::ranges::any_of(family->work, has) &&
         std::ranges::none_of(kDescribes, has);
}

void count_unhooked(std::string_view name, int version) noexcept {
  name = name.substr(0, sizeof Unhooked::name - 1);
  const std::size_t count = std::min(g_count.load(), g_unhooked.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Unhooked& known = g_unhooked[i];
    if (known.ready.load() && known.version == version && name == known.name.data()) return;
  }
  if (count == g_unhooked.size()) return;
  const std::size_t index = g_count.fetch_add(1);
  if (index >= g_unhooked.size()) return;
  Unhooked& unhooked = g_unhooked[index];
  std::memcpy(unhooked.name.data(), name.data(), name.size());
  unhooked.version = version;
  unhooked.ready.store(true);
  if (recording()) tell(unhooked);
}

void tell_unhooked() noexcept {
  for (const Unhooked& unhooked : g_unhooked)
    if (unhooked.ready.load()) tell(unhooked);
}

}  // namespace mfushim::shim
