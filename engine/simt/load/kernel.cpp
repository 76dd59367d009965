#include <fmt/format.h>

#include "engine/base/message.h"
#include "engine/simt/emulator.h"
#include "engine/simt/load/loader.h"

namespace warplens::simt {

Result<Kernel> Kernel::load(std::shared_ptr<const ptx::Module> module, std::string_view name,
                            int sm_version) {
  if (module == nullptr) return told(ErrorKind::Usage, {"load.no_module", {}});
  Result<const ptx::Function*> entry = module->find_entry(name);
  if (!entry) return entry.error();
  Loader loader(*module, **entry, sm_version);
  std::shared_ptr<Program> program = loader.load();
  if (program->impossible) return *program->impossible;
  if (!program->unsupported.empty()) {
    const UnsupportedOp& first = program->unsupported.front();
    const std::string& kernel = (*entry)->demangled.empty() ? (*entry)->name : (*entry)->demangled;
    Error error = told(ErrorKind::Unsupported, {"load.unsupported",
                                                {{"kernel", value_of(kernel)},
                                                 {"what", value_of(first.op)},
                                                 {"ptx_line", value_of(first.ptx_line)}}});
    error.place.line = first.line;
    for (const UnsupportedOp& op : program->unsupported) {
      error.notes.push_back(fmt::format("line {}: {}", op.line, op.op));
      if (error.notes.size() == 20) break;
    }
    return error;
  }
  program->module = std::move(module);
  Kernel kernel;
  kernel.program_ = std::move(program);
  return kernel;
}

std::vector<UnsupportedOp> Kernel::unsupported(const ptx::Module& module, const ptx::Function& entry) {
  Loader loader(module, entry, 90);
  return loader.load()->unsupported;
}

const ptx::Module& Kernel::module() const {
  return *program_->module;
}
const ptx::Function& Kernel::entry() const {
  return *program_->entry;
}
const std::vector<trace::Site>& Kernel::sites() const {
  return program_->sites;
}
std::uint64_t Kernel::static_shared_bytes() const {
  return program_->static_shared;
}

}  // namespace warplens::simt
