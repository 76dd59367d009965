#include "app/model/study/roofline_chart.h"

#include <algorithm>
#include <iterator>

#include "app/model/study/level_traffic.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/model_constants.h"
#include "engine/analysis/roofline.h"

namespace warplens::model {
namespace {

constexpr double kGiga = 1e9;
constexpr double kPassBytes = 128;  // of a pass through shared memory

using analysis::Roof;

const char* source_of(const analysis::Ceiling& ceiling) {
  if (ceiling.evidence == Evidence::Measured) return "reached";
  if (ceiling.roof == Roof::L2) return "measured";
  return ceiling.roof == Roof::L1 || ceiling.roof == Roof::Shared ? "clock" : "published";
}

// A launch that comes again and again, all of whose buffers fit into L2, waits for no DRAM: not where a clock
// says so, and not where the most that is possible is asked for.
bool runs_out_of_l2(const visual::LevelTraffic* levels, const analysis::Device& device,
                    const std::optional<MeasuredTime>& time) {
  return !(time && time->flushed) && levels && levels->host_bytes && fits_l2(*levels->host_bytes, device);
}

analysis::Traffic traffic_of(const analysis::Report& report, const visual::LevelTraffic* levels,
                             bool without_dram) {
  analysis::Traffic out;
  const analysis::Totals& t = report.totals;
  const analysis::KnownCounts known = analysis::known_counts(report);
  if (pass_bytes(t) > 0) out.shared = Figure<double>{pass_bytes(t), counted(known.shared())};
  if (lane_bytes(t) > 0) out.l1 = Figure<double>{lane_bytes(t), counted(known.global())};
  if (const auto bytes = levels ? levels->l2_bytes() : std::nullopt)
    out.l2 = Figure<double>{*bytes, levels->evidence};
  if (const auto bytes = levels && !without_dram ? levels->dram_bytes() : std::nullopt)
    out.dram = Figure<double>{*bytes, levels->evidence};
  return out;
}

bool is_used(const analysis::Ceiling& ceiling, const analysis::Work& work) {
  if (ceiling.kind == analysis::Ceiling::Kind::Bandwidth) return ceiling.roof != Roof::L1;
  if (ceiling.roof == Roof::Fp64) return work.fp64 > 0;
  if (ceiling.roof == Roof::Fp16) return work.fp16 > 0;
  if (ceiling.roof == Roof::Tensor) return work.tensor > 0;
  return work.fp32 > 0 || work.total() <= 0;
}

void add_ceilings(const analysis::Roofline& r, const analysis::Work& work, bool without_dram,
                  visual::RooflineChart& chart) {
  for (const analysis::Ceiling& c : r.ceilings) {
    visual::RooflineCeiling ceiling;
    ceiling.roofs = {c.roof};
    (c.kind == analysis::Ceiling::Kind::Compute ? ceiling.gflops : ceiling.gbps) = c.per_second / kGiga;
    ceiling.source = source_of(c);
    ceiling.of_kernel = is_used(c, work) && !(without_dram && c.roof == Roof::Dram);
    // L1 and shared memory are one array with one path where their rates are the same.
    if (!chart.ceilings.empty() && c.roof == Roof::Shared && chart.ceilings.back().gbps == ceiling.gbps) {
      chart.ceilings.back().roofs.push_back(c.roof);
      chart.ceilings.back().of_kernel = true;
      continue;
    }
    chart.ceilings.push_back(std::move(ceiling));
  }
}

visual::RooflinePoint place(const std::string& name, const analysis::Roofline& r, const std::string& device) {
  visual::RooflinePoint point;
  point.name = name;
  point.device = device;
  point.roof = r.attainable / kGiga;
  point.gflops = point.roof;
  point.bound_by = r.bound_by;
  if (r.attained) {
    point.gflops = r.attained->value / kGiga;
    point.evidence = Evidence::Measured;
  }
  // Nearest memory first; the analysis lists them from DRAM inwards.
  for (auto level = r.points.rbegin(); level != r.points.rend(); ++level) {
    point.levels.push_back({level->level, level->intensity, level->evidence});
    if (level->level == r.bound_by) point.flop_per_byte = level->intensity;
  }
  // Bound by arithmetic: the level that is nearest to its slope stands for the point.
  if (point.flop_per_byte <= 0 && !r.points.empty()) {
    const auto nearest =
        std::min_element(r.points.begin(), r.points.end(), [&](const auto& a, const auto& b) {
          const auto slope = [&](const analysis::RooflinePoint& p) {
            for (const analysis::Ceiling& c : r.ceilings)
              if (c.roof == p.level) return p.intensity * c.per_second;
            return 0.0;
          };
          return slope(a) < slope(b);
        });
    point.flop_per_byte = nearest->intensity;
  }
  return point;
}

}  // namespace

std::string measured_note(const MeasuredTime& time, const std::string& evidence, const Catalogue& text) {
  return text.text(time.flushed ? "view.time.l2_flushed" : "view.time.l2_warm") +
         (evidence.empty() ? "" : " · " + evidence);
}

visual::RooflineChart roofline_chart(const Run& run, const analysis::Device& device,
                                     const visual::LevelTraffic* traffic,
                                     std::span<const visual::RooflinePoint> trail,
                                     const std::optional<MeasuredTime>& time) {
  const analysis::Report& report = run.report;
  const analysis::Work work = report.flop.value_or(analysis::Work{});
  const bool timed = time && time->milliseconds > 0;
  const bool here = timed && time->on.is(device.name);
  std::optional<double> seconds;
  if (here) seconds = time->milliseconds * 1e-3;
  const bool without_dram = runs_out_of_l2(traffic, device, here ? time : std::nullopt);
  const analysis::Roofline r = analysis::roofline(device, work, traffic_of(report, traffic, without_dram),
                                                  seconds, here ? time->reached : analysis::Reached{});
  visual::RooflineChart chart;
  chart.device = device.name;
  add_ceilings(r, work, without_dram, chart);
  std::copy_if(trail.begin(), trail.end(), std::back_inserter(chart.points),
               [&](const visual::RooflinePoint& p) { return p.device == device.name; });
  if (timed && !here) chart.elsewhere = visual::TimeElsewhere{time->milliseconds, time->on};
  if (!report.flop) return chart;
  if (here) chart.library = time->library;
  chart.points.push_back(place(report.kernel, r, device.name));
  if (here) chart.points.back().note = time->note;
  return chart;
}

visual::RooflinePoint roofline_point(const analysis::Device& device, const analysis::Work& work,
                                     analysis::Traffic traffic, const std::optional<MeasuredTime>& time,
                                     bool in_l2) {
  if (in_l2) traffic.dram.reset();
  std::optional<double> seconds;
  if (time && time->on.is(device.name)) seconds = time->milliseconds * 1e-3;
  const analysis::Roofline r =
      analysis::roofline(device, work, traffic, seconds, seconds ? time->reached : analysis::Reached{});
  visual::RooflinePoint out = place({}, r, device.name);
  if (seconds) out.note = time->note;
  return out;
}

bool fits_l2(double bytes, const analysis::Device& device) {
  const auto constants = analysis::ModelConstants::load(device.cc);
  const double usable = constants ? constants->l2_usable : 1;
  return bytes <= device.l2_mb * 1048576.0 * usable;
}

double pass_bytes(const analysis::Totals& t) {
  return kPassBytes * static_cast<double>(t.shared_load.wavefronts + t.shared_store.wavefronts +
                                          t.shared_atomic.wavefronts);
}

}  // namespace warplens::model
