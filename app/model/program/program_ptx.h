// The PTX that a program's file carries for its kernels, as nvcc has put it there.
//
//   const ProgramPtx ptx = read_program_ptx("./program");
//   const std::string* text = ptx.of("_Z5scalePfi");
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warplens::model {

struct ProgramPtx {
  // One a translation unit, of its newest architecture; device code that was linked is one text.
  std::vector<std::string> texts;
  // That which defines this kernel; nullptr: none does.
  const std::string* of(const std::string& mangled) const;
};
// Empty for what is no program, and for one without PTX.
ProgramPtx read_program_ptx(const std::filesystem::path& program);

// Names of the kernels that a text defines, and of its variables in global and constant memory.
std::vector<std::string> kernels_in(const std::string& ptx);
std::vector<std::string> variables_in(const std::string& ptx);

}  // namespace warplens::model
