// What the name of a kernel says about it: one description for `mfushim explain` and for reports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mfushim::knowledge {

inline constexpr std::string_view kCommunicationClass = "comm";
inline constexpr std::string_view kOtherClass = "other";

// What multiplies: tensor cores, or the scalar units.
struct FlopsRule;
class UserRules;

enum class Pipe : std::uint8_t { kUnknown, kTensorCore, kSimt };

// Numbers are 0 and words empty where the name does not tell.
struct KernelFacts {
  std::string_view kernel_class = kOtherClass;
  std::string_view family;      // the generator or library whose grammar the name follows
  std::string_view dtype;       // of what it reads; of several, the narrowest
  std::string_view accumulate;  // type in which it sums
  std::string_view output;
  std::uint32_t arch = 0;      // compute capability of the code times 10, or the first of several
  bool arch_or_later = false;  // the name leaves open which of the later ones
  Pipe pipe = Pipe::kUnknown;
  // Elements that one block (or cluster of blocks) computes at a time: m x n x k of a product,
  // queries x keys of attention.
  std::uint32_t tile_m = 0;
  std::uint32_t tile_n = 0;
  std::uint32_t tile_k = 0;
  std::uint32_t stages = 0;
  std::string layout;  // n or t for each operand, in the order of the name
  std::string cluster;
  std::uint32_t alignment = 0;  // elements that loads need
  bool split_k = false;
  std::uint32_t head_dim = 0;
  std::uint32_t value_dim = 0;  // head dimension of the values, where it is another one
  bool causal = false;          // the template says so
  // Likewise of attention: all sequences are whole tiles, head dimensions are the template's, only
  // a window of the keys is looked at.
  bool even = false;
  bool even_head = false;
  bool windowed = false;
  bool backward = false;      // of attention
  bool converts = false;      // changes the type of elements, and hardly anything else
  std::uint64_t shape_n = 0;  // sizes of the product itself, compiled in
  std::uint64_t shape_k = 0;
  std::uint64_t rule_line = 0;                  // of the user's rule that decided the class
  std::shared_ptr<const FlopsRule> flops_rule;  // likewise; null: the rule tells no work
};

// The name as people read it: demangled where it is mangled, else as it is.
std::string demangle(const std::string& name);

// Of a demangled name, in the forms in which CUPTI, Nsight Systems and the fat binaries write it.
// `rules`, where there are any, have the last word.
KernelFacts describe_kernel(std::string_view demangled, const UserRules* rules = nullptr);

// All classes there are.
std::span<const std::string_view> kernel_classes();

// The work is (mostly) matrix products, whose FLOPs a recorded call has to tell.
bool is_product_class(std::string_view kernel_class);

}  // namespace mfushim::knowledge
