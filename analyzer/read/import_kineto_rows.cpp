// Members of rows and their arguments by name; everything else is passed over.
#include "read/import_kineto_rows.hpp"

#include <algorithm>
#include <charconv>

namespace mfushim::read {

namespace {

template <class T, class Members>
void read_members(std::string_view object, T& into, const Members& members) {
  if (!object.starts_with('{')) return;
  JsonCursor cursor(object);
  for_each_member(cursor, [&](std::string_view key, JsonCursor& c) {
    const std::string_view text = c.text();
    for (const auto& [name, store] : members)
      if (key == name) return store(into, text);
  });
}

template <class T>
struct Member {
  std::string_view name;
  void (*store)(T&, std::string_view);
};

template <class Number>
void store_number(Number& to, std::string_view text) {
  if (const auto value = to_integer(text); value && *value >= 0) to = static_cast<Number>(*value);
}

void store_triple(std::array<std::uint32_t, 3>& to, std::string_view text) {
  if (!text.starts_with('[')) return;
  JsonCursor cursor(text);
  std::size_t i = 0;
  for_each_element(cursor, [&](JsonCursor& c) {
    const std::string_view element = c.text();
    if (i < to.size()) store_number(to[i], element);
    ++i;
  });
}

constexpr std::array<Member<WorkArguments>, 14> kWorkMembers = {{
    {"device", [](WorkArguments& a, std::string_view t) { store_number(a.device, t); }},
    {"context", [](WorkArguments& a, std::string_view t) { store_number(a.context, t); }},
    {"stream",
     [](WorkArguments& a, std::string_view t) {
       if (const auto value = to_integer(t)) {
         a.stream = *value;
         a.has_stream = true;
       }
     }},
    {"correlation", [](WorkArguments& a, std::string_view t) { store_number(a.correlation, t); }},
    {"bytes", [](WorkArguments& a, std::string_view t) { store_number(a.bytes, t); }},
    {"size", [](WorkArguments& a, std::string_view t) { store_number(a.bytes, t); }},
    {"grid", [](WorkArguments& a, std::string_view t) { store_triple(a.grid, t); }},
    {"block", [](WorkArguments& a, std::string_view t) { store_triple(a.block, t); }},
    {"registers per thread",
     [](WorkArguments& a, std::string_view t) { store_number(a.registers, t); }},
    {"shared memory",
     [](WorkArguments& a, std::string_view t) { store_number(a.shared_memory, t); }},
    {"graph id", [](WorkArguments& a, std::string_view t) { store_number(a.graph, t); }},
    {"graph node id", [](WorkArguments& a, std::string_view t) { store_number(a.graph_node, t); }},
    {"kind", [](WorkArguments& a, std::string_view t) { a.copy_kind = t; }},
    {"kernel", [](WorkArguments& a, std::string_view t) { a.kernel = t; }},
}};

void store_elements(std::optional<std::uint64_t>& to, std::string_view text) {
  if (const auto value = to_integer(text); value && *value >= 0)
    to = static_cast<std::uint64_t>(*value);
}

constexpr std::array<Member<OperatorArguments>, 13> kOperatorMembers = {{
    {"Input Dims", [](OperatorArguments& a, std::string_view t) { a.dimensions = t; }},
    {"Input Strides", [](OperatorArguments& a, std::string_view t) { a.strides = t; }},
    {"Concrete Inputs", [](OperatorArguments& a, std::string_view t) { a.concrete = t; }},
    {"Input type", [](OperatorArguments& a, std::string_view t) { a.types = t; }},
    {"Collective name", [](OperatorArguments& a, std::string_view t) { a.collective = t; }},
    {"dtype", [](OperatorArguments& a, std::string_view t) { a.dtype = t; }},
    {"Process Group Name", [](OperatorArguments& a, std::string_view t) { a.group_name = t; }},
    {"Process Group Ranks", [](OperatorArguments& a, std::string_view t) { a.group_ranks = t; }},
    {"Group size", [](OperatorArguments& a, std::string_view t) { store_number(a.group_size, t); }},
    {"In msg nelems",
     [](OperatorArguments& a, std::string_view t) { store_elements(a.in_elements, t); }},
    {"Out msg nelems",
     [](OperatorArguments& a, std::string_view t) { store_elements(a.out_elements, t); }},
    {"Src Rank", [](OperatorArguments& a, std::string_view t) { store_number(a.source, t); }},
    {"Dst Rank", [](OperatorArguments& a, std::string_view t) { store_number(a.destination, t); }},
}};

struct Category {
  std::string_view name;  // in lower case
  RowKind kind;
};

// Kineto's categories, today's and those before 2022 ("Kernel", "Runtime", "Operator").
constexpr std::array<Category, 24> kCategories = {{
    {"kernel", RowKind::kGpuKernel},
    {"gpu_memcpy", RowKind::kGpuCopy},
    {"memcpy", RowKind::kGpuCopy},
    {"gpu_memset", RowKind::kGpuSet},
    {"memset", RowKind::kGpuSet},
    {"cuda_runtime", RowKind::kApiCall},
    {"cuda_driver", RowKind::kApiCall},
    {"runtime", RowKind::kApiCall},
    {"driver", RowKind::kApiCall},
    {"hip_runtime", RowKind::kApiCall},
    {"privateuse1_runtime", RowKind::kApiCall},
    {"cpu_op", RowKind::kOperator},
    {"operator", RowKind::kOperator},
    {"user_annotation", RowKind::kAnnotation},
    {"", RowKind::kIgnored},
    {"python_function", RowKind::kIgnored},
    {"gpu_user_annotation", RowKind::kIgnored},
    {"cuda_sync", RowKind::kIgnored},  // how long a stream was waited for; the call says so too
    {"overhead", RowKind::kIgnored},
    {"trace", RowKind::kIgnored},
    {"cuda_profiler_range", RowKind::kIgnored},
    {"external_correlation", RowKind::kIgnored},
    {"ac2g", RowKind::kIgnored},
    {"fwdbwd", RowKind::kIgnored},
}};

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
  });
}

}  // namespace

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  if (at == end) return value;
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of('0', 1) == std::string_view::npos)
    return value;
  return std::nullopt;
}

void read_row(JsonCursor& cursor, TraceRow& row) {
  row = {};
  for_each_member(cursor, [&](std::string_view key, JsonCursor& c) {
    const std::string_view text = c.text();
    if (key == "ph")
      row.phase = text;
    else if (key == "cat")
      row.category = text;
    else if (key == "name")
      row.name = text;
    else if (key == "pid")
      row.pid = text;
    else if (key == "tid")
      row.tid = text;
    else if (key == "ts")
      row.start = text;
    else if (key == "dur")
      row.duration = text;
    else if (key == "args")
      row.arguments = text;
  });
}

RowKind row_kind(const TraceRow& row) {
  if (row.phase != "X") return RowKind::kIgnored;
  for (const Category& known : kCategories)
    if (equals_ignoring_case(row.category, known.name)) return known.kind;
  return RowKind::kUnknown;
}

WorkArguments read_work_arguments(std::string_view arguments) {
  WorkArguments result;
  read_members(arguments, result, kWorkMembers);
  return result;
}

OperatorArguments read_operator_arguments(std::string_view arguments) {
  OperatorArguments result;
  read_members(arguments, result, kOperatorMembers);
  return result;
}

}  // namespace mfushim::read
