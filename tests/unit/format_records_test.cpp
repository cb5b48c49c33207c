// Every record kind comes back from a log exactly as it went in.
#include <catch2/catch.hpp>

#include <limits>
#include <random>

#include "read/log_reader.hpp"
#include "read/log_writer.hpp"
#include "support.hpp"

namespace mfushim {
namespace {

using namespace format;

// Values that columns meet: nothing, small steps, everything.
template <class Value>
Value make_value(std::mt19937_64& random, std::deque<std::string>& texts) {
  const auto bits = random();
  if constexpr (std::is_same_v<Value, std::string_view>) {
    std::string text(bits % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    return texts.emplace_back(std::move(text));
  } else if constexpr (std::is_enum_v<Value>) {
    return static_cast<Value>(bits % 3);
  } else {
    switch (bits % 4) {
      case 0:
        return 0;
      case 1:
        return static_cast<Value>(bits >> 56);
      case 2:
        return std::numeric_limits<Value>::max();
      default:
        return static_cast<Value>(random());
    }
  }
}

template <class Record>
Record make_record(std::mt19937_64& random, std::deque<std::string>& texts) {
  Record record;
  std::apply(
      [&](const auto&... field) {
        ((record.*field.member =
              make_value<detail::FieldValue<decltype(field), Record>>(random, texts)),
         ...);
      },
      Record::fields());
  return record;
}

template <class Record>
bool equal(const Record& a, const Record& b) {
  return std::apply(
      [&](const auto&... field) { return ((a.*field.member == b.*field.member) && ...); },
      Record::fields());
}

template <class Record>
using Found = std::vector<std::pair<std::uint32_t, Record>>;

template <class Tuple>
struct FoundOf;
template <class... R>
struct FoundOf<std::tuple<R...>> {
  using type = std::tuple<Found<R>...>;
};

// Keeps what a log holds; one visitor for all kinds, as each costs a decoder of every kind.
struct Collector {
  FoundOf<AllRecords>::type found;
  std::deque<std::string> texts;
  std::size_t unknown_blocks = 0;

  template <class Record>
  void records(std::uint32_t lane, std::span<const Record> records) {
    for (Record record : records) {
      std::apply([&](const auto&... field) { (keep(record, field), ...); }, Record::fields());
      std::get<Found<Record>>(found).emplace_back(lane, record);
    }
  }
  void unknown(const BlockHeader&, std::span<const std::uint8_t>) { ++unknown_blocks; }

 private:
  template <class Record>
  void keep(Record& record, const auto& field) {
    if constexpr (std::is_same_v<detail::FieldValue<decltype(field), Record>, std::string_view>)
      record.*field.member = texts.emplace_back(record.*field.member);
  }
};

struct Writing {
  std::mt19937_64 random{7};
  std::deque<std::string> texts;
  FoundOf<AllRecords>::type written;

  template <class Record>
  void add_to(read::LogWriter& writer, std::uint32_t lane) {
    const Record record = make_record<Record>(random, texts);
    std::get<Found<Record>>(written).emplace_back(lane, record);
    writer.add(lane, record);
  }
};

Collector collect_log(const std::string& path) {
  Collector collector;
  read::LogReader reader(path);
  while (reader.next()) reader.blocks(collector);
  CHECK(reader.damages().empty());
  CHECK(reader.ended_in_order());
  CHECK(collector.unknown_blocks == 0);
  return collector;
}

template <class Record>
void check_equal(const Found<Record>& written, const Found<Record>& found) {
  INFO("kind " << static_cast<int>(Record::kKind));
  REQUIRE(found.size() == written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    INFO("record " << i);
    CHECK(found[i].first == written[i].first);
    CHECK(equal(found[i].second, written[i].second));
  }
}

}  // namespace

TEST_CASE("records of every kind come back as they were written", "[format]") {
  const test::TempFolder folder;
  const std::string path = folder.path("a.mfl");
  const FileHeader header{.created_unix_ns = 1, .log_id = {1, 2, 3}};
  Writing writing;
  read::LogWriter writer(path, header);
  for (std::uint32_t i = 0; i < 100; ++i)
    [&]<class... R>(std::tuple<R...>*) {
      (writing.add_to<R>(writer, i / 50), ...);
    }(static_cast<AllRecords*>(nullptr));
  writer.close();

  CHECK(read::LogReader(path).header().log_id == header.log_id);
  const Collector collector = collect_log(path);
  [&]<class... R>(std::tuple<R...>*) {
    (check_equal<R>(std::get<Found<R>>(writing.written), std::get<Found<R>>(collector.found)), ...);
  }(static_cast<AllRecords*>(nullptr));
}

TEST_CASE("a log holds more records than a segment", "[format]") {
  const test::TempFolder folder;
  const std::string path = folder.path("a.mfl");
  constexpr std::uint64_t kCount = 100'000;
  read::LogWriter writer(path, {});
  for (std::uint64_t i = 0; i < kCount; ++i)
    writer.add(1, GpuKernel{{.duration = i % 7, .start = 10 * i}, 1});
  writer.close();

  const Collector collector = collect_log(path);
  const auto& kernels = std::get<Found<GpuKernel>>(collector.found);
  REQUIRE(kernels.size() == kCount);
  for (std::uint64_t i = 0; i < kCount; ++i)
    if (kernels[i].second.start != 10 * i) FAIL("record " << i << " is another");
}

}  // namespace mfushim
