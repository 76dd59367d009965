// The kernels that find the roofs do what they are taken to do: the emulator counts it.
#include "app/model/recording/ceilings.h"

#include <gtest/gtest.h>

#include "app/model/run/pipeline.h"
#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::model {
namespace {

std::shared_ptr<const Program> ceilings() {
  Program program;
  program.file = ceilings_file().string();
  program.is_ptx = true;
  program.text = read_text(ceilings_file()).value();
  auto parsed = ptx::parse(program.text, {.file = program.file});
  if (!parsed) throw std::runtime_error(parsed.error().text());
  program.module = std::make_shared<const ptx::Module>(std::move(*parsed));
  return std::make_shared<const Program>(std::move(program));
}

TEST(Ceilings, DoWhatTheyAreTakenToDoAndHardlyAnythingElse) {
  const auto program = ceilings();
  std::set<std::string> names;
  for (const CeilingLaunch& one : ceiling_launches({2, 4u << 20, 1, 32})) {
    names.insert(one.name);
    RunRequest request;
    request.program = program;
    request.launch = one.launch;
    const auto run = execute(request);
    ASSERT_TRUE(run) << one.name << ": " << run.error().text();
    const analysis::Report& r = (*run)->report;
    ASSERT_EQ(r.ending, analysis::Ending::Completed) << one.name;
    EXPECT_EQ(r.faults_total, 0u) << one.name;
    ASSERT_TRUE(r.flop) << one.name;
    const analysis::Totals& t = r.totals;
    const auto loaded = static_cast<double>(t.global_load.bytes_requested);
    if (one.name == "l2" || one.name == "l1") {
      EXPECT_DOUBLE_EQ(loaded, one.work) << one.name;
      EXPECT_EQ(t.global_load.sectors * 32, t.global_load.bytes_requested)
          << one.name << ": nothing for nobody";
      EXPECT_LT(static_cast<double>(t.global_store.bytes_requested), 0.05 * loaded) << one.name;
    } else if (one.name == "shared") {
      EXPECT_DOUBLE_EQ(128.0 * static_cast<double>(t.shared_load.wavefronts), one.work);
      EXPECT_EQ(t.shared_load.bank_conflicts, 0u);
    } else {
      const analysis::Work& work = *r.flop;
      const double mine = one.name == "fp32" ? work.fp32 : one.name == "fp64" ? work.fp64 : work.fp16;
      EXPECT_GE(mine, one.work) << one.name;
      EXPECT_LT(mine, 1.01 * one.work) << one.name << ": the sum at the end";
      EXPECT_LT(work.total() - mine, 0.01 * one.work) << one.name;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"l1", "l2", "shared", "fp32", "fp64"}));
}

}  // namespace
}  // namespace warplens::model
