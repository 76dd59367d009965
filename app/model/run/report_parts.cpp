#include "app/model/run/report_parts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/model/run/resources.h"
#include "engine/analysis/occupancy.h"
#include "engine/ptx/facts/clusters.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/lowering/lowering.h"

namespace warplens::model {
namespace {

void fill_source_lines(std::vector<trace::Site>& sites, const std::string& text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  for (trace::Site& site : sites) {
    if (site.line < 1 || static_cast<std::size_t>(site.line) > lines.size()) continue;
    const std::string_view line = lines[static_cast<std::size_t>(site.line) - 1];
    const auto first = line.find_first_not_of(" \t");
    const auto last = line.find_last_not_of(" \t\r");
    if (first != std::string_view::npos) site.text = line.substr(first, last - first + 1);
  }
}

Status fill_occupancy(const RunRequest& request, const ptx::Function& entry, analysis::Report& report) {
  auto catalogue = analysis::DeviceCatalogue::load();
  if (!catalogue) return catalogue.error();
  const auto device = catalogue->device(request.device);
  if (!device) return device.error();
  const auto capability = catalogue->capability((*device)->cc);
  if (!capability) return capability.error();
  report.device = (*device)->name;
  const Figure<int> registers = registers_of(*request.program, entry);
  report.registers_per_thread = registers.value;
  report.registers_evidence = registers.evidence;
  analysis::KernelResources kernel;
  kernel.threads_per_block = static_cast<int>(request.launch.block.volume());
  kernel.registers_per_thread = registers.value;
  kernel.static_shared = static_cast<std::int64_t>(static_shared_bytes(*request.program->module, entry));
  kernel.dynamic_shared = request.launch.dynamic_shared_bytes;
  kernel.barriers = report.barriers_per_block = ptx::named_barriers(
      *request.program->module, ptx::facts_of(*request.program->module, entry)->reached());
  report.shared_bytes = static_cast<std::uint64_t>(kernel.static_shared + kernel.dynamic_shared);
  report.occupancy = analysis::occupancy(**capability, kernel);
  return Done{};
}

// Only buffers: what a number or a texture holds is said in the launch.
analysis::DataUse data_use(const ptx::Module& module, const ptx::Function& entry,
                           const trace::Launch& launch) {
  const auto facts = ptx::facts_of(module, entry);
  const ptx::DataDependence& found = facts->dependence();
  analysis::DataUse out;
  const auto keep = [&](const std::vector<std::uint32_t>& from, std::vector<int>& to) {
    for (const std::uint32_t i : from)
      if (i < launch.arguments.size() && launch.arguments[i].is_buffer) to.push_back(static_cast<int>(i));
  };
  keep(found.addresses, out.addresses);
  keep(found.branches, out.branches);
  return out;
}

// "float4 const*", "const float*": the numbers that it points to. Nothing: bytes, a structure, no pointer.
std::optional<trace::ElementType> pointed_to(std::string_view type) {
  using enum trace::ElementType;
  static const std::map<std::string, trace::ElementType, std::less<>> kTypes{
      {"short", I16},         {"unsigned short", U16}, {"int", I32},
      {"unsigned int", U32},  {"unsigned", U32},       {"long", I64},
      {"unsigned long", U64}, {"long long", I64},      {"unsigned long long", U64},
      {"__half", F16},        {"float", F32},          {"double", F64},
      {"uint", U32}};
  if (type.find('*') == std::string_view::npos) return std::nullopt;
  std::string base;
  for (std::size_t i = 0; i < type.size() && type[i] != '*';) {
    const std::size_t end = std::min(type.find_first_of(" *", i), type.size());
    const std::string_view word = type.substr(i, end - i);
    if (!word.empty() && word != "const" && word != "volatile")
      base += (base.empty() ? "" : " ") + std::string(word);
    i = end + (end < type.size() && type[end] == ' ' ? 1 : 0);
  }
  // Vectors are so many of their numbers.
  if (!base.empty() && base.back() >= '2' && base.back() <= '4' && !base.starts_with("__")) base.pop_back();
  const auto found = kTypes.find(base);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

// Of such code less is foretold than of other.
void note_giant_code(const ptx::Module& module, const ptx::Function& entry, analysis::Report& report) {
  for (const ptx::Function* function : ptx::facts_of(module, entry)->reached().functions)
    if (ptx::lowered(module, *function)->giant)
      report.notes.push_back({"note.giant_code",
                              {{"function", value_of(function->demangled)},
                               {"blocks", value_of(function->blocks.size())},
                               {"instructions", value_of(function->instructions.size())}}});
}

}  // namespace

Status begin_report(const RunRequest& request, const ptx::Function& entry, std::vector<trace::Site> sites,
                    analysis::Report& report) {
  const Program& program = *request.program;
  report.kernel = signature_of(program, entry).name;
  report.source = program.file;
  report.compiled_by = program.compiled_by();
  report.arch = program.arch;
  report.as_executed = ptx::lowered(*program.module, entry)->provider;
  report.launch = request.launch;
  report.cluster = ptx::cluster_of(entry);
  report.about = program.about;
  report.data = data_use(*program.module, entry, request.launch);
  report.sites = std::move(sites);
  note_giant_code(*program.module, entry, report);
  if (!program.is_ptx) fill_source_lines(report.sites, program.text);
  return fill_occupancy(request, entry, report);
}

namespace {

// The lowering of each function, held while its counts are read.
class LoweredFunctions {
 public:
  explicit LoweredFunctions(const ptx::Module& module) : module_(module) {}
  const ptx::Lowered& of(std::uint32_t function) {
    auto& entry = held_[function];
    if (entry == nullptr) entry = ptx::lowered(module_, module_.functions[function]);
    return *entry;
  }

 private:
  const ptx::Module& module_;
  std::map<std::uint32_t, std::shared_ptr<const ptx::Lowered>> held_;
};

}  // namespace

void count_added_branches(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                          analysis::Report& report) {
  LoweredFunctions functions(module);
  for (const simt::InstructionCount& count : counts) {
    if (count.executions == 0 || count.function >= module.functions.size()) continue;
    const std::vector<std::uint32_t>& added = functions.of(count.function).added_branches;
    if (count.instruction < added.size())
      report.execution.branches += count.executions * added[count.instruction];
  }
  // A jump through a table that leads lanes several ways is as many branches, less one.
  for (const trace::Site& site : report.sites) {
    if (site.kind != trace::SiteKind::Branch || site.function >= module.functions.size() ||
        site.index >= report.totals.sites.size() || report.totals.sites[site.index].divergent == 0)
      continue;
    const std::vector<std::uint32_t>& questions = functions.of(site.function).branches.further_questions;
    if (std::ranges::find(questions, site.instruction) == questions.end()) continue;
    report.execution.branches += report.totals.sites[site.index].divergent;
    report.execution.divergent_branches += report.totals.sites[site.index].divergent;
  }
}

void count_machine_instructions(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                                analysis::Report& report) {
  LoweredFunctions functions(module);
  for (const simt::InstructionCount& count : counts) {
    if (count.executions == 0 || count.function >= module.functions.size()) continue;
    const std::vector<double>& all = functions.of(count.function).weights.of_instruction;
    if (count.instruction >= all.size()) continue;
    const double weight = all[count.instruction];
    report.execution.machine_warp_instructions += weight * static_cast<double>(count.executions);
    report.execution.machine_thread_instructions += weight * static_cast<double>(count.lanes);
  }
  for (const trace::Site& site : report.sites) {
    if (site.kind != trace::SiteKind::Branch || site.function >= module.functions.size() ||
        site.index >= report.totals.sites.size() || report.totals.sites[site.index].divergent == 0)
      continue;
    const std::vector<double>& all = functions.of(site.function).weights.of_parting;
    if (site.instruction < all.size())
      report.execution.machine_warp_instructions +=
          all[site.instruction] * static_cast<double>(report.totals.sites[site.index].divergent);
  }
}

void count_saved_registers(const ptx::Module& module, std::span<const simt::CallCount> calls,
                           analysis::Report& report) {
  constexpr std::uint64_t kBytes = 4;
  LoweredFunctions functions(module);
  for (const simt::CallCount& call : calls) {
    if (call.function >= module.functions.size()) continue;
    const auto words = static_cast<std::uint64_t>(functions.of(call.function).saved_words);
    const auto add = [&](analysis::GlobalCounts& to, const simt::CallCount::Side& side) {
      to.requests += words * side.executions;
      to.sectors += words * side.parts;
      to.sectors_ideal += words * side.least_parts;
      to.lines += words * side.executions;
      to.bytes_requested += words * kBytes * side.lanes;
      to.bytes_unique += words * kBytes * side.lanes;
    };
    add(report.totals.local_store, call.calls);
    add(report.totals.local_load, call.returns);
  }
}

void count_spills(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                  analysis::Report& report) {
  constexpr std::uint64_t kBytes = 4;
  LoweredFunctions functions(module);
  for (const simt::InstructionCount& count : counts) {
    if (count.executions == 0 || count.function >= module.functions.size()) continue;
    const std::vector<ptx::Spill>& spills = functions.of(count.function).spills;
    const auto at = std::ranges::lower_bound(spills, count.instruction, {}, &ptx::Spill::instruction);
    if (at == spills.end() || at->instruction != count.instruction) continue;
    const ptx::Spill& spill = *at;
    const auto add = [&](analysis::GlobalCounts& to, std::uint64_t words) {
      const auto times = [&](std::uint64_t n) { return (n * words + spill.copies / 2) / spill.copies; };
      to.requests += times(count.executions);
      to.sectors += times(count.parts);
      to.sectors_ideal += times(count.parts);
      to.lines += times(count.executions);
      to.bytes_requested += times(count.lanes * kBytes);
      to.bytes_unique += times(count.lanes * kBytes);
    };
    add(report.totals.local_store, spill.stored);
    add(report.totals.local_load, spill.loaded);
    add(report.spilled, spill.stored + spill.loaded);
  }
}

void count_flop(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                analysis::Report& report) {
  analysis::Work all;
  report.flop_guarded = 0;
  for (const simt::InstructionCount& count : counts) {
    if (count.lanes == 0 || count.function >= module.functions.size()) continue;
    const ptx::Function& function = module.functions[count.function];
    if (count.instruction >= function.instructions.size()) continue;
    const ptx::Instruction& instruction = function.instructions[count.instruction];
    const analysis::Work work =
        analysis::flops_of(module.form(instruction)) * static_cast<double>(count.lanes);
    all += work;
    if (instruction.guard.predicate != ptx::kNone) report.flop_guarded += work.total();
  }
  report.flop = all;
}

void name_buffers(const Signature& signature, std::vector<trace::BufferPlacement>& placements) {
  for (trace::BufferPlacement& placement : placements) {
    if (placement.argument >= signature.parameters.size()) continue;
    const Parameter& parameter = signature.parameters[placement.argument];
    placement.name = parameter.name;
    if (trace::size_of(placement.type) > 1) continue;
    if (const auto taken = pointed_to(parameter.type)) placement.type = *taken;
  }
}

std::vector<analysis::BufferReport> buffer_reports(const trace::Launch& launch,
                                                   const std::vector<std::vector<std::uint8_t>>& buffers,
                                                   const std::vector<trace::BufferPlacement>& placements) {
  std::vector<analysis::BufferReport> out;
  for (std::size_t i = 0; i < launch.arguments.size() && i < buffers.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    if (!argument.is_output()) continue;
    analysis::BufferReport buffer;
    buffer.argument = static_cast<int>(i);
    for (const trace::BufferPlacement& placement : placements)
      if (placement.argument == i) buffer.name = placement.name;
    buffer.type = argument.type;
    buffer.count = argument.count;
    buffer.checksum = trace::checksum(argument.type, buffers[i]);
    out.push_back(std::move(buffer));
  }
  return out;
}

}  // namespace warplens::model
