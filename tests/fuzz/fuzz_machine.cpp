// Any bytes as machine code: as the file that ptxas writes, and as the printed listing of a module's kernels,
// which every rule then follows.
#include "engine/ptx/facts/unrolled_loops.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/source/cubin.h"
#include "tests/fuzz/target.h"

namespace {

using namespace warplens;

const ptx::Module& module_of_seed() {
  static const ptx::Module module = [] {
    const auto files = fuzz::files_in("tests/conformance/ptx", "language.ptx", 1 << 22);
    auto parsed = ptx::parse(files.at(0));
    if (!parsed) fuzz::complain("the seed's module", parsed.error().text());
    return std::move(*parsed);
  }();
  return module;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto read = source::read_cubin({data, size})) (void)print(*read);
  const auto listing = ptx::parse_listing(fuzz::text_of(data, size));
  if (!listing) return 0;
  const std::string text = print(*listing);
  const auto again = ptx::parse_listing(text);
  if (!again || !(*again == *listing)) fuzz::complain("printed, it differs", text);
  ptx::Module module = module_of_seed();
  attach(*listing, module);
  for (const ptx::Function& function : module.functions) {
    if (function.machine.empty()) continue;
    for (const ptx::LoweredAccess& access : lower(module, function).accesses)
      if (access.leader >= function.instructions.size()) fuzz::complain("no leader", function.name);
  }
  return 0;
}

std::vector<std::string> warplens::fuzz::seeds() {
  return files_in("tests/conformance/machine", "language.txt");
}
