// What the suite compares against: the launches of launches.toml and what an H200 counted for them.
//
//   const Suite suite = load_suite();                 // throws with the file's name when the data is broken
//   suite.launches[0].counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");   // 2048
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/trace/launch.h"
#include "tests/support/places.h"

namespace warplens::conformance {

// $WARPLENS_SUITE names another folder of the same form, for kernels that are not part of the suite.
inline std::filesystem::path folder() {
  if (const char* other = std::getenv("WARPLENS_SUITE")) return other;
  return std::filesystem::path(tests::source_dir()) / "tests" / "conformance";
}

struct Case {
  std::string id, file, kernel;
  trace::Launch launch;
  std::vector<int> unordered;  // arguments whose contents depend on the order of atomics
  // Golden:
  std::map<std::string, double> counters;  // zero when absent
  std::map<std::string, double> executed;  // warp-level executions of a machine opcode
  int registers = 0, static_shared = 0, local_bytes = 0, blocks_per_sm = 0;
  std::vector<double> checksums;  // one a buffer argument
  std::vector<bool> repeats;      // whether three runs on the GPU gave the same sum
  double counter(const std::string& name) const {
    const auto found = counters.find(name);
    return found == counters.end() ? 0.0 : found->second;
  }
};

// A known difference: launch and field, and why we do not say what the GPU says.
struct Difference {
  std::string launch, field, reason;
  double ours = 0;                 // the difference must stay exactly this one
  std::optional<double> by_rules;  // ours by rules alone, where that is another value
  std::vector<double> varies;      // what the GPU said in two runs, where they differed
  bool rules_only = false;         // equal where the machine code is known
  bool machine_only = false;       // equal by rules alone
  bool is(double value, bool rules) const {
    const double wanted = rules ? by_rules.value_or(ours) : ours;
    return std::fabs(value - wanted) <= 1e-9 * std::fabs(wanted);
  }
};

struct Suite {
  std::string device, driver, compiler, profiler, date;
  std::vector<Case> launches;
  std::vector<Difference> differences;
  const Difference* difference(const std::string& launch, const std::string& field, bool by_rules) const {
    const auto found = std::ranges::find_if(differences, [&](const Difference& d) {
      return d.launch == launch && d.field == field && !(by_rules ? d.machine_only : d.rules_only);
    });
    return found == differences.end() ? nullptr : &*found;
  }
};

namespace detail {

inline Dim3 extent(const toml::table& entry, const char* key) {
  Dim3 out;
  const toml::array* values = entry[key].as_array();
  if (values == nullptr || values->empty() || values->size() > 3) throw std::runtime_error("bad extent");
  std::uint32_t* const part[] = {&out.x, &out.y, &out.z};
  for (std::size_t i = 0; i < values->size(); ++i)
    *part[i] = static_cast<std::uint32_t>((*values)[i].value_or<std::int64_t>(0));
  return out;
}

inline Case read_case(const toml::table& entry) {
  Case out;
  out.id = entry["id"].value_or<std::string>("");
  out.file = entry["file"].value_or<std::string>("");
  out.kernel = entry["kernel"].value_or<std::string>("");
  out.launch.kernel = out.kernel;
  out.launch.grid = extent(entry, "grid");
  out.launch.block = extent(entry, "block");
  out.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(entry["shared"].value_or<std::int64_t>(0));
  if (const toml::array* list = entry["unordered"].as_array())
    for (const auto& item : *list) out.unordered.push_back(static_cast<int>(item.value_or<std::int64_t>(-1)));
  const toml::array* arguments = entry["args"].as_array();
  if (arguments == nullptr) throw std::runtime_error(out.id + ": no args");
  for (const auto& item : *arguments) {
    auto text = item.value_or<std::string>("");
    if (const auto at = text.find(":file:"); at != std::string::npos)
      text.insert(at + 6, folder().string() + "/");
    auto argument = trace::parse_argument(text);
    if (!argument) throw std::runtime_error(out.id + ": " + argument.error().text());
    out.launch.arguments.push_back(std::move(*argument));
  }
  return out;
}

inline void read_golden(const nlohmann::json& row, Case& out) {
  for (const auto& [name, value] : row.at("counters").items()) out.counters[name] = value.get<double>();
  for (const auto& [name, value] : row.at("executed").items()) out.executed[name] = value.get<double>();
  const auto& resources = row.at("resources");
  out.registers = resources.at("registers");
  out.static_shared = resources.at("static_shared");
  out.local_bytes = resources.at("local_bytes");
  out.blocks_per_sm = resources.at("blocks_per_sm");
  out.checksums = row.at("checksums").get<std::vector<double>>();
  out.repeats = row.at("repeats").get<std::vector<bool>>();
}

}  // namespace detail

inline Suite load_suite() {
  Suite suite;
  const toml::table manifest = toml::parse_file((folder() / "launches.toml").string());
  std::ifstream stream(folder() / "golden" / "h200.json");
  const auto golden = nlohmann::json::parse(stream);
  suite.device = golden.at("device");
  suite.driver = golden.at("driver");
  suite.compiler = golden.at("compiler");
  suite.profiler = golden.at("profiler");
  suite.date = golden.at("date");
  std::map<std::string, const nlohmann::json*> rows;
  for (const auto& row : golden.at("launches")) rows[row.at("id")] = &row;
  const toml::array* entries = manifest["launch"].as_array();
  if (entries == nullptr) throw std::runtime_error("launches.toml: no launch");
  for (const auto& entry : *entries) {
    Case one = detail::read_case(*entry.as_table());
    const auto found = rows.find(one.id);
    if (found == rows.end()) throw std::runtime_error(one.id + ": not in the golden file");
    detail::read_golden(*found->second, one);
    suite.launches.push_back(std::move(one));
  }
  const toml::table known = toml::parse_file((folder() / "golden" / "differences.toml").string());
  if (const toml::array* list = known["difference"].as_array())
    for (const auto& item : *list) {
      const toml::table& entry = *item.as_table();
      const auto reason = entry["reason"].value_or<std::string>("");
      const auto launch = entry["launch"].value_or<std::string>("");
      const auto field = entry["field"].value_or<std::string>("");
      const auto ours = entry["ours"].value<double>();
      if (!ours) throw std::runtime_error("differences.toml: " + launch + " " + field + ": say what ours is");
      std::vector<double> varies;
      if (const toml::array* values = entry["varies"].as_array())
        for (const auto& value : *values) varies.push_back(value.value_or(0.0));
      suite.differences.push_back({launch, field, known["reasons"][reason].value_or<std::string>(""), *ours,
                                   entry["by_rules"].value<double>(), std::move(varies),
                                   entry["rules_only"].value_or(false),
                                   entry["machine_only"].value_or(false)});
    }
  return suite;
}

}  // namespace warplens::conformance
