// libFuzzer target of the trace reader: whatever bytes a file holds, loading ends with a trace whose every
// step can be read, or with an error.

#include <sstream>

#include "engine/trace/trace.h"

using warplens::trace::Space;
using warplens::trace::Trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  const auto loaded = Trace::load(in, size, "fuzz");
  if (!loaded) return 0;
  for (std::size_t step = 0; step < loaded->size(); ++step) {
    const auto access = loaded->access(step);
    (void)loaded->branch(step);
    (void)loaded->barrier(step);
    (void)loaded->mask(step);
    (void)loaded->block_of(step);
    (void)loaded->describe(Space::Global, access.addresses[0]);
  }
  return 0;
}
