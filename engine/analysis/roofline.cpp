#include "engine/analysis/roofline.h"

#include <algorithm>
#include <array>

#include "engine/base/lanes.h"

namespace warplens::analysis {
namespace {

// m16n8k16: 2 * m * n * k operations of a warp.
double matrix_flops(const ptx::Form& form) {
  if (!form.shape) return 0;
  return 2.0 * form.shape->m * form.shape->n * form.shape->k;
}

bool is_product(const ptx::Form& form) {
  const ptx::Effects& effects = form.effects();  // of a tile's instructions some only move it
  return effects.issue == ptx::Issue::Matrix &&
         (effects.memory != ptx::MemoryUse::Tile || form.has(ptx::Modifier::Mma));
}

constexpr double kSharedBytesPerClock = 128;  // of an SM: 32 banks of 4 bytes

struct Unit {
  Roof roof;
  double per_second, work;
};

// What was reached on such a GPU holds, else what is published.
Ceiling ceiling(const Reached& reached, Ceiling::Kind kind, Roof roof, double published) {
  const auto found = reached.find(name(roof));
  if (found == reached.end() || !(found->second > 0)) return {kind, roof, published, Evidence::Modelled};
  return {kind, roof, found->second, Evidence::Measured};
}

std::array<Unit, 4> units_of(const Device& device, const Work& work) {
  // No chip of the catalogue whose rate is unpublished does more than two halves in the place of a float.
  const double fp16 = device.fp16_tflops > 0 ? device.fp16_tflops : 2 * device.fp32_tflops;
  return {{{Roof::Fp32, device.fp32_tflops * 1e12, work.fp32},
           {Roof::Fp64, device.fp64_tflops * 1e12, work.fp64},
           {Roof::Fp16, fp16 * 1e12, work.fp16},
           {Roof::Tensor, device.tensor_tflops * 1e12, work.tensor}}};
}

}  // namespace

std::string_view name(Roof roof) {
  static constexpr std::array<std::string_view, 8> kNames{"fp32", "fp64", "fp16", "tensor",
                                                          "dram", "l2",   "l1",   "shared"};
  return kNames[static_cast<std::size_t>(roof)];
}

Work& Work::operator+=(const Work& other) {
  fp16 += other.fp16;
  fp32 += other.fp32;
  fp64 += other.fp64;
  tensor += other.tensor;
  return *this;
}

Work operator*(Work work, double times) {
  return {work.fp16 * times, work.fp32 * times, work.fp64 * times, work.tensor * times};
}

Work flops_of(const ptx::Form& form) {
  Work out;
  if (is_product(form)) {
    out.tensor = matrix_flops(form) / kWarpSize;
    return out;
  }
  const double flops = form.effects().flops;
  switch (form.type()) {
    case ptx::Type::F64:
      out.fp64 = flops;
      break;
    case ptx::Type::F32:
      out.fp32 = flops;
      break;
    case ptx::Type::F16:
    case ptx::Type::BF16:
      out.fp16 = flops;
      break;
    case ptx::Type::F16x2:
    case ptx::Type::BF16x2:
      out.fp16 = 2 * flops;
      break;
    default:
      break;
  }
  return out;
}

Roofline roofline(const Device& device, const Work& work, const Traffic& traffic,
                  std::optional<double> seconds, const Reached& reached) {
  Roofline out;
  out.flops = work.total();
  double longest = 0, peak = device.fp32_tflops * 1e12;
  for (const Unit& unit : units_of(device, work)) {
    if (unit.per_second <= 0) continue;
    const Ceiling roof = ceiling(reached, Ceiling::Kind::Compute, unit.roof, unit.per_second);
    if (unit.work > 0 || roof.roof != Roof::Fp16) out.ceilings.push_back(roof);
    if (roof.roof == Roof::Fp32) peak = roof.per_second;
    const double time = unit.work / roof.per_second;
    if (time <= longest) continue;
    longest = time;
    peak = out.flops / time;
    out.busiest_unit = unit.roof;
  }
  out.peak = peak;
  out.attainable = peak;
  out.bound_by = out.busiest_unit;
  const double l1 = device.l1_bytes_per_clock * device.sms * device.boost_mhz * 1e6;
  const auto level = [&](Roof of_level, double published, const std::optional<Figure<double>>& bytes) {
    const Ceiling roof = ceiling(reached, Ceiling::Kind::Bandwidth, of_level, published);
    const double per_second = roof.per_second;
    if (per_second <= 0) return;
    if (of_level == Roof::Dram) out.ridge = peak / per_second;
    out.ceilings.push_back(roof);
    if (!bytes || bytes->value <= 0) return;
    RooflinePoint point;
    point.level = of_level;
    point.intensity = out.flops / bytes->value;
    point.attainable = std::min(peak, point.intensity * per_second);
    point.bandwidth_bound = point.intensity * per_second < peak;
    point.evidence = bytes->evidence;
    if (point.attainable < out.attainable) {
      out.attainable = point.attainable;
      out.bound_by = of_level;
    }
    out.points.push_back(point);
  };
  level(Roof::Dram, device.dram_gbps * 1e9, traffic.dram);
  level(Roof::L2, device.l2_gbps * 1e9, traffic.l2);
  level(Roof::L1, l1, traffic.l1);
  if (traffic.shared)
    level(Roof::Shared, kSharedBytesPerClock * device.sms * device.boost_mhz * 1e6, traffic.shared);
  if (seconds && *seconds > 0) out.attained = Figure<double>{out.flops / *seconds, Evidence::Measured};
  return out;
}

}  // namespace warplens::analysis
