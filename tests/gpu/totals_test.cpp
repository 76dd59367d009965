// The counting rewrite, proved without a GPU: the rewritten PTX of the conformance suite runs in the
// emulator, and what its own code counted must be what the emulator's counter says of the kernel as it was
// written.
#include "engine/gpu/totals.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "app/model/run/compare_totals.h"
#include "app/model/run/gpu_totals.h"
#include "engine/gpu/instrument.h"
#include "engine/gpu/recorder_module.h"
#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"
#include "tests/conformance/suite.h"
#include "tests/told.h"

namespace warplens::gpu {
namespace {

struct Counted {
  analysis::Totals totals;
  simt::Outcome outcome;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  bool complete = true;
};

std::shared_ptr<const ptx::Module> module_of(const std::string& text) {
  auto module = ptx::parse(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().text());
  return module ? std::make_shared<const ptx::Module>(std::move(*module)) : nullptr;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

simt::Options options_for(const trace::Launch& launch) {
  simt::Options options;
  options.checks = simt::Checks::None;
  options.threads = 1;
  // A few blocks of each launch, the last one, which may be ragged, among them.
  const std::uint64_t blocks = launch.grid.volume();
  for (std::uint64_t block = 0; block < std::min<std::uint64_t>(blocks, 3); ++block)
    options.only_blocks.push_back(block);
  if (blocks > 3) options.only_blocks.push_back(blocks - 1);
  return options;
}

Result<Counted> count_in_emulator(std::shared_ptr<const ptx::Module> module, const trace::Launch& launch,
                                  const simt::Options& options) {
  const auto kernel = simt::Kernel::load(std::move(module), launch.kernel);
  if (!kernel) return kernel.error();
  analysis::TotalsCounter counter(kernel->sites());
  trace::Listener* listener = &counter;
  auto outcome = simt::run(*kernel, launch, options, {&listener, 1});
  if (!outcome) return outcome.error();
  Counted out{counter.totals(), std::move(*outcome)};
  out.warp_instructions = out.outcome.warp_instructions;
  out.thread_instructions = out.outcome.thread_instructions;
  return out;
}

Result<Counted> count_by_rewrite(const ptx::Module& module, const trace::Launch& launch,
                                 const simt::Options& options) {
  InstrumentOptions how;
  how.records = false;
  how.totals = true;
  how.counters_as_parameter = true;
  const auto rewritten = instrument(module, launch.kernel, how);
  if (!rewritten) return rewritten.error();
  const auto parsed = module_of(rewritten->ptx);
  if (!parsed) return Error{ErrorKind::Compile, "the rewrite does not parse", {}, {}};
  const auto kernel = simt::Kernel::load(parsed, launch.kernel);
  if (!kernel) return kernel.error();
  trace::Launch with_counters = launch;
  auto counters = trace::parse_argument(fmt::format("buf:u64:{}:zero", rewritten->layout.bytes() / 8));
  if (!counters) return counters.error();
  with_counters.arguments.push_back(std::move(*counters));
  auto outcome = simt::run(*kernel, with_counters, options, {});
  if (!outcome) return outcome.error();
  const CountedTotals counted = read_totals(rewritten->layout, outcome->buffers.back());
  Counted out{model::totals_of(counted, rewritten->sites), std::move(*outcome), counted.warp_instructions,
              counted.thread_instructions, counted.uncounted.empty()};
  out.outcome.buffers.pop_back();
  return out;
}

// Executions of the basic blocks of a kernel that are nothing but a `ret`, and of the jumps to them.
std::uint64_t bare_returns(const ptx::Module& module, const ptx::Function& entry,
                           const simt::Outcome& outcome) {
  const auto is_bare = [&](std::uint32_t instruction) {
    const ptx::BasicBlock& block = entry.blocks[entry.block_of[instruction]];
    return block.last - block.first == 1 &&
           module.form(entry.instructions[block.first]).opcode == ptx::Opcode::Ret;
  };
  std::uint64_t sum = 0;
  for (const simt::InstructionCount& count : outcome.counts) {
    if (&module.functions[count.function] != &entry) continue;
    const ptx::Instruction& in = entry.instructions[count.instruction];
    const auto target = entry.labels.find(in.operands.empty() ? "" : in.operands.back().symbol);
    const bool jumps =
        module.form(in).opcode == ptx::Opcode::Bra && target != entry.labels.end() && is_bare(target->second);
    if (jumps || is_bare(count.instruction)) sum += count.executions;
  }
  return sum;
}

// What depends on the order of atomics, and so on how many instructions a warp has: arguments that the suite
// names, and floating sums.
bool is_unordered(const conformance::Case& one, const analysis::Totals& totals, std::size_t argument) {
  const trace::ElementType type = one.launch.arguments[argument].type;
  const bool floating = type == trace::ElementType::F32 || type == trace::ElementType::F64;
  const bool sums = totals.global_reduction.requests + totals.global_atomic.requests > 0;
  return (floating && sums) || std::find(one.unordered.begin(), one.unordered.end(),
                                         static_cast<int>(argument)) != one.unordered.end();
}

// "global.load.sectors 12 34" for every number that differs: the first is the emulator's.
std::string differences(const Counted& plain, const Counted& rewritten, const conformance::Case& one) {
  std::string out;
  for (const model::FieldDifference& d : model::compare_totals(plain.totals, rewritten.totals))
    out += fmt::format("{} {} {}\n", d.field, d.emulator, d.gpu);
  if (plain.thread_instructions != rewritten.thread_instructions)
    out +=
        fmt::format("thread_instructions {} {}\n", plain.thread_instructions, rewritten.thread_instructions);
  for (std::size_t i = 0; i < plain.outcome.buffers.size(); ++i)
    if (plain.outcome.buffers[i] != rewritten.outcome.buffers[i] && !is_unordered(one, plain.totals, i))
      out += fmt::format("buffer {}\n", i);
  return out;
}

// Launches whose counts are not compared, only their outputs.
const std::set<std::string> kOutputsOnly{
    "goto_states",  // its inner loop ends where the outer one goes on: lanes meet one turn later
    "duff_copy",    // jumps into the middle of a loop: the same
    // Ways out of a loop that end the thread: the counting code behind them changes which of them has a place
    // where lanes meet.
    "barrier_option", "first_divisor", "march_into_grid",
    "bfs_queue",  // who wins an exchange depends on how many instructions a warp has
    // Which places a warp's values get depends on the same.
    "filter_append_stride",
    "cluster_histogram",  // the counting code takes another block's shared memory for global memory
    "cluster_sum"};

TEST(Totals, TheRewriteCountsWhatTheEmulatorCounts) {
  const conformance::Suite suite = conformance::load_suite();
  const char* only = std::getenv("WARPLENS_ONLY");
  std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  int compared = 0;
  for (const conformance::Case& one : suite.launches) {
    if (only != nullptr && one.id != only) continue;
    SCOPED_TRACE(one.id);
    auto& module = modules[one.file];
    if (!module) module = module_of(text_of(conformance::folder() / "ptx" / (one.file + ".ptx")));
    ASSERT_TRUE(module);
    trace::Launch launch = one.launch;
    const auto entry = module->find_entry(launch.kernel);
    ASSERT_TRUE(entry.has_value());
    launch.kernel = (*entry)->name;
    const auto plain = count_in_emulator(module, launch, options_for(launch));
    const auto rewritten = count_by_rewrite(*module, launch, options_for(launch));
    ASSERT_TRUE(plain.has_value()) << plain.error().text();
    ASSERT_TRUE(rewritten.has_value()) << rewritten.error().text();
    for (const trace::Fault& fault : rewritten->outcome.faults) ADD_FAILURE() << told(fault);
    if (!rewritten->complete) continue;  // textures and bulk copies: no lane holds addresses
    if (kOutputsOnly.contains(one.id)) {
      for (std::size_t i = 0; i < plain->outcome.buffers.size(); ++i)
        if (!is_unordered(one, plain->totals, i)) {
          EXPECT_EQ(rewritten->outcome.buffers[i], plain->outcome.buffers[i]) << i;
        }
      continue;
    }
    // Lanes that leave early may meet the others at a bare `ret`, or leave before them: one instruction a
    // group.
    const std::uint64_t returns = bare_returns(*module, **entry, plain->outcome);
    EXPECT_LE(rewritten->warp_instructions, plain->warp_instructions + returns);
    EXPECT_GE(rewritten->warp_instructions, plain->warp_instructions - returns);
    EXPECT_EQ(differences(*plain, *rewritten, one), "");
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// What lies in another block's shared memory is neither global memory nor the block's own.
// With ptxas's machine code: turns of an unrolled loop share a wide load (analysis/executed.h).
TEST(Totals, TurnsThatShareALoadAreCountedOnce) {
  const conformance::Suite suite = conformance::load_suite();
  const std::string text = text_of(conformance::folder() / "ptx" / "columns.ptx");
  auto module = std::make_shared<ptx::Module>(*module_of(text));
  const auto listing = ptx::parse_listing(text_of(conformance::folder() / "machine" / "columns.txt"));
  ASSERT_TRUE(listing) << listing.error().text();
  ptx::attach(*listing, *module);
  for (const char* id : {"column_product_64_8", "column_product_128_8", "patch_product_64_8_4_4"}) {
    SCOPED_TRACE(id);
    const auto found = std::ranges::find(suite.launches, id, &conformance::Case::id);
    ASSERT_NE(found, suite.launches.end());
    trace::Launch launch = found->launch;
    launch.kernel = (*module->find_entry(launch.kernel))->name;
    const auto plain = count_in_emulator(module, launch, options_for(launch));
    const auto rewritten = count_by_rewrite(*module, launch, options_for(launch));
    ASSERT_TRUE(plain.has_value() && rewritten.has_value());
    EXPECT_EQ(plain->totals.shared_load.wavefronts,
              found->counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"));
    EXPECT_EQ(differences(*plain, *rewritten, *found), "");
  }
}

TEST(Totals, AnotherBlocksSharedMemoryIsNotTakenForGlobalMemory) {
  const auto module =
      module_of(text_of(conformance::folder().parent_path() / "simt/samples/ptx/clusters.ptx"));
  ASSERT_TRUE(module);
  struct Case {
    const char* kernel;
    Dim3 grid, block;
    std::vector<const char*> arguments;
    std::uint64_t shared_requests;  // of a block's own memory alone, by hand
  };
  const Case cases[] = {
      {"rotate_in_cluster",
       {8, 1, 1},
       {32, 1, 1},
       {"buf:i32:256:iota", "buf:i32:256:zero", "buf:i32:256:zero"},
       8},
      // The first block of each cluster sets its sum, adds two warps to it and reads it.
      {"sums_of_clusters", {4, 4, 1}, {8, 8, 1}, {"buf:i32:1024:mod:100", "buf:i32:4:zero"}, 16 + 8 + 4}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.kernel);
    trace::Launch launch;
    launch.kernel = one.kernel;
    launch.grid = one.grid;
    launch.block = one.block;
    for (const char* text : one.arguments) launch.arguments.push_back(*trace::parse_argument(text));
    simt::Options all;
    all.threads = 1;
    const auto plain = count_in_emulator(module, launch, all);
    const auto rewritten = count_by_rewrite(*module, launch, all);
    ASSERT_TRUE(plain.has_value()) << plain.error().text();
    ASSERT_TRUE(rewritten.has_value()) << rewritten.error().text();
    EXPECT_EQ(differences(*plain, *rewritten, {}), "");
    const analysis::Totals& t = rewritten->totals;
    EXPECT_EQ(t.shared_load.requests + t.shared_store.requests + t.shared_atomic.requests,
              one.shared_requests);
    EXPECT_EQ(rewritten->outcome.buffers, plain->outcome.buffers);
  }
}

// What lanes have counted in loops is added up beyond 32 bits.
TEST(Totals, SumsOfLoopsDoNotWrap) {
  const std::string entry = R"(
.visible .entry sums(.param .u64 counters) {
	.reg .b64 %rd<5>;
	.reg .b32 %r0;
	ld.param.u64 %rd1, [counters];
	mov.u32 %r0, %tid.x;
	cvt.u64.u32 %rd2, %r0;
	shl.b64 %rd2, %rd2, 32;
	add.u64 %rd3, %rd2, 5;
	{
	.param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d;
	st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b64 [c], %rd3; st.param.b64 [d], %rd2;
	call warplens_flush_lanes, (a, b, c, d);
	}
	ret;
}
)";
  const auto module = module_of(std::string(recorder_ptx()) + entry);
  ASSERT_TRUE(module);
  const auto kernel = simt::Kernel::load(module, "sums");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().text();
  trace::Launch launch;
  launch.kernel = "sums";
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  launch.arguments.push_back(*trace::parse_argument("buf:u64:3:zero"));
  const auto outcome = simt::run(*kernel, launch, {}, {});
  ASSERT_TRUE(outcome.has_value()) << outcome.error().text();
  std::array<std::uint64_t, 3> counts{};
  std::memcpy(counts.data(), outcome->buffers[0].data(), sizeof counts);
  const std::uint64_t sum = std::uint64_t{31 * 32 / 2} << 32;
  EXPECT_THAT(counts, testing::ElementsAre(sum, sum + 32 * 5, sum));
}

}  // namespace
}  // namespace warplens::gpu
