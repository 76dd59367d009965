// Whole programs against the hardware: every launch's counters as Nsight Compute read them on an H200
// (golden/h200.json, made by tools/golden/programs.py) beside what the emulated run counts. Equal, or a
// difference that golden/differences.json names with both values.
#include <map>
#include <set>

#include "tests/runtime/whole_program.h"

namespace warplens {
namespace {

using Json = nlohmann::ordered_json;

fs::path golden(const char* name) {
  return fs::path(tests::source_dir()) / "tests/runtime/golden" / name;
}

// Where a counter of ncu's stands in a launch of the report.
std::vector<std::string> place_of(const std::string& metric) {
  static const std::map<std::string, std::string> kOps{
      {"ld", "load"}, {"st", "store"}, {"atom", "atomic"}, {"red", "reduction"}};
  const auto op = kOps.at(metric.substr(metric.rfind('_') + 1, metric.rfind('.') - metric.rfind('_') - 1));
  const bool shared = metric.find("_mem_shared_") != std::string::npos;
  for (const char* field : {"requests", "sectors", "wavefronts", "bank_conflicts"})
    if (metric.find(std::string("_") + field) != std::string::npos)
      return {shared ? "shared" : "global", op, field};
  throw std::runtime_error("unknown counter: " + metric);
}

using Key = std::tuple<std::string, std::size_t, std::string>;  // file, launch, field
struct Values {
  std::int64_t ours = 0, hardware = 0;
  bool operator==(const Values&) const = default;
};

std::map<Key, Values> known_differences(std::set<std::string>& reasons) {
  std::map<Key, Values> out;
  const Json file = Json::parse(read(golden("differences.json")));
  for (const Json& one : file["differences"]) {
    EXPECT_TRUE(file["reasons"].contains(one.value("reason", ""))) << one;
    reasons.insert(one["reason"]);
    out[{one["file"], one["launch"].get<std::size_t>(), one["field"]}] = {one["ours"], one["hardware"]};
  }
  return out;
}

class GoldenPrograms : public WholeProgram {
 protected:
  // Counts of one launch that are not the hardware's.
  static void compare(const std::string& file, std::size_t index, const Json& metrics, const Json& theirs,
                      const json& ours, std::map<Key, Values>& found) {
    EXPECT_EQ(ours["grid"], json(theirs["grid"])) << file << " " << index;
    EXPECT_EQ(ours["block"], json(theirs["block"])) << file << " " << index;
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const std::vector<std::string> at = place_of(metrics[m]);
      const Values values{ours[at[0]][at[1]][at[2]].get<std::int64_t>(),
                          theirs["counters"][m].get<std::int64_t>()};
      if (values.ours != values.hardware) found[{file, index, at[0] + "." + at[1] + "." + at[2]}] = values;
    }
  }
};

TEST_F(GoldenPrograms, CountWhatTheHardwareCounts) {
  const Json all = Json::parse(read(golden("h200.json")));
  ASSERT_EQ(all["schema"], "warplens.golden_programs/1");
  std::map<Key, Values> found;
  std::size_t launches = 0;
  for (const Json& program : all["programs"]) {
    const std::string file = program["file"];
    const json report = run_json(file, program["arguments"].get<std::vector<std::string>>(),
                                 {"--std", "c++17", "--nvcc=--extended-lambda"});
    ASSERT_TRUE(report.is_object()) << file;
    EXPECT_EQ(report["exit_code"], 0) << file;
    ASSERT_EQ(report["launches"].size(), program["launches"].size()) << file;
    for (std::size_t i = 0; i < report["launches"].size(); ++i, ++launches)
      compare(file, i, all["metrics"], program["launches"][i], report["launches"][i], found);
  }
  EXPECT_GE(launches, 100u);
  std::set<std::string> reasons;
  const std::map<Key, Values> known = known_differences(reasons);
  for (const auto& [key, values] : found) {
    const auto named = known.find(key);
    EXPECT_TRUE(named != known.end() && named->second == values)
        << std::get<0>(key) << " launch " << std::get<1>(key) << ", " << std::get<2>(key) << ": ours "
        << values.ours << ", the hardware's " << values.hardware;
  }
  for (const auto& [key, values] : known)
    EXPECT_TRUE(found.contains(key)) << std::get<0>(key) << " launch " << std::get<1>(key) << ", "
                                     << std::get<2>(key) << ": no longer different";
}

}  // namespace
}  // namespace warplens
