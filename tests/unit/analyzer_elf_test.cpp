// What is read of ELF files, and that no part of one is trusted.
#include <catch2/catch.hpp>

#include <algorithm>

#include "read/elf_file.hpp"
#include "support.hpp"

namespace mfushim::test {

TEST_CASE("a program's file tells how it is loaded", "[analyzer]") {
  const auto elf = read::read_elf("/proc/self/exe");
  REQUIRE(elf);
  CHECK(elf->interpreter.find("ld-") != std::string::npos);
  CHECK(elf->needs("libc.so"));
  CHECK_FALSE(elf->needs("libcudart.so"));
  CHECK_FALSE(elf->has_gpu_code);
  CHECK_FALSE(elf->has_cuda_runtime);
}

TEST_CASE("what is no whole ELF file is none, or says less", "[analyzer]") {
  const TempFolder folder;
  CHECK_FALSE(read::read_elf(folder.path("missing")));
  CHECK_FALSE(read::read_elf(folder.file("text", "#!/bin/sh\n")));
  CHECK_FALSE(read::read_elf(folder.file("short",
                                         "\x7f"
                                         "ELF\2\1\1")));
  const std::string whole = read_file("/proc/self/exe");
  for (std::size_t size = 64; size < 4096; size += 61) {
    const auto cut = read::read_elf(folder.file("cut", whole.substr(0, size)));
    if (cut) CHECK(cut->needed.empty());
  }
  // Offsets that point anywhere.
  for (std::size_t at = 4; at < 1024; at += 3) {
    std::string damaged = whole.substr(0, std::min<std::size_t>(whole.size(), 1 << 20));
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    read::read_elf(folder.file("damaged", damaged));
  }
}

}  // namespace mfushim::test
