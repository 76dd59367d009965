#include "app/model/run/older_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/text.h"

namespace warplens::model {
namespace {

// What nvcc says of something that an older toolkit had, and its host compiler in a C++ file, in
// plain_words(). A wrong guess costs a second compilation: should that fail too, nobody hears of it.
constexpr std::string_view kDeclarations[] = {
    "\"cudaDeviceProp\" has no member",
    "in \"cudaDeviceProp\"",
    "\"cudaMemLocation\"",
    "\"CUmemLocation\"",
    "\"cudaThread",
    "\"__shfl",
    "\"__any\"",
    "\"__all\"",
    "\"__ballot\"",
    "unary_function",
    "binary_function",
    "namespace \"cub\" has no member",
    "\"thrust\" has no member \"identity\"",
    "THRUST_HOST_DEVICE",
    "\"CUB_MIN\"",
    "\"CUB_MAX\"",
    "\"cuCtxCreate_v4\"",
    "cudaGraphEdgeData",
    "\"cudaGraphAddDependencies",
    "\"cudaGraphRemoveDependencies",
    "\"cudaGraphGetEdges",
    "\"cudaGraphNodeGetDepend",
    "too few arguments in function call",
    "too few arguments to function",
};
constexpr std::string_view kTextures[] = {"texture is not a template",     "\"texture\" is undefined",
                                          "\"texture\" is not a template", "cudaBindTexture",
                                          "\"textureReference\"",          "cudaUnbindTexture"};
constexpr std::string_view kSurfaces[] = {"surface is not a template", "\"surface\" is undefined",
                                          "\"surface\" is not a template", "cudaBindSurfaceToArray",
                                          "\"surfaceReference\""};

// What the host's compiler says of a kernel, and of its launch, in a C++ file.
constexpr std::string_view kCppFiles[] = {".cpp:", ".cc:", ".cxx:"};
constexpr std::string_view kKernels[] = {"threadIdx", "blockIdx", "__global__", "before \"<\" token"};

// Compilers quote names in three ways, and some say what kind of type it is: "cudaDeviceProp",
// \u2018struct cudaDeviceProp\u2019, 'cudaDeviceProp'.
std::string plain_words(std::string log) {
  for (const std::string_view quote : {"\u2018", "\u2019", "'"}) replace_all(log, std::string(quote), "\"");
  for (const std::string_view kind : {"\"struct ", "\"class ", "\"enum "})
    replace_all(log, std::string(kind), "\"");
  return log;
}

bool says(const std::string& log, std::string_view words) {
  return log.find(words) != std::string::npos;
}

// "helper_cuda.h" of "main.cu:3:10: fatal error: helper_cuda.h: No such file or directory".
std::vector<std::string> missing_headers(const std::string& log) {
  constexpr std::string_view kBegin = "fatal error: ", kEnd = ": No such file";
  std::vector<std::string> out;
  for (std::size_t at = log.find(kBegin); at != std::string::npos; at = log.find(kBegin, at + 1)) {
    const std::size_t begin = at + kBegin.size(), end = log.find(kEnd, begin);
    if (end != std::string::npos && log.find('\n', begin) > end)
      out.push_back(log.substr(begin, end - begin));
  }
  return out;
}

}  // namespace

bool PutBack::add(const std::string& said) {
  const PutBack before = *this;
  const std::string log = plain_words(said);
  const auto any_of = [&](const auto& list) {
    return std::ranges::any_of(list, [&](std::string_view words) { return says(log, words); });
  };
  if (any_of(kTextures)) textures = true;
  if (any_of(kSurfaces)) surfaces = true;
  if (any_of(kDeclarations) || textures || surfaces) declarations = true;
  if (says(log, "requires separate compilation mode")) relocatable = true;
  if (says(log, "undefined reference to `omp_") || says(log, "undefined reference to `GOMP_")) openmp = true;
  if (any_of(kCppFiles) && any_of(kKernels)) as_cuda = true;
  for (const std::string& name : missing_headers(log))
    if (have_header(name)) headers.insert(name);
  return textures != before.textures || surfaces != before.surfaces || relocatable != before.relocatable ||
         openmp != before.openmp || as_cuda != before.as_cuda || declarations != before.declarations ||
         headers != before.headers;
}

std::vector<std::string> PutBack::options(const std::string& folder) const {
  std::vector<std::string> out;
  if (declarations) out.insert(out.end(), {"-include", folder + "/before_cuda_13.h"});
  if (relocatable) out.emplace_back("-rdc=true");
  return out;
}

std::vector<std::string> PutBack::preprocessor(const std::string& folder) const {
  std::vector<std::string> out;
  if (declarations) out.emplace_back("-Wno-deprecated-declarations");
  if (openmp) out.emplace_back("-fopenmp");
  if (textures) out.emplace_back("-DWARPLENS_TEXTURE_REFERENCES");
  if (surfaces) out.emplace_back("-DWARPLENS_SURFACE_REFERENCES");
  // Last of all folders: what the user has goes first.
  if (!headers.empty()) out.insert(out.end(), {"-idirafter", folder + "/samples"});
  return out;
}

std::vector<Message> PutBack::notes() const {
  std::vector<Message> out;
  if (declarations && !textures && !surfaces) out.push_back({"run.older.declarations", {}});
  if (textures) out.push_back({"run.older.textures", {}});
  if (surfaces) out.push_back({"run.older.surfaces", {}});
  if (relocatable) out.push_back({"run.older.relocatable", {}});
  if (openmp) out.push_back({"run.older.openmp", {}});
  if (as_cuda) out.push_back({"run.older.as_cuda", {}});
  if (!headers.empty())
    out.push_back({"run.older.headers", {{"names", value_of(fmt::format("{}", fmt::join(headers, ", ")))}}});
  return out;
}

}  // namespace warplens::model
