// How a number is known reaches whoever reads it: the same launch with the machine code of ptxas, by rules
// alone, and counted as its PTX is written, in the report and in every view.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/model/picture/picture.h"
#include "app/model/run/as_written.h"
#include "engine/analysis/access_costs.h"
#include "engine/analysis/known_counts.h"

namespace warplens::model {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Two neighbouring loads from shared memory, which ptxas makes one of; a load and a store that stay what they
// are; lanes that part.
constexpr const char* kJoinedLoads = R"ptx(
.version 8.0
.target sm_90
.address_size 64
.visible .entry known(.param .u64 out)
{
  .reg .b64 %rd<6>;
  .reg .b32 %r<12>;
  .reg .pred %p<3>;
  .shared .align 16 .b8 s[512];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  shl.b32 %r3, %r1, 3;
  mov.u32 %r4, s;
  add.s32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r2;
  st.shared.u32 [%r5+4], %r1;
  bar.sync 0;
  ld.shared.u32 %r6, [%r5];
  ld.shared.u32 %r7, [%r5+4];
  add.s32 %r8, %r6, %r7;
  and.b32 %r9, %r1, 1;
  setp.eq.s32 %p1, %r9, 0;
  @%p1 bra DONE;
LOOP:
  atom.global.add.u32 %r10, [%rd3], %r8;
  add.s32 %r8, %r8, %r10;
  setp.lt.s32 %p2, %r8, 100;
  @%p2 bra LOOP;
DONE:
  st.global.u32 [%rd3], %r8;
  ret;
}
)ptx";

// What ptxas 13.0 makes of it, as far as the test needs it: one LDS.64 and one STS.64, and both branches.
std::vector<ptx::MachineInstruction> machine_of(const ptx::Module& module) {
  std::vector<ptx::MachineInstruction> out;
  const ptx::Function& function = module.functions[0];
  std::set<ptx::Opcode> seen_shared;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Form& form = module.form(function.instructions[i]);
    ptx::MachineInstruction machine;
    machine.made_of = i;
    machine.space = form.space;
    machine.bytes = 4;
    switch (form.opcode) {
      case ptx::Opcode::Ld:
      case ptx::Opcode::St:
        if (form.space == ptx::StateSpace::Param) continue;
        if (form.space == ptx::StateSpace::Shared) {
          if (!seen_shared.insert(form.opcode).second) continue;  // joined the one before it
          machine.bytes = 8;
        }
        machine.op = form.opcode == ptx::Opcode::Ld ? ptx::MachineOp::Load : ptx::MachineOp::Store;
        break;
      case ptx::Opcode::Atom:
        machine.op = ptx::MachineOp::Atomic;
        break;
      case ptx::Opcode::Bra:
        machine.op = ptx::MachineOp::Branch;
        machine.guarded = true;
        break;
      case ptx::Opcode::Bar:
        machine.op = ptx::MachineOp::Barrier;
        break;
      case ptx::Opcode::Ret:
        machine.op = ptx::MachineOp::Exit;
        break;
      default:
        break;
    }
    out.push_back(machine);
  }
  return out;
}

enum class By { MachineCode, Rules, Written };

std::shared_ptr<const Run> run_by(By by) {
  ProgramRequest request;
  request.file = "known.ptx";
  request.text = kJoinedLoads;
  const auto loaded = load_program(request);
  if (!loaded) ADD_FAILURE() << loaded.error().text();
  if (!loaded) return nullptr;
  // With the machine code above or without any, whether or not there is a ptxas here.
  auto program = std::make_shared<Program>(**loaded);
  ptx::Module module = *program->module;
  module.functions[0].machine.clear();
  if (by == By::MachineCode) module.functions[0].machine = machine_of(module);
  program->module = std::make_shared<const ptx::Module>(std::move(module));
  RunRequest run;
  run.program = program;
  run.launch.kernel = "known";
  run.launch.grid = {4, 1, 1};
  run.recorder.blocks = 4;
  run.launch.block = {64, 1, 1};
  run.launch.arguments = {*trace::parse_argument("buf:u32:512:iota")};
  run.options.checks = simt::Checks::None;
  const auto result = by == By::Written ? execute_as_written(run) : execute(run);
  if (!result) ADD_FAILURE() << result.error().text();
  return result ? *result : nullptr;
}

const Catalogue& words(const std::string& language) {
  static const Catalogue en = Catalogue::load("en").value(), zh = Catalogue::load("zh").value();
  return language == "zh" ? zh : en;
}

// What a picture says of its evidence: the scene's own, and each badge that is drawn in it.
struct Said {
  std::optional<Evidence> whole;
  std::vector<std::string> means;  // tooltips of the badges
};
Said said_by(const Run& run, const visual::View& view, const Catalogue& catalogue) {
  const auto pictures = Pictures::make(catalogue);
  PictureOptions options;
  options.view = view.id;
  visual::HardwareCounters counters;
  visual::CounterLine line;
  line.metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
  line.key = "counter.global_load_sectors";
  line.measured = 64;
  line.counted = 64;
  counters.lines = {line};
  options.recorded.counters = counters;
  const auto scene = pictures->draw(run, options);
  if (!scene) ADD_FAILURE() << scene.error().text();
  Said said;
  if (!scene) return said;
  said.whole = scene->evidence;
  for (const visual::Shape& shape : scene->shapes) said.means.push_back(shape.tooltip);
  return said;
}

TEST(Known, TheReportSaysItOfEachNumberAndEachSite) {
  using Json = nlohmann::json;
  const auto report = [](By by) {
    const auto run = run_by(by);
    return run ? Json::parse(analysis::to_json(run->report, words("en"))) : Json();
  };
  const Json machine = report(By::MachineCode), rules = report(By::Rules), written = report(By::Written);
  EXPECT_EQ(machine["as_executed"], "ptxas");
  EXPECT_EQ(rules["as_executed"], "rules");
  EXPECT_EQ(written["as_executed"], "written");
  // The two loads are joined, by a rule where nothing else says so; what nobody changes is as written.
  EXPECT_EQ(machine["shared"]["load"]["known"], "ptxas");
  EXPECT_EQ(rules["shared"]["load"]["known"], "rules");
  EXPECT_EQ(written["shared"]["load"]["known"], "written");
  EXPECT_EQ(machine["shared"]["load"]["requests"], rules["shared"]["load"]["requests"]);
  EXPECT_EQ(written["shared"]["load"]["requests"], 2 * rules["shared"]["load"]["requests"].get<int>());
  EXPECT_EQ(machine["global"]["load"]["known"], "ptxas");
  EXPECT_EQ(rules["global"]["load"]["known"], "written");
  EXPECT_EQ(rules["execution"]["known"]["average_active_lanes"], "written");
  EXPECT_EQ(machine["execution"]["known"]["branches"], "ptxas");
  std::multiset<std::string> of_sites;
  for (const Json& site : rules["sites"]) {
    const std::string op = site["op"];
    if (op == "ld.shared.u32") {
      EXPECT_EQ(site["known"], "rules") << site;
    }
    if (op.starts_with("ld.global")) {
      EXPECT_EQ(site["known"], "written") << site;
    }
  }
  for (const Json& site : written["sites"]) EXPECT_EQ(site["known"], "written") << site;
  for (const Json& site : machine["sites"])
    if (site["space"] != "parameter" && !site["op"].get<std::string>().starts_with("atom")) {
      EXPECT_EQ(site["known"], "ptxas") << site;
    }
  EXPECT_EQ(rules["focus"]["shared"]["known"].is_string(), true);
}

TEST(Known, TheTableSaysItInBothLanguages) {
  for (const char* language : {"en", "zh"}) {
    const Catalogue& catalogue = words(language);
    for (const By by : {By::MachineCode, By::Rules, By::Written}) {
      const auto run = run_by(by);
      ASSERT_NE(run, nullptr);
      const std::string text = analysis::to_text(run->report, catalogue);
      Message said{"report.by." + std::string(name(run->report.as_executed)), {}};
      // ptxas is there, its machine code was taken away.
      if (run->report.as_executed == Known::Rule && run->report.registers_evidence == Evidence::Counted)
        said = {"report.by.rules_unread", {{"arch", value_of(run->report.arch)}}};
      EXPECT_NE(text.find(catalogue.text(said)), std::string::npos) << text;
      EXPECT_NE(text.find(catalogue.text("report.known_by")), std::string::npos) << text;
      EXPECT_EQ(text.find("report."), std::string::npos) << text;
    }
  }
}

// The machine's instructions are weighted by a model of how often its blocks run; those of the PTX are
// counted.
TEST(Known, AverageLanesOfTheMachineAreModelled) {
  analysis::Report report;
  report.execution.warp_instructions = 2;
  report.execution.thread_instructions = 64;
  EXPECT_EQ(analysis::known_counts(report).lanes_evidence(), Evidence::CountedAsWritten);
  EXPECT_EQ(analysis::to_text(report, words("en")).find("(PTX, estimated)"), std::string::npos);
  report.execution.machine_warp_instructions = 1;
  report.execution.machine_thread_instructions = 32;
  EXPECT_EQ(analysis::known_counts(report).lanes_evidence(), Evidence::Modelled);
  EXPECT_NE(analysis::to_text(report, words("en")).find("32.00 (ptxas, estimated)"), std::string::npos);
}

// Without machine code no view may look as if there had been some, whichever badges it draws.
TEST(Known, NoViewClaimsMachineCodeWithoutIt) {
  for (const char* language : {"en", "zh"}) {
    const std::string claim = words(language).text("view.evidence.counted_in_machine_code_means");
    for (const By by : {By::Rules, By::Written}) {
      const auto run = run_by(by);
      ASSERT_NE(run, nullptr);
      for (const visual::View& view : visual::all_views()) {
        const Said said = said_by(*run, view, words(language));
        EXPECT_NE(said.whole, Evidence::CountedInMachineCode) << view.id;
        EXPECT_THAT(said.means, Not(Contains(HasSubstr(claim)))) << view.id;
      }
    }
  }
}

// And what it does change in the views that count what is executed.
TEST(Known, ViewsOfWhatIsExecutedFollowTheRun) {
  const auto machine = run_by(By::MachineCode), rules = run_by(By::Rules), written = run_by(By::Written);
  ASSERT_TRUE(machine && rules && written);
  const auto evidence = [](const model::Run& run, const char* view) {
    return said_by(run, *visual::find_view(view), words("en")).whole;
  };
  EXPECT_EQ(evidence(*machine, "bank-view"), Evidence::CountedInMachineCode);
  EXPECT_EQ(evidence(*rules, "bank-view"), Evidence::CountedByRule);
  EXPECT_EQ(evidence(*written, "bank-view"), Evidence::CountedAsWritten);
  EXPECT_EQ(evidence(*rules, "address-map"), Evidence::CountedAsWritten);
  for (const char* view : {"address-map", "grid-overview"}) {
    EXPECT_EQ(evidence(*machine, view), Evidence::CountedInMachineCode) << view;
    EXPECT_EQ(evidence(*written, view), Evidence::CountedAsWritten) << view;
  }
  const std::string claim = words("en").text("view.evidence.counted_in_machine_code_means");
  EXPECT_THAT(said_by(*machine, *visual::find_view("counters"), words("en")).means,
              Contains(HasSubstr(claim)));
}

TEST(Known, TheSentencesSayIt) {
  const auto keys = [](const model::Run& run) {
    std::vector<std::string> out;
    for (const Message& message : run.report.explanations) out.push_back(message.key);
    return out;
  };
  const auto machine = run_by(By::MachineCode), rules = run_by(By::Rules), written = run_by(By::Written);
  ASSERT_TRUE(machine && rules && written);
  EXPECT_THAT(keys(*rules), Contains("explain.known.rules"));
  EXPECT_THAT(keys(*written), Contains("explain.known.written"));
  EXPECT_THAT(keys(*machine), Not(Contains("explain.known.rules")));
  EXPECT_THAT(keys(*machine), Not(Contains("explain.known.written")));
}

TEST(Known, IsAsWeakAsItsWeakestPart) {
  EXPECT_EQ(weaker(Known::MachineCode, Known::AsWritten), Known::AsWritten);
  EXPECT_EQ(weaker(Known::AsWritten, Known::Rule), Known::Rule);
  const auto rules = run_by(By::Rules);
  ASSERT_NE(rules, nullptr);
  const analysis::KnownCounts known = analysis::known_counts(rules->report);
  EXPECT_EQ(known.shared(), Known::Rule);
  EXPECT_EQ(known.all(), Known::Rule);
  EXPECT_FALSE(known.local_load);
  EXPECT_EQ(known.of(known.local_load), Known::Rule);  // as the launch
}

}  // namespace
}  // namespace warplens::model
