// One rule a family of kernels; names are mangled, as the runtime registers them.
#include "named_cost.hpp"

#include <charconv>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mfusim {
namespace {

using std::string_view;

// What a family's name says: bytes by thread or by block, or attention's tile.
struct Family {
  double bytes_per_thread = 16;
  double bytes_per_block = 0;
  double head = 0;           // attention: elements of a head
  double rows = 0;           // of the sequence that a block takes
  double flops_of_pair = 0;  // of a pair of sequence elements, for each element of a head
};

bool contains(string_view name, string_view part) {
  return name.find(part) != string_view::npos;
}

double number_at(string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The integral arguments of the template whose mangled name ends in `marker`: "ILi64ELi128E..." as
// 64, 128. A letter before each says its type.
std::vector<double> template_numbers(string_view name, string_view marker) {
  std::vector<double> numbers;
  size_t at = name.find(marker);
  if (at == string_view::npos) return numbers;
  for (at += marker.size(); at + 2 < name.size() && name[at] == 'L'; ++at) {
    numbers.push_back(number_at(name.substr(at + 2)));
    at = name.find('E', at);
    if (at == string_view::npos) break;
  }
  return numbers;
}

double number_or(const std::vector<double>& numbers, size_t index, double otherwise) {
  return index < numbers.size() && numbers[index] > 0 ? numbers[index] : otherwise;
}

// Bytes of an element, by the type that the name mentions.
double element_bytes(string_view name) {
  return contains(name, "BFloat16") || contains(name, "4Half") || contains(name, "6__half") ||
                 contains(name, "10bfloat16_t") || contains(name, "6half_t")
             ? 2
             : 4;
}

// ATen's loops over tensors: 8 elements a thread where memory is read in vectors, 4 where the loop
// is unrolled, else what the template says.
double loop_elements(string_view name) {
  if (contains(name, "vectorized_elementwise_kernelI")) return 8;
  if (contains(name, "unrolled_elementwise_kernelI")) return 4;
  return number_or(template_numbers(name, "elementwise_kernelI"), 1, 4);
}

// The arrays that a loop reads and writes, as std::array<char*, N> among its arguments.
double loop_arrays(string_view name) {
  return number_or(template_numbers(name, "arrayIPc"), 0,
                   number_or(template_numbers(name, "ArrayIPc"), 0, 2));
}

// A multi-tensor kernel's block takes a chunk of each list; lists are read, and most are written.
double multi_tensor_bytes(string_view name) {
  constexpr double kChunk = 65536;  // kChunkSize of ATen's MultiTensorApply.cuh
  const double lists = number_or(template_numbers(name, "TensorListMetadataI"), 0, 1);
  return kChunk * 2 * lists * element_bytes(name);
}

// reduce_kernel<threads, outputs of a thread, ReduceOp<..., unrolled loads, vector width>>.
double reduced_bytes(string_view name) {
  constexpr double kUnrolled = 4;  // vt0 of ReduceOp as ATen uses it
  const double bytes = element_bytes(name);
  return number_or(template_numbers(name, "reduce_kernelI"), 1, 1) * kUnrolled * (16 / bytes / 2) *
         bytes;
}

// FlashAttention 2's traits are <head, rows of queries, rows of keys, ...>. A product of attention
// takes 2 FLOPs; forward are two products, backward five. Causal ones, the second flag after the
// traits, do half.
Family flash_attention(string_view name) {
  const bool backward = contains(name, "flash_bwd_dq_dk_dv");
  const auto traits = template_numbers(name, "_kernel_traitsI");
  Family f;
  f.head = number_or(traits, 0, 128);
  f.rows = number_or(traits, backward ? 2 : 1, 128);
  const size_t end = name.find("EELb");
  const bool causal =
      end != string_view::npos && number_or(template_numbers(name.substr(end), "EE"), 1, 0) == 1;
  f.flops_of_pair = (backward ? 10 : 4) * (causal ? 0.5 : 1);
  return f;
}

// fmha_cutlass{F|B}_..._{rows}x{columns}_{rf|gmem|kHEAD}...: the columns bound the head where no k
// says it.
Family efficient_attention(string_view name) {
  const bool backward = contains(name, "fmha_cutlassB");
  Family f;
  const size_t times = name.find('x', name.find("aligned"));
  if (times == string_view::npos) return f;
  const size_t rows = name.rfind('_', times) + 1, head = name.find("_k", times);
  f.rows = number_at(name.substr(rows));
  f.head = number_at(name.substr(head != string_view::npos ? head + 2 : times + 1));
  f.flops_of_pair = backward ? 10 : 4;
  return f;
}

Family family_of(string_view name) {
  const double bytes = element_bytes(name);
  Family f;
  if (contains(name, "elementwise_kernelI")) {
    f.bytes_per_thread = loop_elements(name) * loop_arrays(name) * bytes;
  } else if (contains(name, "multi_tensor_apply_kernel")) {
    f.bytes_per_thread = 0;
    f.bytes_per_block = multi_tensor_bytes(name);
  } else if (contains(name, "reduce_kernelI")) {
    f.bytes_per_thread = reduced_bytes(name);
  } else if (contains(name, "GammaBetaBackward")) {
    f.bytes_per_thread = 64 * 2 * bytes;  // each column of a tile of 64 rows a thread, two tensors
  } else if (contains(name, "SoftMax")) {
    const double width = 16 / bytes;  // loads of 16 bytes, row by row, read and written
    f.bytes_per_thread = 2 * width * bytes;
  } else if (contains(name, "layer_norm") || contains(name, "rms_norm")) {
    f.bytes_per_thread = 2 * 4 * bytes;  // vectors of 4, read and written
  } else if (contains(name, "flash_fwd_kernel") || contains(name, "flash_bwd_dq_dk_dv")) {
    return flash_attention(name);
  } else if (contains(name, "fmha_cutlass")) {
    return efficient_attention(name);
  }
  return f;
}

const Family& known_family(const char* name) {
  static auto* mutex = new std::mutex;
  static auto* families = new std::unordered_map<const char*, Family>;
  const std::lock_guard lock(*mutex);
  const auto found = families->find(name);
  return found != families->end() ? found->second
                                  : families->emplace(name, family_of(name)).first->second;
}

}  // namespace

NamedCost named_cost(const char* name, const uint32_t (&grid)[3], const uint32_t (&block)[3]) {
  const Family& f = known_family(name);
  const double blocks = double(grid[0]) * grid[1] * grid[2];
  const double threads = blocks * block[0] * block[1] * block[2];
  NamedCost cost;
  cost.bytes = threads * f.bytes_per_thread + blocks * f.bytes_per_block;
  if (f.flops_of_pair > 0) {
    const double sequence = grid[0] * f.rows;  // keys as many as queries
    cost.flops = f.flops_of_pair * f.head * sequence * sequence * grid[1] * grid[2];
  }
  return cost;
}

}  // namespace mfusim
