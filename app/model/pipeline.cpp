#include "app/model/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model/signature.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/assets.h"
#include "engine/ptx/liveness.h"
#include "engine/ptx/parser.h"

namespace warplens::model {
namespace {

bool is_ptx_file(const std::string& file) {
  return std::filesystem::path(file).extension() == ".ptx";
}

int sm_version(const std::string& arch) {
  int version = 0;
  for (const char c : arch)
    if (c >= '0' && c <= '9') version = version * 10 + (c - '0');
  return version > 0 ? version : 90;
}

void fill_source_lines(std::vector<trace::Site>& sites, const std::string& text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  for (trace::Site& site : sites) {
    if (site.line < 1 || static_cast<std::size_t>(site.line) > lines.size()) continue;
    std::string_view line = lines[static_cast<std::size_t>(site.line) - 1];
    const auto first = line.find_first_not_of(" \t");
    const auto last = line.find_last_not_of(" \t\r");
    if (first != std::string_view::npos) site.text = line.substr(first, last - first + 1);
  }
}

// Registers as ptxas reports them, else the estimate from liveness, which the report badges as modelled.
void fill_registers(const Program& program, const ptx::Function& entry, analysis::Report& report) {
  for (const source::PtxasInfo& info : program.ptxas) {
    if (info.kernel != entry.name || info.registers <= 0) continue;
    report.registers_per_thread = info.registers;
    report.registers_evidence = Evidence::Counted;
    return;
  }
  const std::uint32_t pressure = ptx::Liveness::compute(*program.module, entry).pressure();
  // Addresses and the hardware's own few registers come on top; never below what any kernel uses.
  report.registers_per_thread = static_cast<int>(std::clamp<std::uint32_t>(pressure + 4, 8, 255));
  report.registers_evidence = Evidence::Modelled;
}

Status fill_occupancy(const RunRequest& request, const ptx::Function& entry, std::uint64_t static_shared,
                      analysis::Report& report) {
  auto catalogue = analysis::DeviceCatalogue::load();
  if (!catalogue) return catalogue.error();
  const auto device = catalogue->device(request.device);
  if (!device) return device.error();
  const auto capability = catalogue->capability((*device)->cc);
  if (!capability) return capability.error();
  report.device = (*device)->name;
  fill_registers(*request.program, entry, report);
  analysis::KernelResources kernel;
  kernel.threads_per_block = static_cast<int>(request.launch.block.volume());
  kernel.registers_per_thread = report.registers_per_thread;
  kernel.static_shared = static_cast<std::int64_t>(static_shared);
  kernel.dynamic_shared = request.launch.dynamic_shared_bytes;
  report.occupancy = analysis::occupancy(**capability, kernel);
  return Done{};
}

std::string ending_name(simt::Ending ending) {
  switch (ending) {
    case simt::Ending::Completed:
      return "completed";
    case simt::Ending::Faulted:
      return "faulted";
    case simt::Ending::Budget:
      return "budget";
    case simt::Ending::Cancelled:
      return "cancelled";
  }
  return "completed";
}

std::vector<analysis::BufferReport> buffer_reports(const trace::Launch& launch,
                                                   const simt::Outcome& outcome) {
  std::vector<analysis::BufferReport> out;
  for (std::size_t i = 0; i < launch.arguments.size() && i < outcome.buffers.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    if (!argument.is_buffer) continue;
    analysis::BufferReport buffer;
    buffer.argument = static_cast<int>(i);
    for (const trace::BufferPlacement& placement : outcome.placements)
      if (placement.argument == i) buffer.name = placement.name;
    buffer.type = argument.type;
    buffer.count = argument.count;
    buffer.checksum = trace::checksum(argument.type, outcome.buffers[i]);
    out.push_back(std::move(buffer));
  }
  return out;
}

void name_buffers(const Signature& signature, std::vector<trace::BufferPlacement>& placements) {
  for (trace::BufferPlacement& placement : placements)
    if (placement.argument < signature.parameters.size())
      placement.name = signature.parameters[placement.argument].name;
}

void fill_execution(const simt::Outcome& outcome, const analysis::Totals& totals,
                    analysis::ExecutionCounts& execution) {
  execution.warp_instructions = outcome.warp_instructions;
  execution.thread_instructions = outcome.thread_instructions;
  execution.branches = totals.branches;
  execution.divergent_branches = totals.divergent_branches;
}

}  // namespace

Result<std::shared_ptr<const Program>> load_program(const ProgramRequest& request, Progress* progress) {
  auto program = std::make_shared<Program>();
  program->file = request.file;
  program->arch = request.arch;
  program->is_ptx = is_ptx_file(request.file);
  if (request.text) {
    program->text = *request.text;
  } else {
    auto text = read_text(request.file);
    if (!text) return text.error();
    program->text = std::move(*text);
  }

  if (program->is_ptx) {
    program->ptx.text = program->text;
    program->ptx.compiler_version = "ptx";
  } else {
    program->launches = source::find_launches(program->text);
    source::CompileOptions options;
    options.file = request.file;
    options.text = program->text;
    options.compiler = request.compiler;
    options.arch = request.arch;
    options.defines = request.defines;
    options.include_paths = request.include_paths;
    options.instances = request.instances;
    options.progress = progress;
    auto ptx = source::compile(options);
    if (!ptx) return ptx.error();
    program->ptx = std::move(*ptx);
  }

  ptx::ParseOptions parse_options;
  parse_options.file = program->is_ptx ? program->file : program->file + ".ptx";
  auto module = ptx::parse(program->ptx.text, parse_options);
  if (!module) return module.error();
  program->module = std::make_shared<const ptx::Module>(std::move(*module));

  // Without ptxas the registers are estimated and badged so; its absence is no failure.
  if (auto info = source::ptxas_info(program->ptx.text, request.arch)) program->ptxas = std::move(*info);
  return std::shared_ptr<const Program>(program);
}

Result<std::shared_ptr<const Run>> execute(const RunRequest& request, Progress* progress) {
  const Program& program = *request.program;
  auto kernel = simt::Kernel::load(request.program->module, request.launch.kernel, sm_version(program.arch));
  if (!kernel) return kernel.error();

  auto run = std::make_shared<Run>();
  run->program = request.program;
  analysis::Report& report = run->report;
  report.kernel = kernel->entry().demangled;
  report.source = program.file;
  report.compiler = program.is_ptx ? "none (PTX given)" : program.ptx.compiler_version;
  report.arch = program.arch;
  report.launch = request.launch;
  report.shared_bytes = kernel->static_shared_bytes() + request.launch.dynamic_shared_bytes;
  report.sites = kernel->sites();
  if (!program.is_ptx) fill_source_lines(report.sites, program.text);
  if (const Status status = fill_occupancy(request, kernel->entry(), kernel->static_shared_bytes(), report);
      !status)
    return status.error();

  analysis::TotalsCounter counter(report.sites);
  trace::Recorder recorder(request.recorder);
  const std::array<trace::Listener*, 2> listeners{&counter, &recorder};
  simt::Options options = request.options;
  options.progress = progress;
  auto outcome = simt::run(*kernel, request.launch, options, listeners);
  if (!outcome) return outcome.error();

  report.ending = ending_name(outcome->ending);
  report.blocks_run = outcome->blocks_run;
  report.blocks_total = outcome->blocks_total;
  report.totals = counter.totals();
  fill_execution(*outcome, report.totals, report.execution);
  report.faults = outcome->faults;
  report.faults_total = outcome->faults_total;
  report.output = outcome->output;
  report.notes = outcome->notes;

  name_buffers(signature_of(program, kernel->entry()), outcome->placements);
  report.buffers = buffer_reports(request.launch, *outcome);

  run->trace = recorder.take();
  run->trace.launch = request.launch;
  run->trace.sites = report.sites;
  run->trace.buffers = outcome->placements;
  run->trace.blocks_total = outcome->blocks_total;
  report.blocks_traced = run->trace.blocks().size();
  report.explanations = analysis::explain_launch(report, &run->trace);
  run->buffers = std::move(outcome->buffers);
  return std::shared_ptr<const Run>(run);
}

}  // namespace warplens::model
