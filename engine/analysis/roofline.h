// The roofline of a named GPU, and where a kernel stands under it.
//
//   Work work;                                   // summed over the instructions that ran
//   work += flops_of(form) * lanes;
//   // Ceilings, intensities, what is attainable and what bounds it:
//   Roofline r = roofline(device, work, bytes);
//
// The work is counted; ceilings are what was measured on such a GPU, else come from published figures and are
// modelled; a time, where there is one, is measured and makes the point a measured
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/base/evidence.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::analysis {

// Floating-point operations by the units that do them; fp16 is f16 and bf16. A fused multiply-add is two.
struct Work {
  double fp16 = 0, fp32 = 0, fp64 = 0, tensor = 0;
  double total() const { return fp16 + fp32 + fp64 + tensor; }
  Work& operator+=(const Work& other);
  bool operator==(const Work&) const = default;
  friend Work operator*(Work work, double times);
};

// Of one lane's execution of an instruction. mma and wmma are work of the warp, so a lane does a 32nd of it.
// A division, root or elementary function is one operation, although the machine spends several on it.
Work flops_of(const ptx::Form& form);

// Bytes that crossed each boundary; a level without a figure is left out of the roofline.
struct Traffic {
  std::optional<Figure<double>> shared = {};  // 128 bytes a pass, between shared memory and the SM
  std::optional<Figure<double>> l1;           // 32 bytes a sector, between L1 and the SM
  std::optional<Figure<double>> l2;           // between L2 and L1
  std::optional<Figure<double>> dram;         // between DRAM and L2
};

// What holds a kernel down: a unit, or a level of the memory.
enum class Roof : std::uint8_t { Fp32, Fp64, Fp16, Tensor, Dram, L2, L1, Shared };
std::string_view name(Roof roof);  // "fp32", as recordings write it

struct Ceiling {
  enum class Kind { Compute, Bandwidth } kind = Kind::Bandwidth;
  Roof roof = Roof::Dram;
  double per_second = 0;  // FLOP/s or bytes/s
  Evidence evidence = Evidence::Modelled;
};

struct RooflinePoint {
  Roof level = Roof::Dram;
  double intensity = 0;   // FLOP a byte at that level
  double attainable = 0;  // FLOP/s under the ceilings of this level
  bool bandwidth_bound = false;
  Evidence evidence = Evidence::Counted;  // of the intensity: that of the bytes
};

struct Roofline {
  std::vector<Ceiling> ceilings;  // compute first, then bandwidths from DRAM to L1 and shared memory
  std::vector<RooflinePoint> points;
  double flops = 0;
  double attainable = 0;                   // the lowest over the levels; FLOP/s
  Roof bound_by = Roof::Fp32;              // the ceiling that is hit first
  std::optional<Figure<double>> attained;  // FLOP/s, when a time was given
  double ridge = 0;                        // FLOP a byte where DRAM's roof meets the compute roof
  double peak = 0;                         // FLOP/s of this mix of work, were there no memory
  Roof busiest_unit = Roof::Fp32;          // the one that peak is that of
};

// What kernels that do one thing only reached on a GPU, by the name of the Roof, a second.
using Reached = std::map<std::string, double, std::less<>>;

// The units work beside each other: the one that needs longest for its share of the work sets the peak.
// Without work it is that of fp32. `seconds`: the measured time of the launch. `reached`: on such a device;
// what is not in it has its published ceiling.
Roofline roofline(const Device& device, const Work& work, const Traffic& traffic,
                  std::optional<double> seconds = std::nullopt, const Reached& reached = {});

}  // namespace warplens::analysis
