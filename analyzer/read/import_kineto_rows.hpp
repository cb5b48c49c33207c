// One row of a Chrome trace as Kineto writes it: what is looked at, as it stands in the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "read/json_cursor.hpp"

namespace mfushim::read {

// Raw contents of strings (escapes as they are) or the text of other values; empty when absent.
struct TraceRow {
  std::string_view phase, category, name, pid, tid;
  std::string_view start, duration;  // "ts" and "dur", microseconds
  std::string_view arguments;        // the object "args" as written
};

// Reads the object ahead. Later members replace earlier ones of the same name.
void read_row(JsonCursor& cursor, TraceRow& row);

// What a row is, by its category.
enum class RowKind : std::uint8_t {
  kIgnored,  // known, and nothing that a log has room for
  kUnknown,  // a category that this importer never heard of
  kGpuKernel,
  kGpuCopy,
  kGpuSet,
  kApiCall,
  kOperator,    // of the framework
  kAnnotation,  // span that the program named
};

RowKind row_kind(const TraceRow& row);

// The arguments of device work and of calls. Numbers are 0 when absent.
struct WorkArguments {
  std::int64_t device = -1;  // -1: not told
  std::int64_t context = 0, stream = 0;
  bool has_stream = false;
  std::uint64_t correlation = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t registers = 0, shared_memory = 0;
  std::uint64_t graph = 0, graph_node = 0;
  std::string_view copy_kind;  // raw, ROCm's "kind"
  std::string_view kernel;     // raw; ROCm tells it with the launch
};

WorkArguments read_work_arguments(std::string_view arguments);

// The arguments of a framework's operator: shapes of its inputs, or what it tells of a collective.
struct OperatorArguments {
  std::string_view dimensions, strides, types, concrete;  // "Input Dims" and so on, as written
  std::string_view collective, dtype;                     // raw strings
  std::string_view group_name, group_ranks;
  std::int64_t group_size = -1;
  std::optional<std::uint64_t> in_elements, out_elements;
  std::int64_t source = -1, destination = -1;  // peers of send and receive
};

OperatorArguments read_operator_arguments(std::string_view arguments);

// A whole number, or empty; numbers with a fraction of zeros count.
std::optional<std::int64_t> to_integer(std::string_view text);

}  // namespace mfushim::read
