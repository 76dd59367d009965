// A workbench over the fake engine.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/window/session/workbench.h"
#include "engine/base/assets.h"
#include "tests/window/fake_engine.h"

namespace warplens::window::testing {

inline Catalogue english() {
  auto text = Catalogue::load("en");
  return text ? std::move(*text) : Catalogue();
}

class WorkbenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("warplens_bench_" + std::to_string(::getpid()) + ".cu");
    ASSERT_TRUE(write_text(file_, "__global__ void strided() {\n  // text\n  load;\n  store;\n}\n"));
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(devices);
    bench_.emplace(gallery(file_), std::move(*devices), make_engine(), [] {});
  }
  virtual Engine make_engine() { return engine(calls_); }
  void TearDown() override {
    bench_.reset();
    std::filesystem::remove(file_);
  }

  // Lets the worker finish; time of the workbench stands still.
  void settle(double now = 0) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    do {
      bench_->tick(now);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (!bench_->settled() && std::chrono::steady_clock::now() < deadline);
    bench_->tick(now);
    ASSERT_TRUE(bench_->settled());
  }
  const analysis::Report& report() const { return bench_->picture()->run->report; }

  Calls calls_;
  std::filesystem::path file_;
  std::optional<Workbench> bench_;
};

}  // namespace warplens::window::testing
