// Reads section headers and constants of ELF files; see elf_file.hpp.
#include "elf_file.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mfushim::shim {

namespace {

constexpr std::size_t kMaxSections = 128;
constexpr std::size_t kMaxNames = 4096;                       // bytes of section names
constexpr std::size_t kMaxConstants = std::size_t{32} << 20;  // bytes searched in one file
constexpr std::string_view kMarks[] = {"cuLaunchKernel", "cuGetProcAddress", "cudaLaunchKernel",
                                       "libcuda.so"};

class File {
 public:
  explicit File(const char* path) noexcept : fd_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // How many bytes could be read.
  std::size_t read(void* to, std::size_t bytes, std::uint64_t offset) const noexcept {
    const ssize_t n = pread(fd_, to, bytes, static_cast<off_t>(offset));
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

 private:
  int fd_;
};

bool names_a_way(const File& file, std::uint64_t offset, std::uint64_t size) noexcept {
  char block[16384];
  std::size_t kept = 0;  // a mark may lie across two blocks
  const std::uint64_t end = offset + std::min<std::uint64_t>(size, kMaxConstants);
  while (offset < end) {
    const std::size_t wanted = std::min<std::uint64_t>(sizeof block - kept, end - offset);
    const std::size_t n = file.read(block + kept, wanted, offset);
    if (n == 0) return false;
    for (const std::string_view mark : kMarks)
      if (memmem(block, kept + n, mark.data(), mark.size()) != nullptr) return true;
    offset += n;
    const std::size_t all = kept + n;
    kept = std::min<std::size_t>(all, 32);
    std::memmove(block, block + all - kept, kept);
  }
  return false;
}

}  // namespace

bool mentions_cuda(const char* path) noexcept {
  const File file(path);
  ElfW(Ehdr) head;
  if (file.read(&head, sizeof head, 0) != sizeof head ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(ElfW(Shdr)) ||
      head.e_shnum > kMaxSections || head.e_shstrndx >= head.e_shnum)
    return false;
  ElfW(Shdr) sections[kMaxSections];
  const std::size_t bytes = head.e_shnum * sizeof(ElfW(Shdr));
  if (file.read(sections, bytes, head.e_shoff) != bytes) return false;
  char names[kMaxNames] = {};
  const auto& table = sections[head.e_shstrndx];
  file.read(names, std::min<std::uint64_t>(table.sh_size, sizeof names - 1), table.sh_offset);
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const auto& section = sections[i];
    if (section.sh_name >= sizeof names) continue;
    const std::string_view name = names + section.sh_name;
    if (name.starts_with(".nv_fatbin") || name.starts_with(".nvFatBin")) return true;
    if (name.starts_with(".rodata") && names_a_way(file, section.sh_offset, section.sh_size))
      return true;
  }
  return false;
}

}  // namespace mfushim::shim
