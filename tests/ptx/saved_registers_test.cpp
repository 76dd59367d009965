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
struct Known {
  const char *file, *function;
  int words;
};

class Saved : public testing::TestWithParam<Known> {};

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

std::string name_of(const testing::TestParamInfo<Known>& known) {
  std::string name = std::string(known.param.file) + known.param.function;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , Saved,
    testing::Values(Known{"local.ptx", "fibonacci", 5}, Known{"functions.ptx", "5power", 4},
                    Known{"language.ptx", "fibonacci", 5}, Known{"control.ptx", "ackermann_like", 3},
                    Known{"objects.ptx", "hanoi", 7}, Known{"objects.ptx", "adaptive", 7},
                    Known{"objects.ptx", "tree_sum", 11}),
    name_of);

}  // namespace
}  // namespace warplens::ptx
