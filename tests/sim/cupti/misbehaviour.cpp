// Reads MFUSIM_CUPTI: a word, for some of them with a number behind a colon.
#include "misbehaviour.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mfusim::cupti {
namespace {

struct Word {
  std::string_view name;
  void (*apply)(Misbehaviour& m, uint64_t number);  // 1 where none is given
};

template <CUptiResult refusal>
void refuse(Misbehaviour& m, uint64_t) {
  m.refusal = refusal;
}
template <Fault fault>
void spoil(Misbehaviour& m, uint64_t every) {
  m.fault = fault;
  m.every = uint32_t(every);
}
template <Delivery delivery>
void deliver(Misbehaviour& m, uint64_t) {
  m.delivery = delivery;
}

constexpr Word kWords[] = {
    {"refuse39", refuse<CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED>},
    {"refuse999", refuse<CUPTI_ERROR_UNKNOWN>},
    {"drop", spoil<Fault::kDrop>},
    {"lose", spoil<Fault::kLose>},
    {"zero", spoil<Fault::kZero>},
    {"swap", spoil<Fault::kSwap>},
    {"long", spoil<Fault::kLong>},
    {"early", spoil<Fault::kEarly>},
    {"reverse", deliver<Delivery::kReverse>},
    {"late", deliver<Delivery::kLate>},
    {"empty", deliver<Delivery::kEmpty>},
    {"slow", [](Misbehaviour& m, uint64_t ns) { m.slow_ns = ns; }},
};

Misbehaviour read_misbehaviour() {
  Misbehaviour m;
  const char* const text = getenv("MFUSIM_CUPTI");
  if (!text || !*text) return m;
  const std::string_view all(text), name = all.substr(0, all.find(':'));
  const uint64_t number =
      name.size() < all.size() ? strtoull(text + name.size() + 1, nullptr, 10) : 1;
  for (const Word& word : kWords) {
    if (word.name != name || number == 0) continue;
    word.apply(m, number);
    return m;
  }
  fprintf(stderr, "mfusim: unknown MFUSIM_CUPTI=%s\n", text);
  return m;
}

}  // namespace

const Misbehaviour& misbehaviour() {
  static const Misbehaviour m = read_misbehaviour();
  return m;
}

}  // namespace mfusim::cupti
