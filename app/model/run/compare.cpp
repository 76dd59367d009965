#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "app/model/run/gpu_run.h"
#include "app/model/run/report_parts.h"
#include "engine/base/message.h"
#include "engine/trace/half.h"

namespace warplens::model {
namespace {

constexpr std::size_t kMostDifferences = 20;
// What the order of floating sums and approximate functions may leave of an element, relative to it.
constexpr double kRounding = 1e-3;
// An element that is a sum may be much smaller than its terms, and is then off by what they are rounded to.
// Terms are not seen, but the elements of one buffer are mostly sums of the same kind, whose root mean square
// tells of the terms' size. sin.approx and its kind are off by 2^-21; two hundred such errors that add up, or
// forty thousand at random, make 1e-4 of it: a tenth of what an element of that size may be off by.
constexpr double kShareOfMean = 0.1;

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

// The stored trace of the emulator leaves constants out that are operands, the GPU's sees neither texels nor
// the bytes of a bulk copy, and only the machine knows which lane of a wmma fragment reads what.
bool comparable(const trace::Site& site) {
  return site.kind != trace::SiteKind::BulkCopy && ptx::make_form(site.op).opcode != ptx::Opcode::Wmma;
}
// `sites`: of each site, whether its accesses are comparable.
bool comparable(const trace::AccessView& access, const std::vector<bool>& sites) {
  const bool unseen = access.space == trace::Space::Constant || access.space == trace::Space::Parameter ||
                      access.space == trace::Space::Texture;
  if (unseen) return false;
  return access.site >= sites.size() || sites[access.site];
}

Warps warps_of(const trace::Trace& trace) {
  const Normaliser normal(trace);
  std::vector<bool> sites;
  for (const trace::Site& site : trace.sites) sites.push_back(comparable(site));
  Warps out;
  for (const trace::BlockSteps& block : trace.blocks()) {
    for (std::size_t step = block.first; step < block.last; ++step) {
      Record record;
      std::uint32_t warp = 0;
      if (trace.steps()[step].kind == trace::StepKind::Access) {
        const trace::AccessView access = trace.access(step);
        if (access.active == 0 || !comparable(access, sites)) continue;
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

// What one lane did: site and address (or whether it jumped), in order, but for what `order` covers.
using LaneStep = std::tuple<std::uint32_t, std::uint64_t>;
std::vector<LaneStep> lane_steps(const std::vector<Record>& records, int lane, const OrderDependence& order) {
  std::vector<LaneStep> out;
  for (const Record& record : records)
    if ((record.active >> lane & 1u) != 0 && !order.covers(record.site))
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
std::optional<Difference> lane_difference(const std::vector<Record>& emulator, const std::vector<Record>& gpu,
                                          const OrderDependence& order) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto a = lane_steps(emulator, lane, order), b = lane_steps(gpu, lane, order);
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

// Largest difference of an element, relative to the element or to a tenth of the buffer's root mean square,
// whichever is larger.
template <typename T, double (*kValue)(T)>
double largest_error(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  const std::size_t count = std::min(a.size(), b.size()) / sizeof(T);
  const auto at = [](const std::vector<std::uint8_t>& bytes, std::size_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return kValue(value);
  };
  double squares = 0, finite = 0, worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(at(a, i))) continue;
    squares += at(a, i) * at(a, i);
    finite += 1;
  }
  const double mean = finite > 0 ? std::sqrt(squares / finite) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = at(a, i), y = at(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double error = std::abs(x - y) / std::max({std::abs(x), std::abs(y), kShareOfMean * mean});
    worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
  }
  return worst;
}

template <typename T>
double plain_value(T value) {
  return static_cast<double>(value);
}

// 0 of integers: those are equal or not.
double largest_error_of(trace::ElementType type, const std::vector<std::uint8_t>& a,
                        const std::vector<std::uint8_t>& b) {
  switch (type) {
    case trace::ElementType::F16:
      return largest_error<std::uint16_t, trace::from_half>(a, b);
    case trace::ElementType::F32:
      return largest_error<float, plain_value<float>>(a, b);
    case trace::ElementType::F64:
      return largest_error<double, plain_value<double>>(a, b);
    default:
      return 0;
  }
}

}  // namespace

bool Comparison::agrees() const {
  if (warps_different > warps_by_order) return false;
  return std::all_of(outputs.begin(), outputs.end(), [](const Output& output) {
    return output.equal || output.by_order ||
           (output.largest_relative_error > 0 && output.largest_relative_error < kRounding);
  });
}

std::string_view name(Agreement agreement) {
  constexpr std::string_view kNames[] = {"identical", "agrees", "depends on order or time", "different"};
  return kNames[static_cast<std::size_t>(agreement)];
}

Agreement Comparison::verdict() const {
  if (!agrees()) return Agreement::Different;
  const bool by_order =
      warps_different > 0 ||
      std::any_of(outputs.begin(), outputs.end(), [](const Output& o) { return !o.equal && o.by_order; });
  if (by_order) return Agreement::ByOrder;
  const bool same = warps_identical == warps &&
                    std::all_of(outputs.begin(), outputs.end(), [](const Output& o) { return o.equal; });
  return same ? Agreement::Identical : Agreement::Agrees;
}

void compare_traces(const trace::Trace& emulator, const trace::Trace& gpu, Comparison& out) {
  const Warps a = warps_of(emulator), b = warps_of(gpu);
  std::set<WarpKey> keys;
  for (const auto& [key, records] : a) keys.insert(key), out.records_emulator += records.size();
  for (const auto& [key, records] : b) keys.insert(key), out.records_gpu += records.size();
  static const std::vector<Record> kNothing;
  std::vector<Difference> real, by_order;
  for (const WarpKey& key : keys) {
    const auto at_a = a.find(key), at_b = b.find(key);
    const std::vector<Record>& x = at_a == a.end() ? kNothing : at_a->second;
    const std::vector<Record>& y = at_b == b.end() ? kNothing : at_b->second;
    ++out.warps;
    if (x == y) {
      ++out.warps_identical;
      continue;
    }
    auto difference = lane_difference(x, y, {});
    if (!difference) {
      ++(same_records(x, y) ? out.warps_other_order : out.warps_other_groups);
      continue;
    }
    ++out.warps_different;
    // What no order reaches must be the same all the same: how often a lane asked changes nothing of the
    // rest.
    auto rest = lane_difference(x, y, out.order);
    if (!rest) ++out.warps_by_order;
    Difference& said = rest ? *rest : *difference;
    said.by_order = !rest;
    said.block = key.first;
    said.warp = key.second;
    if (said.site < emulator.sites.size()) said.line = emulator.sites[said.site].line;
    std::vector<Difference>& list = rest ? real : by_order;
    if (list.size() < kMostDifferences) list.push_back(std::move(said));
  }
  out.differences = std::move(real);
  const std::size_t room = kMostDifferences - out.differences.size();
  std::move(by_order.begin(), by_order.begin() + static_cast<std::ptrdiff_t>(std::min(room, by_order.size())),
            std::back_inserter(out.differences));
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
  if (b.ending == analysis::Ending::Faulted)
    return b.device_error.empty() ? told(ErrorKind::Fault, {"gpu.fault.plain", {}})
                                  : Error{ErrorKind::Fault, b.device_error, {}, {}};
  Comparison out;
  out.records_lost = b.records_lost;
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
    output.largest_relative_error = largest_error_of(argument.type, x, y);
    out.outputs.push_back(std::move(output));
  }
  return out;
}

}  // namespace warplens::model
