// Runs every launch of the suite in the emulator and compares it with what an H200 counted and computed.
// Prints the agreement as a table and leaves it in conformance.txt beside the test program.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "app/model/run/pipeline.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/assets.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/source/compile.h"
#include "engine/source/toolchain.h"
#include "tests/conformance/fields.h"
#include "tests/conformance/suite.h"
#include "tests/support/places.h"
#include "tests/told.h"

namespace warplens::conformance {
namespace {

const Suite& suite() {
  static const Suite loaded = load_suite();
  return loaded;
}

std::string number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.12g}", value);
}

// Whether the counts follow ptxas's machine code, or the rules that foretell it where no ptxas is.
enum class Follows { MachineCode, Rules };

// One row of the table: how often a field agreed where either side is not zero.
struct Tally {
  int compared = 0, equal = 0, known = 0;
  bool judged = true;
  std::vector<std::string> wrong;
};

class Agreement {
 public:
  explicit Agreement(Follows follows) : follows_(follows) {}

  void compare(const Case& c, const std::string& field, bool agrees, double ours, double golden) {
    if (!tallies_.contains(field)) order_.push_back(field);
    Tally& tally = tallies_[field];
    const Difference* known = suite().difference(c.id, field, follows_ == Follows::Rules);
    if (known != nullptr) used_.insert(known);
    if (known != nullptr && !known->varies.empty() && !was_seen(*known, golden))
      failed_.push_back(fmt::format("{} {}: {} is none of the values seen", c.id, field, number(golden)));
    if (ours == 0 && golden == 0) {
      if (known != nullptr && known->varies.empty()) stale_.push_back(c.id + " " + field);
      return;
    }
    ++tally.compared;
    if (agrees) {
      ++tally.equal;
      if (known != nullptr && known->varies.empty()) stale_.push_back(c.id + " " + field);
    } else if (known != nullptr && known->is(ours, follows_ == Follows::Rules)) {
      ++tally.known;
      observed_ +=
          fmt::format("{} {}: {} here, {} on the GPU (known)\n", field, c.id, number(ours), number(golden));
    } else {
      tally.wrong.push_back(fmt::format("{}: {} here, {} on the GPU", c.id, number(ours), number(golden)));
    }
  }

  // A field that is shown in the table but never fails the suite.
  void observe(const Case& c, const std::string& field, bool agrees, double ours, double golden) {
    if (!tallies_.contains(field)) order_.push_back(field);
    Tally& tally = tallies_[field];
    tally.judged = false;
    if (ours == 0 && golden == 0) return;
    ++tally.compared;
    ++(agrees ? tally.equal : tally.known);
    if (!agrees) observed_ += fmt::format("{} {}: {} here, {} on the GPU\n", field, c.id, ours, golden);
  }
  // What is observed agrees in no fewer launches than it did.
  void expect_at_least(const std::string& field, int equal) const {
    EXPECT_GE(tallies_.at(field).equal, equal) << field;
  }
  // What is different and does not fail the suite, one line each.
  const std::string& observed() const { return observed_; }

  void unsupported(const Case& c, const std::string& why) { failed_.push_back(c.id + ": " + why); }

  std::string table() const {
    const Suite& s = suite();
    std::string out = fmt::format("{} launches against {} (driver {}, {}, {}, {}){}\n", s.launches.size(),
                                  s.device, s.driver, s.compiler, s.profiler, s.date,
                                  follows_ == Follows::Rules ? ", by rules alone" : "");
    out += fmt::format("{:<34}{:>9}{:>9}{:>8}{:>8}\n", "field", "compared", "equal", "known", "wrong");
    Tally all;
    std::size_t wrong = 0;
    for (const std::string& field : order_) {
      const Tally& t = tallies_.at(field);
      out += fmt::format("{:<34}{:>9}{:>9}{:>8}{:>8}\n", field, t.compared, t.equal, t.known, t.wrong.size());
      if (!t.judged) continue;
      all.compared += t.compared;
      all.equal += t.equal;
      all.known += t.known;
      wrong += t.wrong.size();
    }
    out += fmt::format("{:<34}{:>9}{:>9}{:>8}{:>8}\n", "all but branches", all.compared, all.equal, all.known,
                       wrong);
    return out;
  }

  void expect_clean() const {
    for (const auto& [field, tally] : tallies_)
      for (const std::string& line : tally.wrong) ADD_FAILURE() << field << "  " << line;
    for (const std::string& line : failed_) ADD_FAILURE() << line;
    for (const std::string& line : stale_) ADD_FAILURE() << "listed as a difference, but equal: " << line;
    for (const Difference& d : suite().differences)
      EXPECT_TRUE(used_.contains(&d) || (follows_ == Follows::Rules ? d.machine_only : d.rules_only))
          << "difference of an unknown launch or field: " << d.launch << " " << d.field;
  }

 private:
  static bool was_seen(const Difference& known, double golden) {
    return std::ranges::any_of(known.varies,
                               [&](double v) { return std::fabs(v - golden) <= 1e-9 * std::fabs(golden); });
  }

  Follows follows_;
  std::vector<std::string> order_;
  std::map<std::string, Tally> tallies_;
  std::vector<std::string> failed_, stale_;
  std::string observed_;
  std::set<const Difference*> used_;
};

std::filesystem::path machine_file(const std::string& file) {
  return folder() / "machine" / (file + ".txt");
}

// With the machine code that is kept with the suite, whether or not this machine has a ptxas.
std::shared_ptr<const model::Program> program_of(const std::string& file, Follows follows) {
  static std::map<std::pair<std::string, Follows>, std::shared_ptr<const model::Program>> cache;
  auto& entry = cache[{file, follows}];
  if (!entry) {
    model::ProgramRequest request;
    request.file = (folder() / "ptx" / (file + ".ptx")).string();
    auto loaded = model::load_program(request);
    if (!loaded) throw std::runtime_error(loaded.error().text());
    auto program = std::make_shared<model::Program>(**loaded);
    ptx::Module module = *program->module;
    for (ptx::Function& function : module.functions) function.machine.clear();
    if (follows == Follows::MachineCode) {
      const auto text = read_text(machine_file(file));
      if (!text) throw std::runtime_error(text.error().text());
      const auto listing = ptx::parse_listing(*text);
      if (!listing) throw std::runtime_error(file + ": " + listing.error().text());
      ptx::attach(*listing, module);
    }
    program->module = std::make_shared<const ptx::Module>(std::move(module));
    entry = std::move(program);
  }
  return entry;
}

Result<std::shared_ptr<const model::Run>> run(const Case& c, const simt::Options& options = {},
                                              Follows follows = Follows::MachineCode) {
  model::RunRequest request;
  request.program = program_of(c.file, follows);
  request.launch = c.launch;
  request.options = options;
  return model::execute(request);
}

// Sums of floats differ by the order of additions and by approximate functions; integers must be equal.
bool same_checksum(trace::ElementType type, double ours, double golden) {
  const bool floating =
      type == trace::ElementType::F16 || type == trace::ElementType::F32 || type == trace::ElementType::F64;
  if (!floating) return ours == golden;
  return std::fabs(ours - golden) <= 2e-5 * std::max({1.0, std::fabs(ours), std::fabs(golden)});
}

void compare_outputs(const Case& c, const analysis::Report& report, Agreement& agreement) {
  ASSERT_EQ(report.buffers.size(), c.checksums.size()) << c.id;
  for (std::size_t i = 0; i < report.buffers.size(); ++i) {
    const analysis::BufferReport& buffer = report.buffers[i];
    if (std::ranges::find(c.unordered, buffer.argument) != c.unordered.end()) continue;
    agreement.compare(c, "buffers.checksum", same_checksum(buffer.type, buffer.checksum, c.checksums[i]),
                      buffer.checksum, c.checksums[i]);
  }
}

// Occupancy from the registers that the GPU reports, so that it is compared also without ptxas.
void compare_occupancy(const Case& c, const analysis::Report& report, const analysis::ComputeCapability& cc,
                       Agreement& agreement) {
  analysis::KernelResources kernel;
  kernel.threads_per_block = static_cast<int>(c.launch.block.volume());
  kernel.registers_per_thread = static_cast<int>(c.counter("launch__registers_per_thread"));
  kernel.static_shared = c.static_shared;
  kernel.dynamic_shared = c.launch.dynamic_shared_bytes;
  kernel.barriers = report.barriers_per_block;
  const analysis::Occupancy o = analysis::occupancy(cc, kernel);
  const auto exact = [&](const std::string& field, double ours, double golden) {
    agreement.compare(c, field, ours == golden, ours, golden);
  };
  exact("occupancy.limits.registers", o.limit_registers, c.counter("launch__occupancy_limit_registers"));
  exact("occupancy.limits.warps", o.limit_warps, c.counter("launch__occupancy_limit_warps"));
  exact("occupancy.limits.blocks", o.limit_blocks, c.counter("launch__occupancy_limit_blocks"));
  // The GPU never says more than the limit by blocks.
  exact("occupancy.limits.barriers", std::min(o.limit_barriers, o.limit_blocks),
        c.counter("launch__occupancy_limit_barriers"));
  exact("occupancy.blocks_per_sm", o.blocks_per_sm, c.blocks_per_sm);
  const double percent = c.counter("sm__maximum_warps_per_active_cycle_pct");  // printed with two decimals
  agreement.compare(c, "occupancy.theoretical", std::fabs(o.theoretical * 100 - percent) < 0.006,
                    o.theoretical * 100, percent);
  exact("static shared bytes",
        static_cast<double>(report.shared_bytes) - static_cast<double>(c.launch.dynamic_shared_bytes),
        c.static_shared);
  if (report.registers_evidence == Evidence::Counted)
    exact("occupancy.registers_per_thread", report.registers_per_thread,
          c.counter("launch__registers_per_thread"));
}

// The table and what is observed only, after every launch was compared.
std::string compare_all(Follows follows) {
  const auto catalogue = analysis::DeviceCatalogue::load();
  if (!catalogue) throw std::runtime_error(catalogue.error().text());
  const auto capability = catalogue->capability("9.0");
  if (!capability) throw std::runtime_error(capability.error().text());
  const auto counted = counted_fields();
  const auto execution = execution_fields();
  const auto branches = branch_fields();
  Agreement agreement(follows);
  for (const Case& c : suite().launches) {
    const auto result = run(c, {}, follows);
    if (!result) {
      agreement.unsupported(c, result.error().text());
      continue;
    }
    const analysis::Report& report = (*result)->report;
    if (!report.faults.empty()) {
      agreement.unsupported(c, "fault: " + told(report.faults.front()));
      continue;
    }
    for (const auto* fields : {&counted, &execution})
      for (const Field& field : *fields) {
        if (field.applies && !field.applies(c)) continue;
        const double ours = field.ours(report), golden = field.golden(c);
        agreement.compare(c, field.name, agrees(field, ours, golden), ours, golden);
      }
    for (const Field& field : branches) {
      const double ours = field.ours(report), golden = field.golden(c);
      agreement.observe(c, field.name, ours == golden, ours, golden);
    }
    const double lanes = report.execution.average_active_lanes(), machine = execution.front().golden(c);
    agreement.observe(c, "average_active_lanes within 1 %", std::fabs(lanes - machine) <= 0.01 * machine,
                      lanes, machine);
    compare_occupancy(c, report, **capability, agreement);
    compare_outputs(c, report, agreement);
  }
  agreement.expect_clean();
  if (std::getenv("WARPLENS_SUITE") == nullptr) {
    agreement.expect_at_least("execution.branches", follows == Follows::MachineCode ? 767 : 623);
    agreement.expect_at_least("average_active_lanes within 1 %",
                              follows == Follows::MachineCode ? 1068 : 668);
    agreement.expect_at_least("execution.divergent_branches", follows == Follows::MachineCode ? 465 : 420);
  }
  return agreement.table() + '\n' + agreement.observed();
}

void show(const std::string& result, const char* file) {
  std::cout << result.substr(0, result.find("\n\n") + 1);
  std::ofstream(std::filesystem::path(tests::binary_dir()) / file) << result;
}

TEST(Conformance, EveryLaunchAgreesWithTheH200) {
  show(compare_all(Follows::MachineCode), "conformance.txt");
}

// Where there is no ptxas.
TEST(Conformance, RulesAgreeWithTheH200) {
  show(compare_all(Follows::Rules), "conformance_by_rules.txt");
}

// The kept machine code is what this machine's ptxas makes, where it is the suite's. With
// WARPLENS_WRITE_MACHINE set the files are written instead.
TEST(Conformance, MachineCodeIsWhatPtxasMakes) {
  const source::Toolchain tools = source::find_toolchain(source::SearchPlaces::from_environment());
  const std::string release = tools.ptxas.version.substr(tools.ptxas.version.find(' ') + 1);  // "13.0"
  if (tools.ptxas.path.empty() || suite().compiler.find(release) == std::string::npos)
    GTEST_SKIP() << "needs the ptxas of " << suite().compiler;
  std::set<std::string> files;
  for (const Case& c : suite().launches) files.insert(c.file);
  for (const std::string& file : files) {
    const auto ptx = read_text(folder() / "ptx" / (file + ".ptx"));
    ASSERT_TRUE(ptx) << ptx.error().text();
    const auto made = source::assemble(*ptx, "sm_90");
    ASSERT_TRUE(made) << made.error().text();
    const std::string text = print(made->machine);
    if (std::getenv("WARPLENS_WRITE_MACHINE") != nullptr) {
      std::filesystem::create_directories(folder() / "machine");
      ASSERT_TRUE(write_text(machine_file(file), text));
    } else {
      const auto kept = read_text(machine_file(file));
      ASSERT_TRUE(kept) << kept.error().text();
      EXPECT_TRUE(*kept == text) << file << ".ptx: other machine code";
    }
  }
}

struct Foretold {
  int all = 0, right = 0;
  void count(bool equal) {
    ++all;
    right += equal ? 1 : 0;
  }
};

// What the rules foretell, against the machine code of the suite, which ptxas makes again (above) where there
// is one: who leads an access, how wide it is and whether it is executed at all; whether a branch is one.
TEST(Conformance, RulesForetellWhatPtxasMakes) {
  Foretold accesses, branches;
  std::set<std::string> files;
  for (const Case& c : suite().launches) files.insert(c.file);
  for (const std::string& file : files) {
    const auto made = program_of(file, Follows::MachineCode)->module;
    const auto foretold = program_of(file, Follows::Rules)->module;
    for (std::size_t f = 0; f < made->functions.size(); ++f) {
      const ptx::Function& function = made->functions[f];
      if (!function.is_entry || function.machine.empty()) continue;
      const auto by_machine = ptx::lowered(*made, function);
      const auto by_rules = ptx::lowered(*foretold, foretold->functions[f]);
      for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const ptx::LoweredAccess &m = by_machine->accesses[i], &r = by_rules->accesses[i];
        const ptx::Form& form = made->form(function.instructions[i]);
        if ((form.opcode == ptx::Opcode::Ld || form.opcode == ptx::Opcode::St) &&
            form.space != ptx::StateSpace::Param)
          accesses.count(m.dropped == r.dropped &&
                         (m.dropped || (m.leader == r.leader && m.bytes == r.bytes)));
        if (form.opcode == ptx::Opcode::Bra)
          branches.count(by_machine->branches.forms[i] == by_rules->branches.forms[i]);
      }
    }
  }
  std::cout << fmt::format("accesses {} of {}, branches {} of {}\n", accesses.right, accesses.all,
                           branches.right, branches.all);
  if (std::getenv("WARPLENS_SUITE") != nullptr) return;
  EXPECT_GE(accesses.right, 16691) << "of " << accesses.all;
  EXPECT_GE(branches.right, 7342) << "of " << branches.all;
}

// What two kernels of the suite do although CUDA forbids it, as books and forums print it: the only alarms.
const std::map<std::string, trace::FaultKind> kRealMistakes{
    {"reduce_last_warp", trace::FaultKind::Race},             // volatile instead of __syncwarp()
    {"floyd_warshall", trace::FaultKind::DivergentBarrier}};  // returns before a __syncthreads()

// All other kernels are free of faults: whatever the checks report here is a false alarm, in either order of
// warps.
TEST(Conformance, ChecksRaiseNoFalseAlarm) {
  using Schedule = simt::Options::Schedule;
  for (const Schedule schedule : {Schedule::RoundRobin, Schedule::Reversed}) {
    simt::Options options;
    options.checks = simt::Checks::All;
    options.schedule = schedule;
    for (const Case& c : suite().launches) {
      const auto result = run(c, options);
      ASSERT_TRUE(result) << c.id << ": " << result.error().text();
      const analysis::Report& report = (*result)->report;
      const auto mistake = kRealMistakes.find(c.id);
      if (mistake == kRealMistakes.end()) {
        EXPECT_TRUE(report.faults.empty()) << c.id << ": " << told(report.faults.front());
      } else {
        ASSERT_FALSE(report.faults.empty()) << c.id;
        for (const trace::Fault& fault : report.faults) EXPECT_EQ(fault.kind, mistake->second) << told(fault);
      }
      for (std::size_t i = 0; i < report.buffers.size(); ++i) {
        if (std::ranges::find(c.unordered, report.buffers[i].argument) != c.unordered.end()) continue;
        EXPECT_TRUE(same_checksum(report.buffers[i].type, report.buffers[i].checksum, c.checksums[i]))
            << c.id << " buffer " << i;
      }
    }
  }
}

TEST(Conformance, TheSuiteIsLargeAndItsDataWhole) {
  EXPECT_GE(suite().launches.size(), 120u);
  std::set<std::string> ids;
  for (const Case& c : suite().launches) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id << " appears twice";
    EXPECT_GT(c.counter("smsp__inst_executed.sum"), 0) << c.id;
    EXPECT_TRUE(std::filesystem::exists(folder() / "ptx" / (c.file + ".ptx"))) << c.file;
    EXPECT_TRUE(std::filesystem::exists(folder() / "kernels" / (c.file + ".cu"))) << c.file;
  }
  for (const Difference& d : suite().differences) {
    EXPECT_GT(d.reason.size(), 20u) << d.launch << " " << d.field << ": say why";
    const std::set<double> seen(d.varies.begin(), d.varies.end());
    EXPECT_NE(seen.size(), 1u) << d.launch << " " << d.field << ": one value varies from nothing";
  }
}

}  // namespace
}  // namespace warplens::conformance
