#include "engine/source/backends.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/text.h"
#include "engine/source/device_headers.h"
#include "engine/source/launches.h"
#include "engine/source/nvrtc_worker.h"
#include "engine/source/process.h"
#include "engine/source/response_file.h"
#include "engine/source/source_names.h"
#include "engine/source/workroom.h"

namespace warplens::source {
namespace {

constexpr const char* kStandard = "c++17";
// The names are such that no #include of the user's will mean them.
constexpr char kInput[] = "warplens_input.cu", kOutput[] = "warplens_output.ptx",
               kFront[] = "warplens_front.cuh";

// Headers of the toolkit that hold device code and that NVRTC can read. (CUB is not among them: it brings
// host code along, and nvcc takes such files whole.)
const std::set<std::string> kToolkitHeaders = {"cuda_fp16.h",
                                               "cuda_bf16.h",
                                               "cuda_fp8.h",
                                               "mma.h",
                                               "cuda_pipeline.h",
                                               "cuda_pipeline_primitives.h",
                                               "cuda_awbarrier.h",
                                               "cuda_awbarrier_primitives.h",
                                               "curand_kernel.h",
                                               "cuComplex.h",
                                               "cuda/",
                                               "cooperative_groups/",
                                               "nv/",
                                               "cooperative_groups.h"};
// Those of which we have a part ourselves.
const std::set<std::string> kOurHeaders = {"cuda_fp16.h", "cooperative_groups.h",
                                           "cooperative_groups/reduce.h", "cuda_pipeline.h"};

std::string_view our_header_text(const std::string& name) {
  if (name == "cuda_fp16.h") return device_header("warplens_fp16.cuh");
  if (name == "cuda_pipeline.h") return device_header("warplens_pipeline.cuh");
  if (name == "cooperative_groups.h") return device_header("warplens_cooperative_groups.cuh");
  return "#include <cooperative_groups.h>\n";
}

// Instances asked for, then those that the file's own host code launches.
std::vector<std::string> all_instances(const CompileOptions& options, const SourceTree& tree) {
  std::vector<std::string> instances = options.instances;
  const bool may_launch = tree.text.find("template") != std::string::npos ||
                          std::any_of(tree.headers.begin(), tree.headers.end(), [](const UserHeader& h) {
                            return h.text.find("template") != std::string::npos;
                          });
  if (!may_launch) return instances;
  const HostReading reading = read_host({options.file, tree.text, options.defines, options.include_paths});
  for (const std::string& instance : reading.instances)
    if (std::find(instances.begin(), instances.end(), instance) == instances.end())
      instances.push_back(instance);
  return instances;
}

// Taking a kernel's address in host code makes the compiler instantiate it.
std::string instance_uses(const std::vector<std::string>& instances) {
  if (instances.empty()) return {};
  std::string text =
      "\n#line 1 \"template instances\"\n[[maybe_unused]] static const void* const warplens_instances[] = {";
  for (const std::string& instance : instances) text += "(const void*)&" + instance + ", ";
  return text + "};\n";
}

std::vector<std::string> definitions(const CompileOptions& options) {
  std::vector<std::string> result;
  for (const auto& [key, value] : options.defines) result.push_back("-D" + key + "=" + value);
  return result;
}

// Macros that may stand before a header of ours which the text includes, but for what our headers define
// themselves: that must be there afterwards.
std::vector<std::string> users_macros(const CompileOptions& options, const SourceTree& tree) {
  std::vector<std::string> macros, ours;
  for (const auto& [key, value] : options.defines) macros.push_back(key);
  add_defined_macros(tree.text, macros);
  for (const UserHeader& header : tree.headers) add_defined_macros(header.text, macros);
  for (const auto& [name, text] : device_headers()) add_defined_macros(text, ours);
  std::erase_if(macros,
                [&](const std::string& macro) { return std::ranges::find(ours, macro) != ours.end(); });
  return macros;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// A compiler that a signal ended, or that ran out of memory, says nothing about the kernel.
bool gave_up(const ProcessResult& process) {
  constexpr const char* kWords[] = {"out of memory",
                                    "std::bad_alloc",
                                    "annot allocate memory",
                                    "died due to signal",
                                    "Killed",
                                    "PLEASE submit a bug report",
                                    "unable to execute command"};
  return process.status >= 128 || std::any_of(std::begin(kWords), std::end(kWords), [&](const char* words) {
           return process.err.find(words) != std::string::npos;
         });
}

// Runs a compiler that reads kInput and writes kOutput.
Result<BackendResult> run_compiler(Workroom& room, const std::vector<std::string>& command,
                                   const CompileOptions& options) {
  auto process = room.run(command, {.limits = options.limits, .progress = options.progress});
  if (!process) {
    Error error = process.error();
    if (error.kind == ErrorKind::Compile) error.place.file = options.file;
    return error;
  }
  BackendResult result;
  result.log = process->err + process->out;
  replace_all(result.log, room.folder().string() + "/", "");
  result.folders.emplace_back(room.folder().string(), "");
  if (process->status != 0 && gave_up(*process)) {
    Error error =
        took_too_much(std::filesystem::path(command[0]).filename().string(), options.file, options.limits);
    error.notes = {result.log.substr(0, 2000)};
    return error;
  }
  if (process->status != 0) return result;
  auto ptx = read_text(room.folder() / kOutput);
  if (!ptx) return ptx.error();
  result.ok = true;
  result.ptx = std::move(*ptx);
  return result;
}

bool has_kernels(const std::string& ptx) {
  return ptx.find(".entry") != std::string::npos;
}

int arch_number(const std::string& arch) {
  return std::atoi(arch.c_str() + 3);  // checked by the caller: sm_NN
}

NvrtcRequest nvrtc_request(const CompileOptions& options, const DeviceSource& source, const Toolchain& tools,
                           bool toolkit_headers) {
  NvrtcRequest request;
  request.name = name_for_compilers(options.file);
  request.text = source.text;
  request.headers = source.headers;
  // Not as -D, which NVRTC's built-in header would see as well: -D T=float breaks it.
  request.headers.emplace_back(kFront, front_text("#include \"warplens_std.cuh\"", options.defines));
  request.headers.emplace_back("warplens_std.cuh", device_header("warplens_std.cuh"));
  request.options = {"--gpu-architecture=compute_" + options.arch.substr(3),
                     "--generate-line-info",
                     std::string("--std=") + kStandard,
                     "--device-as-default-execution-space",
                     "--device-int128",
                     "-D__NVCC__=1",  // what headers ask for when they mean CUDA's language
                     std::string("--pre-include=") + kFront};
  if (!toolkit_headers)
    for (const std::string& name : kOurHeaders)
      request.headers.emplace_back(name, sheltered(our_header_text(name), options.defines));
  if (!tools.toolkit_include.empty()) {
    request.options.push_back("-I" + tools.toolkit_include);
    request.options.push_back("-I" + tools.toolkit_include + "/cccl");
    // The toolkit's headers include these for host compilers' sake; what they need is built in.
    for (const char* name : {"math.h", "stdint.h", "stddef.h", "cstdint", "cstddef", "cmath", "limits.h",
                             "stdlib.h", "string.h", "cstring", "cstdlib", "climits", "stdio.h"})
      request.headers.emplace_back(name, "");
  }
  request.progress = options.progress;
  return request;
}

}  // namespace

Result<BackendResult> compile_with_nvrtc(const CompileOptions& options, const SourceTree& tree,
                                         const Toolchain& tools) {
  const bool toolkit = !tools.toolkit_include.empty();
  const DeviceSource source = tree.device(toolkit ? kToolkitHeaders : kOurHeaders);
  // Our short cooperative_groups.h first: NVIDIA's takes NVRTC a second. What ours lacks is then tried with
  // theirs. cuda_fp16.h and cuda_pipeline.h are quick, so theirs are always used when they are there.
  const bool ours_may_do = source.text.find("cooperative_groups") != std::string::npos;
  const std::vector<std::string> wanted = options.instances, launched = all_instances(options, tree);

  Result<NvrtcResult> last = NvrtcResult{};
  for (const bool toolkit_headers : {false, true}) {
    if (!toolkit_headers && toolkit && !ours_may_do) continue;
    if (toolkit_headers && !toolkit) continue;
    NvrtcRequest request = nvrtc_request(options, source, tools, toolkit_headers);
    if (toolkit)
      std::erase_if(request.headers,
                    [](const auto& h) { return h.first == "cuda_fp16.h" || h.first == "cuda_pipeline.h"; });
    request.instances = launched;
    last = compile_in_worker(*tools.nvrtc, request, options.limits);
    if (!last) return last.error();
    if (!last->ok && launched.size() > wanted.size()) {
      // A launch that we misread must not cost the whole file, but what is left must be worth having.
      request.instances = wanted;
      auto rest = compile_in_worker(*tools.nvrtc, request, options.limits);
      if (!rest || has_kernels(rest->ptx)) last = std::move(rest);
    }
    if (!last) return last.error();
    if (last->ok) break;
  }
  return BackendResult{last->ok, std::move(last->ptx), std::move(last->log), {}};
}

namespace {

// The folders that nvcc's preprocessor searches, as it is told of them and as the user knows them. One whose
// name it could not put into its output is reached through a link.
Result<std::vector<std::pair<std::string, std::string>>> searched_folders(const SourceTree& tree,
                                                                          const Workroom& room) {
  std::vector<std::pair<std::string, std::string>> folders;
  for (const std::string& known : tree.search) {
    std::error_code failed;
    std::string seen =
        std::filesystem::absolute(known.empty() ? "." : known, failed).lexically_normal().string();
    if (name_for_compilers(seen) != seen) {
      const std::string link = "warplens_include_" + std::to_string(folders.size());
      std::filesystem::create_directory_symlink(seen, room.folder() / link, failed);
      if (failed)
        return told(ErrorKind::System, {"compile.no_link", {{"why", value_of(failed.message())}}}, {known});
      seen = link;
    }
    folders.emplace_back(seen, known);
  }
  return folders;
}

}  // namespace

namespace {

// A macro of the user's has reached into a header that is not his: -D T=float breaks cuda_runtime.h.
bool headers_broke(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos && line.find("/include/") != std::string::npos) return true;
  return false;
}

}  // namespace

Result<BackendResult> compile_with_nvcc(const CompileOptions& options, const SourceTree& tree,
                                        const Toolchain& tools) {
  const auto room = Workroom::open();
  if (!room) return room.error();
  const auto folders = searched_folders(tree, **room);
  if (!folders) return folders.error();
  std::vector<std::string> command = {tools.nvcc.path,
                                      "-ptx",
                                      "-arch=" + options.arch,
                                      "-lineinfo",
                                      std::string("-std=") + kStandard,
                                      "--expt-relaxed-constexpr",
                                      "--extended-lambda",
                                      "-Xcompiler",
                                      "@warplens_options",
                                      kInput,
                                      "-o",
                                      kOutput};
  // Macros are given as -D, or stand before the text and behind what nvcc includes by itself.
  const auto run = [&](bool macros_in_text) -> Result<BackendResult> {
    // What the user has named goes past nvcc, which hands its options to a shell, to the preprocessor.
    std::vector<std::string> preprocessor =
        macros_in_text ? std::vector<std::string>() : definitions(options);
    for (const std::string& file : options.included) append(preprocessor, {"-include", file});
    for (std::size_t i = 0; i < folders->size(); ++i)
      append(preprocessor, {i == 0 ? "-iquote" : "-I", (*folders)[i].first});
    const std::string front = macros_in_text ? front_text("", options.defines) : std::string();
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{
              kInput, front + line_directive(options.file) + options.text + instance_uses(options.instances)},
          {"warplens_options", response_file(preprocessor)}})
      if (auto written = write_text((*room)->folder() / name, text); !written) return written.error();
    return run_compiler(**room, command, options);
  };
  auto result = run(false);
  bool in_text = false;
  if (result && !result->ok && !options.defines.empty() && headers_broke(result->log))
    result = run(in_text = true);
  // Kernels that launch kernels; the others of their file are as they are without.
  if (result && !result->ok && result->log.find("requires separate compilation mode") != std::string::npos) {
    command.emplace_back("-rdc=true");
    result = run(in_text);
  }
  if (result) result->folders.insert(result->folders.end(), folders->begin(), folders->end());
  return result;
}

namespace {

// PTX for an older GPU is valid on a newer one: clang versions that do not know sm_90 compile for the newest
// they know, and the text says what it runs on.
void retarget(std::string& ptx, const std::string& from, const std::string& to) {
  const auto replace_first = [&ptx](const std::string& what, const std::string& with) {
    if (const std::size_t at = ptx.find(what); at != std::string::npos) ptx.replace(at, what.size(), with);
  };
  replace_first(".version 7.5", ".version 7.8");
  replace_first(".target " + from, ".target " + to);
}

std::vector<std::string> clang_command(const Toolchain& tools, const std::string& headers,
                                       const std::string& arch) {
  const bool recent = tools.clang_major >= 16;
  return {tools.clang.path,
          "-x",
          "cuda",
          "--cuda-device-only",
          "--cuda-path=none",
          "-nocudainc",
          "-nocudalib",
          "-nostdinc",
          "-nostdinc++",
          "-S",
          "-O3",
          "--cuda-gpu-arch=" + arch,
          std::string("-std=") + kStandard,
          "-gline-tables-only",
          "-fno-color-diagnostics",
          "-Wno-unknown-cuda-version",
          "-Wno-unused-command-line-argument",
          "-Xclang",
          "-target-feature",
          "-Xclang",
          recent ? "+ptx78" : "+ptx75",
          "-include",
          kFront,
          "-I" + headers,
          "-I.",
          kInput,
          "-o",
          kOutput};
}

}  // namespace

Result<BackendResult> compile_with_clang(const CompileOptions& options, const SourceTree& tree,
                                         const Toolchain& tools) {
  const auto room = Workroom::open();
  if (!room) return room.error();
  const std::filesystem::path folder = (*room)->folder();
  const Result<std::string> headers = device_header_folder();
  if (!headers) return headers.error();
  const DeviceSource source = tree.device(kOurHeaders);
  const std::vector<std::string> macros = users_macros(options, tree);
  for (const std::string& name : kOurHeaders) {
    const std::filesystem::path file = folder / name;
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    if (auto written = write_text(file, sheltered(our_header_text(name), macros)); !written)
      return written.error();
  }
  if (auto written =
          write_text(folder / kFront, front_text("#include \"warplens_cuda.cuh\"", options.defines));
      !written)
    return written.error();
  for (const auto& [name, text] : source.headers)
    if (auto written = write_text(folder / name, text); !written) return written.error();

  const int newest = tools.clang_major >= 16 ? 90 : 86;
  const std::string arch = arch_number(options.arch) > newest ? "sm_" + std::to_string(newest) : options.arch;
  const std::vector<std::string> command = clang_command(tools, *headers, arch);
  const std::vector<std::string> launched = all_instances(options, tree);
  Result<BackendResult> first = BackendResult{};
  for (const auto& instances : {launched, options.instances}) {
    if (auto written = write_text(folder / kInput,
                                  line_directive(options.file) + source.text + instance_uses(instances));
        !written)
      return written.error();
    auto result = run_compiler(**room, command, options);
    if (!result) return result.error();
    const bool second = !first->log.empty();
    if (!second || has_kernels(result->ptx)) first = std::move(result);
    if (first->ok || launched.size() == options.instances.size()) break;
  }
  if (arch != options.arch) retarget(first->ptx, arch, options.arch);
  return first;
}

}  // namespace warplens::source
