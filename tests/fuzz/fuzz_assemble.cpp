// Bytes as the text form of a log. What can be assembled prints as text that makes an equal log.
#include <cstdio>
#include <cstdlib>

#include "input.hpp"
#include "read/format_error.hpp"
#include "read/text_form.hpp"

namespace {

using namespace mfushim;

std::string dump(const std::string& path) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&text, &size);
  read::LogReader reader(path);
  read::dump(reader, out);
  std::fclose(out);
  const std::string result(text, size);
  std::free(text);
  return result;
}

std::string assembled(fuzz::Bytes text) {
  const fuzz::InputFile input(text);
  const fuzz::OutputPath log;
  read::assemble(input.path(), log.path());
  fuzz::report_all(log.path());
  return dump(log.path());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string once = assembled({data, size});
    const std::string twice =
        assembled({reinterpret_cast<const std::uint8_t*>(once.data()), once.size()});
    fuzz::require(once == twice, "the text of a log makes a log of the same text");
  } catch (const read::FormatError&) {
  }
  return 0;
}
