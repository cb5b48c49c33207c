// Prints the recorder's messages with one write each, so that lines of several ranks do not mix.
#include "messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace mfushim::shim {

void say(const char* format, ...) noexcept {
  const int saved = errno;
  char line[1024] = "mfushim: ";
  const std::size_t prefix = std::strlen(line);
  std::va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
  va_end(arguments);
  if (n >= 0) {
    const std::size_t end = std::strlen(line);
    line[end] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, end + 1);
  }
  errno = saved;
}

}  // namespace mfushim::shim
