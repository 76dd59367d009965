// What the subcommands share: how an answer leaves the program, how errors become exit codes, and the options
// that describe a program and a launch.
//
// To add a subcommand: write  void add_NAME(CLI::App& app, Context& context)  in its own file, add it to
// commands.cpp. Its callback sets context.exit_code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/model/gallery/gallery.h"
#include "app/model/opened/adopt.h"
#include "app/model/run/pipeline.h"
#include "app/model/run/signature.h"
#include "engine/base/result.h"

namespace warplens::cli {

struct Context {
  Window window;
  int exit_code = kDone;
};

// The language of what goes to standard error from here on.
void answer_in(std::string language);
// The same error in that language, where it is known in it.
Error in_answer_language(Error error);
// Prints a sentence of the catalogue on standard error, in that language.
void say(const Message& message);
// Prints the error on standard error, in that language where it is known in it, and returns its exit code.
int fail(const Error& error);
// The same, and what to do when only a GPU can run the kernel.
int fail_with_advice(const Error& error);

// --language LANGUAGE, one that the messages are in.
CLI::Option* add_language(CLI::App& command, std::string& language, const std::string& of_what = "en or zh");

// --json FILE: writes the JSON there ('-' is standard output), otherwise the text to standard output.
struct Output {
  std::string json_file;
  void add_option(CLI::App& command);
  bool wants_json() const { return !json_file.empty(); }
  // Returns kDone, or the exit code of a failure to write.
  int write(const std::string& json, const std::string& text) const;
};

// For options that count: "-3" would be read as a large number otherwise.
CLI::Validator not_negative();
CLI::Validator above_zero();
// For numbers: CLI::Range lets "nan" through.
CLI::Validator between(double low, double high);

// -I, --define; and what the latter say, NAME alone as 1.
void add_preprocessor_options(CLI::App& command, std::vector<std::string>& include_paths,
                              std::vector<std::string>& defines);
Result<std::vector<std::pair<std::string, std::string>>> parse_defines(
    const std::vector<std::string>& defines);

// FILE, -I, --define, --arch, --compiler, --compile-seconds, --compile-memory.
struct ProgramOptions {
  std::string file, arch, compiler, cluster;  // no arch: that of the device
  std::vector<std::string> include_paths, defines;
  source::CompileLimits limits;
  void add_options(CLI::App& command);
  // `device`: of the catalogue, that the numbers are about.
  Result<model::ProgramRequest> request(const std::string& instance, const std::string& device) const;
  // For a GPU of this machine, where --arch says nothing else.
  void compile_for_gpu(int ordinal);
};

// --kernel, --grid, --block, --shared, --arg, --device, --sample, --budget, --checks, --threads.
struct LaunchOptions {
  std::string kernel, grid, block, device = "H200 SXM", checks = "memory";
  std::optional<std::uint32_t> shared_bytes;
  std::vector<std::string> arguments;
  std::uint64_t sample = 0, budget = 0, stored_blocks = 1;
  int threads = 0;
  void add_options(CLI::App& command);
  // Fills in what the options leave open as the window does (app/model/opened/adopt.h).
  // A launch that is already known (a gallery kernel's) takes the place of --kernel, --grid, --block and
  // --arg.
  // What of it nobody said is added to `assumed`.
  Result<model::RunRequest> request(std::shared_ptr<const model::Program> program,
                                    const trace::Launch* known = nullptr,
                                    std::vector<model::Assumption>* assumed = nullptr) const;

 private:
  Status describe(model::RunRequest& request, std::vector<model::Assumption>& assumed) const;
  Status enough_is_said(const model::Program& program, const model::Adopted& adopted) const;
  Result<model::SliderValues> extents(model::Adopted& adopted) const;
  Status override_arguments(const ptx::Function& entry, const model::Signature& signature,
                            trace::Launch& launch, std::vector<model::Assumption>& assumed) const;
};

// The kernel of the gallery that FILE means; none where there is such a file. An error where there is
// neither: with the names that there are, unless FILE can only be a file (it has a folder or an ending).
Result<std::optional<model::GalleryKernel>> gallery_kernel(const std::string& file);

// A program and a launch of it: a file with the options above, or a kernel of the gallery with --set.
struct RunOptions {
  ProgramOptions program;
  LaunchOptions launch;
  std::vector<std::string> set;
  void add_options(CLI::App& command);
  Result<model::RunRequest> request(std::vector<model::Assumption>* assumed = nullptr) const;
};

// The default values of a gallery kernel with what --set says.
Result<model::SliderValues> slider_values(const model::GalleryKernel& kernel,
                                          const std::vector<std::string>& set);

// "none", "memory" or "all", of --checks.
Result<simt::Checks> parse_checks(const std::string& text);
Result<Dim3> parse_extent(const std::string& text, const char* option);

void add_inspect(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_render(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_app(CLI::App& app, Context& context);
void add_time(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_gpu_worker(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_record(CLI::App& app, Context& context);
void add_lesson(CLI::App& app, Context& context);

}  // namespace warplens::cli
