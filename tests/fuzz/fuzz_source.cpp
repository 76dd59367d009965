// Any text into what reads CUDA C++ without a compiler: the lexer, the host part set aside, launches found in
// host code, declarations of shared arrays; and into what reads compilers' messages.
#include "app/model/text/shared_declarations.h"
#include "engine/source/compile.h"
#include "engine/source/diagnostics.h"
#include "engine/source/host_code.h"
#include "engine/source/launches.h"
#include "engine/source/lexer.h"
#include "tests/fuzz/target.h"

using namespace warplens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const std::vector<source::Token> tokens = source::without_disabled(source::tokenize(text));
  for (const source::Token& token : tokens)
    if (token.end() > text.size()) fuzz::complain("a token outside the text", text);
  if (source::match_brackets(tokens).size() != tokens.size()) fuzz::complain("brackets lost", text);
  const auto keep = [](const std::string&, const std::string& directive) { return directive; };
  const source::DevicePart device = source::device_part(text, keep);
  if (device.text.size() < text.size()) fuzz::complain("the device part is shorter", text);
  (void)source::read_host({.text = text});
  (void)model::shared_declarations(text, {{"TILE", "16"}});
  (void)source::parse_diagnostics(text, text);
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> out = files_in("tests/conformance/kernels", ".cu", 8000);
  for (const char* folder : {"kernels", "tests/simt/broken", "tests/ptx/data"})
    for (std::string& text : files_in(folder, ".cu", 8000)) out.push_back(std::move(text));
  out.push_back(
      "#define N 1000\n#define UP(a, b) (((a) + (b) - 1) / (b))\nconstexpr int block = 256;\n"
      "template <int B> __global__ void sum(float* x, int n) { __shared__ float t[B][B + 1]; }\n"
      "int main(int argc, char** argv) {\n  int n = argc > 1 ? atoi(argv[1]) : N;\n  float* d;\n"
      "  cudaMalloc(&d, n * sizeof(float));\n  dim3 grid(UP(n, block), 2);\n"
      "  for (int i = 0; i < 4; ++i) sum<block / 8><<<grid, dim3(block), 48 << 2>>>(d, n);\n}\n");
  out.push_back(
      "k.cu(8): error: identifier \"x\" is undefined\n    y = x;\n        ^\n\nk.cu:8:13: error: no\n");
  return out;
}
