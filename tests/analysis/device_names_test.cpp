// Which device of the list a GPU is: a wrong answer puts one GPU's time under another's name.
#include "engine/analysis/device_names.h"

#include <gtest/gtest.h>

#include "engine/analysis/device.h"

namespace warplens::analysis {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

std::string listed(const std::string& name, int sms = 0, std::uint64_t memory = 0) {
  static const auto catalogue = DeviceCatalogue::load();
  if (!catalogue) return "no list";
  const Device* found = catalogue->of_hardware({name, sms, memory});
  return found ? found->name : "";
}

TEST(DeviceNames, ADriversNameIsFoundInTheList) {
  EXPECT_EQ(listed("NVIDIA H200"), "H200 SXM");
  EXPECT_EQ(listed("NVIDIA H200", 132, 150 * kGb), "H200 SXM");
  EXPECT_EQ(listed("NVIDIA H100 80GB HBM3", 132), "H100 SXM");
  EXPECT_EQ(listed("NVIDIA A100-SXM4-40GB", 108), "A100 40 SXM");
  EXPECT_EQ(listed("NVIDIA A100-SXM4-80GB", 108), "A100 80 SXM");
  EXPECT_EQ(listed("A100-SXM4", 108, 85 * kGb), "A100 80 SXM");
  EXPECT_EQ(listed("Tesla V100-SXM2-16GB", 80), "V100 SXM2");
  EXPECT_EQ(listed("Tesla T4", 40), "T4");
  EXPECT_EQ(listed("NVIDIA GeForce RTX 4090", 128), "RTX 4090");
  EXPECT_EQ(listed("NVIDIA GeForce RTX 2080 Ti"), "RTX 2080 Ti");
  EXPECT_EQ(listed("NVIDIA L4"), "L4");
  EXPECT_EQ(listed("NVIDIA L40S"), "L40S");
  EXPECT_EQ(listed("NVIDIA B200"), "B200");
}

TEST(DeviceNames, AnotherVariantIsAnotherGpu) {
  for (const char* name : {"NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D", "NVIDIA L40",
                           "NVIDIA GeForce RTX 2080", "NVIDIA GeForce RTX 3090 Ti", "NVIDIA T400 4GB",
                           "NVIDIA GH200 480GB", "NVIDIA RTX A4000", "NVIDIA TITAN V", "", "NVIDIA"})
    EXPECT_EQ(listed(name), "") << name;
  EXPECT_EQ(listed("NVIDIA H100 PCIe", 114), "");
  EXPECT_EQ(listed("NVIDIA A100-PCIE-40GB"), "");
  EXPECT_EQ(listed("NVIDIA H200", 99), "") << "a slice of the GPU has other roofs";
}

TEST(DeviceNames, WhatTellsAGpuFromOthersIsItsBriefName) {
  EXPECT_EQ(brief_device_name("H200 SXM"), "H200");
  EXPECT_EQ(brief_device_name("NVIDIA H200"), "H200");
  EXPECT_EQ(brief_device_name("NVIDIA A100-SXM4-80GB"), "A100 80GB");
  EXPECT_EQ(brief_device_name("A100 40 SXM"), "A100 40");
  EXPECT_EQ(brief_device_name("NVIDIA GeForce RTX 2080 Ti"), "RTX 2080 Ti");
  EXPECT_EQ(brief_device_name("NVIDIA"), "NVIDIA") << "rather that than nothing";
}

}  // namespace
}  // namespace warplens::analysis
