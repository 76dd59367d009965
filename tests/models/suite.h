// What the models are held against: the launches of launches.toml and what an H200 took and counted for them
// (tools/golden/models.py).
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/model/run/pipeline.h"
#include "app/model/study/modelled.h"
#include "engine/base/assets.h"
#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/trace/launch.h"
#include "tests/support/places.h"

namespace warplens::models {

inline std::filesystem::path tests_folder() {
  return std::filesystem::path(tests::source_dir()) / "tests";
}

struct Case {
  std::string id, suite, file;
  trace::Launch launch;
  double flushed_us = 0, warm_us = 0;
  std::map<std::string, double> counters;  // zero when absent
  double counter(const std::string& name) const {
    const auto found = counters.find(name);
    return found == counters.end() ? 0.0 : found->second;
  }
  // The constants of assets/devices/models.toml were fitted on the other launches only. A kernel is on one
  // side with all its launches and all its instances: its name decides (FNV-1a, odd).
  bool held_out() const {
    std::uint32_t hash = 2166136261u;
    for (const char c : launch.kernel.substr(0, launch.kernel.find('<')))
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash % 2 == 1;
  }
};

struct Suite {
  std::string device, driver, profiler, date;
  double empty_kernel_us = 0;
  std::vector<Case> launches;
};

inline Dim3 extent(const toml::table& entry, const char* key) {
  Dim3 out;
  std::uint32_t* const part[] = {&out.x, &out.y, &out.z};
  const toml::array* values = entry[key].as_array();
  if (values == nullptr || values->size() > 3) throw std::runtime_error("bad extent");
  for (std::size_t i = 0; i < values->size(); ++i)
    *part[i] = static_cast<std::uint32_t>((*values)[i].value_or<std::int64_t>(0));
  return out;
}

inline Suite load_suite(const std::string& golden_file = "h200.json") {
  Suite out;
  std::ifstream stream(tests_folder() / "models" / "golden" / golden_file);
  const auto golden = nlohmann::json::parse(stream);
  out.device = golden.at("device");
  out.driver = golden.at("driver");
  out.profiler = golden.at("profiler");
  out.date = golden.at("date");
  out.empty_kernel_us = golden.at("empty_kernel_us");
  const toml::table manifest = toml::parse_file((tests_folder() / "models" / "launches.toml").string());
  std::map<std::string, const toml::table*> entries;
  for (const auto& entry : *manifest["launch"].as_array())
    entries[(*entry.as_table())["id"].value_or<std::string>("")] = entry.as_table();
  for (const auto& row : golden.at("launches")) {
    Case c;
    c.id = row.at("id");
    const toml::table& entry = *entries.at(c.id);
    c.suite = entry["suite"].value_or<std::string>("");
    c.file = entry["file"].value_or<std::string>("");
    c.launch.kernel = entry["kernel"].value_or<std::string>("");
    c.launch.grid = extent(entry, "grid");
    c.launch.block = extent(entry, "block");
    c.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(entry["shared"].value_or<std::int64_t>(0));
    for (const auto& item : *entry["args"].as_array()) {
      auto argument = trace::parse_argument(item.value_or<std::string>(""));
      if (!argument) throw std::runtime_error(c.id + ": " + argument.error().text());
      c.launch.arguments.push_back(std::move(*argument));
    }
    c.flushed_us = row.at("flushed_us");
    c.warm_us = row.at("warm_us");
    for (const auto& [name, value] : row.at("counters").items()) c.counters[name] = value.get<double>();
    out.launches.push_back(std::move(c));
  }
  return out;
}

// Of the same launches, with what the warps did as read several times (models.py --states) in place of one
// reading.
inline Suite with_states(Suite suite, const Suite& states) {
  std::map<std::string, const Case*> read;
  for (const Case& c : states.launches) read[c.id] = &c;
  for (Case& c : suite.launches) {
    std::erase_if(c.counters,
                  [](const auto& one) { return one.first.find("_stalled_") != std::string::npos; });
    for (const auto& [name, value] : read.at(c.id)->counters) c.counters[name] = value;
  }
  return suite;
}

inline std::filesystem::path machine_file(const Case& c) {
  return tests_folder() / c.suite / "machine" / (c.file + ".txt");
}

// With the machine code and the registers that the GPU's run had, whether or not this machine has a ptxas.
inline std::shared_ptr<const model::Program> program_of(const Case& c) {
  static std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  model::Program program;
  const auto file = tests_folder() / c.suite / "ptx" / (c.file + ".ptx");
  program.file = file.string();
  program.is_ptx = true;
  auto& module = modules[program.file];
  if (!module) {
    const auto text = read_text(file), machine = read_text(machine_file(c));
    if (!text || !machine) throw std::runtime_error(c.id + ": no PTX or no machine code");
    auto parsed = ptx::parse(*text, {.file = program.file});
    const auto listing = ptx::parse_listing(*machine);
    if (!parsed || !listing) throw std::runtime_error(c.id + ": broken PTX or machine code");
    ptx::attach(*listing, *parsed);
    module = std::make_shared<const ptx::Module>(std::move(*parsed));
  }
  program.module = module;
  for (const ptx::Function& function : module->functions)
    program.ptxas.push_back(
        {.kernel = function.name, .registers = static_cast<int>(c.counter("launch__registers_per_thread"))});
  return std::make_shared<const model::Program>(std::move(program));
}

// Of one run: behind an emptied L2, and with what the launch before left in it (empty unless asked for).
struct States {
  std::shared_ptr<const analysis::Modelled> flushed, warm;
};

// What any device is modelled of.
inline std::shared_ptr<const model::Run> run_of(const Case& c) {
  model::RunRequest request;
  request.program = program_of(c);
  request.launch = c.launch;
  request.model_words = model::ModelOptions{}.words;
  request.options.keep_buffers = false;  // nobody looks at what was computed
  const auto done = model::execute(request);
  if (!done) throw std::runtime_error(c.id + ": " + done.error().text());
  return *done;
}

inline States modelled_states(const model::Run& run, const char* name, bool with_warm) {
  static const analysis::DeviceCatalogue devices = analysis::DeviceCatalogue::load().value();
  const analysis::Device& device = **devices.device(name);
  const analysis::ComputeCapability& capability = **devices.capability(device.cc);
  States out;
  out.flushed = model::model_run(run, device, capability);
  if (with_warm) out.warm = model::model_run(run, device, capability, {.warm = true});
  return out;
}

inline std::shared_ptr<const analysis::Modelled> modelled(const Case& c) {
  return modelled_states(*run_of(c), "H200 SXM", false).flushed;
}

}  // namespace warplens::models
