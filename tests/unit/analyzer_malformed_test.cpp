// Input that is wrong gives one line with file and reason, and exit code 1; torn logs only a
// warning.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "mfushim/format/file.hpp"
#include "support.hpp"

namespace mfushim::test {
namespace {

using format::FileHeader;

std::string header_bytes(const std::function<void(FileHeader&)>& change = {}) {
  FileHeader header;
  if (change) change(header);
  std::array<std::uint8_t, format::kFileHeaderSize> memory;
  format::ByteSink out(memory);
  format::write_file_header(out, header);
  return {reinterpret_cast<const char*>(memory.data()), memory.size()};
}

std::string without_checksum(std::size_t at, char value) {
  std::string bytes = header_bytes();
  bytes[at] = value;
  return bytes;
}

struct Malformed {
  const char* what;
  std::string content;
  std::string reason;
};

std::vector<Malformed> malformed_logs() {
  const std::string whole = header_bytes();
  const std::string minor = std::to_string(format::kVersionMinor);
  return {
      {"empty", "", "is shorter than a log's header"},
      {"one byte", "\x89", "is shorter than a log's header"},
      {"magic alone", whole.substr(0, 8), "is shorter than a log's header"},
      {"header but one byte", whole.substr(0, 63), "is shorter than a log's header"},
      {"text", "hello, this is no log at all\n", "is not an mfushim log"},
      {"JSON", "{\"traceEvents\": []}", "is not an mfushim log"},
      {"zeros", std::string(4096, '\0'), "is not an mfushim log"},
      {"ELF",
       "\x7f"
       "ELF\x02\x01\x01" +
           std::string(64, '\0'),
       "is not an mfushim log"},
      {"line ends converted", "\x89MFL\n\x1a\n" + whole.substr(8), "is not an mfushim log"},
      {"high bit stripped", "\x09" + whole.substr(1), "is not an mfushim log"},
      {"newer major", header_bytes([](FileHeader& h) { h.major = 2; }),
       "log version 2." + minor + " is not known"},
      {"major 0", header_bytes([](FileHeader& h) { h.major = 0; }),
       "log version 0." + minor + " is not known"},
      {"major 65535", header_bytes([](FileHeader& h) { h.major = 65535; }),
       "log version 65535." + minor + " is not known"},
      {"unknown quirk", header_bytes([](FileHeader& h) { h.quirks = 1; }), "quirks"},
      {"clock that stands", header_bytes([](FileHeader& h) { h.ticks_per_second = 0; }),
       "header is damaged"},
      {"header size 0", without_checksum(12, 0), "is shorter than a log's header"},
      {"header size huge", without_checksum(15, 0x7f), "is shorter than a log's header"},
      {"created changed", without_checksum(24, 1), "header is damaged (checksum)"},
      {"checksum changed", without_checksum(63, '\x5a'), "header is damaged (checksum)"},
  };
}

std::vector<Malformed> malformed_texts() {
  return {
      {"empty", "", "a log's text starts with 'mfushim-log'"},
      {"only comments", "# nothing\n\n", "a log's text starts with 'mfushim-log'"},
      {"other text", "hello\n", "a log's text starts with 'mfushim-log'"},
      {"binary", std::string("\x89MFL\r\n\x1a\n\0\0\0", 11), "text starts with 'mfushim-log'"},
      {"log id too long", "mfushim-log log_id=" + std::string(34, '0') + "\n", "has 16 bytes"},
      {"clock that stands", "mfushim-log ticks_per_second=0\n", "must not be 0"},
      {"unknown header field", "mfushim-log colour=1\n", "the header has no field 'colour'"},
      {"record without block", "mfushim-log\nsegment\n  id=1\n", "outside of a block"},
      {"block without segment", "mfushim-log\nblock fact\n", "outside of a segment"},
      {"unknown segment field", "mfushim-log\nsegment x=1\n", "a segment has no field 'x'"},
      {"negative sequence", "mfushim-log\nsegment sequence=-1\n", "needs a whole number"},
      {"word behind a field", "mfushim-log\nsegment\nblock fact\n  key=\"a\" b\n",
       "'=' is missing"},
      {"field without name", "mfushim-log\nsegment\nblock fact\n  =1\n", "a field without name"},
      {"text too long",
       "mfushim-log\nsegment\nblock fact\n  key=\"" + std::string(1 << 21, 'x') + "\"\n",
       "too large"},
  };
}

void check_failure(const Outcome& outcome, const std::string& file, const std::string& reason) {
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.output.empty());
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  CHECK(outcome.errors.starts_with("mfushim: " + file));
  CHECK(outcome.errors.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("a file that is no log is refused in one line", "[analyzer]") {
  const TempFolder folder;
  for (const Malformed& m : malformed_logs()) {
    const std::string file = folder.file("bad.mfl", m.content);
    for (const char* command : {"report", "dump"}) {
      INFO(command << ": " << m.what);
      const Outcome outcome = mfushim({command, file});
      INFO(outcome.errors);
      check_failure(outcome, file, m.reason);
    }
  }
}

TEST_CASE("a text that is no log is refused in one line and leaves no file", "[analyzer]") {
  for (const Malformed& m : malformed_texts()) {
    const TempFolder folder;
    const std::string file = folder.file("bad.mfutxt", m.content);
    const Outcome outcome = mfushim({"assemble", file, "-o", folder.path("out.mfl")});
    INFO(m.what << ": " << outcome.errors);
    check_failure(outcome, file, m.reason);
    CHECK_FALSE(std::filesystem::exists(folder.path("out.mfl")));
  }
}

TEST_CASE("paths that lead nowhere are named", "[analyzer]") {
  const TempFolder folder;
  const std::string missing = folder.path("missing.mfl");
  check_failure(mfushim({"report", missing}), missing, "cannot be opened: No such file");
  check_failure(mfushim({"dump", missing}), missing, "cannot be opened: No such file");
  check_failure(mfushim({"dump", folder.path("")}), folder.path(""), "is not a regular file");
  check_failure(mfushim({"dump", "/dev/null"}), "/dev/null", "is not a regular file");
  const std::string empty = folder.path("empty");
  std::filesystem::create_directory(empty);
  check_failure(mfushim({"report", empty}), empty, "there is no log");
  check_failure(mfushim({"assemble", missing, "-o", folder.path("x")}), missing,
                "cannot be opened");
  const std::string log = assemble(folder, "log", "mfushim-log\n");
  const Outcome twice = mfushim({"assemble", folder.path("log.mfutxt"), "-o", log});
  check_failure(twice, log, "exists already; nothing is overwritten");
}

TEST_CASE("stamps at the end of all numbers are no crash and no time", "[analyzer]") {
  const TempFolder folder;
  const std::string log = assemble(folder, "log", R"(mfushim-log
segment first_ticks=0 last_ticks=18446744073709551615 flags=1
block name
  id=1 text="cudaLaunchKernel"
block clock_anchor
  ticks=5 realtime_ns=18446744073709551615
  ticks=6 realtime_ns=0
block launch lane=1
  api=1 start=18446744073709551615 duration=18446744073709551615 sequence=18446744073709551615 correlation=1 parent=1
  api=1 start=0 duration=9223372036854775807 sequence=1 correlation=2
block gpu_kernel lane=1
  start=18446744073709551615 duration=1 correlation=1
  start=0 duration=9223372036854775807 correlation=2
  start=1 duration=2200000000000000000 correlation=1
  start=0 duration=2200000000000000000 correlation=2
block gpu_time
  source=cupti offset_ns=-9223372036854775808
)");
  const Outcome outcome = mfushim({"report", "--json", log});
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.output.find("\"invalid\": 3") != std::string::npos);
  CHECK(outcome.output.find("\"total_ns\": 2200000000000000000") != std::string::npos);
}

TEST_CASE("a torn log is read with one warning", "[analyzer]") {
  const TempFolder folder;
  const std::string log = assemble(folder, "log", R"(mfushim-log
segment first_ticks=0 last_ticks=1000
block gpu_kernel lane=1
  config=1 duration=50 start=1000 correlation=1
segment first_ticks=2000 last_ticks=5000 flags=1
block gpu_kernel lane=1
  config=1 duration=50 start=2000 correlation=1
)");
  std::string bytes = read_file(log);
  const std::string torn = folder.file("torn.mfl", bytes.substr(0, bytes.size() - 1));
  const Outcome outcome = mfushim({"report", torn});
  CHECK(outcome.exit_code == 0);
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  CHECK(outcome.errors.starts_with("mfushim: warning: " + torn));
  CHECK(outcome.errors.find("missing time: 4000 ns") != std::string::npos);  // 1000 to 5000
  CHECK(outcome.output.find("MISSING  4.000 us") != std::string::npos);
}

}  // namespace mfushim::test
