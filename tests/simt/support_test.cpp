// docs/SUPPORT.md against the program: the page cannot promise what does not run, nor keep quiet about what
// does.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"
#include "engine/simt/ops/ops.h"
#include "tests/support/places.h"

namespace warplens::simt {
namespace {

std::vector<std::string> page() {
  std::ifstream in(tests::source_dir() + "/docs/SUPPORT.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The words in backticks of the rows of the table "Instructions" that are whole opcodes.
std::vector<std::string> named_opcodes() {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : page()) {
    if (line.starts_with("## ")) inside = line == "## Instructions";
    if (!inside || !line.starts_with("| ")) continue;
    std::istringstream words(line);
    for (std::string piece; std::getline(words, piece, '`');)
      if (std::all_of(piece.begin(), piece.end(),
                      [](unsigned char c) { return std::islower(c) || std::isdigit(c); }) &&
          !piece.empty())
        out.push_back(piece);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The lines of the block ```NAME.
std::vector<std::string> block(const std::string& name) {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : page()) {
    if (line.starts_with("```")) {
      inside = line == "```" + name;
    } else if (inside) {
      out.push_back(line);
    }
  }
  return out;
}

std::vector<UnsupportedOp> refused_by(const std::string& instruction) {
  const std::string text =
      ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>; .reg .b128 %rq<9>;\n.reg .f32 %f<9>;\n.reg "
      ".f64 %fd<9>;\n.reg "
      ".pred %p<9>;\n" +
      instruction + "\nret;\n}\n";
  const auto module = ptx::parse(text, {.file = "support.ptx"});
  EXPECT_TRUE(module) << instruction << ": " << module.error().text();
  if (!module) return {};
  const auto entry = module->find_entry("k");
  EXPECT_TRUE(entry);
  return entry ? Kernel::unsupported(*module, **entry) : std::vector<UnsupportedOp>{};
}

TEST(Support, ThePageNamesEveryOpcodeThatRunsAndNoOther) {
  const std::vector<std::string> known = known_opcodes(), named = named_opcodes();
  ASSERT_GT(named.size(), 60u);
  for (const std::string& opcode : known)
    EXPECT_TRUE(std::binary_search(named.begin(), named.end(), opcode))
        << opcode << " runs, but is not on the page";
  for (const std::string& opcode : named)
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), opcode))
        << opcode << " is on the page, but unknown";
}

TEST(Support, WhatThePageSaysRunsDoes) {
  const auto lines = block("runs");
  ASSERT_GT(lines.size(), 10u);
  for (const std::string& line : lines)
    for (const UnsupportedOp& op : refused_by(line)) ADD_FAILURE() << line << " is refused as " << op.op;
}

TEST(Support, WhatThePageSaysDoesNotRunIsRefusedByName) {
  const auto lines = block("refused");
  ASSERT_GT(lines.size(), 10u);
  for (const std::string& line : lines) {
    const auto refused = refused_by(line);
    ASSERT_EQ(refused.size(), 1u) << line;
    EXPECT_TRUE(line.starts_with(refused[0].op)) << line << " is called " << refused[0].op;
    EXPECT_EQ(refused[0].ptx_line, 12) << line;
  }
}

}  // namespace
}  // namespace warplens::simt
