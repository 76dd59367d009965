// warplens run and warplens cc: whole programs.
#include "app/cli/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "app/cli/watch.h"
#include "app/model/program/gpu_program.h"
#include "app/model/program/run_events.h"
#include "app/model/program/run_page.h"
#include "app/model/program/whole_program.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/source/workroom.h"

namespace warplens::cli {
namespace {

constexpr const char* kFolder = "warplens-run";

struct Options {
  model::ProgramSources sources;
  std::string checks = "memory", json_file, html_file, folder, language = "en";
  std::vector<std::string> kept;
  int threads = 0, devices = 1;
  std::uint64_t every = 1, budget = 0;
  bool table = false, execute_all = false, strict = false;
  std::string backend = "emulator";
  bool on_gpu() const { return backend == "gpu"; }
};

// The program's own words: CLI11 would read those that look like options.
std::vector<std::string>& behind_dashes() {
  static std::vector<std::string> words;
  return words;
}

Result<runtime::Settings> settings_of(const Options& options) {
  runtime::Settings settings;
  const auto checks = parse_checks(options.checks);
  if (!checks) return checks.error();
  settings.checks = *checks;
  settings.threads = options.threads;
  settings.devices = options.devices;
  settings.every = options.every;
  settings.language = options.language;
  settings.execute_all = options.execute_all;
  settings.strict = options.strict;
  if (options.budget > 0) settings.budget = options.budget;
  settings.count = options.table || !options.json_file.empty() || !options.html_file.empty();
  for (const std::string& text : options.kept) {
    auto kept = model::parse_kept(text);
    if (!kept) return kept.error();
    settings.kept.push_back(std::move(*kept));
  }
  if (!settings.kept.empty()) {
    std::error_code failed;
    const std::filesystem::path folder =
        std::filesystem::absolute(options.folder.empty() ? kFolder : options.folder, failed);
    std::filesystem::create_directories(folder, failed);
    if (failed)
      return told(ErrorKind::System, {"file.no_new_folder", {{"why", value_of(failed.message())}}},
                  {folder.string(), 0, 0});
    settings.keep_folder = folder.lexically_normal().string();
  }
  settings.progress = ::isatty(STDERR_FILENO) == 1;
  return settings;
}

Status write_page(const Options& options, const model::ProgramEnd& end) {
  const auto catalogue = Catalogue::load(options.language);
  if (!catalogue) return catalogue.error();
  Progress progress;
  const Interruption interruption(progress);
  return write_text(options.html_file, model::run_page(end, *catalogue, &progress));
}

Result<model::BuiltProgram> build(const model::ProgramSources& sources) {
  Progress progress;
  const Interruption interruption(progress);
  return model::build_program(sources, &progress);
}

int answer(const Options& options, model::ProgramEnd end) {
  const auto catalogue = Catalogue::load(options.language);
  if (!catalogue) return fail(catalogue.error());
  if (end.refused) {
    end.exit_code = fail(*end.refused);
    end.refused = in_answer_language(std::move(*end.refused));
  }
  if (options.table && !end.refused) std::fputs(model::run_text(end, *catalogue).c_str(), stderr);
  if (!options.kept.empty() && !end.refused) std::fputs(model::kept_text(end, *catalogue).c_str(), stderr);
  // What cannot be written takes nothing else with it: the run was long.
  int failed = kDone;
  if (!options.json_file.empty()) failed = Output{options.json_file}.write(model::run_json(end), {});
  if (!options.html_file.empty())
    if (const Status written = write_page(options, end); !written) failed = fail(written.error());
  return failed != kDone ? failed : end.exit_code;
}

// A run that cannot be has its report all the same: whoever asked for one finds why.
int refuse(const Options& options, const Error& error, const std::vector<std::string>& command = {}) {
  model::ProgramEnd end;
  end.ending = "refused";
  end.refused = error;
  end.checks = options.checks;
  end.every = options.every;
  if (options.on_gpu()) end.measured.emplace();
  end.command = !options.sources.files.empty()
                    ? std::filesystem::path(options.sources.files.front()).filename().string()
                : command.empty() ? std::string()
                                  : command.front();
  return answer(options, std::move(end));
}

// What a GPU does not do.
Status check_gpu_options(const Options& options) {
  for (const auto& [given, option] :
       {std::pair{options.checks != "memory", "--checks"}, std::pair{options.every > 1, "--every"},
        std::pair{options.budget > 0, "--budget"}, std::pair{options.threads > 0, "--threads"},
        std::pair{options.devices > 1, "--devices"}, std::pair{options.strict, "--strict"},
        std::pair{options.execute_all, "--execute-all"}})
    if (given)
      return told(ErrorKind::Usage, Message{"run.gpu.emulator_only", {{"option", value_of(option)}}});
  return Done{};
}

// What a program that ended badly does not say itself.
void tell_ending(const model::ProgramEnd& end, const Catalogue& text) {
  const auto tell = [&](const char* key, std::vector<std::pair<std::string, MessageValue>> values) {
    fmt::print(stderr, "warplens: {}\n",
               text.text(Message{std::string("run.gpu.") + key, std::move(values)}));
  };
  for (const auto& error : model::events_of(end.log).errors)
    tell("fault",
         {{"call", value_of(error.value("call", ""))}, {"error", value_of(error.value("error", ""))}});
  if (end.ending == "signalled")
    tell("signalled",
         {{"signal", value_of(end.exit_code - 128)}, {"name", value_of(::strsignal(end.exit_code - 128))}});
}

Result<model::ProgramEnd> run_measured(const std::vector<std::string>& command,
                                       const runtime::Settings& settings, const std::filesystem::path& place,
                                       const model::MeasuredProgram& gpu) {
  auto end = model::run_on_gpu(command, settings, place, gpu);
  if (!end) return end.error();
  if (const auto text = Catalogue::load(settings.language)) tell_ending(*end, *text);
  return end;
}

int run(Options& options) {
  std::optional<model::MeasuredProgram> gpu;
  if (options.on_gpu()) {
    if (const Status fine = check_gpu_options(options); !fine) return fail(fine.error());
    auto found = model::gpu_for_programs();
    if (!found) return refuse(options, found.error());
    gpu = std::move(*found);
    options.sources.on_gpu = true;
    if (options.sources.arch.empty()) options.sources.arch = model::architecture_of_gpu();
  }
  if (options.sources.arch.empty()) options.sources.arch = "sm_90";
  auto settings = settings_of(options);
  if (!settings) return fail(settings.error());
  std::vector<std::string> command;
  std::optional<model::BuiltProgram> built;
  std::unique_ptr<source::Workroom> room;
  std::filesystem::path place;
  if (!options.sources.files.empty()) {
    auto made = build(options.sources);
    if (!made) return refuse(options, made.error());
    built = std::move(*made);
    std::fputs(built->warnings.c_str(), stderr);
    for (const Message& note : built->notes) say(note);
    command = {built->file};
    place = built->room->folder();
  } else if (!behind_dashes().empty()) {
    const std::string& program = behind_dashes().front();
    const Status fine = gpu ? model::can_run_on_gpu(program) : model::can_run(program);
    if (!fine) return refuse(options, fine.error(), behind_dashes());
    auto opened = source::Workroom::open();
    if (!opened) return fail(opened.error());
    room = std::move(*opened);
    place = room->folder();
  } else {
    return fail(told(ErrorKind::Usage, {"cli.which_program", {}}));
  }
  command.insert(command.end(), behind_dashes().begin(), behind_dashes().end());
  auto end =
      gpu ? run_measured(command, *settings, place, *gpu) : model::run_program(command, *settings, place);
  if (!end) return refuse(options, end.error(), command);
  // As the user named it, not where it was built.
  if (!options.sources.files.empty())
    end->command = std::filesystem::path(options.sources.files.front()).filename().string();
  return answer(options, std::move(*end));
}

}  // namespace

std::optional<int> run_early(int argc, char** argv, std::vector<char*>& kept) {
  kept.assign(argv, argv + argc);
  if (argc < 2) return std::nullopt;
  const std::string_view command = argv[1];
  // nvcc's options are nvcc's to read.
  if (command == "cc") return compile_as_nvcc({argv + 2, argv + argc});
  if (command != "run") return std::nullopt;
  const auto dashes =
      std::find_if(kept.begin(), kept.end(), [](const char* word) { return std::string_view(word) == "--"; });
  if (dashes == kept.end()) return std::nullopt;
  behind_dashes().assign(dashes + 1, kept.end());
  kept.erase(dashes, kept.end());
  return std::nullopt;
}

void add_run(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("run",
                                         "Run a whole program, each launch of its kernels emulated, or "
                                         "measured on a GPU: its own main, data and checks");
  auto options = std::make_shared<Options>();
  model::ProgramSources& sources = options->sources;
  command->add_option("files", sources.files, "CUDA C++ and C++ files; arguments of the program follow --");
  command->add_option("-I,--include", sources.include_paths, "Folder to search for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_option("-D,--define", sources.defines, "Preprocessor definition")
      ->type_name("K=V")
      ->allow_extra_args(false);
  command->add_option("-l,--library", sources.libraries, "Library to link")->allow_extra_args(false);
  command->add_option("-L,--library-path", sources.library_paths, "Folder to search for libraries")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_option("--std", sources.standard, "c++14, c++17 or c++20; not given: nvcc's own");
  sources.arch.clear();
  command->add_option("--arch", sources.arch,
                      "Architecture to compile for; not given: sm_90, or the GPU's own");
  command
      ->add_option("--on", options->backend,
                   "emulator, or gpu: the program runs for real, its launches are measured")
      ->check(CLI::IsMember({"emulator", "gpu"}))
      ->capture_default_str();
  command->add_option("--nvcc", sources.nvcc_options, "One more option for nvcc, such as --nvcc=-rdc=true")
      ->allow_extra_args(false);
  command->add_option("--compile-seconds", sources.limits.seconds, "Stop a compiler that takes longer")
      ->check(between(0.001, 86400.0));
  command
      ->add_option("--checks", options->checks,
                   "none, memory (bounds, alignment) or all (races, uninitialised reads, ...)")
      ->capture_default_str();
  command->add_flag(
      "--strict", options->strict,
      "End a launch also at accesses out of bounds that a GPU lets pass; without it they are told, "
      "and the run goes on");
  command
      ->add_option("--devices", options->devices,
                   "How many devices the program finds: one that goes by so many numbers")
      ->check(CLI::Range(1, runtime::kMostDevices));
  command->add_option("--threads", options->threads, "Threads of the emulator; 0: one a core")
      ->check(not_negative());
  command
      ->add_option("--every", options->every,
                   "Emulate only every Nth launch of each kernel: the others leave no results")
      ->check(above_zero());
  command->add_flag("--execute-all", options->execute_all,
                    "Also execute launches that find the arguments and memory of an earlier one, whose "
                    "results and counts they have otherwise");
  command
      ->add_option(
          "--trace", options->kept,
          "Keep launches with their arguments and memory, for trace, render, app and take: Nth to Mth of a "
          "kernel from 0, the first when not given; '*' is every kernel")
      ->type_name("KERNEL[:N[-M]]")
      ->allow_extra_args(false);
  command
      ->add_option("--out,-o", options->folder,
                   fmt::format("Folder for launches that are kept; {} when not given", kFolder))
      ->type_name("DIR");
  command
      ->add_option(
          "--budget", options->budget,
          "End the program, with exit code 5, when its launches have executed so many thread instructions")
      ->type_name("INSTRUCTIONS")
      ->check(above_zero());
  command
      ->add_option(
          "--html", options->html_file,
          "Write a page to FILE: time line, kernels by what they lose, faults, kept launches as pictures")
      ->type_name("FILE");
  add_language(*command, options->language, "Of the page, the table and of faults");
  command->add_option("--json", options->json_file, "Write what the launches did as JSON to FILE")
      ->type_name("FILE");
  command->add_flag("--table", options->table, "Print a table of the kernels on standard error at the end");
  command->callback([options, &context] { context.exit_code = run(*options); });
}

}  // namespace warplens::cli
