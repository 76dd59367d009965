#include "engine/runtime/kept_source.h"

namespace warplens::runtime {

std::string keep_source(const ptx::Module& module, const ptx::Function& entry,
                        const std::filesystem::path& folder) {
  for (const ptx::Instruction& instruction : entry.instructions) {
    if (instruction.source >= entry.source_lines.size()) continue;
    const ptx::SourceLine& line = entry.source_lines[instruction.source];
    if (line.inlined_at != ptx::kNone || line.file <= 0 ||
        static_cast<std::size_t>(line.file) >= module.files.size())
      continue;
    std::error_code failed;
    const std::filesystem::path there =
        std::filesystem::canonical(module.files[static_cast<std::size_t>(line.file)], failed);
    if (failed || !std::filesystem::is_regular_file(there, failed)) return {};
    std::filesystem::copy_file(there, folder / there.filename(),
                               std::filesystem::copy_options::overwrite_existing, failed);
    return failed ? std::string() : there.filename().string();
  }
  return {};
}

}  // namespace warplens::runtime
