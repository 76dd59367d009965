#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "app/model/gpu_run.h"
#include "app/model/report_parts.h"

namespace warplens::model {
namespace {

constexpr std::size_t kMostDifferences = 20;
// Relative difference that the order of floating sums and approximate functions may leave.
constexpr double kRounding = 1e-3;

// One memory access or branch in a form that two back ends can be compared in: addresses relative to the
// buffer, or for shared and local memory to the lowest address that this back end used.
struct Record {
  std::uint32_t site = 0;
  LaneMask active = 0, taken = 0;
  std::array<std::uint64_t, kWarpSize> addresses{};
  auto operator<=>(const Record&) const = default;
};

using WarpKey = std::pair<std::uint64_t, std::uint32_t>;  // block, warp
using Warps = std::map<WarpKey, std::vector<Record>>;

class Normaliser {
 public:
  explicit Normaliser(const trace::Trace& trace) : trace_(trace) {
    for (std::size_t step = 0; step < trace.size(); ++step) {
      if (trace.steps()[step].kind != trace::StepKind::Access) continue;
      const trace::AccessView access = trace.access(step);
      auto [at, fresh] = lowest_.try_emplace(access.space, ~std::uint64_t{0});
      for (int lane = 0; lane < kWarpSize; ++lane)
        if ((access.active >> lane & 1u) != 0)
          at->second = std::min(at->second, access.addresses[static_cast<std::size_t>(lane)]);
    }
  }

  std::uint64_t operator()(trace::Space space, std::uint64_t address) const {
    if (space == trace::Space::Global) {
      for (const trace::BufferPlacement& buffer : trace_.buffers)
        if (address >= buffer.base && address < buffer.base + buffer.bytes)
          return (std::uint64_t{buffer.argument} + 1) << 48 | (address - buffer.base);
      return 0;  // a module variable: its place is the back end's own
    }
    return address - lowest_.at(space);
  }

 private:
  const trace::Trace& trace_;
  std::map<trace::Space, std::uint64_t> lowest_;
};

// The stored trace of the emulator leaves constants out, the GPU's sees no texels, and only the machine knows
// which lane of a wmma fragment reads what.
bool comparable(const trace::AccessView& access, const std::vector<trace::Site>& sites) {
  const bool unseen = access.space == trace::Space::Constant || access.space == trace::Space::Parameter ||
                      access.space == trace::Space::Texture;
  if (unseen) return false;
  return access.site >= sites.size() || !sites[access.site].op.starts_with("wmma");
}

Warps warps_of(const trace::Trace& trace) {
  const Normaliser normal(trace);
  Warps out;
  for (const trace::BlockSteps& block : trace.blocks()) {
    for (std::size_t step = block.first; step < block.last; ++step) {
      Record record;
      std::uint32_t warp = 0;
      if (trace.steps()[step].kind == trace::StepKind::Access) {
        const trace::AccessView access = trace.access(step);
        if (access.active == 0 || !comparable(access, trace.sites)) continue;
        record.site = access.site;
        record.active = access.active;
        warp = access.warp;
        for (int lane = 0; lane < kWarpSize; ++lane)
          if ((access.active >> lane & 1u) != 0)
            record.addresses[static_cast<std::size_t>(lane)] =
                normal(access.space, access.addresses[static_cast<std::size_t>(lane)]);
      } else if (trace.steps()[step].kind == trace::StepKind::Branch) {
        const trace::BranchView branch = trace.branch(step);
        record.site = branch.site;
        record.active = branch.active;
        record.taken = branch.taken;
        warp = branch.warp;
      } else {
        continue;
      }
      out[{block.block, warp}].push_back(record);
    }
  }
  return out;
}

// What one lane did: site and address (or whether it jumped), in order.
using LaneStep = std::tuple<std::uint32_t, std::uint64_t>;
std::vector<LaneStep> lane_steps(const std::vector<Record>& records, int lane) {
  std::vector<LaneStep> out;
  for (const Record& record : records)
    if ((record.active >> lane & 1u) != 0)
      out.emplace_back(record.site,
                       record.addresses[static_cast<std::size_t>(lane)] + (record.taken >> lane & 1u));
  return out;
}

bool same_records(std::vector<Record> a, std::vector<Record> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// The first lane whose steps differ and where; nullopt when every lane did the same.
std::optional<Difference> lane_difference(const std::vector<Record>& emulator,
                                          const std::vector<Record>& gpu) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto a = lane_steps(emulator, lane), b = lane_steps(gpu, lane);
    if (a == b) continue;
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    Difference out;
    const auto position = static_cast<std::size_t>(x - a.begin());
    if (x == a.end() || y == b.end()) {
      out.site = std::get<0>(x == a.end() ? *y : *x);
      out.what = fmt::format("lane {}: {} steps in the emulator, {} on the GPU", lane, a.size(), b.size());
    } else {
      out.site = std::get<0>(*x);
      out.what =
          fmt::format("lane {}, step {}: site {} at {:#x} in the emulator, site {} at {:#x} on the GPU", lane,
                      position, std::get<0>(*x), std::get<1>(*x), std::get<0>(*y), std::get<1>(*y));
    }
    return out;
  }
  return std::nullopt;
}

// Largest difference of an element, relative to the element, or to a hundredth of the buffer's largest for
// those near zero (where a difference is the rounding of larger terms).
template <typename T>
double largest_error(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  const std::size_t count = std::min(a.size(), b.size()) / sizeof(T);
  const auto at = [](const std::vector<std::uint8_t>& bytes, std::size_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  };
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isfinite(at(a, i))) largest = std::max(largest, std::abs(at(a, i)));
  for (std::size_t i = 0; i < count; ++i) {
    const double x = at(a, i), y = at(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double error = std::abs(x - y) / std::max({std::abs(x), std::abs(y), 0.01 * largest});
    worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
  }
  return worst;
}

}  // namespace

bool Comparison::agrees() const {
  if (warps_different > warps_by_order) return false;
  return std::all_of(outputs.begin(), outputs.end(), [](const Output& output) {
    return output.equal || output.by_order ||
           (output.largest_relative_error > 0 && output.largest_relative_error < kRounding);
  });
}

std::string Comparison::verdict() const {
  if (!agrees()) return "different";
  const bool by_order =
      warps_different > 0 ||
      std::any_of(outputs.begin(), outputs.end(), [](const Output& o) { return !o.equal && o.by_order; });
  if (by_order) return "depends on the order of atomics";
  const bool same = warps_identical == warps &&
                    std::all_of(outputs.begin(), outputs.end(), [](const Output& o) { return o.equal; });
  return same ? "identical" : "agrees";
}

void compare_traces(const trace::Trace& emulator, const trace::Trace& gpu, Comparison& out) {
  const Warps a = warps_of(emulator), b = warps_of(gpu);
  std::set<WarpKey> keys;
  for (const auto& [key, records] : a) keys.insert(key), out.records_emulator += records.size();
  for (const auto& [key, records] : b) keys.insert(key), out.records_gpu += records.size();
  static const std::vector<Record> kNothing;
  for (const WarpKey& key : keys) {
    const auto at_a = a.find(key), at_b = b.find(key);
    const std::vector<Record>& x = at_a == a.end() ? kNothing : at_a->second;
    const std::vector<Record>& y = at_b == b.end() ? kNothing : at_b->second;
    ++out.warps;
    if (x == y) {
      ++out.warps_identical;
      continue;
    }
    auto difference = lane_difference(x, y);
    if (!difference) {
      ++(same_records(x, y) ? out.warps_other_order : out.warps_other_groups);
      continue;
    }
    ++out.warps_different;
    if (out.order.covers(difference->site)) ++out.warps_by_order;
    if (out.differences.size() >= kMostDifferences) continue;
    difference->block = key.first;
    difference->warp = key.second;
    if (difference->site < emulator.sites.size()) difference->line = emulator.sites[difference->site].line;
    out.differences.push_back(std::move(*difference));
  }
}

Result<Comparison> compare_back_ends(const RunRequest& request, int device, Progress* progress) {
  RunRequest whole = request;
  whole.recorder.blocks = request.launch.grid.volume();
  whole.recorder.max_bytes = std::size_t{2} << 30;
  whole.loops_as_written = true;
  const auto emulated = execute(whole, progress);
  if (!emulated) return emulated.error();
  const auto measured =
      execute_on_gpu(whole, {.device = device, .records = GpuOptions::Records::All}, progress);
  if (!measured) return measured.error();

  return compare_runs(whole, **emulated, **measured);
}

Result<Comparison> compare_runs(const RunRequest& request, const Run& emulated, const Run& measured) {
  const analysis::Report &a = emulated.report, &b = measured.report;
  if (b.ending == "faulted")
    return Error{ErrorKind::Fault,
                 b.notes.empty() ? std::string("the kernel faulted on the GPU") : b.notes.back(),
                 {},
                 {}};
  Comparison out;
  out.records_lost = std::find(b.notes.begin(), b.notes.end(), kRecordsLost) != b.notes.end();
  out.order = order_dependence(*request.program->module, emulated.trace);
  compare_traces(emulated.trace, measured.trace, out);
  out.totals = compare_totals(a.totals, b.totals);
  out.warp_instructions_emulator = a.execution.warp_instructions;
  out.warp_instructions_gpu = b.execution.warp_instructions;
  out.thread_instructions_emulator = a.execution.thread_instructions;
  out.thread_instructions_gpu = b.execution.thread_instructions;
  for (std::size_t i = 0; i < request.launch.arguments.size(); ++i) {
    const trace::Argument& argument = request.launch.arguments[i];
    if (!argument.is_output()) continue;
    const auto &x = emulated.buffers[i], &y = measured.buffers[i];
    Comparison::Output output;
    for (const trace::BufferPlacement& placement : emulated.trace.buffers)
      if (placement.argument == i) output.name = placement.name;
    output.equal = x == y;
    output.by_order = out.order.buffers.contains(static_cast<std::uint32_t>(i));
    output.checksum_emulator = trace::checksum(argument.type, x);
    output.checksum_gpu = trace::checksum(argument.type, y);
    if (argument.type == trace::ElementType::F32) output.largest_relative_error = largest_error<float>(x, y);
    if (argument.type == trace::ElementType::F64) output.largest_relative_error = largest_error<double>(x, y);
    out.outputs.push_back(std::move(output));
  }
  return out;
}

}  // namespace warplens::model
