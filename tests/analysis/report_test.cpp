#include "engine/analysis/report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "engine/analysis/fault_text.h"
#include "tests/analysis/trace_builder.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;
using trace::SiteKind;
using trace::Space;
using Json = nlohmann::json;

const Catalogue& language_of(const char* language = "en") {
  static const auto en = Catalogue::load("en", tests::source_dir() + "/assets/messages");
  static const auto zh = Catalogue::load("zh", tests::source_dir() + "/assets/messages");
  return std::string_view(language) == "en" ? *en : *zh;
}

Report sample() {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4, "float x = in[2 * i];").op = "ld.global.f32";
  b.access([](auto lane) { return 4096 + 8 * lane; });
  b.site(SiteKind::Load, Space::Shared, 4).op = "ld.shared.f32";
  b.access([](auto lane) { return 128 * lane; });
  trace::Site& merged = b.site(SiteKind::Load, Space::Shared, 4);
  merged.leader = 1;
  b.access([](auto lane) { return 128 * lane + 4; });
  b.site(SiteKind::Branch, Space::None, 0).op = "bra";
  b.branch(kFullMask, 1u);
  TotalsCounter counter(b.sites());
  b.feed(counter);
  Report r;
  r.kernel = "strided(float*, float*, int)";
  r.source = "strided.cu";
  r.compiled_by = {CompiledBy::Origin::Nvcc, "nvcc 13.0", {}};
  r.arch = "sm_90";
  r.device = "H200 SXM";
  r.launch.grid = {2, 3, 4};
  r.launch.block = {256, 1, 1};
  r.launch.dynamic_shared_bytes = 512;
  r.shared_bytes = 4608;
  r.blocks_traced = 1;
  r.blocks_run = r.blocks_total = 24;
  r.totals = counter.totals();
  r.execution = {10, 300, 1, 1};
  r.registers_per_thread = 16;
  r.registers_evidence = Evidence::Counted;
  r.occupancy.blocks_per_sm = 8;
  r.occupancy.warps_per_sm = 64;
  r.occupancy.theoretical = 1;
  r.occupancy.limit_shared = Occupancy::kNoLimit;
  r.occupancy.limiters = {SmResource::Warps};
  r.sites = b.sites();
  r.buffers.push_back({0, "in", trace::ElementType::F32, 1024, 12.5});
  r.buffers.push_back({1, "out", trace::ElementType::F32, 1024, std::nan("")});
  trace::Fault fault;
  fault.kind = trace::FaultKind::Race;
  fault.line = 12;
  fault.block = {1, 2, 0};
  fault.thread = {33, 0, 0};
  fault.what = {"fault.trap", {}};
  fault.other_line = 13;
  r.faults.push_back(fault);
  r.faults_total = 7;
  r.output = "hello\n";
  r.notes = {{"note.independent_scheduling", {}}};
  r.explanations = {{"explain.shared.free", {{"lanes", value_of(32)}}}};
  return r;
}

TEST(ReportJson, HasEveryFieldOfTheContract) {
  const Json j = Json::parse(to_json(sample(), language_of()));
  EXPECT_EQ(j["schema"], "warplens.report/1");
  for (const char* key : {"kernel", "source", "compiler", "arch", "backend", "device"})
    EXPECT_TRUE(j[key].is_string()) << key;
  EXPECT_EQ(
      j["launch"],
      (Json{{"grid", {2, 3, 4}}, {"block", {256, 1, 1}}, {"cluster", {1, 1, 1}}, {"shared_bytes", 512}}));
  EXPECT_EQ(j["coverage"]["blocks_traced"], 24);
  EXPECT_EQ(j["coverage"]["blocks_total"], 24);
  for (const char* kind : {"load", "store", "atomic", "reduction"})
    for (const char* key :
         {"requests", "sectors", "sectors_ideal", "lines", "bytes_requested", "bytes_unique"})
      EXPECT_TRUE(j["global"][kind][key].is_number_unsigned()) << kind << key;
  for (const char* kind : {"load", "store", "atomic"})
    for (const char* key : {"requests", "wavefronts", "wavefronts_ideal", "bank_conflicts"})
      EXPECT_TRUE(j["shared"][kind][key].is_number_unsigned()) << kind << key;
  for (const char* kind : {"load", "store"})
    for (const char* key : {"requests", "sectors"}) EXPECT_TRUE(j["local"][kind][key].is_number_unsigned());
  EXPECT_EQ(j["constant"]["load"]["requests"], 0);
  EXPECT_EQ(j["constant"]["load"]["distinct_addresses"], 0);
  EXPECT_EQ(j["execution"]["warp_instructions"], 10);
  EXPECT_EQ(j["execution"]["thread_instructions"], 300);
  EXPECT_EQ(j["execution"]["average_active_lanes"], 30.0);
  EXPECT_EQ(j["execution"]["branches"], 1);
  EXPECT_EQ(j["execution"]["divergent_branches"], 1);
  EXPECT_EQ(j["execution"]["efficiency"], 0.9375);
  const Json& o = j["occupancy"];
  EXPECT_EQ(o["registers_per_thread"], 16);
  EXPECT_EQ(o["registers_evidence"], "counted");
  EXPECT_EQ(o["shared_bytes_per_block"], 4608);
  EXPECT_EQ(o["blocks_per_sm"], 8);
  EXPECT_EQ(o["warps_per_sm"], 64);
  EXPECT_EQ(o["theoretical"], 1.0);
  for (const char* key : {"registers", "shared", "warps", "blocks"})
    EXPECT_TRUE(o["limits"][key].is_number());
  EXPECT_EQ(o["limiters"], (Json{"warps"}));
  EXPECT_EQ(j["buffers"][0],
            (Json{{"argument", 0}, {"type", "f32"}, {"count", 1024}, {"checksum", 12.5}, {"name", "in"}}));
  EXPECT_TRUE(j["buffers"][1]["checksum"].is_null());  // JSON has no NaN
  EXPECT_EQ(j["explanations"][0], "Every bank is asked for one word at most: one pass serves all 32 lanes.");
}

void collect_names(const Json& value, std::set<std::string>& names) {
  if (value.is_object())
    for (const auto& [name, inner] : value.items()) {
      names.insert(name);
      collect_names(inner, names);
    }
  if (value.is_array())
    for (const Json& inner : value) collect_names(inner, names);
}

// The page is the contract: a field that it does not name is found here.
TEST(ReportJson, ThePageNamesEveryField) {
  std::ifstream page(tests::source_dir() + "/docs/REPORT.md");
  std::stringstream text;
  text << page.rdbuf();
  std::set<std::string> names;
  collect_names(Json::parse(to_json(sample(), language_of())), names);
  EXPECT_GT(names.size(), 60u);
  for (const std::string& name : names)
    EXPECT_TRUE(std::regex_search(text.str(), std::regex("\\b" + name + "\\b"))) << name;
}

TEST(ReportJson, NumbersAreTheTotals) {
  const Json j = Json::parse(to_json(sample(), language_of()));
  EXPECT_EQ(j["global"]["load"]["sectors"], 8);
  EXPECT_EQ(j["global"]["load"]["sectors_per_request"], 8.0);
  EXPECT_EQ(j["global"]["load"]["efficiency"], 0.5);
  EXPECT_EQ(j["global"]["store"]["efficiency"], 0.0);
  EXPECT_EQ(j["shared"]["load"]["bank_conflicts"], 31);
}

TEST(ReportJson, SitesKeepWhatWasWrittenAndCountWhatWasExecuted) {
  const Json sites = Json::parse(to_json(sample(), language_of()))["sites"];
  ASSERT_EQ(sites.size(), 4u);
  for (const Json& site : sites)
    for (const char* key :
         {"index", "line", "text", "op", "space", "bytes", "executions", "requests", "sectors",
          "sectors_ideal", "wavefronts", "wavefronts_ideal", "bank_conflicts", "average_active_lanes"})
      EXPECT_TRUE(site.contains(key)) << key;
  EXPECT_EQ(sites[0]["text"], "float x = in[2 * i];");
  EXPECT_EQ(sites[0]["op"], "ld.global.f32");
  EXPECT_EQ(sites[0]["space"], "global");
  EXPECT_EQ(sites[0]["sectors"], 8);
  EXPECT_EQ(sites[1]["wavefronts"], 32);
  EXPECT_EQ(sites[2]["merged_into"], 1);
  EXPECT_EQ(sites[2]["executions"], 1);
  EXPECT_EQ(sites[2]["requests"], 0);
  EXPECT_EQ(sites[3]["divergent"], 1);
}

TEST(FaultText, SaysWhatAndWhereInEitherLanguage) {
  trace::Fault fault;
  fault.line = 41;
  fault.block = {3, 0, 0};
  fault.thread = {7, 0, 0};
  fault.what = {"fault.trap", {}};
  EXPECT_EQ(language_of().text(fault_message(fault)),
            "line 41, block (3,0,0), thread (7,0,0): the kernel stopped itself with __trap(): look at the "
            "condition in front of it.");
  EXPECT_EQ(language_of("zh").text(fault_message(fault)),
            "第 41 行，线程块 (3,0,0)，线程 (7,0,0)：内核用 __trap() 停止了自己：请看它前面的条件。");
  fault.line = 0;
  fault.ptx_line = 9;
  EXPECT_THAT(language_of().text(fault_message(fault)), HasSubstr("PTX line 9, "));
}

// A key that nobody uses any more, or a value that a translation forgot, would stay unseen.
TEST(FaultText, BothLanguagesHaveEveryFaultWithTheSameValues) {
  const Catalogue english = language_of("en"), chinese = language_of("zh");
  const std::regex value("\\{([a-z_]+)");
  for (const std::string& key : english.keys()) {
    if (!key.starts_with("fault.")) continue;
    ASSERT_TRUE(chinese.has(key)) << key;
    std::set<std::string> names[2];
    for (const bool zh : {false, true}) {
      const std::string text = (zh ? chinese : english).text(key);
      for (std::sregex_iterator at(text.begin(), text.end(), value), end; at != end; ++at)
        names[zh].insert((*at)[1]);
    }
    EXPECT_EQ(names[0], names[1]) << key;
  }
}

TEST(ReportJson, FaultsNameBothSidesOfARace) {
  const Json j = Json::parse(to_json(sample(), language_of()));
  const Json& fault = j["faults"][0];
  EXPECT_EQ(fault["kind"], "race");
  EXPECT_EQ(fault["line"], 12);
  EXPECT_EQ(fault["block"], (Json{1, 2, 0}));
  EXPECT_EQ(fault["thread"], (Json{33, 0, 0}));
  EXPECT_EQ(fault["message"],
            "line 12, block (1,2,0), thread (33,0,0): the kernel stopped itself with __trap(): look at the "
            "condition in front of it.");
  EXPECT_EQ(fault["other_line"], 13);
  EXPECT_EQ(j["faults_total"], 7);
}

TEST(ReportJson, StaysValidWhateverBytesTheSourceHolds) {
  Report r = sample();
  r.sites[0].text = "bad \xff\xfe byte";
  r.output = std::string("a\0b\xc3", 4);
  EXPECT_TRUE(Json::accept(to_json(r, language_of())));
}

TEST(ReportText, ShowsTheNumbersInAlignedColumns) {
  const std::string text = to_text(sample(), language_of());
  EXPECT_THAT(text, HasSubstr("strided(float*, float*, int)"));
  EXPECT_THAT(text, HasSubstr("grid                  2 x 3 x 4"));
  EXPECT_THAT(text, HasSubstr("global load         1        8      4      2             8.00      50.0 %"));
  EXPECT_THAT(text, HasSubstr("shared load         1          32      1         31"));
  EXPECT_THAT(text, HasSubstr("16 (exact)"));
  EXPECT_THAT(text, HasSubstr("race: line 12, block (1,2,0), thread (33,0,0): the kernel stopped itself"));
  EXPECT_THAT(text, HasSubstr("... and 6 more"));
  EXPECT_THAT(text, HasSubstr("hello"));
  EXPECT_THAT(text, Not(HasSubstr("report.")));  // a label without its text
  EXPECT_THAT(text, Not(HasSubstr("{")));
}

TEST(ReportText, IsChineseInChinese) {
  const std::string text = to_text(sample(), language_of("zh"));
  EXPECT_THAT(text, HasSubstr("全局读"));
  EXPECT_THAT(text, HasSubstr("限制因素"));
  EXPECT_THAT(text, Not(HasSubstr("report.")));
}

}  // namespace
}  // namespace warplens::analysis
