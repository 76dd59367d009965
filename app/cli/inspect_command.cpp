#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/watch.h"
#include "app/model/opened/adopt.h"
#include "app/model/run/resources.h"
#include "app/model/run/signature.h"
#include "app/model/study/occupancy_lab.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/work_limit.h"
#include "engine/simt/emulator.h"

namespace warplens::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(visual::CompiledBound::Kind kind) {
  switch (kind) {
    case visual::CompiledBound::Kind::LaunchBounds:
      return "launch_bounds";
    case visual::CompiledBound::Kind::MostRegisters:
      return "maxrregcount";
    case visual::CompiledBound::Kind::AsWritten:
      break;
  }
  return "as_written";
}

// How blocks of a size fill an SM, and what fewer registers would give and cost.
struct BlockAsked {
  int threads = 0;  // 0: not asked
  const analysis::Device* device = nullptr;
  const analysis::ComputeCapability* capability = nullptr;
};

Json occupancy_json(const model::Program& program, const ptx::Function& entry, const BlockAsked& asked,
                    Progress* progress) {
  analysis::KernelResources kernel;
  kernel.threads_per_block = asked.threads;
  kernel.registers_per_thread = model::registers_of(program, entry).value;
  kernel.static_shared = static_cast<std::int64_t>(model::static_shared_bytes(*program.module, entry));
  const analysis::Occupancy now = analysis::occupancy(*asked.capability, kernel);
  Json limiters = Json::array();
  for (const analysis::SmResource limiter : now.limiters) limiters.push_back(name(limiter));
  Json out{{"device", asked.device->name},
           {"threads_per_block", asked.threads},
           {"blocks_per_sm", now.blocks_per_sm},
           {"warps_per_sm", now.warps_per_sm},
           {"most_warps", asked.capability->warps_per_sm},
           {"limiters", limiters},
           {"runtime_suggests", analysis::suggested_block(*asked.capability, kernel)},
           {"bounds", nullptr}};
  const Dim3 block{static_cast<std::uint32_t>(asked.threads), 1, 1};
  const auto bounds = model::register_bounds(program, entry.name, block, *asked.capability, progress);
  if (!bounds) {
    out["bounds_missing"] = bounds.error().message;
    return out;
  }
  out["bounds"] = Json::array();
  for (const visual::CompiledBound& bound : *bounds) {
    kernel.registers_per_thread = bound.registers;
    out["bounds"].push_back({{"kind", name_of(bound.kind)},
                             {"bound", bound.bound},
                             {"registers_per_thread", bound.registers},
                             {"spill_stores", bound.spill_stores},
                             {"spill_loads", bound.spill_loads},
                             {"warps_per_sm", analysis::occupancy(*asked.capability, kernel).warps_per_sm}});
  }
  return out;
}

std::string occupancy_text(const Json& o) {
  std::string full;
  for (const Json& limiter : o["limiters"]) full += (full.empty() ? "" : ", ") + limiter.get<std::string>();
  const int threads = o["threads_per_block"].get<int>();
  std::string out = fmt::format(
      "  on {}, {} threads a block: {} blocks and {} of {} warps fit an SM (full: {}); the runtime suggests "
      "{} "
      "threads\n",
      o["device"].get<std::string>(), threads, o["blocks_per_sm"].get<int>(), o["warps_per_sm"].get<int>(),
      o["most_warps"].get<int>(), full, o["runtime_suggests"].get<int>());
  if (o["bounds"].is_null()) return out + "  " + o["bounds_missing"].get<std::string>() + "\n";
  for (const Json& bound : o["bounds"]) {
    const auto kind = bound["kind"].get<std::string>();
    const int most = bound["bound"].get<int>();
    const std::string words = kind == "launch_bounds"
                                  ? fmt::format("__launch_bounds__({}, {})", threads, most)
                              : kind == "maxrregcount" ? fmt::format("--maxrregcount={}", most)
                                                       : "ptxas, as written";
    out += fmt::format("    {:<26} {:>3} registers, {:>2} warps, spills {} + {} bytes (stores + loads)\n",
                       words, bound["registers_per_thread"].get<int>(), bound["warps_per_sm"].get<int>(),
                       bound["spill_stores"].get<int>(), bound["spill_loads"].get<int>());
  }
  return out;
}

Json kernel_json(const model::Program& program, const ptx::Function& entry, const BlockAsked& asked,
                 Progress* progress) {
  const model::Signature signature = model::signature_of(program, entry);
  Json parameters = Json::array();
  for (const model::Parameter& parameter : signature.parameters)
    parameters.push_back({{"name", parameter.name}, {"type", parameter.written}});
  Json unsupported = Json::array();
  for (const simt::UnsupportedOp& op : simt::Kernel::unsupported(*program.module, entry))
    unsupported.push_back({{"op", op.op}, {"line", op.line}, {"ptx_line", op.ptx_line}});
  const Figure<int> registers = model::registers_of(program, entry);
  Json out{{"name", signature.name},
           {"mangled", signature.mangled},
           {"parameters", std::move(parameters)},
           {"static_shared_bytes", model::static_shared_bytes(*program.module, entry)},
           {"registers_per_thread", registers.value},
           {"registers_evidence", name(registers.evidence)},
           {"supported", unsupported.empty()},
           {"unsupported", std::move(unsupported)}};
  if (asked.threads > 0) out["occupancy"] = occupancy_json(program, entry, asked, progress);
  return out;
}

Result<Json> kernels_json(const model::Program& program, const BlockAsked& asked, Progress* progress) {
  Json kernels = Json::array();
  for (const ptx::Function* entry : model::entries_of(program))
    kernels.push_back(kernel_json(program, *entry, asked, progress));
  return kernels;
}

Json doubt_json(const std::optional<source::Doubt>& doubt) {
  if (!doubt) return nullptr;
  return {
      {"why", name(doubt->why)}, {"name", doubt->name}, {"line", doubt->line}, {"assumed", doubt->assumed}};
}

// null where the text does not tell.
Json launch_json(const source::HostLaunch& launch) {
  const auto extent = [](const std::optional<Dim3>& d) { return d ? Json{d->x, d->y, d->z} : Json(nullptr); };
  Json arguments = Json::array(), details = Json::array();
  for (const source::LaunchArgument& argument : launch.arguments) {
    arguments.push_back(argument.text);
    details.push_back({{"value", argument.value ? Json(*argument.value) : Json(nullptr)},
                       {"bytes", argument.bytes ? Json(*argument.bytes) : Json(nullptr)},
                       {"doubt", doubt_json(argument.doubt)}});
  }
  return {{"kernel", launch.kernel},
          {"grid", extent(launch.grid)},
          {"block", extent(launch.block)},
          {"shared_bytes", launch.shared_bytes ? Json(*launch.shared_bytes) : Json(nullptr)},
          {"arguments", std::move(arguments)},
          {"passed", std::move(details)},
          {"doubts",
           {{"grid", doubt_json(launch.grid_doubt)},
            {"block", doubt_json(launch.block_doubt)},
            {"shared_bytes", doubt_json(launch.shared_doubt)}}},
          {"line", launch.line}};
}

// Kernel templates that nothing instantiates: they are in the text, and not in what was compiled.
Json templates_json(const model::Program& program) {
  Json out = Json::array();
  for (const source::DeclaredKernel* kernel : model::waiting_templates(program)) {
    Json parameters = Json::array();
    for (const source::DeclaredKernel::Parameter& parameter : kernel->parameters)
      parameters.push_back({{"name", parameter.name}, {"type", parameter.type}});
    out.push_back({{"name", kernel->name},
                   {"template_parameters", kernel->template_parameters},
                   {"parameters", std::move(parameters)},
                   {"line", kernel->line},
                   {"example", model::example_instance(*kernel)}});
  }
  return out;
}

std::string parameters_text(const Json& parameters) {
  std::string out;
  for (const Json& parameter : parameters)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parameter["type"].get<std::string>(),
                       parameter["name"].get<std::string>());
  return out;
}

std::string text_of(const model::Program& program, const Json& kernels, const Json& templates) {
  std::string out;
  for (const Json& kernel : kernels) {
    out += fmt::format("{}({})\n  {} registers a thread ({}), {} bytes of static shared memory\n",
                       kernel["name"].get<std::string>(), parameters_text(kernel["parameters"]),
                       kernel["registers_per_thread"].get<int>(),
                       kernel["registers_evidence"].get<std::string>(),
                       kernel["static_shared_bytes"].get<std::uint64_t>());
    if (kernel.contains("occupancy")) out += occupancy_text(kernel["occupancy"]);
    for (const Json& op : kernel["unsupported"]) {
      const int line = op["line"].get<int>();
      const bool of_ptx = !program.is_ptx && line == op["ptx_line"].get<int>();
      out += fmt::format("  not supported: {}", op["op"].get<std::string>());
      out += line > 0 ? fmt::format(" ({}line {})\n", of_ptx ? "PTX " : "", line) : "\n";
    }
  }
  if (kernels.empty()) out += model::no_kernel(program).text() + "\n";
  for (const Json& waiting : templates)
    out += fmt::format(
        "{}({})\n  a template that nothing in this file instantiates (line {}): launch it, or trace an "
        "instance of it with --kernel \"{}\"\n",
        waiting["name"].get<std::string>(), parameters_text(waiting["parameters"]),
        waiting["line"].get<int>(), waiting["example"].get<std::string>());
  return out;
}

std::string compiler_line(const CompiledBy& by, const std::string& in_words) {
  return by.is_compiled() ? fmt::format("compiled by {}\n", in_words) : std::string();
}

struct InspectCommand {
  ProgramOptions program;
  Output output;
  std::string device = "H200 SXM";
  int block = 0;

  // A file, or the one that a kernel of the gallery is in, with its defines.
  Result<model::ProgramRequest> what() const {
    auto asked = program.request("", device);
    if (!asked) return asked;
    const auto kernel = gallery_kernel(program.file);
    if (!kernel) return kernel.error();
    if (!*kernel) return asked;
    const auto bound = model::launch_of(**kernel, model::default_values(**kernel));
    if (!bound) return bound.error();
    model::ProgramRequest of_kernel = model::program_request(**kernel, *bound);
    asked->file = of_kernel.file;
    asked->instances = of_kernel.instances;
    asked->defines.insert(asked->defines.begin(), of_kernel.defines.begin(), of_kernel.defines.end());
    return asked;
  }

  int execute() const {
    const auto request = what();
    if (!request) return fail(request.error());
    Progress progress;
    const Interruption interruption(progress);
    const auto loaded = model::load_program(*request, &progress);
    if (!loaded) return fail(loaded.error());
    BlockAsked asked;
    Result<analysis::DeviceCatalogue> devices = analysis::DeviceCatalogue();
    if (block > 0) {
      devices = analysis::DeviceCatalogue::load();
      if (!devices) return fail(devices.error());
      const auto listed = devices->device(device);
      if (!listed) return fail(listed.error());
      const auto capability = devices->capability((*listed)->cc);
      if (!capability) return fail(capability.error());
      asked = {block, *listed, *capability};
    }
    const auto found = within_limit(request->limits.seconds, &progress, program.file,
                                    [&] { return kernels_json(**loaded, asked, &progress); });
    if (!found) return fail(found.error());
    const Json& kernels = *found;
    const Json templates = templates_json(**loaded);
    Json launches = Json::array();
    for (const source::HostLaunch& launch : (*loaded)->host.launches) launches.push_back(launch_json(launch));
    const Result<Catalogue> english = Catalogue::load("en");
    if (!english) return fail(english.error());
    const CompiledBy by = (*loaded)->compiled_by();
    const std::string compiler = (*loaded)->is_ptx ? "ptx" : in_words(by, *english);
    const Json answer{{"file", (*loaded)->file},
                      {"compiler", compiler},
                      {"kernels", kernels},
                      {"templates", templates},
                      {"launches", std::move(launches)}};
    return output.write(answer.dump(2), text_of(**loaded, kernels, templates) + compiler_line(by, compiler));
  }
};

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("inspect", "List the kernels of a file without running them");
  auto options = std::make_shared<InspectCommand>();
  options->program.add_options(*command);
  command->get_option("file")->description(
      "CUDA C++ (.cu), PTX (.ptx), or the name of a kernel of the gallery");
  command
      ->add_option(
          "--block", options->block,
          "Threads of a block: also say how such blocks fill an SM, and what ptxas makes of each kernel "
          "under launch bounds and --maxrregcount, with its spills")
      ->check(CLI::Range(1, 1024));
  command->add_option("--device", options->device, "GPU of the list that --block is about")
      ->capture_default_str();
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
