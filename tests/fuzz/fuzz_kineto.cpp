// Bytes as a Kineto trace. What can be imported is a log without damage.
#include <algorithm>
#include <cstring>

#include "input.hpp"
#include "read/format_error.hpp"
#include "read/import_kineto.hpp"
#include "read/log_reader.hpp"

namespace {

using namespace mfushim;

// Pieces of a size that changes, so that the text ends everywhere once.
read::ByteSupply in_pieces(fuzz::Bytes bytes) {
  return {"input", [bytes, step = std::size_t{1}](std::span<char> to) mutable {
            const std::size_t n = std::min({bytes.size(), to.size(), step});
            if (n != 0) std::memcpy(to.data(), bytes.data(), n);
            bytes = bytes.subspan(n);
            step = step * 3 % 4099 + 1;
            return n;
          }};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::OutputPath log;
  try {
    read::LogWriter writer(log.path(), {});
    read::import_kineto(in_pieces({data, size}), writer);
    writer.close();
  } catch (const read::FormatError&) {
    return 0;
  }
  read::LogReader reader(log.path());
  while (reader.next()) {
  }
  fuzz::require(reader.damages().empty() && reader.ended_in_order(), "an import without damage");
  fuzz::report_all(log.path());
  return 0;
}
