// Walks headers and the dynamic section; every offset is checked, since files may be anything.
#include "read/elf_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "read/byte_file.hpp"
#include "read/format_error.hpp"

namespace mfushim::read {

namespace {

// More of these than any linker makes are no table.
constexpr std::uint64_t kMostEntries = 1u << 20;
constexpr std::uint64_t kMostText = std::uint64_t{64} << 20;

class Tables {
 public:
  explicit Tables(const std::string& path) : file_(path) {}

  // Absent where the file ends before.
  template <class Entry>
  std::optional<std::vector<Entry>> entries(std::uint64_t offset, std::uint64_t count) const {
    if (count > kMostEntries || offset > file_.size()) return std::nullopt;
    std::vector<Entry> all(count);
    const std::size_t bytes = count * sizeof(Entry);
    const auto to = reinterpret_cast<std::uint8_t*>(all.data());
    if (file_.read_at(offset, {to, bytes}) != bytes) return std::nullopt;
    return all;
  }
  std::optional<std::string> text(std::uint64_t offset, std::uint64_t size) const {
    if (size > kMostText || offset > file_.size() || size > file_.size() - offset)
      return std::nullopt;
    std::string text(size, '\0');
    if (file_.read_at(offset, {reinterpret_cast<std::uint8_t*>(text.data()), size}) != size)
      return std::nullopt;
    return text;
  }

 private:
  ByteFile file_;
};

std::string word_at(const std::string& table, std::uint64_t at) {
  return at < table.size() ? std::string(table.c_str() + at) : std::string();
}

// Where in the file an address lies; absent when in none of its segments.
std::optional<std::uint64_t> offset_of(const std::vector<Elf64_Phdr>& segments,
                                       std::uint64_t address) {
  for (const Elf64_Phdr& s : segments)
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return address - s.p_vaddr + s.p_offset;
  return std::nullopt;
}

void read_dynamic(const Tables& tables, const std::vector<Elf64_Phdr>& segments,
                  const Elf64_Phdr& dynamic, ElfFile& elf) {
  const auto rows =
      tables.entries<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn));
  if (!rows) return;
  std::uint64_t address = 0, size = 0;
  for (const Elf64_Dyn& row : *rows) {
    if (row.d_tag == DT_STRTAB) address = row.d_un.d_ptr;
    if (row.d_tag == DT_STRSZ) size = row.d_un.d_val;
  }
  const auto offset = offset_of(segments, address);
  const auto strings = offset ? tables.text(*offset, size) : std::nullopt;
  if (!strings) return;
  for (const Elf64_Dyn& row : *rows)
    if (row.d_tag == DT_NEEDED) elf.needed.push_back(word_at(*strings, row.d_un.d_val));
}

// Calls `use` with the name of each symbol that is defined here.
template <class Use>
void for_each_symbol(const Tables& tables, const std::vector<Elf64_Shdr>& sections,
                     const Elf64_Shdr& symbols, Use&& use) {
  const auto all =
      tables.entries<Elf64_Sym>(symbols.sh_offset, symbols.sh_size / sizeof(Elf64_Sym));
  if (!all || symbols.sh_link >= sections.size()) return;
  const Elf64_Shdr& names = sections[symbols.sh_link];
  const auto strings = tables.text(names.sh_offset, names.sh_size);
  if (!strings) return;
  for (const Elf64_Sym& symbol : *all)
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_name != 0) use(word_at(*strings, symbol.st_name));
}

void read_sections(const Tables& tables, const Elf64_Ehdr& head, ElfFile& elf) {
  const auto sections = tables.entries<Elf64_Shdr>(head.e_shoff, head.e_shnum);
  if (!sections || head.e_shstrndx >= sections->size()) return;
  const Elf64_Shdr& table = (*sections)[head.e_shstrndx];
  const auto names = tables.text(table.sh_offset, table.sh_size);
  for (const Elf64_Shdr& section : *sections) {
    const std::string name = names ? word_at(*names, section.sh_name) : std::string();
    if (name.starts_with(".nv_fatbin") || name.starts_with(".nvFatBin")) elf.has_gpu_code = true;
    if (section.sh_type == SHT_DYNSYM)
      for_each_symbol(tables, *sections, section,
                      [&](std::string symbol) { elf.exports.push_back(std::move(symbol)); });
    if (section.sh_type == SHT_SYMTAB)
      for_each_symbol(tables, *sections, section, [&](const std::string& symbol) {
        if (symbol == "cudaLaunchKernel") elf.has_cuda_runtime = true;
      });
  }
}

}  // namespace

bool ElfFile::needs(std::string_view prefix) const {
  return std::ranges::any_of(needed,
                             [&](const std::string& name) { return name.starts_with(prefix); });
}

bool ElfFile::defines(std::string_view name) const {
  return std::ranges::find(exports, name) != exports.end();
}

std::optional<ElfFile> read_elf(const std::string& path) {
  try {
    const Tables tables(path);
    const auto heads = tables.entries<Elf64_Ehdr>(0, 1);
    if (!heads) return std::nullopt;
    const Elf64_Ehdr& head = heads->front();
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
      return std::nullopt;
    const auto segments = tables.entries<Elf64_Phdr>(head.e_phoff, head.e_phnum);
    if (!segments) return std::nullopt;
    ElfFile elf;
    elf.is_x86_64 = head.e_machine == EM_X86_64;
    for (const Elf64_Phdr& s : *segments) {
      if (s.p_type == PT_INTERP)
        if (const auto text = tables.text(s.p_offset, s.p_filesz)) elf.interpreter = text->c_str();
      if (s.p_type == PT_DYNAMIC) read_dynamic(tables, *segments, s, elf);
    }
    read_sections(tables, head, elf);
    return elf;
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

}  // namespace mfushim::read
