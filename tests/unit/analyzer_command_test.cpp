// The command line: exit codes, suggestions, where output goes.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "commands/command.hpp"
#include "support.hpp"

namespace mfushim::test {

TEST_CASE("no command prints the usage on stderr", "[analyzer]") {
  const Outcome outcome = mfushim({});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.output.empty());
  CHECK(outcome.errors.find("mfushim report") != std::string::npos);
}

TEST_CASE("help goes to stdout", "[analyzer]") {
  const Outcome outcome = mfushim({"--help"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.errors.empty());
  for (const commands::Command& command : commands::all_commands()) {
    CHECK(outcome.output.find("mfushim " + std::string(command.name)) != std::string::npos);
    const Outcome help = mfushim({std::string(command.name), "--help"});
    CHECK(help.exit_code == 0);
    CHECK_FALSE(help.output.empty());
  }
}

TEST_CASE("unknown words get a suggestion", "[analyzer]") {
  const Outcome command = mfushim({"reprot"});
  CHECK(command.exit_code == 2);
  CHECK(command.errors == "mfushim: unknown command 'reprot'; did you mean 'report'?\n");
  const Outcome option = mfushim({"report", "x", "--vew", "hta"});
  CHECK(option.exit_code == 2);
  CHECK(option.errors == "mfushim: unknown option '--vew'; did you mean '--view'?\n");
  const Outcome far = mfushim({"xyzzyxyzzy"});
  CHECK(far.errors.find("did you mean") == std::string::npos);
}

TEST_CASE("wrong values are usage errors", "[analyzer]") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"report"},
                                                {"report", "x", "--view", "other"},
                                                {"report", "x", "--peak", "-3"},
                                                {"report", "x", "--peak", "fast"},
                                                {"report", "x", "--dtype", "float"},
                                                {"dump"},
                                                {"dump", "a", "b"},
                                                {"assemble", "a"}}) {
    const Outcome outcome = mfushim(words);
    CHECK(outcome.exit_code == 2);
    CHECK_FALSE(outcome.errors.empty());
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("numbers accept exponents", "[analyzer]") {
  CHECK(commands::parse_number("--peak", "7e2") == 700);
  CHECK(commands::parse_number("--peak", "989.4") == 989.4);
  for (const char* wrong : {"", "7x", "e", "inf", "nan", "1e999", " 7"})
    CHECK_THROWS_AS(commands::parse_number("--peak", wrong), commands::UsageError);
}

TEST_CASE("several runs in one folder are listed", "[analyzer]") {
  const TempFolder folder;
  const auto log = [&](const char* name, const char* run, int start) {
    assemble(folder, name,
             "mfushim-log\nsegment flags=1\nblock fact\n  key=\"run_id\" value=\"" +
                 std::string(run) + "\"\n  key=\"start_unix_ns\" value=\"" + std::to_string(start) +
                 "\"\n  key=\"command\" value=\"./" + run + "\"\n");
  };
  log("a", "first", 100);
  log("b", "second", 200);
  log("c", "first", 100);
  const std::string path = folder.path("");
  const Outcome both = mfushim({"report", path});
  CHECK(both.exit_code == 2);
  CHECK(both.errors.find("2 runs") != std::string::npos);
  CHECK(both.errors.find("first  2 logs") != std::string::npos);
  CHECK(both.errors.find("second  1 logs") != std::string::npos);
  const auto command_of = [&](const char* run) {
    const Outcome one = mfushim({"report", path, "--run", run, "--json"});
    REQUIRE(one.exit_code == 0);
    return nlohmann::json::parse(one.output)["run"]["command"].get<std::string>();
  };
  CHECK(command_of("first") == "./first");
  CHECK(command_of("latest") == "./second");
  CHECK(mfushim({"report", path, "--run", "third"}).exit_code == 2);
}

TEST_CASE("a communicator of all ranks tells runs of one process group apart", "[analyzer]") {
  const TempFolder folder;
  const auto log = [&](const char* name, const char* run, const char* hash, int start) {
    std::string text = "mfushim-log\nsegment flags=1\nblock fact\n  key=\"run_id\" value=\"" +
                       std::string(run) + "\"\n  key=\"start_unix_ns\" value=\"" +
                       std::to_string(start) + "\"\n  key=\"world_size\" value=\"8\"\n";
    text +=
        "block communicator\n  id=1 hash=7 size=2\n  id=2 size=8 hash=" + std::string(hash) + "\n";
    assemble(folder, name, text);
  };
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"report", folder.path("")});
    return mfushim(more);
  };
  log("node1", "group:node1", "170", 100);
  log("node2", "group:node2", "170", 101);
  log("helper", "group:node2", "0", 102);
  CHECK(report({}).exit_code == 0);  // two hosts and a process without NCCL: one run

  log("later", "group:node1", "187", 200);
  const Outcome two = report({});
  CHECK(two.exit_code == 2);
  CHECK(two.errors.find("group:node1#00000000000000aa  3 logs") != std::string::npos);
  CHECK(two.errors.find("group:node1#00000000000000bb  1 logs") != std::string::npos);
  CHECK(report({"--run", "group:node1#00000000000000aa"}).exit_code == 0);
  CHECK(report({"--run", "latest"}).exit_code == 0);
}

}  // namespace mfushim::test
