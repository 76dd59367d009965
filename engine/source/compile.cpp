#include "engine/source/compile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/syntax/kernel_names.h"
#include "engine/source/backends.h"
#include "engine/source/cache.h"
#include "engine/source/cache_lock.h"
#include "engine/source/device_headers.h"
#include "engine/source/diagnostics.h"
#include "engine/source/process.h"
#include "engine/source/source_names.h"
#include "engine/source/toolchain.h"

namespace warplens::source {
namespace {

struct Backend {
  Compiler compiler;
  std::string_view name;
  Tool Toolchain::*tool;
  Result<BackendResult> (*compile)(const CompileOptions&, const SourceTree&, const Toolchain&);
};
// In the order in which Automatic tries them. nvcc first: NVRTC computes addresses of shared memory in 64
// bits, nvcc in 32, so that registers and the widths of joined loads differ (SUPPORT.md), and nvcc sees files
// whole.
constexpr std::array<Backend, 3> kBackends = {
    {{Compiler::Nvcc, "nvcc", &Toolchain::nvcc, compile_with_nvcc},
     {Compiler::Nvrtc, "nvrtc", &Toolchain::nvrtc_tool, compile_with_nvrtc},
     {Compiler::Clang, "clang", &Toolchain::clang, compile_with_clang}}};

bool is_arch(const std::string& arch) {
  if (arch.rfind("sm_", 0) != 0 || arch.size() < 5) return false;
  std::size_t i = 3;
  while (i < arch.size() && std::isdigit(static_cast<unsigned char>(arch[i])) != 0) ++i;
  const std::size_t digits = i - 3;
  return digits >= 2 && digits <= 3 &&
         (i == arch.size() || (i + 1 == arch.size() && (arch[i] == 'a' || arch[i] == 'f')));
}

// Only a name may stand before the '='.
bool is_macro_name(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// What stands behind it goes on one line of the preprocessor's, and must not reach beyond. Nothing, or a key.
const char* trouble_with(const std::string& value) {
  if (std::ranges::any_of(value, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }))
    return "compile.define.control_character";
  if (value.ends_with('\\')) return "compile.define.backslash";
  return nullptr;
}

Status check(const CompileOptions& options) {
  if (!is_arch(options.arch))
    return told(ErrorKind::Usage, {"compile.no_architecture", {{"text", value_of(options.arch)}}});
  for (const auto& [key, value] : options.defines) {
    if (!is_macro_name(key))
      return told(ErrorKind::Usage, {"compile.define.no_name", {{"name", value_of(key)}}});
    if (const char* const trouble = trouble_with(value); trouble != nullptr)
      return told(ErrorKind::Usage, {trouble, {{"name", value_of(key)}}});
  }
  if (options.file.find('\0') != std::string::npos)
    return told(ErrorKind::Usage, {"compile.zero_in_name", {}});
  return Done{};
}

// What NVRTC, nvcc and clang say to an architecture that they do not have; none of them names a line.
bool refuses_architecture(const std::string& log) {
  constexpr std::string_view kRefusals[] = {"invalid value for --gpu-architecture",
                                            "nsupported gpu architecture",
                                            "unsupported CUDA gpu architecture"};
  return std::ranges::any_of(kRefusals, [&](auto text) { return log.find(text) != std::string::npos; });
}

// A front end that notices by itself that it may have no more.
bool ran_out_of_memory(const std::string& log) {
  return log.find("error: out of memory") != std::string::npos;
}

Error unknown_architecture(const std::string& compiler, const std::string& arch) {
  return told(ErrorKind::Usage,
              {"compile.unknown_architecture", {{"compiler", value_of(compiler)}, {"arch", value_of(arch)}}});
}

std::string text_or_nothing(const std::string& file) {
  auto text = read_text(file);
  return text ? std::move(*text) : std::string();
}

std::string cache_key(const CompileOptions& options, const SourceTree& tree, const std::string& version) {
  Hash hash;
  hash.add("warplens-source-2").add(version).add(options.arch).add(options.file).add(options.text);
  for (const auto& [key, value] : options.defines) hash.add(key).add(value);
  hash.add("paths");
  for (const std::string& path : options.include_paths) hash.add(path);
  for (const std::string& file : options.included) hash.add(file).add(text_or_nothing(file));
  hash.add("instances");
  for (const std::string& instance : options.instances) hash.add(instance);
  for (const UserHeader& header : tree.headers) hash.add(header.path).add(header.text);
  for (const auto& [name, text] : device_headers()) hash.add(name).add(text);
  return hash.text();
}

bool is_users(const Place& place, const SourceTree& tree) {
  return place.file == tree.file || std::ranges::any_of(tree.headers, [&](const UserHeader& header) {
           return header.path == place.file;
         });
}

const std::string* text_of(const std::string& file, const SourceTree& tree) {
  if (file == tree.file) return &tree.text;
  const auto header = std::ranges::find(tree.headers, file, &UserHeader::path);
  return header == tree.headers.end() ? nullptr : &header->text;
}

// Whether the text alone is to blame, so that it will not compile the next time either: not so when a header
// is missing, which may be installed meanwhile, or when the compiler failed at anything but the user's files.
bool will_fail_again(const std::vector<Diagnostic>& diagnostics, const SourceTree& tree) {
  bool any = false;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Diagnostic::Severity::Error) continue;
    const std::string* text = text_of(diagnostic.place.file, tree);
    if (text == nullptr || diagnostic.place.line <= 0) return false;
    if (line_of(*text, diagnostic.place.line).find("include") != std::string_view::npos) return false;
    any = true;
  }
  return any;
}

SourceNames names_of(const SourceTree& tree,
                     const std::vector<std::pair<std::string, std::string>>& folders) {
  std::vector<std::string> files{tree.file};
  for (const UserHeader& header : tree.headers) files.push_back(header.path);
  SourceNames names(files);
  for (const auto& [seen, known] : folders) names.add_folder(seen, known);
  return names;
}

// Compiles with one compiler, through the cache. `refused`: it has judged the text, and another may be asked.
Result<Ptx> compile_one(const Backend& backend, const CompileOptions& options, const SourceTree& tree,
                        const Toolchain& tools, bool& refused) {
  const std::string& version = (tools.*backend.tool).version;
  const std::string key = cache_key(options, tree, version);
  const auto kept = [&]() -> std::optional<Result<Ptx>> {
    if (auto cached = load_cached(key)) return std::move(*cached);
    auto failure = load_failure(key);
    if (!failure) return std::nullopt;
    refused = true;
    return std::move(*failure);
  };
  std::optional<CacheLock> lock;
  if (options.use_cache) {
    if (auto known = kept()) return std::move(*known);
    lock.emplace(key, options.limits.seconds, options.progress);
    if (auto known = kept()) return std::move(*known);
  }
  auto result = backend.compile(options, tree, tools);
  if (!result) return result.error();
  const SourceNames names = names_of(tree, result->folders);
  const auto text = [&](const std::string& file) { return text_of(file, tree); };
  std::vector<Diagnostic> diagnostics = parse_diagnostics(result->log, names, text);
  if (!result->ok && refuses_architecture(result->log)) return unknown_architecture(version, options.arch);
  if (!result->ok && ran_out_of_memory(result->log))
    return took_too_much(version, options.file, options.limits);
  // Warnings about headers that are not the user's help nobody.
  order_diagnostics(diagnostics, [&](const Place& place) { return is_users(place, tree); });
  refused = !result->ok;
  if (refused) {
    Error error = compile_error(version, options.file, result->log, diagnostics);
    if (const std::string* of = text_of(error.place.file, tree); of != nullptr && error.place.line > 0)
      name_lookalikes(error, line_of(*of, error.place.line));
    if (options.use_cache && will_fail_again(diagnostics, tree)) store_failure(key, error);
    return error;
  }
  std::erase_if(diagnostics, [](const auto& d) { return d.severity != Diagnostic::Severity::Warning; });
  Ptx ptx{std::move(result->ptx), backend.compiler, version, {}, std::move(diagnostics), false};
  names.restore(ptx.text);
  if (options.use_cache) store_cached(key, ptx);
  return ptx;
}

Error no_compiler(const Toolchain& tools) {
  Error error = told(ErrorKind::System, {"compile.no_compiler", {}});
  for (const auto& [name, tool] : {std::pair{"NVRTC", &tools.nvrtc_tool}, std::pair{"nvcc", &tools.nvcc},
                                   std::pair{"clang", &tools.clang}})
    error.notes.push_back(std::string(name) + ": " + tool->reason.message);
  return error;
}

// nvcc, whose code is what people run. What it refuses may be host code, or the lack of a host compiler or of
// a header that only host code needs: NVRTC, which sees the device part alone, is then asked too, and the
// result says so. Where both refuse, nvcc's reasons are the true ones.
Result<Ptx> compile_automatically(const CompileOptions& options, const SourceTree& tree,
                                  const Toolchain& tools) {
  std::optional<Error> refused;
  for (const Backend& backend : kBackends) {
    if ((tools.*backend.tool).path.empty()) continue;
    if (refused && backend.compiler != Compiler::Nvrtc) break;
    bool was_refused = false;
    Result<Ptx> ptx = compile_one(backend, options, tree, tools, was_refused);
    if (ptx && refused) {
      ptx->remarks.push_back({"compile.made.nvcc_refuses", {{"why", with_place(*refused)}}});
      ptx->refusal = refused->notes;
      ptx->refusal.insert(ptx->refusal.begin(), refused->message);
    }
    if (ptx || ptx.error().kind == ErrorKind::Cancelled) return ptx;
    if (backend.compiler != Compiler::Nvcc || !was_refused) return refused ? *refused : ptx;
    refused = ptx.error();
  }
  return refused ? Result<Ptx>(*refused) : no_compiler(tools);
}

Result<Ptx> compile_text(const CompileOptions& given, const Toolchain& tools) {
  CompileOptions options = given;
  options.text = without_byte_order_mark(given.text);
  for (std::string& instance : options.instances) instance = ptx::as_written(instance);
  const SourceTree tree = read_source_tree(options.file, options.text, options.include_paths);
  if (options.compiler == Compiler::Automatic) return compile_automatically(options, tree, tools);
  for (const Backend& backend : kBackends) {
    if (backend.compiler != options.compiler) continue;
    const Tool& tool = tools.*backend.tool;
    if (tool.path.empty())
      return told(ErrorKind::System,
                  {"compile.tool.not_available",
                   {{"tool", value_of(std::string(backend.name))}, {"reason", value_of(tool.reason)}}});
    bool ignored = false;
    return compile_one(backend, options, tree, tools, ignored);
  }
  return no_compiler(tools);
}

}  // namespace

std::string_view name(Compiler compiler) {
  for (const Backend& backend : kBackends)
    if (backend.compiler == compiler) return backend.name;
  return "automatic";
}

Result<Compiler> compiler_from(std::string_view name) {
  if (name == "automatic" || name == "auto") return Compiler::Automatic;
  for (const Backend& backend : kBackends)
    if (backend.name == name) return backend.compiler;
  return told(ErrorKind::Usage, {"compile.which_compiler", {{"name", value_of(std::string(name))}}});
}

Result<Ptx> compile_with(const CompileOptions& options, const Toolchain& tools) {
  if (auto usable = check(options); !usable) return usable.error();
  return within_limit(options.limits.reading(), options.progress, options.file,
                      [&] { return compile_text(options, tools); });
}

Result<Ptx> compile(const CompileOptions& options) {
  return compile_with(options, find_toolchain(SearchPlaces::from_environment()));
}

}  // namespace warplens::source
