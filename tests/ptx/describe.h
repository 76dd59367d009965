// A module as text in which every id is resolved, so that two modules are equal when their texts are, and a
// failing test shows the line that differs. Ids, the order of registers and of source lines do not matter.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

inline std::string describe(const Function& function, const Operand& operand) {
  std::string text = std::to_string(static_cast<int>(operand.kind));
  if (operand.negated) text += " not";
  if (operand.is_pair) text += " pair";
  if (operand.reg != kNone) {
    const Register& reg = function.registers[operand.reg];
    text += " " + reg.name + ":" + std::string(name(reg.type));
  }
  text += " " + std::to_string(static_cast<int>(operand.special)) + " " + std::to_string(operand.value) +
          " " + operand.symbol + " " + std::string(name(operand.type));
  for (const Operand& element : operand.elements) text += " <" + describe(function, element) + ">";
  return text;
}

inline std::string describe(const Variable& v) {
  std::string text = v.name + " " + std::string(name(v.space)) + " " + std::string(name(v.type)) + " align " +
                     std::to_string(v.alignment) + " v" + std::to_string(v.vector_width) + " x " +
                     std::to_string(v.count) + (v.is_array ? " array" : "") + (v.is_extern ? " extern" : "") +
                     (v.is_visible ? " visible" : "") + (v.is_weak ? " weak " : " ") + v.attribute + " ptr " +
                     std::string(name(v.pointee_space)) + " " + std::to_string(v.pointee_alignment) + " =";
  for (const std::uint8_t byte : v.initial) text += " " + std::to_string(byte);
  for (const Relocation& r : v.relocations) {
    text += " @" + std::to_string(r.offset) + ":" + std::to_string(r.bytes) + " " + r.symbol + "+" +
            std::to_string(r.addend) + (r.generic ? " generic" : "");
  }
  return text + "\n";
}

inline std::string describe_source(const Function& function, std::uint32_t source) {
  std::string text;
  for (int depth = 0; source != kNone && depth < 64; ++depth) {
    const SourceLine& line = function.source_lines[source];
    text += " at " + std::to_string(line.file) + ":" + std::to_string(line.line) + ":" +
            std::to_string(line.column) + " " + line.function;
    source = line.inlined_at;
  }
  return text;
}

inline std::string describe(const Module& module, const Function& function, const Instruction& in) {
  std::string text = module.form(in).text;
  if (in.guard.predicate != kNone) {
    text += (in.guard.negated ? " @!" : " @") + function.registers[in.guard.predicate].name;
  }
  const auto list = [&](const char* title, const std::vector<Operand>& operands) {
    for (const Operand& operand : operands)
      text += std::string(title) + "(" + describe(function, operand) + ")";
  };
  list(" ", in.operands);
  list(" returns ", in.call_returns);
  list(" arguments ", in.call_arguments);
  return text + " " + in.prototype + describe_source(function, in.source) + "\n";
}

inline std::string describe(const Module& module, const Function& f) {
  std::string text = f.name + " " + f.demangled + (f.is_entry ? " entry" : "") +
                     (f.is_extern ? " extern" : "") + (f.is_visible ? " visible" : "") +
                     (f.is_weak ? " weak\n" : "\n");
  for (const Variable& v : f.parameters) text += "parameter " + describe(v);
  for (const Variable& v : f.returns) text += "returns " + describe(v);
  for (const Variable& v : f.locals) text += "local " + describe(v);
  for (const auto n : f.max_threads) text += "maxntid " + std::to_string(n) + "\n";
  for (const auto n : f.required_threads) text += "reqntid " + std::to_string(n) + "\n";
  text += "minnctapersm " + std::to_string(f.min_blocks_per_sm.value_or(0)) + " maxnreg " +
          std::to_string(f.max_registers.value_or(0)) + "\n";
  for (const std::string& directive : f.directives) text += directive + "\n";
  for (const auto& [at, pragma] : f.pragmas) text += "pragma " + std::to_string(at) + " " + pragma + "\n";
  const std::map<std::string, std::uint32_t> labels(f.labels.begin(), f.labels.end());
  for (const auto& [label, at] : labels) text += "label " + label + " " + std::to_string(at) + "\n";
  const std::map<std::string, std::vector<std::string>> targets(f.target_lists.begin(), f.target_lists.end());
  for (const auto& [list, entries] : targets) {
    text += list;
    for (const std::string& entry : entries) text += " " + entry;
    text += "\n";
  }
  const std::map<std::string, std::string> prototypes(f.prototypes.begin(), f.prototypes.end());
  for (const auto& [list, prototype] : prototypes) text += list + prototype + "\n";
  for (const Instruction& in : f.instructions) text += describe(module, f, in);
  for (const BasicBlock& b : f.blocks) {
    text += "block " + std::to_string(b.first) + " " + std::to_string(b.last) + " meets " +
            std::to_string(b.immediate_post_dominator) + " depth " + std::to_string(b.loop_depth) + "\n";
  }
  return text;
}

inline std::string describe(const Module& module) {
  std::string text = module.target + " " + std::to_string(module.address_size) + "\n";
  for (const std::string& option : module.target_options) {
    if (option != "debug") text += "option " + option + "\n";  // DWARF is not kept
  }
  for (const std::string& file : module.files) text += "file " + file + "\n";
  for (const Variable& v : module.variables) text += describe(v);
  for (const Function& f : module.functions) text += describe(module, f);
  const std::map<std::string, std::string> aliases(module.aliases.begin(), module.aliases.end());
  for (const auto& [alias, target] : aliases) text += "alias " + alias + " " + target + "\n";
  return text;
}

// "" when equal, else the first line that differs in each.
inline std::string first_difference(const std::string& a, const std::string& b) {
  const std::size_t n = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  if (i == n && a.size() == b.size()) return "";
  const auto line = [i](const std::string& text) {
    const std::size_t start = i == 0 ? 0 : text.rfind('\n', i - 1) + 1;
    return text.substr(start, text.find('\n', start) - start);
  };
  return "first: " + line(a) + "\nsecond: " + line(b);
}

}  // namespace warplens::ptx
