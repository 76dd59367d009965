// Runs every launch of the suite in the emulator and compares it with what an H200 counted and computed.
// Prints the agreement as a table and leaves it in conformance.txt beside the test program.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "app/model/pipeline.h"
#include "engine/analysis/occupancy.h"
#include "tests/conformance/fields.h"
#include "tests/conformance/suite.h"

namespace warplens::conformance {
namespace {

const Suite& suite() {
  static const Suite loaded = load_suite();
  return loaded;
}

std::string number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

// One row of the table: how often a field agreed where either side is not zero.
struct Tally {
  int compared = 0, equal = 0, known = 0;
  bool judged = true;
  std::vector<std::string> wrong;
};

class Agreement {
 public:
  void compare(const Case& c, const std::string& field, bool agrees, double ours, double golden) {
    if (!tallies_.contains(field)) order_.push_back(field);
    Tally& tally = tallies_[field];
    const Difference* known = suite().difference(c.id, field);
    if (known != nullptr) used_.insert(known);
    if (ours == 0 && golden == 0) {
      if (known != nullptr && !known->varies) stale_.push_back(c.id + " " + field);
      return;
    }
    ++tally.compared;
    if (agrees) {
      ++tally.equal;
      if (known != nullptr && !known->varies) stale_.push_back(c.id + " " + field);
    } else if (known != nullptr && (!known->ours || *known->ours == ours)) {
      ++tally.known;
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
  // What observe() found different, one line each.
  const std::string& observed() const { return observed_; }

  void unsupported(const Case& c, const std::string& why) { failed_.push_back(c.id + ": " + why); }

  std::string table() const {
    const Suite& s = suite();
    std::string out = fmt::format("{} launches against {} (driver {}, {}, {}, {})\n", s.launches.size(),
                                  s.device, s.driver, s.compiler, s.profiler, s.date);
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
      EXPECT_TRUE(used_.contains(&d))
          << "difference of an unknown launch or field: " << d.launch << " " << d.field;
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, Tally> tallies_;
  std::vector<std::string> failed_, stale_;
  std::string observed_;
  std::set<const Difference*> used_;
};

std::shared_ptr<const model::Program> program_of(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const model::Program>> cache;
  auto& entry = cache[file];
  if (!entry) {
    model::ProgramRequest request;
    request.file = (folder() / "ptx" / (file + ".ptx")).string();
    auto program = model::load_program(request);
    if (!program) throw std::runtime_error(program.error().text());
    entry = *program;
  }
  return entry;
}

Result<std::shared_ptr<const model::Run>> run(const Case& c, const simt::Options& options = {}) {
  model::RunRequest request;
  request.program = program_of(c.file);
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

TEST(Conformance, EveryLaunchAgreesWithTheH200) {
  const auto catalogue = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(catalogue);
  const auto capability = catalogue->capability("9.0");
  ASSERT_TRUE(capability);
  const auto counted = counted_fields();
  const auto execution = execution_fields();
  const auto branches = branch_fields();
  Agreement agreement;
  for (const Case& c : suite().launches) {
    const auto result = run(c);
    if (!result) {
      agreement.unsupported(c, result.error().text());
      continue;
    }
    const analysis::Report& report = (*result)->report;
    if (!report.faults.empty()) {
      agreement.unsupported(c, "fault: " + report.faults.front().message);
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
    compare_occupancy(c, report, **capability, agreement);
    compare_outputs(c, report, agreement);
  }
  const std::string table = agreement.table();
  std::cout << table;
  std::ofstream(std::filesystem::path(WARPLENS_BINARY_DIR) / "conformance.txt") << table << '\n'
                                                                                << agreement.observed();
  agreement.expect_clean();
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
        EXPECT_TRUE(report.faults.empty()) << c.id << ": " << report.faults.front().message;
      } else {
        ASSERT_FALSE(report.faults.empty()) << c.id;
        for (const trace::Fault& fault : report.faults)
          EXPECT_EQ(fault.kind, mistake->second) << fault.message;
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
  for (const Difference& d : suite().differences)
    EXPECT_GT(d.reason.size(), 20u) << d.launch << " " << d.field << ": say why";
}

}  // namespace
}  // namespace warplens::conformance
