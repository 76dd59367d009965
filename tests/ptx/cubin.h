// Counts the shared and local accesses of ptxas's output by width, straight from the cubin's instruction
// words (sm_90): enough to hold the model of as_executed.h against the compiler that it describes.
//
//   cubin_accesses("k.cubin")["k"]    // {"LDS.128": 2, "STS": 1}
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include "engine/base/assets.h"

namespace warplens::ptx {

using AccessCounts = std::map<std::string, int>;

inline std::string access_name(std::uint64_t low, std::uint64_t high) {
  static const std::map<std::uint64_t, std::string> kOpcodes{
      {0x984, "LDS"}, {0x388, "STS"}, {0x988, "STS"}, {0x983, "LDL"}, {0x387, "STL"}};
  static const char* const kWidths[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".?"};
  const auto opcode = kOpcodes.find(low & 0xfff);
  return opcode == kOpcodes.end() ? "" : opcode->second + kWidths[(high >> 9) & 7];
}

inline std::map<std::string, AccessCounts> cubin_accesses(const std::string& file) {
  std::map<std::string, AccessCounts> result;
  const Result<std::string> read = read_text(file);
  if (!read) return result;
  const std::string& data = *read;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    if (at + bytes <= data.size()) std::memcpy(&value, data.data() + at, bytes);
    return value;
  };
  const std::uint64_t sections = number(0x28, 8), count = number(0x3c, 2), names = number(0x3e, 2);
  const std::uint64_t name_table = number(sections + 64 * names + 24, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t header = sections + 64 * i;
    const std::string name = data.c_str() + name_table + number(header, 4);
    if (name.rfind(".text.", 0) != 0) continue;
    AccessCounts& counts = result[name.substr(6)];
    const std::uint64_t start = number(header + 24, 8), size = number(header + 32, 8);
    for (std::uint64_t at = start; at + 16 <= start + size; at += 16) {
      const std::string access = access_name(number(at, 8), number(at + 8, 8));
      if (!access.empty()) ++counts[access];
    }
  }
  return result;
}

}  // namespace warplens::ptx
