// Any PTX into the whole line: parser, emulator with every check, counts, trace, explanations, report. A
// kernel may fault, hang or make no sense; what must come out is an error or a report.
#include <memory>

#include "app/model/picture/shared_arrays.h"
#include "app/model/run/pipeline.h"
#include "engine/base/message.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

using namespace warplens;

namespace {

trace::Argument argument_for(const ptx::Variable& parameter) {
  trace::Argument out;
  switch (parameter.bytes()) {
    case 8:
      out.is_buffer = true;
      out.type = trace::ElementType::F32;
      out.count = 300;
      out.init = trace::Init::Iota;
      break;
    case 4:
      out.integer = 40;
      out.bits = 40;
      break;
    default:
      out.structure.resize(std::min<std::uint64_t>(parameter.bytes(), 4096), 1);
  }
  return out;
}

void run(std::shared_ptr<const model::Program> program, const ptx::Function& entry) {
  static const Catalogue catalogue = *Catalogue::load("zh");
  model::RunRequest request;
  request.program = program;
  request.launch.kernel = entry.name;
  request.launch.grid.x = 4;
  request.launch.block.x = 40;
  if (!entry.required_threads.empty()) request.launch.block.x = std::min(entry.required_threads[0], 1024u);
  for (const ptx::Variable& parameter : entry.parameters)
    request.launch.arguments.push_back(argument_for(parameter));
  request.options.checks = simt::Checks::All;
  request.options.threads = 1;
  request.options.budget = 60000;
  request.options.memory_cap = std::uint64_t{32} << 20;
  request.recorder.max_bytes = std::size_t{1} << 20;
  const auto done = model::execute(request);
  if (!done) return;
  const trace::Trace& trace = (*done)->trace;
  for (std::size_t step = 0; step < trace.size(); ++step) (void)trace.access(step);
  (void)model::shared_arrays(**done);
  if (analysis::to_json((*done)->report, catalogue).empty()) fuzz::complain("no report", entry.name);
  (void)analysis::to_text((*done)->report, catalogue);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto module = ptx::parse(fuzz::text_of(data, size));
  if (!module) return 0;
  auto program = std::make_shared<model::Program>();
  program->file = "fuzz.ptx";
  program->is_ptx = true;
  program->text = program->ptx.text = fuzz::text_of(data, size);
  program->module = std::make_shared<const ptx::Module>(std::move(*module));
  int left = 4;
  for (const ptx::Function& function : program->module->functions)
    if (function.is_entry && left-- > 0) run(program, function);
  return 0;
}

// Bytes changed at random seldom leave PTX that means anything: every second input is made by lines and
// words.
#ifdef WARPLENS_LIBFUZZER
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text(fuzz::text_of(data, size));
  const std::string changed = fuzz::Mutator(seed).mutate(text, text).substr(0, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
#endif

// Single functions of the suites' modules: with their shared head, but short.
std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> out;
  for (const char* folder : {"tests/simt/broken/ptx", "tests/simt/samples/ptx", "tests/simt/data",
                             "tests/ptx/data", "tests/conformance/ptx"})
    for (const std::string& text : files_in(folder, ".ptx", 4000000)) {
      const std::size_t head = text.find(".visible .entry");
      if (head == std::string::npos) continue;
      for (std::size_t at = head, count = 0; at != std::string::npos && count < 12; ++count) {
        const std::size_t next = text.find(".visible .entry", at + 1);
        if (head < 6000 && next - at < 6000) out.push_back(text.substr(0, head) + text.substr(at, next - at));
        at = next;
      }
    }
  return out;
}
