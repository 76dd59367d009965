#include "engine/source/backends.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/assets.h"
#include "engine/source/device_headers.h"
#include "engine/source/launches.h"
#include "engine/source/nvrtc_worker.h"
#include "engine/source/process.h"
#include "engine/source/temporary_folder.h"

namespace warplens::source {
namespace {

constexpr const char* kStandard = "c++17";

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
  std::string text = tree.text;
  for (const UserHeader& header : tree.headers) text += "\n" + header.text;
  for (const std::string& instance : launched_instances(text))
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

std::string line_directive(const std::string& file) {
  std::string quoted;
  for (const char c : file) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return "#line 1 \"" + quoted + "\"\n";
}

std::vector<std::string> definitions(const CompileOptions& options) {
  std::vector<std::string> result;
  for (const auto& [key, value] : options.defines) result.push_back("-D" + key + "=" + value);
  return result;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Error no_folder() {
  return {ErrorKind::System, "cannot make a temporary folder", {}, {}};
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

// Runs a compiler that writes `output`.
Result<BackendResult> run_compiler(const std::vector<std::string>& command,
                                   const std::filesystem::path& output, const CompileOptions& options) {
  auto process = run_process(command, {.limits = options.limits, .progress = options.progress});
  if (!process) {
    Error error = process.error();
    if (error.kind == ErrorKind::Compile) error.place.file = options.file;
    return error;
  }
  BackendResult result;
  result.log = process->err + process->out;
  if (process->status != 0 && gave_up(*process)) {
    Error error =
        took_too_much(std::filesystem::path(command[0]).filename().string(), options.file, options.limits);
    error.notes = {result.log.substr(0, 2000)};
    return error;
  }
  if (process->status != 0) return result;
  auto ptx = read_text(output);
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
  request.name = options.file;
  request.text = source.text;
  request.headers = source.headers;
  request.headers.emplace_back("warplens_std.cuh", device_header("warplens_std.cuh"));
  request.options = {"--gpu-architecture=compute_" + options.arch.substr(3),
                     "--generate-line-info",
                     std::string("--std=") + kStandard,
                     "--device-as-default-execution-space",
                     "--device-int128",
                     "--pre-include=warplens_std.cuh"};
  append(request.options, definitions(options));
  if (!toolkit_headers)
    for (const std::string& name : kOurHeaders) request.headers.emplace_back(name, our_header_text(name));
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
  return BackendResult{last->ok, std::move(last->ptx), std::move(last->log), source.changed};
}

Result<BackendResult> compile_with_nvcc(const CompileOptions& options, const SourceTree& tree,
                                        const Toolchain& tools) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return no_folder();
  const std::filesystem::path input = folder.path() / "kernel.cu", output = folder.path() / "kernel.ptx";
  if (auto written =
          write_text(input, line_directive(options.file) + options.text + instance_uses(options.instances));
      !written)
    return written.error();
  std::vector<std::string> command = {tools.nvcc.path,
                                      "-ptx",
                                      "-arch=" + options.arch,
                                      "-lineinfo",
                                      std::string("-std=") + kStandard,
                                      "--expt-relaxed-constexpr",
                                      "--extended-lambda",
                                      input.string(),
                                      "-o",
                                      output.string()};
  append(command, definitions(options));
  for (const std::string& path : tree.search) command.push_back("-I" + (path.empty() ? "." : path));
  return run_compiler(command, output, options);
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

std::vector<std::string> clang_command(const CompileOptions& options, const Toolchain& tools,
                                       const std::string& headers, const std::filesystem::path& folder,
                                       const std::string& arch) {
  const bool recent = tools.clang_major >= 16;
  std::vector<std::string> command = {tools.clang.path,
                                      "-x",
                                      "cuda",
                                      "--cuda-device-only",
                                      "--cuda-path=" + (folder / "none").string(),
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
                                      "warplens_cuda.cuh",
                                      "-I" + headers,
                                      "-I" + folder.string(),
                                      (folder / "kernel.cu").string(),
                                      "-o",
                                      (folder / "kernel.ptx").string()};
  append(command, definitions(options));
  return command;
}

}  // namespace

Result<BackendResult> compile_with_clang(const CompileOptions& options, const SourceTree& tree,
                                         const Toolchain& tools) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return no_folder();
  const Result<std::string> headers = device_header_folder();
  if (!headers) return headers.error();
  const DeviceSource source = tree.device(kOurHeaders);
  for (const std::string& name : kOurHeaders) {
    const std::filesystem::path file = folder.path() / name;
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    if (auto written = write_text(file, our_header_text(name)); !written) return written.error();
  }
  for (const auto& [name, text] : source.headers)
    if (auto written = write_text(folder.path() / name, text); !written) return written.error();

  const int newest = tools.clang_major >= 16 ? 90 : 86;
  const std::string arch = arch_number(options.arch) > newest ? "sm_" + std::to_string(newest) : options.arch;
  const std::vector<std::string> command = clang_command(options, tools, *headers, folder.path(), arch);
  const std::vector<std::string> launched = all_instances(options, tree);
  Result<BackendResult> first = BackendResult{};
  for (const auto& instances : {launched, options.instances}) {
    if (auto written = write_text(folder.path() / "kernel.cu",
                                  line_directive(options.file) + source.text + instance_uses(instances));
        !written)
      return written.error();
    auto result = run_compiler(command, folder.path() / "kernel.ptx", options);
    if (!result) return result.error();
    const bool second = !first->log.empty();
    if (!second || has_kernels(result->ptx)) first = std::move(result);
    if (first->ok || launched.size() == options.instances.size()) break;
  }
  if (arch != options.arch) retarget(first->ptx, arch, options.arch);
  first->host_part_removed = source.changed;
  return first;
}

}  // namespace warplens::source
