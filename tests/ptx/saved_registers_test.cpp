#include "engine/ptx/rules/saved_registers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

// Words as the machine code of ptxas 13.0 stores them (STL at the entry of the function).
struct KnownBefore {
  const char *file, *function;
  int words;
};

class Saved : public testing::TestWithParam<KnownBefore> {};

TEST_P(Saved, AsManyWordsAsTheMachineCodeStores) {
  const auto [file, function, words] = GetParam();
  std::ifstream stream(std::filesystem::path(tests::source_dir()) / "tests/conformance/ptx" / file);
  std::ostringstream text;
  text << stream.rdbuf();
  const auto module = parse(text.str());
  ASSERT_TRUE(module);
  int found = 0;
  for (const Function& f : module->functions)
    if (f.name.find(function) != std::string::npos && !f.is_entry && !f.is_extern) {
      EXPECT_EQ(saved_words(*module, f), words);
      ++found;
    }
  EXPECT_EQ(found, 1);
}

std::string name_of(const testing::TestParamInfo<KnownBefore>& known) {
  std::string name = std::string(known.param.file) + known.param.function;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , Saved,
    testing::Values(KnownBefore{"local.ptx", "fibonacci", 5}, KnownBefore{"functions.ptx", "5power", 4},
                    KnownBefore{"language.ptx", "fibonacci", 5},
                    KnownBefore{"control.ptx", "ackermann_like", 3}, KnownBefore{"objects.ptx", "hanoi", 7},
                    KnownBefore{"objects.ptx", "adaptive", 7}, KnownBefore{"objects.ptx", "tree_sum", 11}),
    name_of);

}  // namespace
}  // namespace warplens::ptx
