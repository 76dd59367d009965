#include "app/model/program/program_ptx.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "engine/ptx/syntax/link_texts.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/runtime/fat_binary.h"

namespace warplens::model {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::size_t kHeader = 64, kSectionHeader = 64, kStep = 8;

template <typename T>
T read(Bytes bytes, std::uint64_t at) {
  T value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// A section of an ELF file of 64 bits, by name.
Bytes section(Bytes elf, const char* wanted) {
  const auto table = read<std::uint64_t>(elf, 40);
  const auto count = read<std::uint16_t>(elf, 60), names = read<std::uint16_t>(elf, 62);
  const auto texts = read<std::uint64_t>(elf, table + names * kSectionHeader + 24);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + i * kSectionHeader, name = texts + read<std::uint32_t>(elf, at);
    const std::size_t length = std::strlen(wanted) + 1;
    if (name > elf.size() || elf.size() - name < length ||
        std::memcmp(elf.data() + name, wanted, length) != 0)
      continue;
    const auto from = read<std::uint64_t>(elf, at + 24), bytes = read<std::uint64_t>(elf, at + 32);
    if (from <= elf.size() && bytes <= elf.size() - from) return elf.subspan(from, bytes);
  }
  return {};
}

// The text of the newest architecture that one fat binary holds; empty: none.
std::string newest(const std::vector<runtime::Image>& images) {
  const runtime::Image* best = nullptr;
  for (const runtime::Image& image : images)
    if (image.is_ptx && (best == nullptr || image.arch > best->arch)) best = &image;
  if (best == nullptr) return {};
  const auto bytes = runtime::bytes_of(*best);
  if (!bytes) return {};
  // It ends with zeros.
  return {bytes->begin(), std::find(bytes->begin(), bytes->end(), std::uint8_t{0})};
}

// Fat binaries lie one behind the other, with padding between them.
std::vector<std::string> texts_in(Bytes part) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + 16 <= part.size(); at += kStep) {
    if (read<std::uint32_t>(part, at) != kFatBinary) continue;
    const std::uint64_t bytes = read<std::uint16_t>(part, at + 6) + read<std::uint64_t>(part, at + 8);
    if (bytes > part.size() - at || bytes < kStep) continue;
    const auto images = runtime::read_fat_binary(part.data() + at, bytes);
    if (images)
      if (std::string text = newest(*images); !text.empty()) out.push_back(std::move(text));
    at += (bytes + kStep - 1) / kStep * kStep - kStep;
  }
  return out;
}

}  // namespace

const std::string* ProgramPtx::of(const std::string& mangled) const {
  for (const std::string& text : texts)
    if (std::ranges::count(kernels_in(text), mangled) > 0) return &text;
  return nullptr;
}

ProgramPtx read_program_ptx(const std::filesystem::path& program) {
  std::ifstream in(program, std::ios::binary);
  const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(in), {}};
  ProgramPtx out;
  constexpr std::uint8_t kMagic[] = {0x7f, 'E', 'L', 'F', 2};
  if (file.size() < kHeader || std::memcmp(file.data(), kMagic, sizeof kMagic) != 0) return out;
  out.texts = texts_in(section(file, ".nv_fatbin"));
  if (const auto parts = texts_in(section(file, "__nv_relfatbin")); !parts.empty())
    out.texts.push_back(parts.size() == 1 ? parts.front() : ptx::link_texts(parts));
  return out;
}

std::vector<std::string> kernels_in(const std::string& text) {
  constexpr std::string_view kEntry = ".entry ";
  std::vector<std::string> out;
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    out.push_back(text.substr(at, std::min(text.find_first_of("( \t\n", at), text.size()) - at));
  }
  return out;
}

std::vector<std::string> variables_in(const std::string& text) {
  std::vector<std::string> out;
  const auto module = ptx::parse(text, {.file = "the program's PTX"});
  if (!module) return out;
  const auto add = [&](const ptx::Variable& variable) {
    if (!variable.is_extern &&
        (variable.space == ptx::StateSpace::Global || variable.space == ptx::StateSpace::Const))
      out.push_back(variable.name);
  };
  for (const ptx::Variable& variable : module->variables) add(variable);
  for (const ptx::Function& function : module->functions)
    for (const ptx::Variable& variable : function.locals) add(variable);
  return out;
}

}  // namespace warplens::model
