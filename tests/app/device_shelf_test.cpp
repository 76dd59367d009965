// The same launch on every device of the list: each says what rules there, and which were never measured.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/model/gallery/gallery.h"
#include "app/model/study/modelled.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

std::shared_ptr<const analysis::Modelled> shelf_of(const std::string& id, const SliderValues& set = {}) {
  const auto gallery = load_gallery();
  const auto devices = analysis::DeviceCatalogue::load();
  if (!gallery || !devices) return nullptr;
  const GalleryKernel& kernel = *gallery->find(id);
  SliderValues values = default_values(kernel);
  for (const auto& [slider, value] : set) values[slider] = value;
  const auto bound = launch_of(kernel, values);
  if (!bound) return nullptr;
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) return nullptr;
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  const auto run = execute(request);
  if (!run) return nullptr;
  const auto m = model_run(**run, **devices->device("H200 SXM"), **devices->capability("9.0"));
  return with_shelf(**run, m);
}

TEST(DeviceShelf, HasEveryDeviceOfTheList) {
  const auto m = shelf_of("copy_strided");
  if (!m) GTEST_SKIP() << "no compiler";
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_EQ(m->shelf.size(), devices->devices().size());
  for (const char* wanted : {"V100 SXM2", "T4", "A100 80 SXM", "RTX 3090", "RTX 4090", "L4", "H100 SXM",
                             "H200 SXM", "B200", "RTX 5090"}) {
    const auto entry = std::ranges::find(m->shelf, wanted, &analysis::ShelfEntry::device);
    ASSERT_NE(entry, m->shelf.end()) << wanted;
    EXPECT_GT(entry->us, 0) << wanted;
    EXPECT_GT(entry->waves, 0) << wanted;
    // Constants were measured on GPUs of compute capability 9.0 alone.
    const bool measured = std::string_view(wanted).starts_with("H");
    EXPECT_EQ(entry->constants_measured, measured) << wanted;
  }
}

TEST(DeviceShelf, TheChosenDeviceHasItsOwnTime) {
  const auto m = shelf_of("copy_strided");
  if (!m) GTEST_SKIP() << "no compiler";
  const auto own = std::ranges::find(m->shelf, m->device, &analysis::ShelfEntry::device);
  ASSERT_NE(own, m->shelf.end());
  EXPECT_NEAR(own->us, m->time->us, 1e-9);
  EXPECT_EQ(own->rules, m->time->rules);
}

// 100 KB of shared memory: a T4 has 64, an H200 227.
TEST(DeviceShelf, WhatDoesNotFitHasNoTime) {
  const auto m = shelf_of("dynamic_shared", {{"kilobytes", 100}});
  if (!m) GTEST_SKIP() << "no compiler";
  const auto small = std::ranges::find(m->shelf, "T4", &analysis::ShelfEntry::device);
  ASSERT_NE(small, m->shelf.end());
  EXPECT_EQ(small->blocks_per_sm, 0);
  EXPECT_EQ(small->us, 0);
}

}  // namespace
}  // namespace warplens::model
