#include "app/model/run/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "app/model/run/fault_names.h"
#include "app/model/run/heard.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/older_programs.h"
#include "app/model/run/report_parts.h"
#include "app/model/run/signature.h"
#include "app/model/run/stand_in_headers.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/unrolled_counter.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/facts/clusters.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/simt/lasting_memory.h"
#include "engine/source/source_names.h"
#include "engine/source/source_tree.h"
#include "engine/trace/executed_as.h"
#include "visual/warp_totals.h"

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

analysis::Ending ending_of(simt::Ending ending) {
  switch (ending) {
    case simt::Ending::Completed:
      return analysis::Ending::Completed;
    case simt::Ending::Faulted:
      return analysis::Ending::Faulted;
    case simt::Ending::Budget:
      return analysis::Ending::Budget;
    case simt::Ending::Cancelled:
      return analysis::Ending::Cancelled;
  }
  return analysis::Ending::Completed;
}

void fill_execution(const simt::Outcome& outcome, const analysis::Totals& totals,
                    analysis::ExecutionCounts& execution) {
  execution.warp_instructions = outcome.warp_instructions;
  execution.thread_instructions = outcome.thread_instructions;
  execution.by_block = outcome.work;
  execution.branches = totals.branches;
  execution.divergent_branches = totals.divergent_branches;
}

// Host code does not see kernels between #if __CUDA_ARCH__ and #endif: they are read as for the device, where
// everything else is left as the host has it.
void add_device_kernels(const ProgramRequest& request, Program& program) {
  constexpr const char* kArch = "__CUDA_ARCH__";
  const auto digits = request.arch.find_first_of("0123456789");
  if (program.text.find(kArch) == std::string::npos || digits == std::string::npos) return;
  const std::string number =
      request.arch.substr(digits, request.arch.find_first_not_of("0123456789", digits) - digits);
  source::HostText text{program.file, program.text, program.defines, request.include_paths};
  text.defines.emplace_back(kArch, number + "0");
  for (source::DeclaredKernel& kernel : source::read_host(text).kernels) {
    const auto same = [&](const source::DeclaredKernel& known) {
      return known.name == kernel.name && known.parameters.size() == kernel.parameters.size();
    };
    if (std::ranges::none_of(program.host.kernels, same)) program.host.kernels.push_back(std::move(kernel));
  }
}

// Launches, and the names and types of parameters.
Status read_host_code(const ProgramRequest& request, Progress* progress, Program& program) {
  return within_limit(request.limits.reading(), progress, request.file, [&]() -> Status {
    program.host = source::read_host({program.file, program.text, program.defines, request.include_paths});
    add_device_kernels(request, program);
    return Done{};
  });
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// As nvcc takes it, else with what it misses of older toolkits put back, as for a whole program; else as
// another compiler takes it, which the first answer is.
Result<source::Ptx> compile_put_back(source::CompileOptions options) {
  auto first = source::compile(options);
  const bool judged = first ? !first->refusal.empty() : first.error().kind == ErrorKind::Compile;
  if (!judged ||
      (options.compiler != source::Compiler::Automatic && options.compiler != source::Compiler::Nvcc))
    return first;
  PutBack back;
  std::string log =
      first ? joined(first->refusal) : first.error().message + "\n" + joined(first.error().notes);
  options.compiler = source::Compiler::Nvcc;
  const auto defines = options.defines;
  while (back.add(log) && back.declarations) {
    options.included = {headers_folder() + "/before_cuda_13.h"};
    options.defines = defines;
    if (back.textures) options.defines.emplace_back("WARPLENS_TEXTURE_REFERENCES", "1");
    if (back.surfaces) options.defines.emplace_back("WARPLENS_SURFACE_REFERENCES", "1");
    auto again = source::compile(options);
    if (again) {
      again->compiler_version += back.textures   ? "; texture references, which CUDA 12 dropped, are put back"
                                 : back.surfaces ? "; surface references, which CUDA 12 dropped, are put back"
                                                 : "; what CUDA 13 dropped from its headers is put back";
      return again;
    }
    if (again.error().kind != ErrorKind::Compile) break;
    log = again.error().message + "\n" + joined(again.error().notes);
  }
  return first;
}

// Other targets than this one, the nearest first: code for an older one runs on a newer GPU as well.
std::vector<std::string> other_targets(const std::string& arch) {
  std::vector<int> older, newer;
  if (const auto catalogue = analysis::DeviceCatalogue::load())
    for (const analysis::ComputeCapability& capability : catalogue->capabilities()) {
      const int version = sm_version(capability.name);
      if (version != sm_version(arch)) (version < sm_version(arch) ? older : newer).push_back(version);
    }
  std::ranges::sort(older, std::greater());
  std::ranges::sort(newer);
  older.insert(older.end(), newer.begin(), newer.end());
  std::vector<std::string> out;
  for (const int version : older) out.push_back(fmt::format("sm_{}", version));
  return out;
}

bool lacks_target(const Result<source::Ptx>& ptx) {
  return !ptx && ptx.error().said && ptx.error().said->key == "compile.unknown_architecture";
}

// For the target that was asked for; where the compiler has none such and any other will do, for the nearest.
Result<source::Ptx> compile_for_target(source::CompileOptions options, bool or_near, std::string& arch) {
  auto ptx = compile_put_back(options);
  if (!or_near || !lacks_target(ptx)) return ptx;
  for (const std::string& other : other_targets(arch)) {
    options.arch = other;
    auto near = compile_put_back(options);
    if (lacks_target(near)) continue;
    if (near)
      near->remarks.push_back(
          {"compile.made.other_target", {{"asked", value_of(arch)}, {"arch", value_of(other)}}});
    arch = other;
    return near;
  }
  return ptx;
}

// The text to PTX, and what its host code says.
Status compile_program(const ProgramRequest& request, Progress* progress, Program& program) {
  if (const Status read = read_host_code(request, progress, program); !read) return read;
  source::CompileOptions options;
  options.file = request.file;
  options.text = program.text;
  options.compiler = request.compiler;
  options.arch = request.arch;
  options.defines = request.defines;
  options.include_paths = request.include_paths;
  // As whole programs have them: what a sample of the toolkit or of a book lies without.
  const std::vector<std::string> missed = missed_headers(request.file, program.text, request.include_paths);
  if (!missed.empty()) options.include_paths.push_back(stand_in_folder());
  options.instances = request.instances;
  options.limits = request.limits;
  options.progress = progress;
  auto ptx = compile_for_target(std::move(options), request.or_near, program.arch);
  if (!ptx) return ptx.error();
  program.ptx = std::move(*ptx);
  if (!missed.empty())
    program.ptx.remarks.push_back(
        {"compile.made.stand_in", {{"headers", value_of(fmt::format("{}", fmt::join(missed, ", ")))}}});
  return Done{};
}

// The newest target that ptxas wants for something in the text; empty where it says nothing of the kind.
std::string needed_target(const Error& error) {
  constexpr std::string_view kWords = "requires .target ";
  std::string out;
  for (const std::string& note : error.notes)
    for (std::size_t at = note.find(kWords); at != std::string::npos; at = note.find(kWords, at + 1)) {
      const std::size_t begin = at + kWords.size();
      const std::string target = note.substr(begin, note.find_first_of(" \n", begin) - begin);
      if (out.empty() || sm_version(target) > sm_version(out)) out = target;
    }
  return out;
}

// The PTX to a module, with what ptxas makes of it.
Status parse_program(const ProgramRequest& request, Progress* progress, Program& program) {
  if (request.cluster) {
    if (sm_version(program.arch) < 90) return told(ErrorKind::Usage, {"compile.clusters_need", {}});
    program.ptx.text = ptx::with_clusters(program.ptx.text, *request.cluster);
  }
  ptx::ParseOptions parse_options;
  parse_options.file = program.is_ptx ? program.file : program.file + ".ptx";
  auto module = ptx::parse(program.ptx.text, parse_options);
  if (!module) return module.error();
  if (program.is_ptx && sm_version(module->target) > sm_version(program.arch)) program.arch = module->target;
  for (const auto& [in_text, known] : source::noted_names(program.ptx.text))
    std::ranges::replace(module->files, in_text, known);
  // Without ptxas the registers are estimated and badged so, and what it would make of loops, branches and
  // neighbouring accesses follows rules; its absence is no failure.
  if (auto assembled = source::assemble(program.ptx.text, program.arch, request.limits, progress)) {
    program.ptxas = std::move(assembled->kernels);
    ptx::attach(assembled->machine, *module);
  } else if (const std::string needed = needed_target(assembled.error());
             sm_version(needed) > sm_version(program.arch) && !needed.empty()) {
    return told(ErrorKind::Compile,
                {"compile.target_too_old", {{"needed", value_of(needed)}, {"arch", value_of(program.arch)}}},
                {program.file, 0, 0});
  }
  program.module = std::make_shared<const ptx::Module>(std::move(*module));
  return Done{};
}

// A launch with everything that is known of its kernel before it runs.
struct Prepared {
  simt::Kernel kernel;
  std::shared_ptr<Run> run;
  std::unique_ptr<analysis::UnrolledCounter> unrolled;  // null: loops as written
  std::unique_ptr<analysis::WarpTotalsCounter> as_written;

  trace::Listener& counter() {
    return unrolled ? static_cast<trace::Listener&>(*unrolled) : static_cast<trace::Listener&>(*as_written);
  }
  void keep_warps() { unrolled ? unrolled->keep_warps() : as_written->keep_warps(); }
  std::shared_ptr<const analysis::WarpTotals> warps() const {
    return unrolled ? unrolled->warps() : as_written->warps();
  }
};

Result<Prepared> prepare(const RunRequest& request) {
  const Program& program = *request.program;
  auto kernel = program.kernel(request.launch.kernel);
  if (!kernel) return kernel.error();
  Prepared out{std::move(*kernel), std::make_shared<Run>(), nullptr, nullptr};
  out.run->program = request.program;
  analysis::Report& report = out.run->report;
  if (const Status status = begin_report(request, out.kernel.entry(), out.kernel.sites(), report); !status)
    return status.error();
  if (request.loops_as_written)
    out.as_written = std::make_unique<analysis::WarpTotalsCounter>(report.sites);
  else
    out.unrolled = std::make_unique<analysis::UnrolledCounter>(report.sites, *program.module);
  return out;
}

// Totals, faults and buffers into the report.
void fill_report(const RunRequest& request, Prepared& prepared, simt::Outcome& outcome) {
  const Program& program = *request.program;
  analysis::Report& report = prepared.run->report;
  report.ending = ending_of(outcome.ending);
  report.blocks_run = outcome.blocks_run;
  report.blocks_total = outcome.blocks_total;
  report.totals = prepared.unrolled ? prepared.unrolled->totals() : prepared.as_written->totals();
  fill_execution(outcome, report.totals, report.execution);
  if (!request.loops_as_written) {
    count_added_branches(*program.module, outcome.counts, report);
    count_machine_instructions(*program.module, outcome.counts, report);
    count_saved_registers(*program.module, outcome.calls, report);
    count_spills(*program.module, outcome.counts, report);
  }
  count_flop(*program.module, outcome.counts, report);
  report.faults = outcome.faults;
  report.faults_total = outcome.faults_total;
  report.output = outcome.output;
  report.notes.insert(report.notes.end(), outcome.notes.begin(), outcome.notes.end());
  const Signature signature = signature_of(program, prepared.kernel.entry());
  name_buffers(signature, outcome.placements);
  for (trace::Fault& fault : report.faults) name_fault(program, signature, fault.what);
  report.buffers = buffer_reports(request.launch, outcome.buffers, outcome.placements);
}

}  // namespace

Result<simt::Kernel> DecodedKernels::of(const std::shared_ptr<const ptx::Module>& module,
                                        const std::string& name, int sm_version) {
  constexpr std::size_t kMost = 16;  // kept at once: who looks at so many kernels of a file is browsing
  const std::lock_guard lock(mutex_);
  const auto key = std::pair(name, sm_version);
  const auto found = kernels_.find(key);
  if (found != kernels_.end() && &found->second.module() == module.get()) return found->second;
  auto kernel = simt::Kernel::load(module, name, sm_version);
  if (!kernel) return kernel;
  if (kernels_.size() == kMost) kernels_.clear();
  kernels_.insert_or_assign(key, *kernel);
  return kernel;
}

Result<simt::Kernel> Program::kernel(const std::string& name) const {
  const auto kept = kept_of(*this);
  if (!kept) return kept.error();
  // Decoded for the places of the program's variables, and for each run anew: that takes less than the run.
  if (*kept) return load_kept(**kept, module, name, sm_version(arch));
  if (asked.cluster)
    if (const auto entry = module->find_entry(name); entry && ptx::cluster_of(**entry) != *asked.cluster)
      return told(ErrorKind::Usage, {"ptx.own_clusters", {}});
  return decoded->of(module, name, sm_version(arch));
}

namespace {

// A kept launch is of the PTX that the program was made of, as long as nobody has edited its text.
Status load_kept_program(const ProgramRequest& request, Progress* progress, Program& program,
                         ProgramRequest& of) {
  const auto kept = read_kept_launch(request.file);
  if (!kept) return kept.error();
  if (!of.cluster) of.cluster = (*kept)->cluster;
  program.is_ptx = (*kept)->source.empty();
  auto text = text_to_edit(request.file);
  if (!text) return text.error();
  if (request.text && *request.text != *text) {
    program.text = *request.text;
    program.ptx.text = program.text;
    of.file = (*kept)->source.string();
    return program.is_ptx ? Status(Done{}) : compile_program(of, progress, program);
  }
  program.text = std::move(*text);
  if (!program.is_ptx)
    if (const Status read = read_host_code(of, progress, program); !read) return read;
  auto ptx = read_text((*kept)->ptx);
  if (!ptx) return ptx.error();
  program.ptx.text = std::move(*ptx);
  program.brings_ptx = true;
  return Done{};
}

Result<std::shared_ptr<const Program>> finish(std::shared_ptr<Program> program, const ProgramRequest& request,
                                              Progress* progress) {
  const Status parsed = within_limit(request.limits.seconds, progress, request.file,
                                     [&] { return parse_program(request, progress, *program); });
  if (!parsed) return parsed.error();
  if (progress != nullptr && progress->cancelled())
    return told(ErrorKind::Cancelled, {"compile.stopped", {}});
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace

Result<std::shared_ptr<const Program>> load_program(const ProgramRequest& request, Progress* progress) {
  auto program = std::make_shared<Program>();
  program->file = request.file;
  program->arch = request.arch;
  program->defines = request.defines;
  program->limits = request.limits;
  program->about = request.about;
  program->matrices = request.matrices;
  program->asked = request;
  if (is_kept_launch(request.file)) {
    ProgramRequest of = request;
    if (Status status = load_kept_program(request, progress, *program, of); !status) return status.error();
    return finish(std::move(program), of, progress);
  }
  program->is_ptx = is_ptx_file(request.file);
  if (request.text) {
    program->text = *request.text;
  } else {
    auto text = read_text(request.file, Streams::Wait);
    if (!text) return text.error();
    program->text = std::move(*text);
  }
  program->text = source::without_byte_order_mark(std::move(program->text));
  if (program->is_ptx) {
    program->ptx.text = program->text;
  } else if (const Status compiled = compile_program(request, progress, *program); !compiled) {
    return compiled.error();
  }
  return finish(std::move(program), request, progress);
}

Result<std::shared_ptr<const Program>> for_target(const std::shared_ptr<const Program>& program,
                                                  const std::string& target, Progress* progress) {
  if (!program->asked.or_near || program->is_ptx || program->brings_ptx || target == program->arch ||
      target == program->asked.arch)
    return program;
  ProgramRequest request = program->asked;
  if (!is_kept_launch(program->file)) request.text = program->text;
  request.arch = target;
  request.or_near = true;
  return load_program(request, progress);
}

CompiledBy Program::compiled_by() const {
  using Origin = CompiledBy::Origin;
  if (is_ptx) return {Origin::GivenPtx, {}, {}};
  if (brings_ptx) return {Origin::ProgramPtx, {}, {}};
  return {ptx.compiler == source::Compiler::Nvcc ? Origin::Nvcc : Origin::OtherCompiler, ptx.compiler_version,
          ptx.remarks};
}

// Whether a load of constant memory is executed. Only then is it worth hearing of constants: of a kernel's
// parameters as well there would be an event for each.
static bool loads_constants(const std::vector<trace::Site>& sites) {
  return std::ranges::any_of(sites, [](const trace::Site& site) {
    return site.space == trace::Space::Constant && trace::executed_as(site) != trace::ExecutedAs::Operand;
  });
}

Result<std::shared_ptr<const Run>> execute(const RunRequest& request, Progress* progress) {
  const Program& program = *request.program;
  auto prepared =
      within_limit(program.limits.seconds, progress, program.file, [&] { return prepare(request); });
  if (!prepared) return prepared.error();

  trace::RecorderOptions recorded = request.recorder;
  recorded.constants = loads_constants(prepared->run->report.sites);
  trace::Recorder recorder(recorded);
  std::vector<trace::Listener*> listeners{&prepared->counter(), &recorder};
  // Whoever stores no block draws none; a part of a launch is no picture of it.
  const bool every_warp = request.options.only_blocks.empty() &&
                          (request.recorder.blocks > 0 || !request.recorder.chosen.empty());
  if (every_warp) prepared->keep_warps();
  std::optional<ModelListeners> ears;
  if (request.model_words > 0) {
    ears.emplace(prepared->run->report.sites, request.options.only_blocks, request.launch.grid.volume(),
                 request.model_words);
    ears->add_to(listeners);
  }
  simt::Options options = request.options;
  options.progress = progress;
  auto outcome = emulate(program, prepared->kernel, request.launch, options, listeners);
  if (!outcome) return outcome.error();

  // What was run before a stop is reported all the same.
  const bool stopped = outcome->ending == simt::Ending::Cancelled;
  const std::shared_ptr<Run> run = prepared->run;
  analysis::Report& report = run->report;
  const Status filled =
      within_limit(program.limits.seconds, stopped ? nullptr : progress, program.file, [&]() -> Status {
        fill_report(request, *prepared, *outcome);
        return Done{};
      });
  if (!filled) return filled.error();
  run->trace = recorder.take();
  run->trace.launch = request.launch;
  run->trace.sites = report.sites;
  run->trace.buffers = outcome->placements;
  run->trace.blocks_total = outcome->blocks_total;
  run->constants = simt::place_constants(*program.module).constant;
  report.blocks_traced = run->trace.blocks().size();
  report.explanations = analysis::explain_launch(report, &run->trace);
  if (ears) run->heard = ears->take(*outcome, report);
  run->buffers = std::move(outcome->buffers);
  if (every_warp && outcome->blocks_run == outcome->blocks_total)
    if (auto warps = prepared->warps())
      run->warps = std::make_shared<const visual::WarpTotals>(visual::sum_up(std::move(warps)));
  return std::shared_ptr<const Run>(run);
}

}  // namespace warplens::model
