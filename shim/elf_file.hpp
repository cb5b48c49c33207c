// Whether the file of a loaded module has to do with CUDA, told by its section headers and its
// constants. GPU code itself is never read.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <cstddef>

namespace mfushim::shim {

// It holds GPU code, or names a way to the driver. False when it cannot be read.
bool mentions_cuda(const char* path) noexcept;

// Calls `use` with each line of a text file, cut to `size` - 1 characters; allocates nothing.
template <std::size_t size, class Use>
void for_each_line(const char* path, Use&& use) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char block[4096], line[size];
  std::size_t used = 0;
  for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
    for (ssize_t i = 0; i < n; ++i) {
      if (block[i] != '\n') {
        if (used + 1 < size) line[used++] = block[i];
        continue;
      }
      line[used] = '\0';
      used = 0;
      use(line);
    }
  close(fd);
}

}  // namespace mfushim::shim
