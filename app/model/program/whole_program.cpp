#include "app/model/program/whole_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>

#include "app/model/program/kept_program.h"
#include "app/model/program/program_process.h"
#include "app/model/run/older_programs.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/text.h"
#include "engine/source/cache_lock.h"
#include "engine/source/private_folder.h"
#include "engine/source/response_file.h"
#include "engine/source/toolchain.h"

extern char** environ;

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libwarplens_cudart.a";
constexpr const char* kWitness = "libwarplens_witness.so";
constexpr const char* kProgram = "warplens_program";
constexpr const char* kFilesRead = "warplens_program.d";  // by nvcc, of a program of one file
// Of the archive under the name that nvcc looks for; beside the archive.
constexpr const char* kLinkFolder = "link";
// Of libraries with the names of the vendor's, for programs that were linked with those.
constexpr const char* kSharedFolder = "shared";
// In the private folder: leads to what is put back of older toolkits.
constexpr const char* kHeadersFolder = "warplens_headers";

// Libraries of the toolkit whose place our archive takes.
bool is_replaced_library(std::string_view name) {
  static constexpr std::string_view kNames[] = {"cudart", "cudart_static", "cuda",
                                                "cublas", "curand",        "cufft"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// What used to be a library is a header since CUDA 13.
bool is_no_library(std::string_view name) {
  return name == "nvToolsExt";
}

// Device code of several files is linked by nvlink, which nvcc starts only where it may link a runtime: ours,
// under the name of its own.
bool asks_for_device_linking(const std::string& word) {
  static constexpr std::string_view kWords[] = {"-rdc=true", "-rdc", "--relocatable-device-code=true",
                                                "-dlink", "-dc", "--device-c", "-dlto", "--device-link",
                                                // A language is given to all inputs: an archive would be
                                                // compiled.
                                                "-x", "--x"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}
bool is_compiled(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  return extension == ".o" || extension == ".a" || extension == ".obj";
}

Error usage(Message message, const std::string& file = {}) {
  return told(ErrorKind::Usage, std::move(message), {file, 0, 0});
}

// nvcc hands its options to a shell.
bool is_plain_option(const std::string& option) {
  return !option.empty() && std::ranges::all_of(option, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./+-=@,:%").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// A name for nvcc: the file's own, or that of a link in the room; the preprocessor is told where its
// neighbours are.
// With `as_cuda` a C++ file gets the name of a CUDA one.
Result<std::string> name_of_input(const std::string& file, std::size_t index, const fs::path& room,
                                  std::vector<std::string>& preprocessor, bool as_cuda = false) {
  std::error_code failed;
  const fs::path real = fs::absolute(file, failed).lexically_normal();
  if (!fs::exists(real, failed)) return usage({"run.no_file", {}}, file);
  std::string extension = real.extension().string();
  as_cuda = as_cuda && (extension == ".cpp" || extension == ".cc" || extension == ".cxx");
  if (!as_cuda && source::is_plain_word(real.string())) return real.string();
  if (as_cuda) extension = ".cu";
  const std::string link = fmt::format(
      "warplens_source_{}{}", index, source::is_plain_word("x" + extension) ? extension : std::string(".cu"));
  fs::remove(room / link, failed);  // of a try before
  fs::create_symlink(real, room / link, failed);
  if (failed)
    return told(ErrorKind::System, {"file.not_linked", {{"why", value_of(failed.message())}}}, {file, 0, 0});
  preprocessor.push_back("-iquote");
  preprocessor.push_back(real.parent_path().string());
  return link;
}

std::string virtual_arch(const std::string& arch) {
  return arch.starts_with("sm_") ? arch.substr(3) : arch;
}

std::string architecture_option(const std::string& arch) {
  return fmt::format("arch=compute_{0},code=[compute_{0},sm_{0}]", arch);
}

Error not_compiled(const std::string& log, const std::vector<std::string>& files) {
  Error error = told(ErrorKind::Compile, {"run.not_compiled", {}}, {files.front(), 0, 0});
  for (const source::Diagnostic& found : source::parse_diagnostics(source::Compiler::Nvcc, log)) {
    if (found.severity != source::Diagnostic::Severity::Error) continue;
    error = {ErrorKind::Compile, found.message, found.place, {}};
    break;
  }
  for (std::size_t begin = 0; begin < log.size() && error.notes.size() < 100;) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    if (end > begin) error.notes.push_back(log.substr(begin, end - begin));
    begin = end + 1;
  }
  return error;
}

// Our stand-in in the place of the vendor's runtime.
Status add_libraries(const ProgramSources& sources, const std::vector<std::string>& libraries,
                     const fs::path& folder, std::vector<std::string>& preprocessor,
                     std::vector<std::string>& command) {
  const bool links_device = std::ranges::any_of(command, asks_for_device_linking) ||
                            std::ranges::any_of(sources.files, is_compiled);
  auto archive = name_of_input(libraries.front(), sources.files.size(), folder, preprocessor);
  if (!archive) return archive.error();
  std::error_code failed;
  if (links_device) {
    fs::create_symlink(libraries.front(), folder / "libcudart_static.a", failed);
    command.insert(command.end(), {"-cudart", "static", "-L."});
  } else {
    command.insert(command.end(), {"-cudart", "none", *archive});
  }
  // Also out of a folder whose name nvcc's shell would take apart.
  fs::create_directory_symlink(fs::path(libraries.front()).parent_path() / kLinkFolder, folder / kLinkFolder,
                               failed);
  for (auto library = libraries.begin() + 1; library != libraries.end(); ++library)
    command.push_back(library->starts_with("-L") ? std::string("-L") + kLinkFolder : *library);
  return Done{};
}

Status options_of(const ProgramSources& sources, std::vector<std::string>& command,
                  std::vector<std::string>& preprocessor) {
  for (const std::string& option : sources.nvcc_options)
    if (!is_plain_option(option))
      return usage({"run.not_plain", {{"option", value_of("--nvcc")}, {"value", value_of(option)}}});
  command.insert(command.end(), sources.nvcc_options.begin(), sources.nvcc_options.end());
  if (!sources.standard.empty()) command.push_back("-std=" + sources.standard);
  std::error_code failed;
  for (const std::string& path : sources.include_paths) {
    preprocessor.push_back("-I");
    preprocessor.push_back(fs::absolute(path, failed).string());
  }
  for (const std::string& define : sources.defines) preprocessor.push_back("-D" + define);
  for (const auto& [names, option] :
       {std::pair{&sources.library_paths, "-L"}, std::pair{&sources.libraries, "-l"}})
    for (const std::string& name : *names) {
      const std::string word = option == std::string_view("-L") ? fs::absolute(name, failed).string() : name;
      if (!is_plain_option(word))
        return usage({"run.not_plain", {{"option", value_of(option)}, {"value", value_of(name)}}});
      if (!sources.on_gpu && option == std::string_view("-l") && is_replaced_library(name)) continue;
      if (option == std::string_view("-l") && is_no_library(name)) continue;
      command.push_back(option + word);
    }
  return Done{};
}

std::string read_file(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::string bytes(in ? static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)) : 0, '\0');
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

}  // namespace

namespace {

// One call of nvcc in a room; what is put back of older toolkits changes from try to try.
struct Compilation {
  const ProgramSources& sources;
  const std::optional<std::vector<std::string>>& libraries;
  const std::string& nvcc;
  source::Workroom& room;
  std::vector<std::string> inputs;  // names of the files for nvcc

  Result<source::ProcessResult> run(const PutBack& back, Progress* progress);
};

Result<source::ProcessResult> Compilation::run(const PutBack& back, Progress* progress) {
  const fs::path folder = room.folder();
  std::vector<std::string> command{
      nvcc, "-MD", "-lineinfo", "-no-compress", "-gencode", architecture_option(virtual_arch(sources.arch))};
  std::vector<std::string> preprocessor = back.preprocessor(kHeadersFolder);
  preprocessor.push_back("-g1");  // the host's lines, for whom a message names
  if (Status status = options_of(sources, command, preprocessor); !status) return status.error();
  for (std::string& word : back.options(kHeadersFolder)) command.push_back(std::move(word));
  inputs.clear();
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    auto name = name_of_input(sources.files[i], i, folder, preprocessor, back.as_cuda);
    if (!name) return name.error();
    inputs.push_back(std::move(*name));
  }
  if (Status status = write_text(folder / "warplens_options", source::response_file(preprocessor)); !status)
    return status.error();
  if (!preprocessor.empty()) command.insert(command.end(), {"-Xcompiler", "@warplens_options"});
  command.insert(command.end(), inputs.begin(), inputs.end());
  if (libraries)
    if (Status status = add_libraries(sources, *libraries, folder, preprocessor, command); !status)
      return status.error();
  // Texture references ask the driver how much memory there is.
  if (!libraries && back.textures) command.push_back("-lcuda");
  command.insert(command.end(), {"-o", kProgram});
  return room.run(command, {.limits = sources.limits, .progress = progress});
}

}  // namespace

Result<BuiltProgram> build_program(const ProgramSources& sources, Progress* progress) {
  const source::Toolchain tools = source::find_toolchain(source::SearchPlaces::from_environment());
  if (tools.nvcc.path.empty())
    return told(ErrorKind::System, {"run.needs_nvcc", {{"reason", value_of(tools.nvcc.reason)}}});
  std::optional<std::vector<std::string>> libraries;
  if (!sources.on_gpu) {
    auto ours = runtime_libraries();
    if (!ours) return ours.error();
    libraries = std::move(*ours);
  }
  auto room = source::Workroom::open();
  if (!room) return room.error();
  const fs::path folder = (*room)->folder();
  std::error_code ignored;
  fs::create_directory_symlink(headers_folder(), folder / kHeadersFolder, ignored);
  const ProgramCache cache(sources, tools.nvcc, libraries.value_or(std::vector<std::string>()));
  const auto kept_before = [&]() -> std::optional<BuiltProgram> {
    auto kept = cache.take(folder / kProgram);
    if (!kept) return {};
    return BuiltProgram{std::move(*room), (folder / kProgram).string(), kept->warnings, kept->notes};
  };
  if (auto kept = kept_before()) return std::move(*kept);
  // Who builds the same beside us is waited for.
  std::optional<source::CacheLock> turn;
  if (!cache.key().empty()) {
    turn.emplace(cache.key(), sources.limits.seconds, progress);
    if (auto kept = kept_before()) return std::move(*kept);
  }
  Compilation compilation{sources, libraries, tools.nvcc.path, **room, {}};
  PutBack back;
  std::string first_log;
  for (;;) {
    auto process = compilation.run(back, progress);
    if (!process) return process.error();
    std::string log = process->err + process->out;
    for (std::size_t i = 0; i < sources.files.size(); ++i)
      if (compilation.inputs[i] != sources.files[i])
        replace_all(log, compilation.inputs[i], sources.files[i]);
    if (process->status == 0) {
      cache.keep(folder / kProgram, folder / kFilesRead, {log, back.notes()});
      return BuiltProgram{std::move(*room), (folder / kProgram).string(), log, back.notes()};
    }
    // A header that nobody finds hides all that is behind it; anything else is said as nvcc said it first.
    if (first_log.empty() || !back.declarations) first_log = log;
    if (!back.add(log)) return not_compiled(first_log, sources.files);
  }
}

namespace {

// Where what programs are run with may lie.
std::array<fs::path, 2> library_folders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {program / "cudart", program / ".." / "lib" / "warplens"};
}

}  // namespace

std::string witness_library() {
  std::error_code ignored;
  for (const fs::path& folder : library_folders())
    if (fs::exists(folder / kWitness, ignored)) return fs::weakly_canonical(folder / kWitness).string();
  return {};
}

Result<std::vector<std::string>> runtime_libraries() {
  std::error_code ignored;
  for (const fs::path& folder : library_folders()) {
    if (!fs::exists(folder / kLibrary, ignored)) continue;
    std::vector<std::string> out{fs::weakly_canonical(folder / kLibrary).string()};
    std::ifstream besides(folder / "libraries");
    for (std::string name; std::getline(besides, name);)
      if (!name.empty())
        out.insert(out.end(), {"-L" + (folder / kLinkFolder).lexically_normal().string(), "-l" + name});
    return out;
  }
  return told(ErrorKind::System, {"run.no_stand_in", {}});
}

namespace {

// A script may start whatever it likes.
bool is_elf(const std::string& bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

// Built by warplens cc, or by ourselves.
bool has_our_runtime(const std::string& bytes) {
  return is_elf(bytes) && bytes.find("WARPLENS_RUN") != std::string::npos;
}

// Linked with the vendor's runtime as a library, whose place ours takes.
bool names_shared_runtime(const std::string& program) {
  const char kName[] = "libcudart.so.13";
  return program.find(std::string(kName, sizeof kName)) != std::string::npos;
}

// It tells the runtime of its kernels before its main() begins.
bool has_device_code(const std::string& program) {
  return program.find(".nv_fatbin") != std::string::npos;
}

// The folder of the libraries that take the place of the vendor's; none when there are none.
std::string shared_libraries() {
  std::error_code ignored;
  for (const fs::path& folder : library_folders())
    if (fs::exists(folder / kSharedFolder / "libcudart.so.13", ignored))
      return fs::weakly_canonical(folder / kSharedFolder).string();
  return {};
}

// What loads the vendor's library when ours is not found first.
bool runs_with_shared_runtime(const std::string& bytes) {
  return is_elf(bytes) && !has_our_runtime(bytes) && names_shared_runtime(bytes);
}

}  // namespace

Status can_run(const std::string& program) {
  const std::string bytes = read_file(program);
  if (runs_with_shared_runtime(bytes) && shared_libraries().empty())
    return told(ErrorKind::System, {"run.no_stand_in", {}}, {program, 0, 0});
  if (is_elf(bytes) && !has_our_runtime(bytes) && !names_shared_runtime(bytes) && has_device_code(bytes))
    return told(ErrorKind::Usage, {"run.vendors_runtime", {}}, {program, 0, 0});
  return Done{};
}

bool holds_our_runtime(const std::string& program) {
  return has_our_runtime(read_file(program));
}

namespace {

volatile sig_atomic_t g_child = 0;

extern "C" void pass_on(int signal, siginfo_t* info, void*) {
  if (g_child > 0 && info->si_code <= 0) ::kill(static_cast<pid_t>(g_child), signal);
}

constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// While a program runs: what a terminal sends (Ctrl-C, that it is gone) reaches it by itself, as it is in the
// terminal's group; what a process sends is handed on.
class Signals {
 public:
  Signals() {
    struct sigaction pass {};
    pass.sa_sigaction = pass_on;
    pass.sa_flags = SA_RESTART | SA_SIGINFO;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &pass, &before_[i]);
  }
  ~Signals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Starts the user's program so that it does not outlive this one, however this one ends; g_child is its
// number. Fails with an errno.
int start(const std::vector<char*>& command, const std::vector<char*>& environment) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return errno;
  const pid_t parent = ::getpid();
  // A signal that comes meanwhile waits until there is somebody to hand it to.
  sigset_t handed_on, before;
  ::sigemptyset(&handed_on);
  for (const int signal : kSignals) ::sigaddset(&handed_on, signal);
  ::sigprocmask(SIG_BLOCK, &handed_on, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it ended before this was said
    for (const int signal : kSignals) ::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execvpe(command[0], command.data(), environment.data());
    const int error = errno;
    static_cast<void>(!::write(report[1], &error, sizeof error));
    ::_exit(127);
  }
  int failed = child < 0 ? errno : 0;
  ::close(report[1]);
  if (child > 0 && ::read(report[0], &failed, sizeof failed) > 0) ::waitpid(child, nullptr, 0);
  ::close(report[0]);
  g_child = failed == 0 ? child : 0;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return failed;
}

}  // namespace

std::vector<std::string> program_environment(const std::string& program, const runtime::Settings& settings) {
  constexpr std::string_view kSearched = "LD_LIBRARY_PATH=";
  std::vector<std::string> out;
  // A second device in the same process would find the first one's addresses taken.
  std::string searched = settings.on_gpu || holds_our_runtime(program) ? std::string() : shared_libraries();
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view entry(*one);
    if (entry.starts_with(kSearched)) {
      searched += (searched.empty() ? "" : ":") + std::string(entry.substr(kSearched.size()));
    } else if (settings.on_gpu && entry.starts_with("CUDA_INJECTION64_PATH=")) {
      continue;  // the driver loads one library: ours
    } else if (!entry.starts_with("WARPLENS_RUN=") && !entry.starts_with("WARPLENS_ASSETS=")) {
      out.emplace_back(entry);
    }
  }
  if (!searched.empty()) out.push_back(std::string(kSearched) + searched);
  if (settings.on_gpu) out.push_back("CUDA_INJECTION64_PATH=" + witness_library());
  out.push_back("WARPLENS_RUN=" + runtime::to_json(settings));
  out.push_back("WARPLENS_ASSETS=" + fs::absolute(assets_folder()).string());
  return out;
}

ProgramEnd program_end(int status, double seconds, const std::vector<std::string>& command,
                       const runtime::Settings& settings) {
  ProgramEnd end;
  end.seconds = seconds;
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.ending = signal == SIGINT || signal == SIGTERM ? "interrupted" : signal != 0 ? "signalled" : "exited";
  end.checks = runtime::kCheckNames[static_cast<std::size_t>(settings.checks)];
  end.every = settings.every;
  end.folder = settings.keep_folder;
  for (const std::string& word : command) end.command += (end.command.empty() ? "" : " ") + word;
  return end;
}

Result<ProgramEnd> run_program(const std::vector<std::string>& command, runtime::Settings settings,
                               const fs::path& private_folder) {
  settings.log = (private_folder / "warplens_log").string();
  settings.started = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  std::vector<std::string> arguments = command, environment = program_environment(command[0], settings);
  const Signals signals;
  const auto begin = std::chrono::steady_clock::now();
  if (const int failed = start(pointers(arguments), pointers(environment)); failed != 0)
    return usage({"run.cannot_be_started", {{"why", value_of(std::generic_category().message(failed))}}},
                 command[0]);
  const auto child = static_cast<pid_t>(g_child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ProgramEnd end = program_end(status, seconds, command, settings);
  // Ours begins to write when the program tells it of its kernels.
  if (std::error_code none; !settings.on_gpu && !fs::exists(settings.log, none))
    if (const std::string bytes = read_file(command[0]);
        runs_with_shared_runtime(bytes) && has_device_code(bytes)) {
      end.program_exit_code = end.exit_code;
      end.ending = "refused";
      end.refused = told(ErrorKind::Usage, {"run.other_runtime", {}}, {command[0], 0, 0});
      return end;
    }
  end.log = read_file(settings.log);
  if (end.exit_code == runtime::kBudgetRanOut && end.log.find("\"ending\":\"budget\"") != std::string::npos)
    end.ending = "budget";
  std::error_code ignored;
  fs::remove(settings.log, ignored);
  return end;
}

Result<runtime::KeptLaunches> parse_kept(const std::string& text) {
  const Error wrong = usage({"run.no_launches", {{"text", value_of(text)}}});
  const auto colon = text.rfind(':');
  const bool numbered = colon != std::string::npos && (colon == 0 || text[colon - 1] != ':') &&
                        text.find_first_not_of("0123456789-", colon + 1) == std::string::npos;
  runtime::KeptLaunches out{numbered ? text.substr(0, colon) : text, 0, 0};
  if (out.kernel.empty()) return wrong;
  if (!numbered) return out;
  const char* const end = text.data() + text.size();
  auto [at, failed] = std::from_chars(text.data() + colon + 1, end, out.first);
  if (failed != std::errc{}) return wrong;
  out.last = out.first;
  if (at == end) return out;
  if (*at != '-') return wrong;
  const auto second = std::from_chars(at + 1, end, out.last);
  if (second.ec != std::errc{} || second.ptr != end || out.last < out.first) return wrong;
  return out;
}

std::vector<std::string> compiler_options(const std::vector<std::string>& options,
                                          const std::vector<std::string>& libraries, PutBack back) {
  std::vector<std::string> out;
  std::string arch = "90";
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option == "--older-cuda" || option == "--older-cuda=textures") {
      back.declarations = true;
      back.textures = back.textures || option.ends_with("textures");
      back.headers.insert("helper_cuda.h");
      continue;
    }
    const auto is = [&](const char* name) { return option == name; };
    const auto joined = [&](const char* name) { return option.starts_with(std::string(name) + "="); };
    // sm_90a has instructions that sm_90 has not.
    if (option.find("90a") != std::string::npos) arch = "90a";
    if (i + 1 < options.size() && options[i + 1].find("90a") != std::string::npos && option.starts_with("-"))
      arch = "90a";
    if (is("-gencode") || is("--generate-code") || is("-arch") || is("--gpu-architecture") || is("-code") ||
        is("--gpu-code") || is("-cudart") || is("--cudart")) {
      ++i;
      continue;
    }
    const bool library = (option.starts_with("-l") &&
                          (is_replaced_library(option.substr(2)) || is_no_library(option.substr(2)))) ||
                         (option.ends_with("libcudart.so") || option.ends_with("libcudart_static.a"));
    const bool ours = library || joined("-gencode") || joined("--generate-code") || joined("-arch") ||
                      joined("--gpu-architecture") || joined("-code") || joined("--gpu-code") ||
                      joined("-cudart") || joined("--cudart");
    if (!ours) out.push_back(option);
  }
  const bool links = std::ranges::none_of(options, [](const std::string& option) {
    static constexpr const char* kStages[] = {
        "-c",      "-dc",       "-dw",       "-E",         "-M",    "-MM",     "-ptx",     "-cubin",
        "-fatbin", "-cuda",     "--compile", "--device-c", "--ptx", "--cubin", "--fatbin", "--preprocess",
        "-dlink",  "--version", "-V",        "--help",     "-h",    "-lib",    "--lib"};
    return std::ranges::any_of(kStages, [&](const char* stage) { return option == stage; });
  });
  out.insert(out.end(), {"-lineinfo", "-gencode", architecture_option(arch)});
  for (std::string& word : back.options(headers_folder())) out.push_back(std::move(word));
  for (std::string& word : back.preprocessor(headers_folder()))
    out.insert(out.end(), {"-Xcompiler", std::move(word)});
  const bool links_device =
      std::ranges::any_of(options, asks_for_device_linking) || std::ranges::any_of(options, is_compiled);
  const bool device_only = std::ranges::any_of(
      options, [](const std::string& option) { return option == "-dlink" || option == "--device-link"; });
  if (device_only && !libraries.empty()) {
    out.insert(out.end(), {"-cudart", "static"});
  } else if (!links || libraries.empty()) {
    out.insert(out.end(), {"-cudart", "none"});
  } else if (links_device) {
    const fs::path under_its_name = fs::path(libraries.front()).parent_path() / kLinkFolder;
    out.insert(out.end(), {"-cudart", "static", "-L" + under_its_name.string()});
    out.insert(out.end(), libraries.begin() + 1, libraries.end());
  } else {
    out.insert(out.end(), {"-cudart", "none"});
    out.insert(out.end(), libraries.begin(), libraries.end());
  }
  return out;
}

}  // namespace warplens::model
