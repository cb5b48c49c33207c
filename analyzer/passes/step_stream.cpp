// Merges the calls of all threads: frameworks do the backward pass on a thread of its own.
#include "passes/step_stream.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace mfushim::passes {

namespace {

using model::CallKind;
using model::HostCall;
using model::kNone;

// What was captured makes none; the launch of its graph does.
bool makes_token(const HostCall& call) {
  if (call.graph != 0) return false;
  switch (call.kind) {
    case CallKind::kLaunch:
    case CallKind::kGraphLaunch:
    case CallKind::kCopy:
    case CallKind::kSet:
    case CallKind::kGemm:
    case CallKind::kOperation:
    case CallKind::kCollective:
      return true;
    default:
      return false;
  }
}

bool is_memory(const HostCall& call) {
  return call.kind == CallKind::kCopy || call.kind == CallKind::kSet;
}

class StreamMaker {
 public:
  explicit StreamMaker(const model::Process& process)
      : process_(process),
        records_(process.calls.size()),
        configs_(process.calls.size()),
        is_input_(process.calls.size()) {}

  TokenStream make() {
    for (const auto& [device, list] : process_.work)
      for (const model::DeviceWork& work : list) {
        if (work.call == kNone || work.sampled) continue;
        ++records_[work.call];
        if (work.kind == model::WorkKind::kKernel) configs_[work.call] = work.config;
        if (work.copy_kind == format::CopyKind::kHostToDevice) is_input_[work.call] = true;
      }
    std::vector<std::uint32_t> order;
    bool lacks_names = false, has_work = false;
    for (std::uint32_t i = 0; i < process_.calls.size(); ++i) {
      if (process_.calls[i].result != 0 || !makes_token(process_.calls[i]) || !is_outermost(i))
        continue;
      if (is_nameless(i)) {
        lacks_names = true;
        continue;
      }
      has_work = has_work || !is_memory(process_.calls[i]);
      order.push_back(i);
    }
    // Copies alone tell nothing of steps whose other work is not known.
    if (lacks_names && !has_work) return {};
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      const HostCall& x = process_.calls[a];
      const HostCall& y = process_.calls[b];
      return std::tuple(x.start, x.sequence) < std::tuple(y.start, y.sequence);
    };
    if (!std::is_sorted(order.begin(), order.end(), before))
      std::stable_sort(order.begin(), order.end(), before);
    stream_.tokens.reserve(order.size());
    std::int64_t before_end = order.empty() ? 0 : process_.calls[order.front()].start;
    for (const std::uint32_t i : order) {
      stream_.tokens.push_back({symbol_of(i), std::max(records_[i], std::uint32_t{1}), i,
                                process_.calls[i].start - before_end});
      before_end = process_.calls[i].end;
    }
    if (std::count(stream_.kinds.begin(), stream_.kinds.end(), TokenKind::kOptimizer) == 0)
      for (const std::uint32_t symbol : foreach_) stream_.kinds[symbol] = TokenKind::kOptimizer;
    return std::move(stream_);
  }

 private:
  // What is around a call speaks for it.
  bool is_outermost(std::uint32_t call) const {
    for (std::uint32_t at = process_.calls[call].parent; at != kNone;
         at = process_.calls[at].parent)
      if (makes_token(process_.calls[at])) return false;
    return true;
  }

  std::uint32_t config_of(std::uint32_t index) const {
    const std::uint32_t subject = process_.calls[index].subject;
    return subject != 0 ? subject : configs_[index];
  }

  // Kernels whose names are lost would all look alike, and any period fit them; collectives too.
  bool is_nameless(std::uint32_t index) const {
    const HostCall& call = process_.calls[index];
    if (call.kind == CallKind::kLaunch)
      return process_.kernel_names[process_.configs[config_of(index)].kernel].text.empty();
    if (call.kind != CallKind::kCollective) return false;
    const format::CollectiveShape& s = process_.collectives[call.subject];
    return s.op == format::CollectiveOp::kUnknown && s.communicator == 0;
  }

  std::uint32_t symbol_of(std::uint32_t index) {
    const HostCall& call = process_.calls[index];
    switch (call.kind) {
      case CallKind::kLaunch:
        return kernel_symbol(config_of(index));
      case CallKind::kGemm: {
        const format::GemmShape& s = process_.shapes[call.subject];
        return intern(
            TokenKind::kProduct,
            static_cast<std::uint32_t>(s.trans_a) * 4 + static_cast<std::uint32_t>(s.trans_b),
            static_cast<std::uint32_t>(s.a) * 2 + (s.batch > 1));
      }
      case CallKind::kOperation: {
        const format::OperationShape& s = process_.operations[call.subject];
        return intern(TokenKind::kOperation, static_cast<std::uint32_t>(s.operation),
                      static_cast<std::uint32_t>(s.dtype));
      }
      case CallKind::kCollective: {
        const format::CollectiveShape& s = process_.collectives[call.subject];
        return intern(TokenKind::kCollective, s.communicator,
                      static_cast<std::uint32_t>(s.op) * 64 + static_cast<std::uint32_t>(s.dtype));
      }
      case CallKind::kGraphLaunch:
        return intern(TokenKind::kGraph, call.subject, 0);
      default:
        return intern(is_input_[index] ? TokenKind::kInput : TokenKind::kCopy, call.api, 0);
    }
  }

  std::uint32_t kernel_symbol(std::uint32_t config) {
    const std::uint32_t name = process_.configs[config].kernel;
    const std::string_view kernel_class = process_.kernel_names[name].facts.kernel_class;
    const bool updates = kernel_class == "optimizer";
    const std::size_t known = stream_.kinds.size();
    const std::uint32_t symbol =
        intern(updates ? TokenKind::kOptimizer : TokenKind::kKernel, name, 0);
    if (symbol == known && kernel_class == "foreach") foreach_.push_back(symbol);
    return symbol;
  }

  std::uint32_t intern(TokenKind kind, std::uint32_t a, std::uint32_t b) {
    const auto [at, added] = symbols_.try_emplace(std::tuple(kind, a, b),
                                                  static_cast<std::uint32_t>(stream_.kinds.size()));
    if (added) stream_.kinds.push_back(kind);
    return at->second;
  }

  const model::Process& process_;
  std::vector<std::uint32_t> records_;  // by call
  std::vector<std::uint32_t> configs_;  // by call, of its last kernel
  std::vector<bool> is_input_;          // by call
  std::map<std::tuple<TokenKind, std::uint32_t, std::uint32_t>, std::uint32_t> symbols_;
  // Kernels over lists of tensors also clip gradients: they only stand in for missing others.
  std::vector<std::uint32_t> foreach_;
  TokenStream stream_;
};

}  // namespace

TokenStream make_token_stream(const model::Process& process) {
  return StreamMaker(process).make();
}

}  // namespace mfushim::passes
