#include "engine/trace/gather.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "engine/trace/half.h"
#include "engine/trace/trace.h"

namespace warplens::trace {
namespace {

double element_of(ElementType type, const std::vector<std::uint8_t>& bytes, std::size_t i) {
  const auto read = [&]<typename T>(T value) {
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  switch (type) {
    case ElementType::I8:
      return read(std::int8_t{});
    case ElementType::U8:
      return read(std::uint8_t{});
    case ElementType::I16:
      return read(std::int16_t{});
    case ElementType::U16:
      return read(std::uint16_t{});
    case ElementType::I32:
      return read(std::int32_t{});
    case ElementType::U32:
      return read(std::uint32_t{});
    case ElementType::I64:
      return static_cast<double>(read(std::int64_t{}));
    case ElementType::U64:
      return static_cast<double>(read(std::uint64_t{}));
    case ElementType::F16:
      return from_half(read(std::uint16_t{}));
    case ElementType::F32:
      return read(float{});
    case ElementType::F64:
      return read(double{});
  }
  return 0;
}

TEST(ElementFormula, MakesTheElementsThatTheInitialiserWrites) {
  int formulas = 0;
  for (const char* type : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"}) {
    for (const char* init :
         {"iota", "hash", "mod:1000", "mod:77", "perm:101", "perm:-3", "const:4", "zero"}) {
      const auto argument = parse_argument(std::string("buf:") + type + ":2000:" + init);
      if (!argument) continue;  // not all go with all
      const auto formula = formula_of(*argument);
      if (!formula) continue;
      ++formulas;
      const std::vector<std::uint8_t> bytes = initial_bytes(*argument).value();
      for (std::size_t i = 0; i < 2000; ++i) {
        const double expected = element_of(argument->type, bytes, i);
        // A half holds 2,048 exactly, and no integer of a formula here is larger.
        ASSERT_EQ(static_cast<double>(formula->element(i)), expected) << argument->text << " " << i;
      }
    }
  }
  EXPECT_GE(formulas, 40);
  EXPECT_FALSE(formula_of(*parse_argument("buf:i32:100:zero")));
  EXPECT_FALSE(formula_of(*parse_argument("buf:f32:100:hash")));
  EXPECT_FALSE(formula_of(*parse_argument("i32:100")));
}

TEST(Gather, IsKeptInWordsAndNonsenseIsRefused) {
  const Gather gather{{Init::Permutation, ElementType::U16, -77, std::uint64_t{1} << 32}, -3, 12, 5, 9};
  EXPECT_EQ(Gather::from(gather.words()), gather);
  Gather::Words words = gather.words();
  words[0] = static_cast<std::uint32_t>(Init::File);
  EXPECT_FALSE(Gather::from(words));
  words = gather.words();
  words[0] |= 0xff00u;
  EXPECT_FALSE(Gather::from(words));
  const Gather modulo{{Init::Modulo, ElementType::I32, 0, 10}, 1, 4, 0, 64};
  EXPECT_FALSE(Gather::from(modulo.words()));
  // Whatever is accepted can be evaluated.
  std::mt19937 random(3);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
    words[0] &= 0x403f0f07u;  // mostly what may stand there
    const auto read = Gather::from(words);
    if (!read) continue;
    ++accepted;
    (void)read->offset(random(), static_cast<int>(random() % 32));
  }
  EXPECT_GT(accepted, 1000);
}

constexpr std::uint64_t kIndex = 0x700000000000, kTable = 0x700000100000;

// A kernel that loads elements of an index buffer and goes where they say.
class Kernel {
 public:
  explicit Kernel(const std::string& buffer, std::uint64_t blocks = 1, bool with_sources = true)
      : argument_(*parse_argument(buffer)), recorder_({.blocks = blocks}) {
    launch_.arguments = {argument_, *parse_argument("buf:f32:1000000:zero")};
    const std::array<std::uint64_t, 2> bases{kIndex, kTable};
    if (with_sources) recorder_.on_launch(launch_, bases);
    formula_ = formula_of(argument_).value();
  }
  // Lanes read `wide` elements each from `first` on, and go to to(the one of them that `element` says).
  using To = std::function<std::uint64_t(std::int64_t)>;
  void step(std::uint64_t block, std::uint32_t warp, std::uint64_t first, LaneMask active, Space space,
            const To& to, unsigned wide = 1, unsigned element = 0) {
    const auto size = static_cast<std::uint64_t>(size_of(argument_.type));
    std::array<std::uint64_t, 32> load{}, go{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      const std::uint64_t index = first + lane * wide;
      load[lane] = kIndex + size * index;
      go[lane] = to(formula_.element(index + element));
    }
    Access access{.site = 0, .warp = {block, warp}, .bytes = static_cast<std::uint8_t>(size * wide)};
    access.active = active;
    access.addresses = load.data();
    access.affine = true;
    access.stride = static_cast<std::int64_t>(size * wide);
    recorder_.on_access(access);
    access = {.site = 1, .warp = {block, warp}, .space = space, .active = active};
    access.addresses = go.data();
    recorder_.on_access(access);
    expected_.push_back(go);
  }
  Recorder& recorder() { return recorder_; }
  Trace finish() { return recorder_.take(); }
  void check(const Trace& trace, LaneMask active = kFullMask) const {
    ASSERT_EQ(trace.size(), 2 * expected_.size());
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const AccessView view = trace.access(2 * i + 1);
      ASSERT_EQ(view.active, active);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((active >> lane & 1u) == 0) continue;
        ASSERT_EQ(view.addresses[lane], expected_[i][lane]) << i;
      }
    }
  }
  double bytes_an_access(const Trace& trace) const {
    return static_cast<double>(trace.memory_bytes()) / static_cast<double>(trace.size());
  }

 private:
  Argument argument_;
  Launch launch_;
  ElementFormula formula_;
  Recorder recorder_;
  std::vector<std::array<std::uint64_t, 32>> expected_;
};

std::uint64_t table_at(std::int64_t element) {
  return kTable + 4 * static_cast<std::uint64_t>(element);
}

struct Shape {
  const char* buffer;
  LaneMask active;
  Space space;
  unsigned wide, element;
  Kernel::To to;
};

TEST(Gather, AccessesThatFollowFromALoadTakeLittleAndComeBackExactly) {
  const Shape shapes[] = {
      {"buf:i32:100000:mod:1000000", kFullMask, Space::Global, 1, 0, table_at},
      {"buf:u64:100000:mod:1000000", kFullMask, Space::Global, 1, 0, table_at},
      {"buf:i32:100000:perm:7919", kFullMask, Space::Global, 1, 0,
       [](std::int64_t e) { return kTable + 800'000 - 8 * static_cast<std::uint64_t>(e); }},
      {"buf:i32:100000:mod:5000", 0x7fff0ff1u, Space::Shared, 1, 0,
       [](std::int64_t e) { return 64 + 12 * static_cast<std::uint64_t>(e); }},
      {"buf:u32:100000:hash", kFullMask, Space::Shared, 1, 0,
       [](std::int64_t e) { return 4 * (static_cast<std::uint64_t>(e) >> 12 & 255u); }},
      {"buf:i32:100000:hash", kFullMask, Space::Global, 1, 0,
       [](std::int64_t e) { return table_at(e & 0xfffff); }},
      {"buf:i32:100000:mod:1000000", kFullMask, Space::Global, 4, 2, table_at},
  };
  for (const Shape& shape : shapes) {
    Kernel kernel(shape.buffer);
    kernel.recorder().on_block_begin(0);
    for (std::uint32_t i = 0; i < 700; ++i)
      kernel.step(0, i % 8, i * 32, shape.active, shape.space, shape.to, shape.wide, shape.element);
    kernel.recorder().on_block_end(0);
    const Trace trace = kernel.finish();
    kernel.check(trace, shape.active);
    EXPECT_LE(kernel.bytes_an_access(trace), 13.0) << shape.buffer << " " << shape.active;
  }
}

// 32 distances of 20 bits are 80 bytes, whatever is done: without a formula that is what a step takes.
TEST(Gather, AddressesThatNothingExplainsTakeTheirEntropy) {
  Kernel kernel("buf:i32:100000:mod:1000000", 1, false);
  kernel.recorder().on_block_begin(0);
  for (std::uint32_t i = 0; i < 1000; ++i) kernel.step(0, i % 8, i * 32, kFullMask, Space::Global, table_at);
  kernel.recorder().on_block_end(0);
  const Trace trace = kernel.finish();
  kernel.check(trace);
  EXPECT_GE(2 * kernel.bytes_an_access(trace), 80.0);
  EXPECT_LE(2 * kernel.bytes_an_access(trace), 106.0);
}

// The kernel changed some elements before, or goes elsewhere with some lanes.
TEST(Gather, OneLaneThatGoesElsewhereIsKeptToo) {
  std::mt19937 random(11);
  Kernel kernel("buf:i32:100000:mod:1000000");
  kernel.recorder().on_block_begin(0);
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::int64_t odd = random() % 4 == 0 ? random() % 1'000'000 : -1;
    unsigned lane = 0;
    kernel.step(0, i % 8, i * 32, kFullMask, Space::Global,
                [&](std::int64_t e) { return table_at(odd >= 0 && lane++ == 17 ? odd : e); });
  }
  kernel.recorder().on_block_end(0);
  kernel.check(kernel.finish());
}

TEST(Gather, BlocksAreJoinedAndAFileGivesThemBack) {
  Kernel kernel("buf:i32:100000:mod:1000000", 3);
  for (std::uint64_t block = 0; block < 3; ++block) {
    kernel.recorder().on_block_begin(block);
    for (std::uint32_t i = 0; i < 50; ++i)
      kernel.step(block, i % 4, (block * 50 + i) * 32, kFullMask, Space::Global, [&](std::int64_t e) {
        return table_at(e) + 128 * block;  // another base in each
      });
    kernel.recorder().on_block_end(block);
  }
  Trace trace = kernel.finish();
  kernel.check(trace);
  trace.sites.resize(2);
  trace.sites[0].leader = trace.sites[1].leader = 0;
  const auto file =
      std::filesystem::temp_directory_path() / ("warplens_gather_" + std::to_string(::getpid()));
  ASSERT_TRUE(trace.save(file));
  const auto loaded = Trace::load(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(loaded) << loaded.error().text();
  kernel.check(*loaded);
  EXPECT_EQ(loaded->memory_bytes(), trace.memory_bytes());
}

}  // namespace
}  // namespace warplens::trace
