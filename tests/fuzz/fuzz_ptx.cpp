// Any text into the PTX front end: it must end in an error or in a module that every analysis accepts and
// that the printer writes in a form that reads back as the same.
#include "engine/ptx/facts/liveness.h"
#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/ptx/syntax/printer.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warplens::ptx;
  using warplens::fuzz::complain;
  const auto module = parse(warplens::fuzz::text_of(data, size));
  if (!module) return 0;
  for (const Function& function : module->functions) {
    const Liveness liveness = Liveness::compute(*module, function);
    const RowAssignment rows = assign_rows(*module, function);
    if (rows.rows > 4 * function.registers.size() + 2) complain("too many rows", function.name);
    for (const ExecutedAs& executed : as_executed(*module, function)) {
      if (executed.leader >= function.instructions.size()) complain("no leader", function.name);
    }
  }
  (void)module->find_entry("k");
  const std::string text = print(*module);
  const auto again = parse(text);
  if (!again) complain(again.error().text().c_str(), text);
  if (print(*again) != text) complain("printed twice, it differs", text);
  return 0;
}

std::vector<std::string> warplens::fuzz::seeds() {
  return files_in("tests/ptx/data", ".ptx");
}
