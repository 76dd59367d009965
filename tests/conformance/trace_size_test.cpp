// How many bytes a stored access takes, over every kernel of the gallery and every launch of the suite: at
// most
// 24. The tables go to trace_size_*.txt in the build folder, the largest first.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "app/model/gallery/gallery.h"
#include "app/model/run/pipeline.h"
#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/conformance/suite.h"
#include "tests/support/places.h"

namespace warplens::conformance {
namespace {

// Passes accesses on to a recorder, and nothing else: what they take without branches, masks and barriers.
class OnlyAccesses : public trace::Listener {
 public:
  explicit OnlyAccesses(const trace::RecorderOptions& options)
      : recorder_(std::make_unique<trace::Recorder>(options)) {}
  std::unique_ptr<trace::Listener> fork() const override {
    auto out = std::make_unique<OnlyAccesses>(trace::RecorderOptions{});
    out->recorder_ = recorder_->fork();
    return out;
  }
  void join(trace::Listener& other) override {
    recorder_->join(*static_cast<OnlyAccesses&>(other).recorder_);
  }
  Wants wants() const override { return {.accesses = true}; }
  void on_launch(const trace::Launch& launch, std::span<const std::uint64_t> bases) override {
    recorder_->on_launch(launch, bases);
  }
  bool wants_block(std::uint64_t block) override { return recorder_->wants_block(block); }
  void on_block_begin(std::uint64_t block) override { recorder_->on_block_begin(block); }
  void on_access(const trace::Access& access) override { recorder_->on_access(access); }
  void on_block_end(std::uint64_t block) override { recorder_->on_block_end(block); }
  trace::Trace take() { return static_cast<trace::Recorder&>(*recorder_).take(); }

 private:
  std::unique_ptr<trace::Listener> recorder_;
};

struct Size {
  std::string id;
  std::size_t accesses = 0, steps = 0;
  double alone = 0, whole = 0, a_step = 0;  // bytes: an access alone, with all around it, a step of any kind
};

double over(std::size_t bytes, std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(count);
}

// What is stored once (forms, patterns that come back) weighs in a short trace.
constexpr std::size_t kEnough = 2000, kOnce = 4096;
constexpr double kGoal = 24;
constexpr std::uint64_t kMostBlocks = 256;

std::optional<Size> size_of(const std::string& id, const std::shared_ptr<const ptx::Module>& module,
                            const trace::Launch& launch) {
  const auto kernel = simt::Kernel::load(module, launch.kernel);
  if (!kernel) return std::nullopt;
  const trace::RecorderOptions recorded{.blocks = std::min(launch.grid.volume(), kMostBlocks)};
  trace::Recorder all(recorded);
  OnlyAccesses alone(recorded);
  const std::array<trace::Listener*, 2> listeners{&all, &alone};
  simt::Options options;
  for (std::uint64_t block = 0; block < recorded.blocks; ++block) options.only_blocks.push_back(block);
  const auto outcome = simt::run(*kernel, launch, options, listeners);
  if (!outcome) return std::nullopt;
  const trace::Trace whole = all.take(), accesses = alone.take();
  return Size{id,
              accesses.size(),
              whole.size(),
              over(accesses.memory_bytes(), accesses.size()),
              over(whole.memory_bytes(), accesses.size()),
              over(whole.memory_bytes(), whole.size())};
}

void write_table(const std::string& title, std::vector<Size>& rows) {
  std::ranges::sort(rows, [](const Size& a, const Size& b) { return a.alone > b.alone; });
  std::ofstream out(std::filesystem::path(tests::binary_dir()) / fmt::format("trace_size_{}.txt", title));
  out << fmt::format("{:<34}{:>10}{:>10}{:>10}{:>10}{:>10}\n", title, "accesses", "alone", "with all",
                     "steps", "a step");
  for (const Size& row : rows)
    out << fmt::format("{:<34}{:>10}{:>10.1f}{:>10.1f}{:>10}{:>10.1f}\n", row.id, row.accesses, row.alone,
                       row.whole, row.steps, row.a_step);
}

// Lanes that each follow a list of their own, read from a file, take more, and so do those that each stride
// by a number of their own (sieve): nothing says where they go but their addresses.
constexpr double kOfLists = 36;

bool follows_lists(const Case& c) {
  const auto from_file = [](const trace::Argument& a) { return a.init == trace::Init::File; };
  return c.id == "sieve" || std::ranges::any_of(c.launch.arguments, from_file);
}

TEST(TraceSize, OfTheSuite) {
  const Suite suite = load_suite();
  std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  std::vector<Size> rows;
  for (const Case& c : suite.launches) {
    auto& module = modules[c.file];
    if (!module) {
      const auto text = read_text(folder() / "ptx" / (c.file + ".ptx"));
      ASSERT_TRUE(text);
      auto parsed = ptx::parse(*text, {.file = c.file});
      ASSERT_TRUE(parsed);
      module = std::make_shared<const ptx::Module>(std::move(*parsed));
    }
    const auto size = size_of(c.id, module, c.launch);
    if (!size || size->accesses < kEnough) continue;
    rows.push_back(*size);
    EXPECT_LE(size->alone, follows_lists(c) ? kOfLists : kGoal) << c.id;
  }
  write_table("suite", rows);
  ASSERT_GT(rows.size(), 50u);
}

TEST(TraceSize, OfTheGallery) {
  const auto gallery = model::load_gallery(std::filesystem::path(tests::source_dir()) / "kernels");
  ASSERT_TRUE(gallery);
  std::vector<Size> rows;
  for (const model::GalleryKernel& kernel : gallery->kernels) {
    const auto bound = model::launch_of(kernel, model::default_values(kernel));
    ASSERT_TRUE(bound) << kernel.id;
    const auto program = model::load_program(model::program_request(kernel, *bound));
    if (!program) GTEST_SKIP() << "no compiler";
    const auto size = size_of(kernel.id, (*program)->module, bound->launch);
    if (size) rows.push_back(*size);
  }
  write_table("gallery", rows);
  for (const Size& row : rows) {
    const auto once =
        static_cast<double>(kOnce) / static_cast<double>(std::max<std::size_t>(row.accesses, 1));
    EXPECT_LE(row.alone, row.accesses >= kEnough ? 16 : kGoal + once) << row.id;
    // With branches, masks and barriers: what the cursor stands on.
    EXPECT_LE(row.a_step, kGoal + once) << row.id;
  }
}

}  // namespace
}  // namespace warplens::conformance
