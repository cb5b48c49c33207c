// Log to text: every record with the names that its own table gives its fields.
#include <fmt/format.h>

#include <iterator>
#include <type_traits>

#include "knowledge/enum_names.hpp"
#include "read/text_form.hpp"

namespace mfushim::read {

namespace {

void write_quoted(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append(std::string_view("\\n"));
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

template <class Value>
void write_value(fmt::memory_buffer& out, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    write_quoted(out, value);
  } else if constexpr (std::is_enum_v<Value>) {
    std::string_view name;
    if constexpr (std::is_same_v<Value, format::Kind>)
      name = kind_name(value);
    else
      name = knowledge::name_of(value);
    if (name.empty())
      fmt::format_to(std::back_inserter(out), "{}", static_cast<unsigned>(value));
    else
      out.append(name);
  } else {
    fmt::format_to(std::back_inserter(out), "{}", +value);
  }
}

void write_hex(fmt::memory_buffer& out, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t b : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", b);
}

class Dumper {
 public:
  explicit Dumper(std::FILE* out) : out_(out) {}

  void header(const format::FileHeader& h) {
    fmt::format_to(std::back_inserter(buffer_),
                   "{} major={} minor={} quirks={} created_unix_ns={} log_id=", kTextMagic, h.major,
                   h.minor, h.quirks, h.created_unix_ns);
    write_hex(buffer_, h.log_id);
    fmt::format_to(std::back_inserter(buffer_), " ticks_per_second={}\n", h.ticks_per_second);
  }

  void segment(const format::SegmentHeader& h) {
    fmt::format_to(std::back_inserter(buffer_),
                   "\nsegment sequence={} first_ticks={} last_ticks={} flags={}\n", h.sequence,
                   h.first_ticks, h.last_ticks, h.flags);
  }

  template <class Record>
  void records(std::uint32_t lane, std::span<const Record> records) {
    fmt::format_to(std::back_inserter(buffer_), "block {} lane={}\n", kind_name(Record::kKind),
                   lane);
    for (const Record& record : records) {
      std::apply([&](const auto&... field) { (write_field(record, field), ...); },
                 Record::fields());
      buffer_.push_back('\n');
    }
    flush();
  }

  void unknown(const format::BlockHeader& block, std::span<const std::uint8_t> bytes) {
    fmt::format_to(std::back_inserter(buffer_),
                   "block {} kind={} lane={} count={} columns={} bytes=", kUnknownBlock, block.kind,
                   block.lane, block.count, block.columns);
    write_hex(buffer_, bytes);
    buffer_.push_back('\n');
  }

  void flush() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), out_);
    buffer_.clear();
  }

 private:
  void write_field(const auto& record, const auto& field) {
    buffer_.append(std::string_view("  "));
    buffer_.append(std::string_view(field.name));
    buffer_.push_back('=');
    write_value(buffer_, record.*field.member);
  }

  std::FILE* out_;
  fmt::memory_buffer buffer_;
};

}  // namespace

void dump(LogReader& reader, std::FILE* out) {
  Dumper dumper(out);
  dumper.header(reader.header());
  while (reader.next()) {
    dumper.segment(reader.segment());
    reader.blocks(dumper);
  }
  dumper.flush();
}

}  // namespace mfushim::read
