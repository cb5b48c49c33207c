// The log of one imported trace: definitions by content, and records put in order of time before
// they are written, as far as memory allows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mfushim/format/records.hpp"
#include "read/log_writer.hpp"

namespace mfushim::read {

// A host call of any kind, until its place among the calls of its thread is known.
struct PendingCall {
  format::Kind kind = format::Kind::kCall;
  format::CopyKind copy_kind = format::CopyKind::kUnknown;
  std::uint32_t lane = 0;
  std::uint32_t api = 0;
  std::uint32_t subject = 0;
  std::uint32_t second_subject = 0;  // of an operation that does two; 0: it does one
  std::uint32_t correlation = 0;
  std::uint32_t parent = 0;
  std::uint64_t start = 0;
  std::uint64_t duration = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;
  std::uint64_t end() const { return start + duration; }
};

struct PendingWork {
  format::Kind kind = format::Kind::kGpuKernel;
  format::CopyKind copy_kind = format::CopyKind::kUnknown;
  std::uint32_t lane = 0;
  std::uint32_t config = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t start = 0;
  std::uint64_t duration = 0;
  std::uint64_t bytes = 0;
  std::uint64_t node = 0;
};

// Ids by content, from 1.
class DefinitionTable {
 public:
  // Definitions of one kind at most; later ones get id 0.
  static constexpr std::size_t kMax = std::size_t{1} << 20;

  struct Entry {
    std::uint32_t id;
    bool is_new;
  };
  Entry get(std::string_view content);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view v) const { return std::hash<std::string_view>()(v); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

class KinetoLog {
 public:
  // Records of each side that are put in order together: those of a trace of about 1 GB. What
  // comes in later pieces is in order only within each, and a call whose enclosing product or
  // collective came in an earlier one is not seen inside it.
  static constexpr std::size_t kInOrder = std::size_t{1} << 19;

  explicit KinetoLog(LogWriter& writer) : writer_(writer) {}

  // Ids of definitions, by content. Names as they stand in JSON.
  std::uint32_t name(std::string_view raw);
  std::uint32_t thread(std::string_view process, std::string_view thread, std::uint64_t tid);
  std::uint32_t queue(const format::Queue& queue);
  std::uint32_t config(const format::LaunchConfig& config);
  std::uint32_t shape(const format::GemmShape& shape);
  std::uint32_t shape(const format::CollectiveShape& shape);
  std::uint32_t shape(const format::OperationShape& shape);
  std::uint32_t communicator(const format::Communicator& communicator);

  void fact(std::string_view key, std::string_view value) {
    if (!value.empty()) writer_.add(0, format::Fact{key, value});
  }
  template <class Record>
  void add(const Record& record) {
    writer_.add(0, record);
  }

  void call(const PendingCall& call);
  void work(const PendingWork& work);
  void lose(format::LossCause cause, std::string_view detail) {
    ++losses_[{cause, std::string(detail)}];
  }

  // Writes what is pending and the losses.
  void finish();

 private:
  template <class Record>
  std::uint32_t define(DefinitionTable& table, Record record);
  DefinitionTable::Entry entry(DefinitionTable& table, std::string_view content);

  void flush();
  void order_calls();
  void write(const PendingCall& call);
  void write(const PendingWork& work);
  std::uint32_t number_collective(std::uint32_t shape);

  LogWriter& writer_;
  DefinitionTable names_, threads_, queues_, configs_, products_, operations_, collectives_,
      communicators_;
  std::vector<std::uint64_t> sequences_;           // last one used, by lane
  std::vector<std::uint32_t> shape_communicator_;  // by collective shape id
  std::vector<std::uint32_t> calls_of_;            // collectives so far, by communicator id
  std::vector<PendingCall> calls_;
  std::vector<PendingWork> work_;
  std::map<std::pair<format::LossCause, std::string>, std::uint64_t> losses_;
  std::string text_;     // of the name being defined
  std::string content_;  // of the definition being looked up
};

}  // namespace mfushim::read
