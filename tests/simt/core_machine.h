// Runs the kernels of data/core.ptx for the emulator's own tests.
//
//   Finished run = launch("copy", {4}, {256}, {"buf:f32:1000:zero", "buf:f32:1000:iota", "i32:1000"});
//   run.buffer<float>(0)[999] == 999
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"
#include "tests/support/places.h"

namespace warplens::simt::core {

inline std::shared_ptr<const ptx::Module> core_module() {
  static const std::shared_ptr<const ptx::Module> module = [] {
    std::ifstream in(tests::source_dir() + "/tests/simt/data/core.ptx");
    std::stringstream text;
    text << in.rdbuf();
    auto parsed = ptx::parse(text.str(), {.file = "core.ptx"});
    EXPECT_TRUE(parsed) << parsed.error().text();
    return std::make_shared<const ptx::Module>(std::move(*parsed));
  }();
  return module;
}

struct Finished {
  Outcome outcome;
  std::string error;  // of load or run

  template <typename T>
  std::vector<T> buffer(std::size_t argument) const {
    std::vector<T> values;
    if (argument >= outcome.buffers.size()) return values;
    values.resize(outcome.buffers[argument].size() / sizeof(T));
    std::memcpy(values.data(), outcome.buffers[argument].data(), values.size() * sizeof(T));
    return values;
  }
  // The first fault of a kind, or an empty one.
  trace::Fault fault(trace::FaultKind kind) const {
    for (const trace::Fault& f : outcome.faults) {
      if (f.kind == kind) return f;
    }
    ADD_FAILURE() << "no fault of kind " << trace::name(kind);
    return {};
  }
  bool completed() const { return error.empty() && outcome.ending == Ending::Completed; }
};

inline Finished run_module(const std::shared_ptr<const ptx::Module>& module, const std::string& kernel,
                           Dim3 grid, Dim3 block, const std::vector<std::string>& arguments,
                           const Options& options = {}, std::uint32_t shared = 0,
                           const std::vector<trace::Listener*>& listeners = {}) {
  Finished run_result;
  Result<Kernel> loaded = Kernel::load(module, kernel);
  if (!loaded) {
    run_result.error = loaded.error().text();
    return run_result;
  }
  trace::Launch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = shared;
  for (const std::string& text : arguments) {
    auto argument = trace::parse_argument(text);
    if (!argument) {
      run_result.error = argument.error().text();
      return run_result;
    }
    launch.arguments.push_back(*argument);
  }
  auto outcome = run(*loaded, launch, options, listeners);
  if (outcome) {
    run_result.outcome = std::move(*outcome);
  } else {
    run_result.error = outcome.error().text();
  }
  return run_result;
}

inline Finished launch(const std::string& kernel, Dim3 grid, Dim3 block,
                       const std::vector<std::string>& arguments, const Options& options = {},
                       std::uint32_t shared = 0, const std::vector<trace::Listener*>& listeners = {}) {
  return run_module(core_module(), kernel, grid, block, arguments, options, shared, listeners);
}

inline Options with(int threads, Options::Schedule schedule = Options::Schedule::RoundRobin) {
  Options options;
  options.threads = threads;
  options.schedule = schedule;
  return options;
}

inline Options all_checks() {
  Options options;
  options.checks = Checks::All;
  return options;
}

}  // namespace warplens::simt::core
