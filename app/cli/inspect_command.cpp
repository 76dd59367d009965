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
    out["bounds_missing"] = in_answer_language(bounds.error()).message;
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

// What a person reads, in the language asked for.
class InspectText {
 public:
  InspectText(const model::Program& program, const Catalogue& catalogue)
      : program_(program), catalogue_(catalogue) {}

  std::string text(const Json& kernels, const Json& templates) {
    for (const Json& kernel : kernels) add_kernel(kernel);
    if (kernels.empty()) out_ += catalogue_.text(model::no_kernel(program_)) + "\n";
    for (const Json& waiting : templates) {
      out_ += heading(waiting);
      line(2, "template", {{"line", number(waiting["line"])}, {"example", word(waiting["example"])}});
    }
    const CompiledBy by = program_.compiled_by();
    if (by.is_compiled()) line(0, "compiled_by", {{"compiler", in_words(by, catalogue_)}});
    return std::move(out_);
  }

 private:
  using Values = std::vector<std::pair<std::string, MessageValue>>;

  static std::string word(const Json& value) { return value.get<std::string>(); }
  static std::int64_t number(const Json& value) { return value.get<std::int64_t>(); }

  std::string said(const std::string& key, Values values = {}) const {
    return catalogue_.text(Message{"inspect." + key, std::move(values)});
  }
  void line(std::size_t indent, const std::string& key, Values values) {
    out_ += std::string(indent, ' ') + said(key, std::move(values)) + "\n";
  }

  static std::string heading(const Json& kernel) {
    return fmt::format("{}({})\n", word(kernel["name"]), parameters_text(kernel["parameters"]));
  }

  void add_kernel(const Json& kernel) {
    out_ += heading(kernel);
    line(2, "resources",
         {{"registers", number(kernel["registers_per_thread"])},
          {"evidence", catalogue_.text("report.evidence." + word(kernel["registers_evidence"]))},
          {"bytes", number(kernel["static_shared_bytes"])}});
    if (kernel.contains("occupancy")) add_occupancy(kernel["occupancy"]);
    for (const Json& op : kernel["unsupported"]) {
      const std::int64_t at = number(op["line"]);
      const bool of_ptx = !program_.is_ptx && at == number(op["ptx_line"]);
      line(2,
           at <= 0  ? "unsupported.somewhere"
           : of_ptx ? "unsupported.ptx_line"
                    : "unsupported.line",
           {{"op", word(op["op"])}, {"line", at}});
    }
  }

  void add_occupancy(const Json& o) {
    std::string full;
    for (const Json& limiter : o["limiters"])
      full += (full.empty() ? "" : ", ") + catalogue_.text("report.limiters." + word(limiter));
    line(2, "occupancy",
         {{"device", word(o["device"])},
          {"threads", number(o["threads_per_block"])},
          {"blocks", number(o["blocks_per_sm"])},
          {"warps", number(o["warps_per_sm"])},
          {"most", number(o["most_warps"])},
          {"full", full},
          {"suggested", number(o["runtime_suggests"])}});
    if (o["bounds"].is_null()) {
      out_ += "  " + word(o["bounds_missing"]) + "\n";
      return;
    }
    for (const Json& bound : o["bounds"])
      line(4, "bound",
           {{"bound", bound_text(bound, number(o["threads_per_block"]))},
            {"registers", number(bound["registers_per_thread"])},
            {"warps", number(bound["warps_per_sm"])},
            {"stores", number(bound["spill_stores"])},
            {"loads", number(bound["spill_loads"])}});
  }

  std::string bound_text(const Json& bound, std::int64_t threads) const {
    const std::string kind = word(bound["kind"]);
    if (kind == name_of(visual::CompiledBound::Kind::LaunchBounds))
      return fmt::format("__launch_bounds__({}, {})", threads, number(bound["bound"]));
    if (kind == name_of(visual::CompiledBound::Kind::MostRegisters))
      return fmt::format("--maxrregcount={}", number(bound["bound"]));
    return said("as_written");
  }

  const model::Program& program_;
  const Catalogue& catalogue_;
  std::string out_;
};

struct InspectCommand {
  ProgramOptions program;
  Output output;
  std::string device = "H200 SXM", language = "en";
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
    const Result<Catalogue> catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    const std::string compiler = (*loaded)->is_ptx ? "ptx" : in_words((*loaded)->compiled_by(), *catalogue);
    const Json answer{{"file", (*loaded)->file},
                      {"compiler", compiler},
                      {"kernels", kernels},
                      {"templates", templates},
                      {"launches", std::move(launches)}};
    return output.write(answer.dump(2), InspectText(**loaded, *catalogue).text(kernels, templates));
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
  add_language(*command, options->language, "Language of what is printed");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
