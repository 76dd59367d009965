// Nothing that Warplens does with a program depends on the program coming to an end: kernels with every shape
// of control flow (watchdog_kernels.h) are lowered, run with a small budget, counted and instrumented, and
// after each the next kernel runs. Each is done twice: as the PTX says, and with machine code as ptxas would
// write it, which the analyses of the machine walk.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "app/model/run/pipeline.h"
#include "engine/base/work_limit.h"
#include "engine/gpu/instrument.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/app/watchdog_kernels.h"

namespace warplens {
namespace {

using testing::AnyOf;

// Ends the program with a name when one shape takes far longer than any machine needs.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void begin(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    end_ = std::chrono::steady_clock::now() + kPatience;
  }

 private:
  static constexpr std::chrono::seconds kPatience{60};
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
      if (std::chrono::steady_clock::now() < end_) continue;
      std::fprintf(stderr, "no end in sight: %s\n", what_.c_str());
      std::abort();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::string what_ = "the beginning";
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kPatience;
  std::thread thread_;
};

// One machine instruction for each of the PTX, branches and ends as they are.
std::vector<ptx::MachineInstruction> machine_of(const ptx::Module& module, const ptx::Function& function) {
  std::vector<ptx::MachineInstruction> machine;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const ptx::Opcode opcode = module.form(instruction).opcode;
    ptx::MachineInstruction made;
    made.made_of = i;
    made.line = instruction.line;
    made.guarded = instruction.guard.predicate != ptx::kNone;
    if (opcode == ptx::Opcode::Bra) {
      made.op = ptx::MachineOp::Branch;
      made.target = function.labels.at(instruction.operands[0].symbol);
    } else if (opcode == ptx::Opcode::Brx) {
      made.op = ptx::MachineOp::BranchTable;
    } else if (opcode == ptx::Opcode::Ret || opcode == ptx::Opcode::Exit) {
      made.op = ptx::MachineOp::Exit;
    }
    machine.push_back(made);
  }
  return machine;
}

std::shared_ptr<model::Program> program_of(const std::vector<watchdog::Shape>& shapes, bool with_machine) {
  auto program = std::make_shared<model::Program>();
  program->file = "watchdog.ptx";
  program->is_ptx = true;
  program->text = program->ptx.text = watchdog::module_of(shapes);
  auto module = ptx::parse(program->text, {.file = program->file});
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return nullptr;
  for (ptx::Function& function : module->functions)
    if (with_machine) function.machine = machine_of(*module, function);
  program->module = std::make_shared<const ptx::Module>(std::move(*module));
  return program;
}

model::RunRequest request_of(const std::shared_ptr<model::Program>& program, const std::string& kernel) {
  model::RunRequest request;
  request.program = program;
  request.launch.kernel = kernel;
  request.launch.grid = {2, 1, 1};
  request.launch.block = {64, 1, 1};
  request.launch.arguments = {*trace::parse_argument("buf:u32:64:zero")};
  request.options.budget = 20000;
  request.options.threads = 1;
  return request;
}

class Shapes : public testing::TestWithParam<bool> {
 protected:
  void expect_ends(const std::vector<watchdog::Shape>& shapes) {
    const auto program = program_of(shapes, GetParam());
    ASSERT_NE(program, nullptr);
    const auto healthy = simt::Kernel::load(program->module, "healthy");
    ASSERT_TRUE(healthy) << healthy.error().text();
    for (const watchdog::Shape& shape : shapes) {
      dog_.begin(shape.name + "\n" + shape.body);
      expect_whole_run_to_end(program, shape.name);
      expect_plain_run_to_end(program, shape.name);
      const auto instrumented = gpu::instrument(*program->module, shape.name,
                                                {.records = true, .totals = true, .block = {64, 1, 1}});
      ASSERT_TRUE(instrumented) << shape.name << ": " << instrumented.error().text();

      const model::RunRequest next = request_of(program, "healthy");
      const auto outcome = simt::run(*healthy, next.launch, next.options, {});
      ASSERT_TRUE(outcome) << shape.name << ": " << outcome.error().text();
      EXPECT_EQ(outcome->ending, simt::Ending::Completed) << shape.name;
      EXPECT_EQ(outcome->buffers.at(0).at(4), 7) << shape.name;
    }
  }

 private:
  // With every check, counted and told.
  static void expect_whole_run_to_end(const std::shared_ptr<model::Program>& program,
                                      const std::string& name) {
    model::RunRequest request = request_of(program, name);
    request.options.checks = simt::Checks::All;
    const auto run = model::execute(request);
    ASSERT_TRUE(run) << name << ": " << run.error().text();
    EXPECT_THAT(analysis::name((*run)->report.ending), AnyOf("completed", "faulted", "budget")) << name;
  }
  // Without any, and one warp to its end before the next.
  static void expect_plain_run_to_end(const std::shared_ptr<model::Program>& program,
                                      const std::string& name) {
    model::RunRequest request = request_of(program, name);
    request.options.checks = simt::Checks::None;
    request.options.schedule = simt::Options::Schedule::Sequential;
    const auto kernel = simt::Kernel::load(program->module, name);
    ASSERT_TRUE(kernel) << name << ": " << kernel.error().text();
    const auto outcome = simt::run(*kernel, request.launch, request.options, {});
    ASSERT_TRUE(outcome) << name << ": " << outcome.error().text();
    EXPECT_NE(outcome->ending, simt::Ending::Cancelled) << name;
  }
  Watchdog dog_;
};

// A quarter of them each time, and not the same.
TEST_P(Shapes, GeneratedOnesEnd) {
  const std::vector<watchdog::Shape> all = watchdog::generated_shapes();
  std::vector<watchdog::Shape> some;
  for (std::size_t i = GetParam() ? 0 : 2; i < all.size(); i += 4) some.push_back(all[i]);
  expect_ends(some);
}

TEST_P(Shapes, WrittenOnesEnd) {
  expect_ends(watchdog::written_shapes());
}

INSTANTIATE_TEST_SUITE_P(Watchdog, Shapes, testing::Values(false, true), [](const auto& with_machine) {
  return with_machine.param ? "WithMachineCode" : "AsWritten";
});

// A block after the other, a few thousand of them: no analysis takes the square of that.
std::string long_chain(int blocks) {
  std::string body;
  for (int i = 0; i < blocks; ++i) body += fmt::format("C{}: bra C{};\n", i, i + 1);
  return body + fmt::format("C{}: ret;\n", blocks);
}

TEST(Watchdog, WhatTakesTooLongIsStoppedAndSaid) {
  model::ProgramRequest request;
  request.file = "chain.ptx";
  request.text = watchdog::module_of({{"chain", "", long_chain(20000)}});
  request.limits.seconds = 0.0005;
  const auto program = model::load_program(request);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Compile);
  EXPECT_THAT(program.error().message, testing::HasSubstr("--compile-seconds"));
}

TEST(Watchdog, ACancelReachesTheAnalysis) {
  model::ProgramRequest request;
  request.file = "chain.ptx";
  request.text = watchdog::module_of({{"chain", "", long_chain(2000)}});
  Progress progress;
  progress.cancel();
  const auto program = model::load_program(request, &progress);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Cancelled);

  const auto loaded = program_of({{"chain", "", long_chain(2000)}}, false);
  const auto run = model::execute(request_of(loaded, "chain"), &progress);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::Cancelled);
}

}  // namespace
}  // namespace warplens
