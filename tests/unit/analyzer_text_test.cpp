// The text form of logs: there and back again, and what it says of wrong lines.
#include <catch2/catch.hpp>

#include "support.hpp"

namespace mfushim::test {
namespace {

// One record of every kind, with a value that is not the default in the fields that have words.
constexpr std::string_view kEverything = R"(# every kind
mfushim-log major=1 minor=3 quirks=0 created_unix_ns=18446744073709551615 log_id=00ff ticks_per_second=3
segment sequence=4 first_ticks=100 last_ticks=200 flags=0
block fact
  key="with \"quotes\", \\ and\nlines" value="\x00\x1f\x7f ü"
block name
  id=1 text="cudaLaunchKernel"
block thread
  id=1 tid=77 name="main"
block device
  index=1 name="GPU" compute_capability=90 sm_count=132
block stream
  id=1 handle=18446744073709551615 context=1 device=2
block queue
  id=1 device=1 stream=-7
block launch_config
  id=1 kernel=1 grid_x=4294967295
block gemm_shape
  id=1 product=her2k m=1 n=2 k=3 batch=4 trans_a=t trans_b=c a=bf16 b=f8e4m3 c=f32 d=c64 compute=-1
block communicator
  id=1 hash=5 rank=-1 size=8
block collective_shape
  id=1 communicator=1 op=reduce_scatter dtype=bf16 reduction=avg count=9 peer=-1 in_place=1
block clock_anchor
  ticks=1 monotonic_ns=2 realtime_ns=3 error_ns=4
block launch lane=1
  api=1 start=100 duration=1 sequence=1 result=-2147483648
block graph_launch lane=1
  api=1 start=101 sequence=2 parent=1
block copy lane=1
  start=102 bytes=5 copy_kind=peer
block set lane=1
  start=103 bytes=5
block sync lane=1
  start=104
block gemm lane=1
  start=105 repeat=3
block collective lane=1
  start=106 number=1 group=2
block call lane=1
  start=107 bytes=5
block mark lane=1
  start=108 duration=9
block gpu_kernel lane=1
  config=1 start=5 duration=6 node=18446744073709551615
block gpu_copy lane=1
  copy_kind=device_to_host bytes=4 start=7
block gpu_set lane=1
  bytes=4 start=8
block gpu_time
  source=imported offset_ns=-9223372036854775808 reason="r"
block loss
  cause=ring_full count=1
  cause=250 count=1
block coverage
  door="dlsym" library="l" api="a" count=1
block module
  path="p" role="unhooked"
block cost
  what="hook" count=1 total_ns=2
block unknown kind=40000 lane=3 count=2 columns=1 bytes=00ff10
segment sequence=9 first_ticks=300 last_ticks=300 flags=1
)";

}  // namespace

TEST_CASE("dump and assemble are inverse", "[analyzer]") {
  const TempFolder folder;
  const Outcome first = mfushim({"dump", assemble(folder, "a", kEverything)});
  REQUIRE(first.exit_code == 0);
  CHECK(first.output.find("key=\"with \\\"quotes\\\", \\\\ and\\nlines\"  "
                          "value=\"\\x00\\x1f\\x7f ü\"") != std::string::npos);
  CHECK(first.output.find("trans_a=t  trans_b=c  a=bf16  b=f8e4m3") != std::string::npos);
  const Outcome second = mfushim({"dump", assemble(folder, "b", first.output)});
  CHECK(second.output == first.output);
}

TEST_CASE("every value that the text gave is in the dump", "[analyzer]") {
  const TempFolder folder;
  const std::string dump = mfushim({"dump", assemble(folder, "a", kEverything)}).output;
  std::istringstream lines{std::string(kEverything)};
  std::size_t looked_at = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line.find('"') != std::string::npos) continue;
    std::istringstream fields(line);
    for (std::string field; fields >> field; ++looked_at) {
      INFO(field);
      CHECK(dump.find("  " + field) != std::string::npos);
    }
  }
  CHECK(looked_at > 60);
}

TEST_CASE("a wrong line is named", "[analyzer]") {
  struct Case {
    const char* text;
    const char* message;
  };
  const std::string head = "mfushim-log\nsegment\nblock ";
  const auto cases = {
      Case{"fact\n  key=x\n", ":4: key needs a text in quotes"},
      Case{"fact\n  key=\"x\n", ":4: a quoted text does not end"},
      Case{"fact\n  key=\"\\q\"\n", ":4: unknown escape in a quoted text"},
      Case{"fact\n  colour=\"x\"\n", ":4: fact has no field 'colour'"},
      Case{"fact\n  key=\"x\" key=\"y\"\n", ":4: field 'key' stands twice"},
      Case{"fact\n  key\n", ":4: 'key' is not a field of fact"},
      Case{"facts\n", ":3: 'facts' is no kind of record"},
      Case{"\n", ":3: a block needs the kind of its records"},
      Case{"name\n  id=-1\n", ":4: id needs a whole number, not '-1'"},
      Case{"name\n  id=4294967296\n", ":4: '4294967296' is too large for id"},
      Case{"name\n  id=1.5\n", ":4: id needs a whole number, not '1.5'"},
      Case{"gemm_shape\n  a=bfloat\n", ":4: a needs a whole number, not 'bfloat'"},
      Case{"gemm_shape\n  a=256\n", ":4: '256' is too large for a"},
      Case{"unknown kind=1 bytes=00\n", ":3: kind 1 is known: write its records"},
      Case{"unknown kind=999 bytes=0g\n", ":3: bytes needs pairs of hexadecimal digits"},
  };
  for (const Case& c : cases) {
    const TempFolder folder;
    const std::string text = folder.file("a.mfutxt", head + c.text);
    const Outcome outcome = mfushim({"assemble", text, "-o", folder.path("a.mfl")});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.errors == "mfushim: " + text + c.message + "\n");
    CHECK_FALSE(std::filesystem::exists(folder.path("a.mfl")));
  }
}

TEST_CASE("the log is for its owner alone", "[analyzer]") {
  const TempFolder folder;
  const auto status = std::filesystem::status(assemble(folder, "a", "mfushim-log\n"));
  CHECK(status.permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

}  // namespace mfushim::test
