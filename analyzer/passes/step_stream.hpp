// What a process asked its devices to do, in order, as tokens: equal work has equal symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.hpp"

namespace mfushim::passes {

enum class TokenKind : std::uint8_t {
  kKernel,
  kOptimizer,  // a kernel that updates weights, by its name
  kProduct,
  kOperation,
  kCollective,
  kGraph,
  kInput,  // a copy from the host
  kCopy,   // another, or a set
};

// Loading, logging and checkpoints are no evidence of a step's structure.
constexpr bool is_structure(TokenKind kind) {
  return kind != TokenKind::kInput && kind != TokenKind::kCopy;
}

struct Token {
  std::uint32_t symbol = 0;
  std::uint32_t weight = 1;  // device records of the call
  std::uint32_t call = 0;
  std::int64_t gap_ns = 0;  // of the host, since the call of the token before
};

struct TokenStream {
  std::vector<Token> tokens;
  std::vector<TokenKind> kinds;  // by symbol
};

// Sizes are left out of symbols, so that batches of varying size look alike.
TokenStream make_token_stream(const model::Process& process);

}  // namespace mfushim::passes
