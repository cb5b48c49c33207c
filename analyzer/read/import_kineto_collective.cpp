// Element counts as NCCL's calls take them, and communicators as all their ranks know them.
#include "read/import_kineto_collective.hpp"

#include "read/import_kineto_names.hpp"
#include "read/import_kineto_product.hpp"

namespace mfushim::read {

namespace {

using format::CollectiveOp;

struct Sizes {
  std::uint64_t in = 0, out = 0;
};

// The inputs' elements, from a row that tells sizes only.
std::optional<std::uint64_t> count_inputs(std::string_view dimensions) {
  if (!dimensions.starts_with('[')) return std::nullopt;
  std::uint64_t total = 0;
  JsonCursor cursor(dimensions);
  for_each_element(cursor, [&](JsonCursor& c) {
    const auto sizes = read_sizes(c);
    if (!sizes || sizes->empty()) return;
    std::uint64_t elements = 1;
    for (const std::uint64_t size : *sizes) elements *= size;
    total += elements;
  });
  return total == 0 ? std::nullopt : std::optional(total);
}

std::string_view first_type(std::string_view types) {
  std::string_view first;
  if (types.starts_with('[')) {
    JsonCursor cursor(types);
    for_each_element(cursor, [&](JsonCursor& c) {
      const std::string_view type = c.text();
      if (first.empty()) first = type;
    });
  }
  return first;
}

// The count argument of the NCCL call that moves these elements.
std::uint64_t call_count(CollectiveOp op, const Sizes& sizes, std::uint64_t ranks) {
  switch (op) {
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kScatter:
    case CollectiveOp::kRecv:
      return sizes.out;
    case CollectiveOp::kAllToAll:
      return sizes.in / ranks;
    default:
      return sizes.in;
  }
}

// FNV-1a: equal on all ranks because they describe the group in the same words.
std::uint64_t group_hash(std::string_view name, std::string_view ranks, std::int64_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    hash *= 0x100000001b3ULL;
  };
  add(name);
  add(ranks);
  return (hash ^ static_cast<std::uint64_t>(size)) * 0x100000001b3ULL;
}

// The place of `rank` in a list as in "[0, 4]"; -1 when it is not there.
std::int32_t place_in_group(std::string_view ranks, std::int64_t rank) {
  if (!ranks.starts_with('[') || !ranks.ends_with(']')) return -1;
  ranks = ranks.substr(1, ranks.size() - 2);
  for (std::int32_t place = 0; !ranks.empty(); ++place) {
    const auto comma = ranks.find(',');
    std::string_view one = ranks.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (rank >= 0 && to_integer(one) == rank) return place;
    ranks = comma == ranks.npos ? std::string_view{} : ranks.substr(comma + 1);
  }
  return -1;
}

format::Communicator communicator(const OperatorArguments& arguments, const ProcessInJob& process) {
  const bool whole_job = arguments.group_ranks.empty() && arguments.group_name.empty();
  format::Communicator result;
  const std::int64_t size = arguments.group_size >= 0 ? arguments.group_size
                            : whole_job               ? process.world_size
                                                      : -1;
  result.size = static_cast<std::int32_t>(size);
  result.rank = whole_job ? static_cast<std::int32_t>(process.rank)
                          : place_in_group(arguments.group_ranks, process.rank);
  result.name = arguments.group_name;
  result.hash = group_hash(arguments.group_name, arguments.group_ranks, size);
  return result;
}

}  // namespace

bool may_be_collective(std::string_view name) {
  return name == "record_param_comms" || name.starts_with("nccl:");
}

std::optional<CollectiveCall> collective_call(std::string_view name,
                                              const OperatorArguments& arguments,
                                              const ProcessInJob& process) {
  const auto op = collective_op(arguments.collective.empty() ? name : arguments.collective);
  if (!op) return std::nullopt;
  CollectiveCall call;
  call.communicator = communicator(arguments, process);
  const std::uint64_t ranks =
      call.communicator.size > 0 ? static_cast<std::uint64_t>(call.communicator.size) : 1;
  Sizes sizes;
  if (arguments.in_elements || arguments.out_elements) {
    sizes.in = arguments.in_elements.value_or(0);
    sizes.out = arguments.out_elements.value_or(0);
  } else if (const auto elements = count_inputs(arguments.dimensions)) {
    sizes.in = *elements;
    sizes.out = *op == CollectiveOp::kReduceScatter || *op == CollectiveOp::kScatter
                    ? *elements / ranks
                    : *elements;
  }
  call.shape.op = *op;
  call.shape.count = call_count(*op, sizes, ranks);
  call.shape.dtype =
      element_type(arguments.dtype.empty() ? first_type(arguments.types) : arguments.dtype);
  if (*op == CollectiveOp::kSend)
    call.shape.peer = static_cast<std::int32_t>(arguments.destination);
  if (*op == CollectiveOp::kRecv) call.shape.peer = static_cast<std::int32_t>(arguments.source);
  return call;
}

}  // namespace mfushim::read
