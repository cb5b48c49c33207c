// Text to log: the inverse of dump, field by field from the same tables.
#include <fmt/format.h>

#include <deque>
#include <fstream>
#include <functional>
#include <variant>

#include "knowledge/enum_names.hpp"
#include "read/format_error.hpp"
#include "read/new_file.hpp"
#include "read/text_form.hpp"
#include "read/text_line.hpp"

namespace mfushim::read {

namespace {

template <class Value>
Value parse_value(const TextField& field, std::deque<std::string>& texts) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    if (!field.quoted) throw TextFault{std::string(field.name) + " needs a text in quotes"};
    return texts.emplace_back(field.text);
  } else if constexpr (std::is_same_v<Value, format::Kind>) {
    if (const auto kind = kind_of(field.text)) return *kind;
    return static_cast<Value>(TextLine::to_integer<std::underlying_type_t<Value>>(field));
  } else if constexpr (std::is_enum_v<Value>) {
    if (const auto value = knowledge::value_of<Value>(field.text)) return *value;
    return static_cast<Value>(TextLine::to_integer<std::underlying_type_t<Value>>(field));
  } else {
    return TextLine::to_integer<Value>(field);
  }
}

template <class Record>
Record parse_record(TextLine& line, std::deque<std::string>& texts, std::string_view kind) {
  if (!line.words().empty())
    throw TextFault{"'" + std::string(line.words()[0]) + "' is not a field of " +
                    std::string(kind)};
  Record record{};
  const auto take = [&](const auto& f) {
    using Value = format::detail::FieldValue<decltype(f), Record>;
    if (const TextField* const field = line.find(f.name))
      record.*f.member = parse_value<Value>(*field, texts);
  };
  std::apply([&](const auto&... f) { (take(f), ...); }, Record::fields());
  line.finish(kind);
  return record;
}

template <class Tuple>
struct Vectors;
template <class... R>
struct Vectors<std::tuple<R...>> {
  using type = std::variant<std::monostate, std::vector<R>...>;
};
using AnyRecords = Vectors<format::AllRecords>::type;

class Assembler {
 public:
  Assembler(std::string source, std::string log_path)
      : source_(std::move(source)),
        file_(std::move(log_path)),
        scratch_(std::make_unique_for_overwrite<format::BlockScratch>()),
        payload_(format::kMaxSegmentPayload) {}

  void run() {
    std::ifstream in(source_, std::ios::binary);
    if (!in) throw FormatError::in_file(source_, "cannot be opened");
    std::string line;
    try {
      while (std::getline(in, line)) {
        ++line_number_;
        take(line);
      }
      if (in.bad()) throw TextFault{"cannot be read"};
      end_segment();
      if (!header_seen_)
        throw TextFault{"a log's text starts with '" + std::string(kTextMagic) +
                        "'; this file has no such line"};
    } catch (const TextFault& fault) {
      throw FormatError::at_line(source_, line_number_, fault.what);
    }
    file_.keep();
  }

 private:
  void take(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos || text[begin] == '#') return;
    TextLine line(text);
    const auto& words = line.words();
    if (!header_seen_) return take_header(line);
    if (!words.empty() && words[0] == "segment") return begin_segment(line);
    if (!words.empty() && words[0] == "block") return begin_block(line);
    if (!parse_) throw TextFault{"a record stands outside of a block"};
    parse_(line);
  }

  void take_header(TextLine& line) {
    if (line.words().size() != 1 || line.words()[0] != kTextMagic)
      throw TextFault{"a log's text starts with '" + std::string(kTextMagic) + "'"};
    format::FileHeader h;
    h.major = line.integer("major", h.major);
    h.minor = line.integer("minor", h.minor);
    h.quirks = line.integer("quirks", h.quirks);
    h.created_unix_ns = line.integer("created_unix_ns", h.created_unix_ns);
    h.ticks_per_second = line.integer("ticks_per_second", h.ticks_per_second);
    const auto id = line.hex("log_id");
    if (id.size() > h.log_id.size()) throw TextFault{"log_id has 16 bytes"};
    std::copy(id.begin(), id.end(), h.log_id.begin());
    line.finish("the header");
    if (h.ticks_per_second == 0) throw TextFault{"ticks_per_second must not be 0"};
    std::array<std::uint8_t, format::kFileHeaderSize> memory;
    format::ByteSink out(memory);
    format::write_file_header(out, h);
    file_.write(out.written());
    header_seen_ = true;
  }

  void begin_segment(TextLine& line) {
    end_segment();
    segment_ = {};
    segment_.sequence = line.integer("sequence", next_sequence_);
    segment_.first_ticks = line.integer("first_ticks", segment_.first_ticks);
    segment_.last_ticks = line.integer("last_ticks", segment_.last_ticks);
    segment_.flags = line.integer("flags", segment_.flags);
    line.finish("a segment");
    next_sequence_ = segment_.sequence + 1;
    in_segment_ = true;
  }

  void end_segment() {
    end_block();
    if (!in_segment_) return;
    in_segment_ = false;
    segment_.payload_size = static_cast<std::uint32_t>(out_.size());
    segment_.payload_crc = format::crc32c(out_.written());
    std::array<std::uint8_t, format::kSegmentHeaderSize> memory;
    format::ByteSink head(memory);
    format::write_segment_header(head, segment_);
    file_.write(head.written());
    file_.write(out_.written());
    out_.truncate(0);
  }

  void begin_block(TextLine& line) {
    end_block();
    if (!in_segment_) throw TextFault{"a block stands outside of a segment"};
    if (line.words().size() != 2) throw TextFault{"a block needs the kind of its records"};
    const std::string_view name = line.words()[1];
    lane_ = line.integer("lane", std::uint32_t{0});
    if (name == kUnknownBlock) return write_unknown(line);
    line.finish("a block");
    if (const auto kind = kind_of(name))
      format::with_record(*kind, [&]<class Record>() { expect<Record>(kind_name(Record::kKind)); });
    if (!parse_) throw TextFault{"'" + std::string(name) + "' is no kind of record"};
  }

  template <class Record>
  void expect(std::string_view kind) {
    auto& records = records_.template emplace<std::vector<Record>>();
    parse_ = [this, &records, kind](TextLine& line) {
      if (records.size() == format::kMaxBlockRecords)
        throw TextFault{fmt::format("a block holds {} records at most", format::kMaxBlockRecords)};
      records.push_back(parse_record<Record>(line, texts_, kind));
    };
  }

  void end_block() {
    parse_ = nullptr;
    std::visit(
        [&](auto& records) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(records)>, std::monostate>)
            write_block(records);
        },
        records_);
    records_.emplace<std::monostate>();
    texts_.clear();
  }

  template <class Record>
  void write_block(const std::vector<Record>& records) {
    if (records.empty()) return;
    const std::uint64_t base = format::is_host_call(Record::kKind) ? segment_.first_ticks : 0;
    format::encode_block<Record>(out_, codec_.compressor(), lane_, base, std::span(records),
                                 *scratch_);
    close_block();
  }

  void write_unknown(TextLine& line) {
    const auto bytes = line.hex("bytes");
    const auto kind = line.integer("kind", std::uint16_t{0});
    if (format::with_record(static_cast<format::Kind>(kind), []<class Record>() {}))
      throw TextFault{fmt::format("kind {} is known: write its records", kind)};
    out_.varint(kind);
    out_.varint(lane_);
    out_.varint(line.integer("count", std::uint32_t{1}));
    out_.varint(line.integer("columns", std::uint32_t{0}));
    out_.fixed(static_cast<std::uint32_t>(bytes.size()));
    out_.bytes(bytes.data(), bytes.size());
    line.finish("an unknown block");
    close_block();
  }

  void close_block() {
    if (out_.overflow()) throw TextFault{"the block, or its segment, is too large"};
    ++segment_.block_count;
  }

  std::string source_;
  NewFile file_;
  ZstdCodec codec_;
  std::unique_ptr<format::BlockScratch> scratch_;
  std::vector<std::uint8_t> payload_;
  format::ByteSink out_{payload_};
  format::SegmentHeader segment_;
  AnyRecords records_;
  std::function<void(TextLine&)> parse_;
  std::deque<std::string> texts_;
  std::uint64_t line_number_ = 0;
  std::uint32_t lane_ = 0;
  std::uint32_t next_sequence_ = 0;
  bool header_seen_ = false;
  bool in_segment_ = false;
};

}  // namespace

void assemble(const std::string& text_path, const std::string& log_path) {
  Assembler(text_path, log_path).run();
}

}  // namespace mfushim::read
