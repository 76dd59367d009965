// The part of the rewrite that records every access, branch and barrier in full (RecordHead in instrument.h).
#pragma once

#include <cstdint>
#include <string>

#include "engine/gpu/instrument_parts.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

class RecordWriter {
 public:
  RecordWriter(const ptx::Module& module, Labels& labels)
      : module_(module), clusters_(reaches_other_blocks(module)), labels_(labels) {}
  static std::string prologue(bool is_entry);
  // Code in front of the instruction of a site; empty for sites that leave no record.
  std::string before(const ptx::Function& function, const ptx::Instruction& instruction,
                     const trace::Site& site);

 private:
  std::string record(const trace::Site& site, int addresses, const std::string& detail,
                     const std::string& stores);
  std::string guarded(const ptx::Function& function, const ptx::Guard& guard, const std::string& body);
  std::string branch(const ptx::Function& function, const ptx::Instruction& instruction,
                     const trace::Site& site);
  std::string access(const ptx::Function& function, const ptx::Instruction& instruction,
                     const trace::Site& site);
  std::string one_space_each(const trace::Site& site, const std::string& address);
  std::string generic(const trace::Site& site, const std::string& address);
  const ptx::Module& module_;
  bool clusters_ = false;  // addresses may lie in another block's shared memory
  Labels& labels_;
};

}  // namespace warplens::gpu
