// docs/format.md says what the code does: its table of records is made of the same fields.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "knowledge/enum_names.hpp"
#include "read/text_form.hpp"
#include "support.hpp"

namespace mfushim {
namespace {

template <class Value>
std::string type_name() {
  if constexpr (std::is_same_v<Value, std::string_view>)
    return "text";
  else if constexpr (std::is_enum_v<Value>)
    return type_name<std::underlying_type_t<Value>>();
  else
    return fmt::format("{}{}", std::is_signed_v<Value> ? 'i' : 'u', 8 * sizeof(Value));
}

std::string transform_name(format::Transform transform) {
  switch (transform) {
    case format::Transform::kPlain:
      return "";
    case format::Transform::kDelta:
      return " delta";
    case format::Transform::kSinceEnd:
      return " end";
    case format::Transform::kByKey:
      return " key";
  }
  return "?";
}

template <class Record>
std::string table_row() {
  std::string fields;
  const auto add = [&](const auto& field) {
    using Value = format::detail::FieldValue<decltype(field), Record>;
    fields += fmt::format("{}`{}` {}{}", fields.empty() ? "" : ", ", field.name, type_name<Value>(),
                          transform_name(field.transform));
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, Record::fields());
  for (const auto& [kind, name] : read::kKindNames)
    if (kind == Record::kKind)
      return fmt::format("| {} | `{}` | {} |", static_cast<int>(kind), name, fields);
  return "no name";
}

template <class Enum>
void check_words(const std::string& document) {
  std::string words;
  for (unsigned v = 0; !knowledge::name_of(static_cast<Enum>(v)).empty(); ++v)
    words +=
        fmt::format("{}{} `{}`", v == 0 ? "" : ", ", v, knowledge::name_of(static_cast<Enum>(v)));
  INFO(words);
  CHECK(document.find("| " + words + " |") != std::string::npos);
}

}  // namespace

TEST_CASE("the document has every record with its fields in order", "[format]") {
  const std::string document = test::read_file(MFUSHIM_SOURCE "/docs/format.md");
  REQUIRE_FALSE(document.empty());
  const auto check_row = [&](const std::string& row) {
    INFO(row);
    CHECK(document.find("\n" + row + "\n") != std::string::npos);
  };
  [&]<class... R>(std::tuple<R...>*) {
    (check_row(table_row<R>()), ...);
  }(static_cast<format::AllRecords*>(nullptr));
}

TEST_CASE("the document has every word of every enumeration", "[format]") {
  const std::string document = test::read_file(MFUSHIM_SOURCE "/docs/format.md");
  check_words<format::DType>(document);
  check_words<format::CopyKind>(document);
  check_words<format::CollectiveOp>(document);
  check_words<format::Reduction>(document);
  check_words<format::ProductKind>(document);
  check_words<format::OperationKind>(document);
  check_words<format::Transpose>(document);
  check_words<format::GpuTimeSource>(document);
  check_words<format::LossCause>(document);
}

}  // namespace mfushim
