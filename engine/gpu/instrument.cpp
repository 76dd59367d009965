#include "engine/gpu/instrument.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/gpu/constant_places.h"
#include "engine/gpu/instrument_records.h"
#include "engine/gpu/instrument_totals.h"
#include "engine/gpu/keep_roundings.h"
#include "engine/gpu/recorder_module.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/syntax/printer.h"

namespace warplens::gpu {
namespace {

using ptx::Function;
using trace::Site;

constexpr const char* kCountersParameter = "warplens_counters_parameter";

ptx::Variable pointer_variable(const char* name) {
  ptx::Variable out;
  out.name = name;
  out.space = ptx::StateSpace::Global;
  out.type = ptx::Type::U64;
  out.alignment = 8;
  out.is_visible = true;
  return out;
}

// The counters' address is best among the constants, where an instruction finds it without waiting.
bool has_constant_room(const ptx::Module& module) {
  constexpr std::uint64_t kBank = 65536, kSpare = 256;
  std::uint64_t bytes = 0;
  for (const ptx::Variable& variable : module.variables)
    if (variable.space == ptx::StateSpace::Const) bytes += variable.bytes() + variable.alignment;
  return bytes + kSpare < kBank;
}

// A kernel that says nothing of its block's size may be given more registers than the launch can have.
void limit_registers(Function& entry, const Dim3& block) {
  if (block.volume() > 1 && entry.max_threads.empty() && entry.required_threads.empty())
    entry.max_threads = {block.x, block.y, block.z};
}

// What sums in registers may take, so that a block of this size still fits an SM without spilling much.
int spare_registers(const Dim3& block) {
  constexpr int kOfSm = 65536, kOfThread = 255, kKernels = 64, kMost = 128, kLeast = 20;
  const auto threads = static_cast<int>(std::clamp<std::uint64_t>(block.volume(), 32, 1024));
  return std::clamp(std::min(kOfThread, kOfSm / threads) - kKernels, kLeast, kMost);
}

// What variables' initial values and functions besides kernels name.
std::set<std::string> named_outside_kernels(const ptx::Module& module) {
  std::set<std::string> out;
  for (const ptx::Variable& variable : module.variables)
    for (const ptx::Relocation& relocation : variable.relocations) out.insert(relocation.symbol);
  for (const Function& function : module.functions) {
    if (function.is_entry) continue;
    const auto facts = ptx::facts_of(module, function);
    out.insert(facts->reached().symbols.begin(), facts->reached().symbols.end());
  }
  return out;
}

}  // namespace

std::uint64_t chunk_bytes(std::uint64_t capacity, std::uint64_t threads) {
  constexpr std::uint64_t kLeast = 1024, kMost = 32768;
  const std::uint64_t share = capacity / 4 / std::max<std::uint64_t>(threads, 1);
  return share < kLeast ? 0 : std::min(share, kMost) / 16 * 16;
}

Result<Instrumented> instrument(const ptx::Module& module, const std::string& entry,
                                const InstrumentOptions& options) {
  const auto function = module.find_entry(entry);
  if (!function) return function.error();
  Instrumented out;
  out.sites = trace::collect_sites(module, **function);
  const auto number = static_cast<std::uint32_t>(*function - module.functions.data());
  std::vector<std::uint32_t> reached;
  for (const Function* one : ptx::facts_of(module, **function)->reached().functions)
    reached.push_back(static_cast<std::uint32_t>(one - module.functions.data()));

  // The recorder's variables must be declared in front of every function.
  ptx::Module rewritten = module;
  ptx::Variable counters = pointer_variable(kCountersVariable);
  if (!options.counters_as_parameter && has_constant_room(module)) counters.space = ptx::StateSpace::Const;
  rewritten.variables.push_back(pointer_variable(kControlVariable));
  rewritten.variables.push_back(std::move(counters));
  limit_registers(rewritten.functions[number], options.block);
  std::string parameter;
  if (options.totals) {
    if (const Status added = append_recorder(rewritten); !added) return added.error();
    if (options.counters_as_parameter) {
      parameter = kCountersParameter;
      ptx::Variable variable = pointer_variable(kCountersParameter);
      variable.space = ptx::StateSpace::Param;
      variable.is_visible = false;
      rewritten.functions[number].parameters.push_back(std::move(variable));
    }
  }

  Labels labels;
  RecordWriter records(rewritten, labels);
  std::optional<TotalsWriter> totals;
  if (options.totals) {
    totals.emplace(rewritten, out.sites, reached, labels, spare_registers(options.block));
    // What nobody calls would still be read by the driver's compiler.
    const std::set<std::string> called = totals->called();
    auto& functions = rewritten.functions;
    functions.erase(
        std::remove_if(functions.begin() + static_cast<std::ptrdiff_t>(module.functions.size()),
                       functions.end(), [&](const Function& f) { return !called.contains(f.name); }),
        functions.end());
    rewritten.derived.forget();
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Site*> at;
  for (const Site& site : out.sites) at[{site.function, site.instruction}] = &site;
  const auto number_of = [&](const Function& f) {
    return static_cast<std::uint32_t>(&f - rewritten.functions.data());
  };
  const auto is_reached = [&](const Function& f) {
    return std::find(reached.begin(), reached.end(), number_of(f)) != reached.end();
  };

  ptx::PrintOptions print;
  print.source_lines = false;
  print.lowest_version = options.lowest_version;
  print.prologue = [&](const Function& f) {
    std::string text;
    if (!is_reached(f)) return text;
    if (options.records) text += RecordWriter::prologue(number_of(f) == number);
    if (totals) text += totals->prologue(number_of(f) == number ? parameter : "", number_of(f) == number);
    return text;
  };
  // The driver's compiler would read the file's other kernels as well.
  const std::set<std::string> named = named_outside_kernels(module);
  print.leave_out = [&](const Function& f) {
    return f.is_entry && number_of(f) != number && !is_reached(f) && !named.contains(f.name);
  };
  const TextBefore roundings = keep_roundings(module, reached, rewritten);
  print.before = [&](const Function& f, std::uint32_t index) {
    std::string text;
    if (!is_reached(f)) return text;
    if (const auto own = roundings.find({number_of(f), index}); own != roundings.end()) text += own->second;
    if (totals) text += totals->before(number_of(f), index);
    const auto site = at.find({number_of(f), index});
    if (options.records && site != at.end()) text += records.before(f, f.instructions[index], *site->second);
    return text;
  };
  out.ptx = ptx::print(rewritten, print);
  if (options.records) out.constants = constants_of(module);
  if (!out.constants.empty()) out.ptx += constant_places_kernel(out.constants);
  if (totals) out.layout = totals->layout();
  return out;
}

}  // namespace warplens::gpu
