// Broken PTX, made the same way every time: bytes changed, lines removed, doubled and swapped, texts cut off.
// The front end must answer with an error or a module that prints and reads back. (tests/fuzz does this for
// hours.)
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "engine/base/assets.h"
#include "engine/ptx/facts/liveness.h"
#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/ptx/syntax/printer.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : engine_(seed) {}

  std::string mutate(std::string text) {
    for (unsigned n = 1 + random(4); n-- > 0 && !text.empty();) {
      switch (random(6)) {
        case 0:
          text[at(text)] = static_cast<char>(random(256));
          break;
        case 1:
          text[at(text)] = kInteresting[random(static_cast<unsigned>(kInteresting.size()))];
          break;
        case 2:
          text.resize(at(text));
          break;
        case 3: {  // a line away
          const auto [first, last] = line(text);
          text.erase(first, last - first);
          break;
        }
        case 4: {  // a line somewhere else
          const auto [first, last] = line(text);
          const std::string copy = text.substr(first, last - first);
          text.insert(line(text).first, copy);
          break;
        }
        default: {  // a number changed
          const std::size_t digit = text.find_first_of("0123456789", at(text));
          if (digit != std::string::npos) text.replace(digit, 1, std::to_string(random(4000000000u)));
        }
      }
    }
    return text;
  }

 private:
  unsigned random(unsigned n) { return (static_cast<unsigned>(engine_()) >> 1) % n; }
  std::size_t at(const std::string& text) { return random(static_cast<unsigned>(text.size())); }
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    if (text.empty()) return {0, 0};
    const std::size_t middle = at(text);
    const std::size_t start = text.rfind('\n', middle);
    const std::size_t end = text.find('\n', middle);
    return {start == std::string::npos ? 0 : start, end == std::string::npos ? text.size() : end};
  }

  static constexpr std::string_view kInteresting = "{}[]()<>;:,.@%!|+-*/~\"'0\n_";
  std::minstd_rand engine_;
};

void expect_survives(const std::string& text) {
  const Result<Module> module = parse(text);
  if (!module) {
    EXPECT_GT(module.error().place.line, 0);
    EXPECT_FALSE(module.error().message.empty());
    return;
  }
  for (const Function& function : module->functions) {
    for (const ExecutedAs& executed : as_executed(*module, function)) {
      ASSERT_LT(executed.leader, function.instructions.size());
    }
    const RowAssignment rows = assign_rows(*module, function);
    ASSERT_EQ(rows.row.size(), function.registers.size());
  }
  const std::string printed = print(*module);
  const Result<Module> again = parse(printed);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(print(*again), printed);
}

TEST(Mutations, OfCompilersOutput) {
  const auto folder = std::filesystem::path(tests::source_dir()) / "tests/ptx/data";
  for (const char* name : {"calls_nvcc_sm90.ptx", "clang_sm86.ptx", "clang_debug_sm80.ptx"}) {
    const Result<std::string> text = read_text(folder / name);
    ASSERT_TRUE(text);
    Mutator mutator(42);
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) expect_survives(mutator.mutate(*text));
  }
}

TEST(Hostile, DeepNestingIsRefused) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<3>;\n";
  const auto many = [](const std::string& text, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += text;
    return all;
  };
  constexpr std::size_t kMany = 200000;
  EXPECT_FALSE(parse(head + many("{", kMany)));
  EXPECT_FALSE(parse(head + "mov.u32 %r1, " + many("(", kMany)));
  EXPECT_FALSE(parse(head + "mov.u32 %r1, " + many("-", kMany) + "1;}"));
  EXPECT_FALSE(parse(head + "mov.u32 %r1, " + many("1?1:", kMany) + "1;}"));
  EXPECT_FALSE(parse(head + "mov.b64 %r1, " + many("{", kMany)));
  EXPECT_FALSE(parse(head + "ld.u32 %r1, " + many("[", kMany)));
  EXPECT_FALSE(parse(head + "mov.u32 " + many("%r1|", kMany) + "%r1;}"));
  EXPECT_FALSE(parse(".version 8.0\n.target sm_80\n.global .b8 x[2] = " + many("{", kMany)));
}

TEST(Hostile, SmallTextsDoNotAskForMuchMemory) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  EXPECT_TRUE(parse(head + ".entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, 1; }"));
  EXPECT_FALSE(parse(head + ".global .b8 x[1000][1000000000] = {{1},{1},{1}};"));
  EXPECT_FALSE(parse(head + ".file 4000000000 \"x\"\n"));
  std::string bomb = "_Z1f";  // stands for 2^50 types
  for (int i = 0; i < 50; ++i) bomb += "St4pairI" + std::string(i == 0 ? "ii" : "S_S_") + "E";
  const Result<Module> module = parse(head + ".entry " + bomb + "() { ret; }");
  ASSERT_TRUE(module) << module.error().text();
  EXPECT_LT(module->functions[0].demangled.size(), 1u << 20);
}

// Graphs and names on which a careless algorithm takes the square of the length.
TEST(Hostile, LongTextsTakeLinearTime) {
  const std::string head =
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<9>; .reg .pred %p;\n";
  std::string ladder = head, scopes = head, loops = head;
  constexpr int kMany = 20000;
  for (int i = 0; i < kMany; ++i) {
    const std::string n = std::to_string(i);
    ladder += "A" + n + ": @%p bra B" + n + ";\n";
    scopes += "{ .reg .b32 t; .param .b32 q; mov.u32 t, 1; L: @%p bra L; }\n";
    loops += "L" + n + ": add.u32 %r1, %r1, 1;\n";
  }
  ladder += "ret;\n";
  for (int i = 0; i < kMany; ++i) {
    ladder += "B" + std::to_string(i) + ": add.u32 %r1, %r1, 1;\n";
    loops += "@%p bra L" + std::to_string(kMany - 1 - i) + ";\n";
  }
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : {ladder, scopes, loops}) {
    const Result<Module> module = parse(text + "}\n");
    ASSERT_TRUE(module) << module.error().text();
    const Function& function = module->functions[0];
    EXPECT_EQ(as_executed(*module, function).size(), function.instructions.size());
    EXPECT_GT(assign_rows(*module, function).rows, 0u);
    EXPECT_FALSE(print(*module).empty());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));  // takes about one
}

}  // namespace
}  // namespace warplens::ptx
