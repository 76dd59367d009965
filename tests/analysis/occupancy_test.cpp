#include "engine/analysis/occupancy.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

const DeviceCatalogue& catalogue() {
  static const auto loaded = DeviceCatalogue::load(tests::source_dir() + "/assets/devices");
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

const ComputeCapability& capability(const std::string& name) {
  return **catalogue().capability(name);
}

// The vendor's vectors, see the head of the data file.
struct Vectors {
  std::map<std::string, std::vector<std::string>> axes;
  std::map<std::string, std::vector<int>> warps, shared, registers;  // keyed by "CC" or "CC THREADS"
  std::map<std::string, int> blocks;
  std::map<std::string, std::vector<std::pair<int, int>>> results;  // "CC THREADS REGISTERS"
};

int number(const std::string& text) {
  return text == "-" ? Occupancy::kNoLimit : std::stoi(text);
}

Vectors read_vectors() {
  Vectors v;
  std::ifstream file(tests::source_dir() + "/tests/analysis/data/occupancy_vectors.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    std::string kind, key, extra, word;
    in >> kind >> key;
    if (kind == "axis") {
      while (in >> word) v.axes[key].push_back(word);
      continue;
    }
    if (kind == "regs" || kind == "result") in >> extra, key += " " + extra;
    if (kind == "result") in >> extra, key += " " + extra;
    while (in >> word) {
      if (kind == "warps") v.warps[key].push_back(number(word));
      if (kind == "blocks") v.blocks[key] = number(word);
      if (kind == "shared") v.shared[key].push_back(number(word));
      if (kind == "regs") v.registers[key].push_back(number(word));
      if (kind != "result") continue;
      int blocks = 0, limiters = 0, repeats = 1;
      std::sscanf(word.c_str(), "%d/%d*%d", &blocks, &limiters, &repeats);
      v.results[key].insert(v.results[key].end(), static_cast<std::size_t>(repeats), {blocks, limiters});
    }
  }
  return v;
}

int mask_of(const Occupancy& o) {
  const std::map<SmResource, int> bits{{SmResource::Warps, 1},
                                       {SmResource::Registers, 2},
                                       {SmResource::Shared, 4},
                                       {SmResource::Blocks, 8},
                                       {SmResource::Barriers, 16}};
  int mask = 0;
  for (const SmResource limiter : o.limiters) mask |= bits.at(limiter);
  return mask;
}

TEST(Occupancy, EqualsTheVendorsCalculatorOnEveryRow) {
  const Vectors v = read_vectors();
  const auto &threads = v.axes.at("threads"), &registers = v.axes.at("registers"),
             &shared = v.axes.at("shared"), &carveouts = v.axes.at("carveout");
  int rows = 0;
  for (const std::string& cc : v.axes.at("cc"))
    for (std::size_t t = 0; t < threads.size(); ++t)
      for (std::size_t r = 0; r < registers.size(); ++r)
        for (std::size_t s = 0; s < shared.size(); ++s)
          for (std::size_t c = 0; c < carveouts.size(); ++c, ++rows) {
            KernelResources kernel;
            kernel.threads_per_block = std::stoi(threads[t]);
            kernel.registers_per_thread = std::stoi(registers[r]);
            kernel.dynamic_shared = std::stoi(shared[s]);
            kernel.carveout_percent = std::stoi(carveouts[c]);
            const Occupancy o = occupancy(capability(cc), kernel);
            const std::size_t at = s * carveouts.size() + c;
            const auto& [blocks, limiters] = v.results.at(cc + " " + threads[t] + " " + registers[r]).at(at);
            const auto& regs = v.registers.at(cc + " " + threads[t]);
            ASSERT_EQ(o.blocks_per_sm, blocks) << cc << " " << threads[t] << " " << registers[r] << " " << at;
            ASSERT_EQ(mask_of(o), limiters) << cc << " " << threads[t] << " " << registers[r] << " " << at;
            ASSERT_EQ(o.limit_warps, v.warps.at(cc)[t]);
            ASSERT_EQ(o.limit_blocks, v.blocks.at(cc));
            ASSERT_EQ(o.limit_registers, regs[r]);
            ASSERT_EQ(o.limit_shared, v.shared.at(cc)[at]);
            ASSERT_EQ(o.allocated_registers_per_block, regs[registers.size() + r]);
            ASSERT_EQ(o.allocated_shared_per_block, v.shared.at(cc)[shared.size() * carveouts.size() + s]);
            ASSERT_EQ(o.warps_per_sm, blocks * ((kernel.threads_per_block + 31) / 32));
          }
  EXPECT_EQ(rows, 28600);
}

TEST(Occupancy, SpotValues) {
  const Occupancy half =
      occupancy(capability("sm_90"), {.threads_per_block = 256, .registers_per_thread = 64});
  EXPECT_EQ(half.blocks_per_sm, 4);
  EXPECT_DOUBLE_EQ(half.theoretical, 0.5);
  EXPECT_THAT(half.limiters, testing::ElementsAre(SmResource::Registers));
  const Occupancy none =
      occupancy(capability("9.0"), {.threads_per_block = 1024, .registers_per_thread = 65});
  EXPECT_EQ(none.blocks_per_sm, 0);
  const Occupancy shared = occupancy(
      capability("9.0"), {.threads_per_block = 128, .registers_per_thread = 32, .dynamic_shared = 16384});
  EXPECT_EQ(shared.blocks_per_sm, 13);
  EXPECT_EQ(shared.warps_per_sm, 52);
  EXPECT_EQ(shared.allocated_shared_per_block, 17408);
}

TEST(Occupancy, SenselessKernelsGetNothing) {
  EXPECT_EQ(occupancy(capability("9.0"), {.threads_per_block = 0}).blocks_per_sm, 0);
  EXPECT_EQ(occupancy(capability("9.0"), {.threads_per_block = 1025}).blocks_per_sm, 0);
  EXPECT_EQ(occupancy(capability("9.0"), {.dynamic_shared = 300000}).blocks_per_sm, 0);
  EXPECT_EQ(occupancy(capability("9.0"), {.dynamic_shared = -1}).blocks_per_sm, 0);
}

TEST(Devices, AreFoundByNameOrAnUnmistakablePart) {
  EXPECT_EQ((*catalogue().device("H200 SXM"))->sms, 132);
  EXPECT_EQ((*catalogue().device("h200"))->name, "H200 SXM");
  EXPECT_EQ((*catalogue().device("4090"))->cc, "8.9");
  const auto two = catalogue().device("A100");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, testing::HasSubstr("more than one"));
  const auto none = catalogue().device("Voodoo2");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, testing::HasSubstr("H200 SXM"));
}

TEST(Devices, EveryDeviceHasItsCapabilityAndPlausibleNumbers) {
  EXPECT_GE(catalogue().devices().size(), 13u);
  for (const Device& device : catalogue().devices()) {
    const auto cc = catalogue().capability(device.cc);
    ASSERT_TRUE(cc) << device.name;
    EXPECT_LT(device.shared_latency, device.l2_latency) << device.name;
    EXPECT_LT(device.l2_latency, device.dram_latency) << device.name;
    // FP32 peak = SMs x lanes x 2 x clock, with 64 or 128 lanes.
    const double lanes = device.fp32_tflops * 1e6 / (device.sms * 2 * device.boost_mhz);
    EXPECT_TRUE(std::abs(lanes - 64) < 2 || std::abs(lanes - 128) < 3) << device.name << " " << lanes;
  }
}

TEST(Devices, CapabilitiesByAnyOfTheirNames) {
  for (const char* name : {"9.0", "sm_90", "sm_90a", "compute_90", "90"})
    EXPECT_EQ((*catalogue().capability(name))->name, "9.0") << name;
  EXPECT_EQ((*catalogue().capability("sm_120"))->name, "12.0");
  EXPECT_FALSE(catalogue().capability(""));
  EXPECT_FALSE(catalogue().capability("sm_13"));
}

TEST(Devices, ABadFileIsNamedWithItsLine) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warplens_devices_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto error_of = [&](const char* text) {
    EXPECT_TRUE(write_text(folder / "x.toml", text));
    const auto loaded = DeviceCatalogue::load(folder);
    EXPECT_FALSE(loaded);
    return loaded ? std::string() : loaded.error().text();
  };
  EXPECT_THAT(error_of("[[device]]\nname = 3\n"), testing::HasSubstr("x.toml:2"));
  EXPECT_THAT(error_of("[[device]]\nname = \"a\"\n"), testing::HasSubstr("'cc' is missing"));
  EXPECT_THAT(error_of("device = \n"), testing::HasSubstr("not valid TOML"));
  const Catalogue chinese = Catalogue::load("zh").value();
  const auto told = [&](const auto& failed) { return chinese.text(failed.error()); };
  EXPECT_TRUE(write_text(folder / "x.toml", "[[device]]\nname = \"a\"\ncc = \"9.0\"\nsms = -1\n"));
  EXPECT_EQ(told(DeviceCatalogue::load(folder)), "“sms”必须是 0 到 10^9 之间的数");
  EXPECT_THAT(told(catalogue().device("no such GPU")), testing::StartsWith("“no such GPU”不在设备列表里"));
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(DeviceCatalogue::load(folder));
}

// Of 40 registers 12 warps fit a sub-partition, 48 an SM: two blocks of 768 threads, one of 1024.
TEST(SuggestedBlock, IsTheLargestOfThoseThatLeaveFewestThreadsOut) {
  KernelResources kernel;
  kernel.registers_per_thread = 40;
  EXPECT_EQ(suggested_block(capability("9.0"), kernel), 768);
  EXPECT_EQ(suggested_block(capability("9.0"), kernel, 256), 256) << "__launch_bounds__(256)";
  kernel.registers_per_thread = 32;
  EXPECT_EQ(suggested_block(capability("9.0"), kernel), 1024);
  EXPECT_EQ(suggested_block(capability("8.6"), kernel), 768) << "1536 threads an SM";
  kernel.static_shared = std::int64_t{1} << 30;
  EXPECT_EQ(suggested_block(capability("9.0"), kernel), 0);
}

TEST(SuggestedBlock, NoBlockSizeFitsMoreThreads) {
  for (const char* cc : {"7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"})
    for (int registers = 16; registers <= 255; registers += 7)
      for (const std::int64_t shared : {0, 4000, 24000, 47000}) {
        KernelResources kernel;
        kernel.registers_per_thread = registers;
        kernel.static_shared = shared;
        const auto threads_with = [&](int threads) {
          kernel.threads_per_block = threads;
          return threads * occupancy(capability(cc), kernel).blocks_per_sm;
        };
        const int chosen = suggested_block(capability(cc), kernel), fit = threads_with(chosen);
        for (int threads = 32; threads <= 1024; threads += 32) {
          ASSERT_LE(threads_with(threads), fit) << cc << " " << registers << " " << threads;
          if (threads > chosen) {
            ASSERT_LT(threads_with(threads), fit) << cc << " " << registers << " " << threads;
          }
        }
      }
}

}  // namespace
}  // namespace warplens::analysis
