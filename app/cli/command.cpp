#include "app/cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

#include "app/model/opened/adopt.h"
#include "app/model/opened/give.h"
#include "app/model/run/gpu_advice.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/sampling.h"
#include "app/model/run/signature.h"
#include "engine/analysis/device.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/told_name.h"
#include "engine/gpu/device.h"

namespace warplens::cli {
namespace {

// Without a budget a launch of which no block ends for so long is stopped: it may never end.
constexpr double kBlockSeconds = 120;

// A count such as "4096"; the whole text must be a number.
bool parse_count(std::string_view text, std::uint64_t& out) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

Result<simt::Checks> parse_checks(const std::string& text) {
  if (text == "none") return simt::Checks::None;
  if (text == "memory") return simt::Checks::Memory;
  if (text == "all") return simt::Checks::All;
  return told(ErrorKind::Usage, {"cli.not_one_of",
                                 {{"option", value_of("--checks")},
                                  {"values", value_of("none, memory, all")},
                                  {"value", value_of(text)}}});
}

namespace {

enum class Number { None, Whole, Floating };

// Of a parameter's type as C++ or PTX spells it; None for pointers, structures and what is not known.
Number number_of(std::string_view type) {
  if (type == "float" || type == "double" || type == "f32" || type == "f64") return Number::Floating;
  static constexpr std::array kWhole{
      "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "u32",
      "s32", "u64",          "s64"};
  return std::find(kWhole.begin(), kWhole.end(), type) != kWhole.end() ? Number::Whole : Number::None;
}

Number number_of(const trace::Argument& argument) {
  if (argument.is_buffer || argument.texture || !argument.structure.empty()) return Number::None;
  const bool floating = argument.type == trace::ElementType::F32 || argument.type == trace::ElementType::F64;
  return floating ? Number::Floating : Number::Whole;
}

// The bits of 32.0f are not 32: the same size is not enough.
Status check_number(const model::Parameter& parameter, const trace::Argument& argument) {
  const Number wanted = number_of(parameter.type), given = number_of(argument);
  if (wanted == Number::None || given == Number::None || wanted == given) return Done{};
  return told(ErrorKind::Usage,
              {wanted == Number::Floating ? "argument.whole_for_floating" : "argument.floating_for_whole",
               {{"argument", value_of(argument.text)},
                {"type", value_of(parameter.written)},
                {"name", told_name(parameter.name)}}});
}

// A structure that is passed by value can only be given as one.
Status check_size(const model::Parameter& parameter, std::uint64_t bytes, const trace::Argument& argument) {
  if (argument.parameter_bytes() == bytes || bytes == 0) return Done{};
  const bool pointer = parameter.written.ends_with('*') && argument.structure.empty();
  const bool structure = bytes > 8 || number_of(parameter.type) == Number::None;
  return told(ErrorKind::Usage, {pointer     ? "argument.size_of_pointer"
                                 : structure ? "argument.size_of_structure"
                                             : "argument.size",
                                 {{"argument", value_of(argument.text)},
                                  {"given", value_of(argument.parameter_bytes())},
                                  {"type", value_of(parameter.written)},
                                  {"name", told_name(parameter.name)},
                                  {"bytes", value_of(bytes)}}});
}

Status check_arguments(const ptx::Function& entry, const model::Signature& signature,
                       const std::vector<trace::Argument>& arguments) {
  if (signature.parameters.size() == arguments.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (Status status = check_number(signature.parameters[i], arguments[i]); !status) return status;
      if (Status status = check_size(signature.parameters[i], entry.parameters[i].bytes(), arguments[i]);
          !status)
        return status;
    }
    return Done{};
  }
  std::string wanted;
  for (const model::Parameter& parameter : signature.parameters)
    wanted += fmt::format("{}{} {}", wanted.empty() ? "" : ", ", parameter.written, parameter.name);
  return told(ErrorKind::Usage, {"argument.number_of_arguments",
                                 {{"kernel", value_of(signature.name)},
                                  {"takes", value_of(signature.parameters.size())},
                                  {"parameters", value_of(wanted)},
                                  {"given", value_of(arguments.size())}}});
}

// --arg n=i32:4096: the parameter's number, and what it is given.
std::optional<std::pair<std::size_t, std::string>> by_name(const model::Signature& signature,
                                                           const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    if (signature.parameters[i].name == text.substr(0, equals)) return std::pair{i, text.substr(equals + 1)};
  return std::nullopt;
}

bool names_parameter(const std::string& text) {
  return text.find('=') < text.find(':');
}

Error no_parameter(const model::Signature& signature, const std::string& text) {
  std::string names;
  for (const model::Parameter& parameter : signature.parameters)
    names += (names.empty() ? "" : ", ") + parameter.name;
  return told(ErrorKind::Usage,
              {"argument.no_parameter",
               {{"text", value_of(text)}, {"kernel", value_of(signature.name)}, {"names", value_of(names)}}});
}

std::string& answer_language() {
  static std::string language = "en";
  return language;
}

}  // namespace

void answer_in(std::string language) {
  answer_language() = std::move(language);
}

Error in_answer_language(Error error) {
  if (error.said && answer_language() != "en")
    if (const auto text = Catalogue::load(answer_language())) error.message = text->text(error);
  return error;
}

void say(const Message& message) {
  if (const auto text = Catalogue::load(answer_language()))
    fmt::print(stderr, "warplens: {}\n", text->text(message));
}

int fail(const Error& error) {
  std::fprintf(stderr, "warplens: %s\n", in_answer_language(error).text().c_str());
  switch (error.kind) {
    case ErrorKind::Compile:
    case ErrorKind::Unsupported:
      return kNotCompiled;
    case ErrorKind::Fault:
      return kFaulted;
    case ErrorKind::Cancelled:
      return kInterrupted;
    case ErrorKind::Usage:
    case ErrorKind::System:
      return kUsage;
  }
  return kUsage;
}

int fail_with_advice(const Error& error) {
  const int code = fail(error);
  if (error.kind != ErrorKind::Unsupported) return code;
  const auto advice = model::gpu_advice(error, gpu::discover());
  if (const auto catalogue = Catalogue::load(answer_language()); advice && catalogue)
    std::fprintf(stderr, "warplens: %s\n", catalogue->text(*advice).c_str());
  return code;
}

CLI::Option* add_language(CLI::App& command, std::string& language, const std::string& of_what) {
  return command.add_option("--language", language, of_what)
      ->check(CLI::IsMember(std::vector<std::string>(kLanguages.begin(), kLanguages.end())))
      ->capture_default_str();
}

void Output::add_option(CLI::App& command) {
  command.add_option("--json", json_file, "Write the answer as JSON to FILE; - is standard output")
      ->type_name("FILE");
}

int Output::write(const std::string& json, const std::string& text) const {
  if (!wants_json() || json_file == "-") {
    const std::string& answer = wants_json() ? json : text;
    const bool written = std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size();
    const bool ended = answer.empty() || answer.back() == '\n' || std::fputc('\n', stdout) != EOF;
    if (written && ended && std::fflush(stdout) == 0) return kDone;
    return fail(told(ErrorKind::System, {"cli.not_answered", {}}));
  }
  const Status status = write_text(json_file, json + "\n");
  return status ? kDone : fail(status.error());
}

CLI::Validator between(double low, double high) {
  const auto check = [=](const std::string& text) {
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = failed == std::errc{} && end == text.data() + text.size();
    return whole && value >= low && value <= high ? std::string()
                                                  : fmt::format("{} is not in {} to {}", text, low, high);
  };
  return {check, fmt::format("{} to {}", low, high), ""};
}

CLI::Validator not_negative() {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? fmt::format("{} is negative", text) : std::string();
  };
  return {check, ""};
}

CLI::Validator above_zero() {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') || text == "0" ? fmt::format("{} is not above 0", text) : std::string();
  };
  return {check, ""};
}

void add_preprocessor_options(CLI::App& command, std::vector<std::string>& include_paths,
                              std::vector<std::string>& defines) {
  command.add_option("-I,--include", include_paths, "Folder to search for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("--define,-D", defines, "Preprocessor definition")
      ->type_name("K=V")
      ->allow_extra_args(false);
}

Result<std::vector<std::pair<std::string, std::string>>> parse_defines(
    const std::vector<std::string>& defines) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& define : defines) {
    const auto equals = define.find('=');
    if (equals == 0 || define.empty())
      return told(ErrorKind::Usage, {"app.bad_define", {{"text", value_of(define)}}});
    out.emplace_back(define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return out;
}

void ProgramOptions::add_options(CLI::App& command) {
  command.add_option("file", file, "CUDA C++ (.cu) or PTX (.ptx)")->required()->type_name("FILE");
  add_preprocessor_options(command, include_paths, defines);
  command
      .add_option("--arch", arch, "Architecture to compile for; not given: that of --device, or of the GPU")
      ->type_name("sm_NN");
  command.add_option("--cluster", cluster, "Blocks of a cluster, for kernels without __cluster_dims__")
      ->type_name("X[,Y[,Z]]");
  command.add_option("--compiler", compiler, "nvcc, nvrtc or clang; the first that is there when not given");
  command.add_option("--compile-seconds", limits.seconds, "Stop a compiler that takes longer")
      ->check(between(0.001, 86400.0))
      ->capture_default_str();
  command.add_option("--compile-memory", limits.memory_mib, "Stop a compiler that needs more memory, in MB")
      ->check(CLI::Range(64u, 1u << 20))
      ->capture_default_str();
}

void ProgramOptions::compile_for_gpu(int ordinal) {
  const auto& devices = gpu::discover().devices;
  if (arch.empty() && ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices.size())
    arch = devices[static_cast<std::size_t>(ordinal)].target();
}

Result<model::ProgramRequest> ProgramOptions::request(const std::string& instance,
                                                      const std::string& device) const {
  model::ProgramRequest request;
  auto named = model::launch_in(file);
  if (!named) return named.error();
  request.file = std::move(*named);
  if (arch.empty()) {
    const auto devices = analysis::DeviceCatalogue::load();
    if (!devices) return devices.error();
    const auto listed = devices->device(device);
    if (!listed) return listed.error();
    request.arch = (*listed)->target();
    request.or_near = true;
  } else {
    request.arch = arch;
  }
  request.include_paths = include_paths;
  request.limits = limits;
  if (!compiler.empty()) {
    const auto chosen = source::compiler_from(compiler);
    if (!chosen) return chosen.error();
    request.compiler = *chosen;
  }
  const auto defined = parse_defines(defines);
  if (!defined) return defined.error();
  request.defines = *defined;
  if (!cluster.empty()) {
    const auto extent = parse_extent(cluster, "--cluster");
    if (!extent) return extent.error();
    request.cluster = *extent;
  }
  if (instance.find('<') != std::string::npos) request.instances.push_back(instance);
  return request;
}

Result<Dim3> parse_extent(const std::string& text, const char* option) {
  const auto wrong = [&] {
    return told(ErrorKind::Usage,
                {"cli.no_extent", {{"option", value_of(option)}, {"text", value_of(text)}}});
  };
  std::uint64_t extent[3] = {1, 1, 1};
  std::size_t begin = 0;
  for (int i = 0;; ++i) {
    if (i == 3) return wrong();
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (!parse_count(std::string_view(text).substr(begin, comma - begin), extent[i]) || extent[i] == 0 ||
        extent[i] > std::numeric_limits<std::int32_t>::max())
      return wrong();
    if (comma == text.size()) break;
    begin = comma + 1;
  }
  return Dim3{static_cast<std::uint32_t>(extent[0]), static_cast<std::uint32_t>(extent[1]),
              static_cast<std::uint32_t>(extent[2])};
}

void LaunchOptions::add_options(CLI::App& command) {
  command.add_option("--kernel", kernel, "Plain name, mangled name, or an instance as name<int, 4>")
      ->type_name("NAME");
  command.add_option("--grid", grid, "Blocks: X, X,Y or X,Y,Z")->type_name("X[,Y[,Z]]");
  command.add_option("--block", block, "Threads of a block: X, X,Y or X,Y,Z")->type_name("X[,Y[,Z]]");
  command.add_option("--shared", shared_bytes, "Dynamic shared memory in bytes")
      ->type_name("BYTES")
      ->check(not_negative());
  command
      .add_option(
          "--arg", arguments,
          "TYPE:VALUE, buf:TYPE:COUNT:INIT, tex:TYPE[xN]:W[xH[xD]][:OPTIONS]:INIT, "
          "surf:TYPE[xN]:W[xH]:INIT or struct:TYPE:VALUE,TYPE:VALUE..., one for each parameter, in order, or "
          "NAME=A for a parameter by name; without, what the file's host code passes; "
          "TYPE i8 u8 ... f64, INIT zero, iota, "
          "const:V, hash, mod:M, perm:A or file:PATH, OPTIONS of a texture: point or linear, clamp, wrap, "
          "mirror or border, norm, unit, layered, cube, array between commas")
      ->type_name("A")
      ->allow_extra_args(false);
  command.add_option("--device", device, "GPU whose occupancy is computed")->capture_default_str();
  command
      .add_option("--sample", sample,
                  "Run only this many blocks, spread over the grid (0: all, or as many as fit)")
      ->type_name("BLOCKS")
      ->check(not_negative());
  command
      .add_option("--budget", budget,
                  "Stop after this many thread instructions; not given: after 5 minutes, or 2 in one block")
      ->type_name("INSTRUCTIONS")
      ->check(not_negative());
  command
      .add_option("--checks", checks,
                  "none, memory (bounds, alignment) or all (races, uninitialised reads, ...)")
      ->capture_default_str();
  command.add_option("--threads", threads, "Threads of the emulator; 0: one a core")
      ->type_name("N")
      ->check(not_negative());
}

// The sizes of our own buffers follow the grid and block that are asked for.
Result<model::SliderValues> LaunchOptions::extents(model::Adopted& adopted) const {
  model::SliderValues values = model::default_values(adopted.kernel);
  for (const auto& [text, option, expressions] : {std::tuple{&grid, "--grid", &adopted.kernel.grid},
                                                  std::tuple{&block, "--block", &adopted.kernel.block}}) {
    if (text->empty()) continue;
    const auto parsed = parse_extent(*text, option);
    if (!parsed) return parsed.error();
    const std::string what = std::string(option).substr(2);
    values[what] = parsed->x;
    // How far the window's slider goes is no bound here: what is asked for is run, or refused as a launch.
    for (model::Slider& slider : adopted.kernel.sliders)
      if (slider.name == what) slider.max = std::max<std::int64_t>(slider.max, parsed->x);
    *expressions = {what, std::to_string(parsed->y), std::to_string(parsed->z)};
    std::erase_if(adopted.assumed, [&](const model::Assumption& a) { return a.what == what; });
  }
  return values;
}

Status LaunchOptions::override_arguments(const ptx::Function& entry, const model::Signature& signature,
                                         trace::Launch& launch,
                                         std::vector<model::Assumption>& assumed) const {
  const auto given = [&](std::size_t index) {
    std::erase_if(assumed, [&](const model::Assumption& a) { return a.argument == static_cast<int>(index); });
  };
  std::vector<trace::Argument> in_order;
  for (const std::string& text : arguments) {
    const auto named = by_name(signature, text);
    if (!named && names_parameter(text)) return no_parameter(signature, text);
    auto argument = trace::parse_argument(named ? named->second : text);
    if (!argument) return argument.error();
    if (!named) {
      in_order.push_back(std::move(*argument));
      continue;
    }
    if (named->first < launch.arguments.size()) launch.arguments[named->first] = std::move(*argument);
    given(named->first);
  }
  if (!in_order.empty()) {
    launch.arguments = std::move(in_order);
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) given(i);
  }
  return check_arguments(entry, signature, launch.arguments);
}

// PTX has no host code to go by, and of several kernels that nothing launches none is meant more than others.
Status LaunchOptions::enough_is_said(const model::Program& program, const model::Adopted& adopted) const {
  const auto needed = [&](Message what) {
    return told(ErrorKind::Usage, std::move(what), {program.file, 0, 0});
  };
  const auto entries = model::entries_of(program);
  if (kernel.empty() && !adopted.launched && entries.size() > 1) {
    std::string names;
    for (const ptx::Function* entry : entries) names += "\n  " + model::signature_of(program, *entry).name;
    return needed({"cli.which_kernel", {{"names", value_of(names)}}});
  }
  const bool bare_ptx = program.is_ptx && !model::is_kept_launch(program.file);
  for (const auto& [text, option] : {std::pair{&grid, "--grid"}, std::pair{&block, "--block"}})
    if (bare_ptx && text->empty()) return needed({"cli.ptx_needs", {{"option", value_of(option)}}});
  return Done{};
}

Status LaunchOptions::describe(model::RunRequest& request, std::vector<model::Assumption>& assumed) const {
  const model::Program& program = *request.program;
  const auto entry =
      !kernel.empty() ? program.module->find_entry(kernel) : Result<const ptx::Function*>(nullptr);
  auto adopted = model::adopt(program, !entry ? kernel : *entry != nullptr ? (*entry)->name : std::string());
  if (!entry) return adopted ? entry.error() : adopted.error();
  if (!adopted) return adopted.error();
  if (const Status said = enough_is_said(program, *adopted); !said) return said;
  const bool in_order = std::none_of(arguments.begin(), arguments.end(), names_parameter);
  if ((program.is_ptx && !model::is_kept_launch(program.file)) || (in_order && !arguments.empty()))
    adopted->kernel.arguments.clear();
  const auto values = extents(*adopted);
  if (!values) return values.error();
  const auto bound = model::launch_of(adopted->kernel, *values);
  if (!bound) return bound.error();
  request.launch = bound->launch;
  if (!adopted->kernel.arguments.empty()) model::list_arguments(program, *adopted);
  assumed = model::assumptions_of(*adopted, *values);
  if (shared_bytes) {
    request.launch.dynamic_shared_bytes = *shared_bytes;
    std::erase_if(assumed, [](const model::Assumption& a) { return a.what == "shared"; });
  }
  const auto chosen = program.module->find_entry(request.launch.kernel);
  if (!chosen) return chosen.error();
  return override_arguments(**chosen, model::signature_of(program, **chosen), request.launch, assumed);
}

Result<model::RunRequest> LaunchOptions::request(std::shared_ptr<const model::Program> program,
                                                 const trace::Launch* known,
                                                 std::vector<model::Assumption>* assumed) const {
  std::vector<model::Assumption> unheard;
  model::RunRequest request;
  request.program = std::move(program);
  if (known != nullptr) {
    request.launch = *known;
  } else if (const Status status = describe(request, assumed != nullptr ? *assumed : unheard); !status) {
    return status.error();
  }
  request.device = device;
  const auto level = parse_checks(checks);
  if (!level) return level.error();
  request.options.checks = *level;
  request.options.threads = threads;
  if (budget > 0)
    request.options.budget = budget;
  else
    request.options.block_seconds = kBlockSeconds;
  request.options.only_blocks = model::sampled_blocks(request.launch, sample);
  request.recorder.blocks = stored_blocks;
  const std::vector<std::uint64_t>& sampled = request.options.only_blocks;
  if (!sampled.empty())
    request.recorder.chosen.assign(
        sampled.begin(),
        sampled.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(stored_blocks, sampled.size())));
  return request;
}

}  // namespace warplens::cli
