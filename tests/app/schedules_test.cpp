// The comparison of two back ends, tried on the emulator itself: what it records in one order of the warps
// and in the opposite one must be called the same, or depend on order or time by evidence. tests/app/compare
// holds the kernels: waiting of every kind, clusters, grids that wait.
#include <gmock/gmock.h>

#include "app/model/run/gpu_run.h"
#include "tests/conformance/suite.h"
#include "tests/support/places.h"

namespace warplens::model {
namespace {

std::filesystem::path folder() {
  return std::filesystem::path(tests::source_dir()) / "tests/app/compare";
}

struct Launch {
  conformance::Case one;
  bool faults = false;
};

const std::vector<Launch>& launches() {
  static const std::vector<Launch> all = [] {
    std::vector<Launch> out;
    const toml::table manifest = toml::parse_file((folder() / "launches.toml").string());
    for (const auto& entry : *manifest["launch"].as_array()) {
      const toml::table& table = *entry.as_table();
      out.push_back({conformance::detail::read_case(table), table.contains("faults")});
    }
    return out;
  }();
  return all;
}

Result<RunRequest> request_of(const conformance::Case& one) {
  static std::map<std::string, std::shared_ptr<const Program>> programs;
  auto& program = programs[one.file];
  if (!program) {
    ProgramRequest request;
    request.file = (folder() / "ptx" / (one.file + ".ptx")).string();
    auto loaded = load_program(request);
    if (!loaded) return loaded.error();
    program = *loaded;
  }
  RunRequest request;
  request.program = program;
  request.launch = one.launch;
  request.loops_as_written = true;
  request.options.threads = 1;
  request.recorder.blocks = one.launch.grid.volume();
  return request;
}

Result<Comparison> against_another_order(const conformance::Case& one) {
  auto request = request_of(one);
  if (!request) return request.error();
  const auto forwards = execute(*request);
  if (!forwards) return forwards.error();
  request->options.schedule = simt::Options::Schedule::Reversed;
  const auto backwards = execute(*request);
  if (!backwards) return backwards.error();
  EXPECT_EQ((*forwards)->report.ending, analysis::Ending::Completed) << one.id;
  return compare_runs(*request, **forwards, **backwards);
}

std::string said(const Comparison& c) {
  std::string out = std::string(name(c.verdict())) + "\n";
  for (const Difference& d : c.differences)
    if (!d.by_order) out += fmt::format("block {}, warp {}, line {}: {}\n", d.block, d.warp, d.line, d.what);
  for (const Comparison::Output& o : c.outputs)
    if (!o.equal && !o.by_order) out += fmt::format("output {}: {}\n", o.name, o.largest_relative_error);
  for (const OrderDependence::Source& source : c.order.sources)
    out += fmt::format("line {}: {}\n", source.line, source.why);
  return out;
}

TEST(Schedules, NoLaunchDiffersFromItselfInAnotherOrder) {
  for (const Launch& launch : launches()) {
    if (launch.faults) continue;
    SCOPED_TRACE(launch.one.id);
    const auto compared = against_another_order(launch.one);
    ASSERT_TRUE(compared.has_value()) << compared.error().text();
    EXPECT_TRUE(compared->agrees()) << said(*compared);
    if (std::getenv("WARPLENS_SAY") != nullptr)
      std::printf("%s: %s", launch.one.id.c_str(), said(*compared).c_str());
  }
}

const Launch& named(const std::string& id) {
  return *std::find_if(launches().begin(), launches().end(), [&](const Launch& l) { return l.one.id == id; });
}

// Of a loop that asks, the loop alone depends on time: what follows is compared, address by address.
TEST(Schedules, WaitingReachesNoFurtherThanTheLoop) {
  struct Case {
    const char* id;
    std::vector<int> covered, compared;  // lines of launches' kernels
  };
  const Case cases[] = {{"release_acquire", {111}, {104, 115}},
                        {"ring_of_two", {13}, {28, 35, 38}},
                        {"watch_shared", {175}, {170, 178}},
                        {"asks_by_a_function", {182}, {190}},
                        {"rod", {}, {114}},
                        {"until_the_clock_says", {}, {160}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.id);
    const auto request = request_of(named(one.id).one);
    ASSERT_TRUE(request);
    const auto run = execute(*request);
    ASSERT_TRUE(run);
    const OrderDependence order = order_dependence(*request->program->module, (*run)->trace);
    EXPECT_FALSE(order.sources.empty());
    EXPECT_TRUE(order.buffers.empty());
    for (const trace::Site& site : (*run)->trace.sites) {
      const auto in = [&](const std::vector<int>& lines) { return std::ranges::count(lines, site.line) > 0; };
      if (site.kind == trace::SiteKind::Barrier || site.space == trace::Space::Parameter) continue;
      EXPECT_FALSE(in(one.compared) && order.covers(site.index)) << site.line << " " << site.op;
    }
    for (const int line : one.covered)
      EXPECT_TRUE(std::ranges::any_of((*run)->trace.sites, [&](const trace::Site& site) {
        return site.line == line && order.covers(site.index);
      })) << line;
  }
}

// The machine's cases meet behind joins of their own before the loop goes on; one case leaves the loop.
// Counted on an H200, by its counters and by the instrumented kernel.
TEST(Schedules, LanesOfAStateMachineMeetBeforeItsNextTurn) {
  auto request = request_of(named("machine").one);
  ASSERT_TRUE(request);
  for (const auto order : {simt::Options::Schedule::RoundRobin, simt::Options::Schedule::Reversed}) {
    request->options.schedule = order;
    const auto run = execute(*request);
    ASSERT_TRUE(run);
    EXPECT_EQ((*run)->report.totals.global_load.requests, 1736);
  }
}

// Nothing excuses what no order reaches: the same kernel with one tile less.
TEST(Schedules, ARealDifferenceStaysOne) {
  const auto request = request_of(named("ring_of_two").one);
  ASSERT_TRUE(request);
  RunRequest shorter = *request;
  shorter.launch.arguments[2] = *trace::parse_argument("i32:8");
  const auto all = execute(*request), fewer = execute(shorter);
  ASSERT_TRUE(all && fewer);
  const auto compared = compare_runs(*request, **all, **fewer);
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->verdict(), Agreement::Different);
  EXPECT_GT(compared->warps_different, compared->warps_by_order);
  ASSERT_FALSE(compared->differences.empty());
  EXPECT_FALSE(compared->differences[0].by_order);
}

}  // namespace
}  // namespace warplens::model
