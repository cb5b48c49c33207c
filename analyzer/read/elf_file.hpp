// What a program's or library's file says of itself: enough to tell how it is loaded, and how it
// comes to CUDA. GPU code is never read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mfushim::read {

struct ElfFile {
  std::string interpreter;          // the loader it asks for; empty: none
  std::vector<std::string> needed;  // libraries, as it names them
  std::vector<std::string> exports;
  bool has_gpu_code = false;
  bool has_cuda_runtime = false;  // linked in, as far as the symbols are not stripped
  bool is_x86_64 = false;

  bool needs(std::string_view prefix) const;  // a library whose name begins so
  bool defines(std::string_view name) const;
};

// Absent when the file cannot be read or is not a whole 64-bit ELF file.
std::optional<ElfFile> read_elf(const std::string& path);

}  // namespace mfushim::read
