// The time of the emulated device, for those who record events: modelled, never measured. It stands still but
// for what the device is asked to do, one thing after the other.
//
//   clock.start();                                     // an event was recorded
//   if (clock.wants(launch)) ...                       // run it with clock.listeners(), then
//   clock.learn(...) clock.add_launch(launch, outcome.warp_instructions);  clock.us();
//
// A launch is modelled once; later ones of the same kernel, sizes and arguments take as long, unless they
// execute more or fewer instructions (what they read has changed): then their time follows that number. So
// does the time of a kernel that was modelled with many arguments already, from the launch that was most
// alike.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/device.h"
#include "engine/analysis/model_constants.h"
#include "engine/analysis/occupancy.h"
#include "engine/analysis/totals.h"
#include "engine/runtime/modules.h"
#include "engine/trace/trace.h"

namespace warplens::runtime {

struct KernelLaunch;

// What is listened to in a launch, to model it.
struct LaunchSample {
  LaunchSample(const std::vector<trace::Site>& sites, std::uint64_t blocks);
  analysis::AccessLogger accesses;
  trace::Recorder blocks;  // some from all over the grid, instruction by instruction
};

class DeviceClock {
 public:
  void start() { runs_ = true; }
  // Launches are modelled although nobody records events: somebody wants to know how long each would take.
  void model_all() { models_ = true; }
  bool runs() const { return runs_; }
  double us() const { return us_; }
  bool wants(const KernelLaunch& launch) const;
  // false: the model has nothing to say of it, so that no time can be told any more.
  bool learn(const KernelLaunch& launch, const Loaded& loaded, const trace::Launch& described,
             const simt::Outcome& outcome, const analysis::Totals& totals, LaunchSample& sample,
             const analysis::Device& device, const analysis::ComputeCapability& capability,
             const analysis::Occupancy& occupancy);
  // What a launch takes, in microseconds; nothing: none of its sizes was modelled. `warp_instructions`: that
  // it executed; 0: it was not run. `waited_us`: that it waited for a clock, which its instructions do not
  // say.
  std::optional<double> us_of(const KernelLaunch& launch, std::uint64_t warp_instructions,
                              double waited_us = 0) const;
  void add_launch(const KernelLaunch& launch, std::uint64_t warp_instructions, double waited_us = 0);
  // `gbps`: gigabytes a second; 0: nothing is known of it.
  void add_bytes(double bytes, double gbps);
  bool knows() const { return knows_; }  // false: something was done of which no time is known
  bool left_textures_out() const { return textures_; }

 private:
  // A kernel in one size, and the launches of it that were modelled.
  using Shape = std::tuple<const Function*, std::array<std::uint32_t, 6>, std::uint64_t>;
  struct Learned {
    double us = 0;
    std::uint64_t warp_instructions = 0;
  };
  using ByArguments = std::map<std::vector<std::uint8_t>, Learned>;
  static Shape shape_of(const KernelLaunch& launch);
  static constexpr std::size_t kMostOfAShape = 32;
  bool forget_time();

  bool runs_ = false, models_ = false, knows_ = true, textures_ = false;
  double us_ = 0;
  std::map<Shape, ByArguments> known_;
  std::optional<analysis::ModelConstants> constants_;
};

}  // namespace warplens::runtime
