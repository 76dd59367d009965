#include "app/model/picture/shared_arrays.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "app/model/text/shared_declarations.h"
#include "engine/ptx/facts/function_facts.h"

namespace warplens::model {
namespace {

using visual::DeclaredArray;
using visual::SharedArray;

// Accesses looked at; beyond these a kernel's accesses repeat.
constexpr std::size_t kAccesses = 30000;
constexpr int kSamplesPerSite = 48;

struct Placed {
  const ptx::Variable* variable = nullptr;
  std::uint64_t offset = 0, bytes = 0;
};

// Where the variables of a kernel lie, dynamic shared memory behind the others.
std::vector<Placed> place(const ptx::Module& module, const ptx::Function& entry,
                          std::uint64_t dynamic_bytes) {
  const auto facts = ptx::facts_of(module, entry);
  std::vector<Placed> out;
  for (const ptx::SharedPlace& place : facts->shared().places)
    out.push_back({place.variable, place.address, place.variable->bytes()});
  for (const ptx::SharedPlace& place : facts->shared().dynamic)
    out.push_back({place.variable, place.address, dynamic_bytes});
  return out;
}

// "transpose_plain(float const*, float*, int)::tile" -> transpose_plain, tile
struct Names {
  std::string function, variable;
};
Names names_of(const std::string& mangled) {
  const std::string whole = ptx::demangle(mangled);
  const std::size_t colons = whole.rfind("::");
  if (colons == std::string::npos) return {"", whole};
  std::string function = whole.substr(0, std::min(whole.find_first_of("<("), colons));
  if (const std::size_t space = function.rfind(' '); space != std::string::npos) function.erase(0, space + 1);
  std::string variable = whole.substr(colons + 2);
  return {function, variable.substr(0, variable.find(' '))};
}

int bytes_of_type(const std::string& type) {
  static const std::map<std::string, int> known{
      {"char", 1},     {"unsigned char", 1}, {"int8_t", 1},         {"uint8_t", 1},   {"bool", 1},
      {"short", 2},    {"half", 2},          {"unsigned short", 2}, {"__half", 2},    {"int", 4},
      {"float", 4},    {"unsigned int", 4},  {"unsigned", 4},       {"int32_t", 4},   {"uint32_t", 4},
      {"double", 8},   {"float2", 8},        {"int2", 8},           {"long long", 8}, {"int64_t", 8},
      {"uint64_t", 8}, {"float4", 16},       {"int4", 16},          {"uint4", 16}};
  const auto found = known.find(type);
  return found == known.end() ? 0 : found->second;
}

// One extent may be unknown: the size of the variable tells it.
bool take_extents(DeclaredArray& array, const SharedDeclaration& declared) {
  std::uint64_t known = 1;
  int unknown = 0;
  for (const auto& extent : declared.extents)
    extent ? known *= static_cast<std::uint64_t>(std::min<std::int64_t>(*extent, 1 << 20)) : ++unknown;
  if (declared.extents.empty() || unknown > 1 || known == 0 || known > array.bytes) return false;
  const int element = bytes_of_type(declared.type);
  const std::uint64_t size = unknown == 0 ? array.bytes / known : static_cast<std::uint64_t>(element);
  if (size == 0 || size > 64 || array.bytes % (known * size) != 0) return false;
  array.element_bytes = static_cast<int>(size);
  for (const auto& extent : declared.extents)
    array.extents.push_back(
        static_cast<int>(extent ? static_cast<std::uint64_t>(*extent) : array.bytes / (known * size)));
  return true;
}

DeclaredArray describe(const Placed& placed, const std::vector<SharedDeclaration>& declarations) {
  DeclaredArray out;
  out.offset = placed.offset;
  out.bytes = placed.bytes;
  const Names names = names_of(placed.variable->name);
  out.name = names.variable;
  for (const SharedDeclaration& d : declarations) {
    if (d.name != names.variable || (!names.function.empty() && d.function != names.function)) continue;
    out.type = d.type;
    out.line = d.line;
    if (take_extents(out, d)) return out;
    if (const int element = bytes_of_type(d.type)) out.element_bytes = element;
  }
  out.extents = {static_cast<int>(
      std::min<std::uint64_t>(out.bytes / static_cast<std::uint64_t>(out.element_bytes), 1u << 30))};
  return out;
}

struct ArrayPlace {
  std::int64_t row = 0, column = 0;  // of the first element of each lane
};
using Lanes = std::vector<std::pair<int, ArrayPlace>>;  // lane and where it goes

// v = base + a * (lane mod p) + b * (lane div p): how index arithmetic on threadIdx looks. Never so after an
// XOR that should have been undone, unless that XOR was with a constant.
bool is_regular(const Lanes& lanes, std::int64_t ArrayPlace::*member) {
  for (const int p : {1, 2, 4, 8, 16, 32}) {
    const auto at = [&](int wanted) -> std::optional<std::int64_t> {
      for (const auto& [lane, place] : lanes)
        if (lane == wanted) return place.*member;
      return std::nullopt;
    };
    const int first = lanes.front().first;
    const auto base = at(first), next = at(first + 1), group = at(first + p);
    if (!base || first % p != 0) continue;
    const std::int64_t a = p > 1 && next ? *next - *base : 0, b = group ? *group - *base : 0;
    const bool all = std::all_of(lanes.begin(), lanes.end(), [&](const auto& l) {
      const int from = l.first - first;
      return l.second.*member == *base + a * (from % p) + b * (from / p);
    });
    if (all) return true;
  }
  return false;
}

bool fits(const Lanes& lanes, std::uint32_t mask, int shift) {
  Lanes logical = lanes;
  for (auto& [lane, place] : logical)
    place.column ^= static_cast<std::int64_t>((static_cast<std::uint64_t>(place.row) & mask) << shift);
  return is_regular(logical, &ArrayPlace::column);
}

// Looks at what the trace does with one array of two or more extents.
struct Usage {
  std::int64_t columns = 0;
  std::vector<Lanes> samples;
};

void find_swizzle(SharedArray& array, const std::vector<Lanes>& samples) {
  const auto all = [&](std::uint32_t mask, int shift) {
    return std::all_of(samples.begin(), samples.end(), [&](const Lanes& l) { return fits(l, mask, shift); });
  };
  if (samples.empty() || all(0, 0)) return;
  for (const std::uint32_t mask : {31u, 15u, 7u, 3u, 1u})
    for (int shift = 0; shift < 4; ++shift) {
      const std::int64_t reach = std::int64_t{mask} << shift;
      if (reach >= array.extents.back() || !all(mask, shift)) continue;
      array.swizzle_mask = mask;
      array.swizzle_shift = shift;
      return;
    }
}

void look_at_usage(const trace::Trace& trace, std::vector<SharedArray>& arrays) {
  std::vector<Usage> usage(arrays.size());
  std::map<std::pair<std::size_t, trace::SiteId>, int> sampled;
  std::size_t looked = 0;
  for (std::size_t step = 0; step < trace.size() && looked < kAccesses; ++step) {
    const trace::Step& s = trace.steps()[step];
    if (s.kind != trace::StepKind::Access || s.active == 0 || s.site >= trace.sites.size()) continue;
    const trace::Site& site = trace.sites[s.site];
    const bool copy = site.kind == trace::SiteKind::AsyncCopy;
    if (site.space != trace::Space::Shared && site.space != trace::Space::Generic && !copy) continue;
    const trace::AccessView access = trace.access(step);
    if (access.space != trace::Space::Shared && !copy) continue;
    ++looked;
    const auto& offsets = copy ? access.shared_addresses : access.addresses;
    const std::uint64_t first = offsets[static_cast<std::size_t>(std::countr_zero(access.active))];
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const SharedArray& array = arrays[a];
      if (array.extents.size() < 2 || first < array.offset || first >= array.offset + array.bytes) continue;
      const std::int64_t row_length = array.extents.back();
      Lanes lanes;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!(access.active >> lane & 1u)) continue;
        const std::uint64_t offset = offsets[static_cast<std::size_t>(lane)] - array.offset;
        if (offset >= array.bytes) continue;
        const auto element = static_cast<std::int64_t>(offset) / array.element_bytes;
        lanes.push_back({lane, {element / row_length, element % row_length}});
        const std::int64_t last = element % row_length + std::max(1, access.bytes / array.element_bytes);
        usage[a].columns = std::max(usage[a].columns, std::min(last, row_length));
      }
      if (lanes.size() > 1 && sampled[{a, s.site}]++ < kSamplesPerSite)
        usage[a].samples.push_back(std::move(lanes));
    }
  }
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    arrays[a].columns_used =
        usage[a].columns > 0 ? static_cast<int>(usage[a].columns) : arrays[a].extents.back();
    find_swizzle(arrays[a], usage[a].samples);
  }
}

}  // namespace

std::vector<SharedArray> shared_arrays(const Run& run) {
  std::vector<SharedArray> out;
  if (!run.program || !run.program->module) return out;
  const auto entry = run.program->module->find_entry(run.report.launch.kernel);
  if (!entry) return out;
  const auto declarations = run.program->is_ptx
                                ? std::vector<SharedDeclaration>{}
                                : shared_declarations(run.program->text, run.program->defines);
  for (const Placed& placed : place(*run.program->module, **entry, run.report.launch.dynamic_shared_bytes))
    if (placed.bytes > 0) out.push_back({describe(placed, declarations)});
  look_at_usage(run.trace, out);
  return out;
}

std::vector<DeclaredArray> constant_arrays(const Run& run) {
  std::vector<DeclaredArray> out;
  if (!run.program || !run.program->module) return out;
  const auto declarations = run.program->is_ptx
                                ? std::vector<SharedDeclaration>{}
                                : constant_declarations(run.program->text, run.program->defines);
  for (const ptx::Variable& variable : run.program->module->variables)
    if (const auto at = run.constants.find(variable.name); at != run.constants.end() && variable.bytes() > 0)
      out.push_back(describe({&variable, at->second, variable.bytes()}, declarations));
  return out;
}

}  // namespace warplens::model
