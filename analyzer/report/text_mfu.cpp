// MFU by the model where it is known, else by the executed work; then numerator and denominator.
#include "report/text_mfu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "knowledge/enum_names.hpp"
#include "report/doubts.hpp"
#include "report/text_format.hpp"

namespace mfushim::report {

namespace {

using passes::Analysis;
using passes::Efficiency;
using passes::ModelMfu;

std::string range(double low, double high) {
  return fmt::format("{:.1f}..{:.1f} %", low * 100, high * 100);
}

void print_observed_head(std::string& out, const Analysis& a) {
  const Efficiency& e = a.efficiency;
  if (e.value && e.causal != e.noncausal)
    print(out, "MFU {} causal   {} full square", percent(*e.causal), percent(*e.noncausal));
  else if (e.value)
    print(out, "MFU {}", percent(*e.value));
  if (e.value && a.work.is_inferred)
    print(out, "   inferred: without what is done again   HFU {} of all that was executed\n",
          percent(*e.hfu));
  else if (e.value)
    print(out, "   of the work that was executed{}\n",
          e.hfu == e.value ? ": without a model, MFU and HFU are one"
                           : fmt::format("   HFU {}", percent(*e.hfu)));
  else if (e.low && e.high)
    print(out, "MFU {}   of the work that was executed: {}\n", range(*e.low, *e.high),
          e.absent_because);
  else
    print(out, "MFU unknown: {}\n", e.absent_because);
}

void print_model_head(std::string& out, const ModelMfu& m, const Analysis& a) {
  const Efficiency& e = a.efficiency;
  if (!m.value && m.low && m.high)
    print(out, "MFU {} {}   {}\n", range(*m.low, *m.high), knowledge::name_of(m.convention),
          e.absent_because);
  else if (!m.value)
    print(out, "MFU unknown: {}\n", e.absent_because);
  else if (m.causal && m.noncausal)
    print(out, "MFU {} causal   {} full square", percent(*m.causal), percent(*m.noncausal));
  else
    print(out, "MFU {} {}", percent(*m.value), knowledge::name_of(m.convention));
  if (!m.value) return;
  // A share of the work that is not seen makes of what was executed a lower bound.
  if (const auto hfu = m.hfu ? m.hfu : e.hfu)
    print(out, "   HFU {}{}{}", a.work.unknown_share.value_or(0) > 0 ? "at least " : "",
          percent(*hfu), m.hfu ? "" : " over the whole log");
  out += '\n';
}

void print_model_work(std::string& out, const ModelMfu& m) {
  print(out, "  work   {}/token ({}{}) x {} tokens/step{} = {}\n", si(m.flops_per_token, "FLOP"),
        m.name.empty() ? "parameters as given" : m.name,
        m.seq > 0 ? fmt::format(", sequence {:.0f}", m.seq) : "",
        count(static_cast<std::uint64_t>(m.tokens_per_step)),
        m.tokens_are_inferred ? " (inferred)" : "", si(m.flops_per_step, "FLOP"));
  print(out, "         on {:.0f} GPUs", m.gpus);
  if (static_cast<double>(m.ranks) < m.gpus) print(out, ", of which {} have logs", m.ranks);
  print(out, "; {} of {} in the mean: {} tokens/s\n", plural(m.steps.count, "step"),
        duration(std::llround(m.steps.mean_s * 1e9)),
        count(static_cast<std::uint64_t>(m.tokens_per_s)));
  if (m.low && m.high && m.steps.count > 1)
    print(out, "  range  {}: two standard errors of the steps' mean\n", range(*m.low, *m.high));
}

void print_observed_work(std::string& out, const Analysis& a) {
  const char* label = a.model_mfu ? "seen  " : "work  ";
  if (a.work.exact > 0) {
    print(out, "  {} {} in {}{}, from recorded shapes\n", label,
          si(static_cast<double>(a.work.exact), "FLOP"),
          plural(a.products.executions, "matrix product"),
          a.operations.flops > 0 ? " and in operations of network libraries" : "");
    label = "      ";
  }
  if (a.work.modelled > 0)
    print(out, "  {} {} ({} to {}) in {} that no call announces, by their names and grids\n", label,
          si(static_cast<double>(a.work.modelled), "FLOP"), si(a.work.modelled_low, "FLOP"),
          si(a.work.modelled_high, "FLOP"), plural(a.kernels.modelled.calls, "kernel"));
}

void print_range(std::string& out, const Analysis& a) {
  const Efficiency& e = a.efficiency;
  const double unknown = a.work.unknown_share.value_or(0);
  if (!e.value || (unknown <= 0 && a.work.modelled == 0)) return;
  print(out, "  range  {}:", range(*e.low, *e.high));
  if (a.work.modelled > 0)
    print(out, " {} of the work is modelled", percent(a.work.modelled_share()));
  if (unknown > 0)
    print(out, "{} {} of compute time multiplies matrices of sizes that no record tells",
          a.work.modelled > 0 ? "," : "", percent(unknown));
  out += '\n';
}

std::string_view origin_of(passes::PeakSource source) {
  switch (source) {
    case passes::PeakSource::kDatasheet:
      return "data sheet";
    case passes::PeakSource::kMeasured:
      return "measured";
    case passes::PeakSource::kClockAdjusted:
      return "data sheet's at the clock that was";
    case passes::PeakSource::kGiven:
      return "as given";
  }
  return {};
}

void print_padding(std::string& out, const Analysis& a) {
  if (!a.padding) {
    if (a.inference && a.inference->tokens_per_step())
      print(out, "  padding not checked: --tokens-per-step tells the tokens that count\n");
    return;
  }
  const passes::Padding& p = *a.padding;
  if (p.computed) {
    print(out, "  tokens {} of a step count, {} are computed: {}\n",
          count(static_cast<std::uint64_t>(p.useful)),
          count(static_cast<std::uint64_t>(*p.computed)),
          p.share() ? percent(*p.share()) + " padding" : "the first figure must be wrong");
  }
  if (p.per_s)
    print(out, "  {} {:.4g} tokens/s that count, {:.4g} per GPU\n",
          p.computed ? "      " : "tokens", *p.per_s, *p.per_s / p.gpus);
}

void print_peak(std::string& out, const Efficiency& e) {
  if (!e.peak_range) return;
  const std::string dtype(knowledge::name_of(e.dtype));
  if (!e.peak) {
    print(out, "  peak   {} or {} {} dense\n", si(e.peak_range->low, "FLOP/s"),
          si(e.peak_range->high, "FLOP/s"), dtype);
    return;
  }
  print(out, "  peak   {} {} dense, {}", si(*e.peak, "FLOP/s"), dtype, origin_of(e.peak_source));
  if (e.peak_source != passes::PeakSource::kDatasheet && e.datasheet_peak)
    print(out, "; {} of the data sheet's {}", percent(*e.peak / *e.datasheet_peak),
          si(*e.datasheet_peak, "FLOP/s"));
  out += '\n';
  if (!e.peak_note.empty()) print(out, "         {}\n", e.peak_note);
}

// The MFU that stands at the head.
std::optional<double> headline(const Analysis& a) {
  const bool by_model = a.model_mfu && a.model_mfu->absent_because.empty();
  return by_model ? a.model_mfu->value : a.efficiency.value;
}

// What the same work is against the peaks that were not taken.
void print_other_peaks(std::string& out, const Analysis& a) {
  const Efficiency& e = a.efficiency;
  const auto mfu = headline(a);
  if (!mfu || !e.peak) return;
  const auto against = [&](double peak) { return percent(*mfu * *e.peak / peak); };
  if (e.measured_peak && e.peak_source != passes::PeakSource::kMeasured)
    print(out, "         {} measured: MFU {}\n", si(*e.measured_peak, "FLOP/s"),
          against(*e.measured_peak));
  if (!e.clock_adjusted) return;
  print(out, "  clock  {:.0f} MHz while the GPUs worked, data sheet's peak at {:.0f}",
        e.clock_adjusted->mean_mhz, e.clock_adjusted->boost_mhz);
  if (e.peak_source != passes::PeakSource::kClockAdjusted)
    print(out, ": MFU {} of {}", against(e.clock_adjusted->flops_per_s),
          si(e.clock_adjusted->flops_per_s, "FLOP/s"));
  out += '\n';
}

// On the GPU where each was worst.
void print_clock_limits(std::string& out, const Analysis& a) {
  std::map<std::string_view, double> worst;
  for (const auto& clock : a.clocks) {
    if (!clock) continue;
    for (const passes::DeviceClock::Limit& limit : clock->limits)
      worst[limit.name] = std::max(worst[limit.name], limit.share);
  }
  for (const auto& [name, share] : worst)
    print(out, "         held back by {} in {} of the busy time{}\n", name, percent(share),
          a.run->ranks.size() > 1 ? " of the worst GPU" : "");
}

void print_doubts_of(std::string& out, const ModelMfu& m) {
  if (m.causes.empty()) return;
  if (m.of_observed && knowledge::is_mismatch(*m.of_observed))
    print(out, "  DOUBT  the model's work is {:.3g} times what was executed; it would be\n",
          *m.of_observed);
  else
    print(out, "  DOUBT  this MFU is {}; it would be\n", verdict_of(*m.value));
  print_causes(out, m.causes, "       usual", "       and still not usual");
}

}  // namespace

void print_mfu(std::string& out, const Analysis& a) {
  const Efficiency& e = a.efficiency;
  const ModelMfu* model =
      a.model_mfu && a.model_mfu->absent_because.empty() ? &*a.model_mfu : nullptr;
  if (model)
    print_model_head(out, *model, a);
  else
    print_observed_head(out, a);
  if (a.model_mfu && !model) print(out, "  model  not used: {}\n", a.model_mfu->absent_because);
  if (model) print_model_work(out, *model);
  print_observed_work(out, a);
  if (a.products.unknown_shapes > 0)
    print(out, "         {} more have shapes that the host never sees\n",
          count(a.products.unknown_shapes));
  if (e.is_by_steps)
    print(out, "  time   of the steps on the host, {} each: no GPU times were recorded\n",
          duration(std::llround(*a.mean_step_s() * 1e9)));
  print_peak(out, e);
  print_other_peaks(out, a);
  print_clock_limits(out, a);
  if (!model) print_range(out, a);
  print_padding(out, a);
  if (e.flops_per_s) print(out, "  speed  {} per GPU\n", si(*e.flops_per_s, "FLOP/s"));
  if (model) print_doubts_of(out, *model);
  if (e.causes.empty()) return;
  print(out, "  DOUBT  executed work is {}; it would be\n", verdict_of(*e.hfu));
  print_causes(out, e.causes, "       possible", "       and still not");
}

}  // namespace mfushim::report
