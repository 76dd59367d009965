#include "engine/ptx/facts/vector_parts.h"

#include <algorithm>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {

VectorParts::VectorParts(const Module& module, const Function& function)
    : module_(module), read_(function.registers.size(), false) {
  const auto facts = facts_of(module, function);
  for (const Uses& uses : facts->uses())
    for (const RegisterId reg : uses.reads)
      if (reg < read_.size()) read_[reg] = true;
}

std::vector<bool> VectorParts::read_elements(const Instruction& load) const {
  std::vector<bool> out;
  if (load.operands.empty() || load.operands[0].kind != OperandKind::Vector) return out;
  for (const Operand& element : load.operands[0].elements)
    out.push_back(element.reg < read_.size() && read_[element.reg]);
  return out;
}

VectorPart VectorParts::needed(const Instruction& load) const {
  const std::vector<bool> read = read_elements(load);
  const int element = size_of(module_.form(load).type());
  const auto count = std::ranges::count(read, true);
  if (element < 2 || count == 0 || count == static_cast<std::ptrdiff_t>(read.size())) return {};
  const auto first = std::ranges::find(read, true) - read.begin();
  if (count == 1) return {first * element, element};
  const bool pair = read.size() == 4 && element <= 4 && count == 2 && first % 2 == 0 && read[first + 1];
  return pair ? VectorPart{first * element, 2 * element} : VectorPart{};
}

std::int64_t VectorParts::first_needed(const Instruction& load, int bytes) const {
  const std::vector<bool> read = read_elements(load);
  const auto first = std::ranges::find(read, true);
  if (first == read.end() || bytes <= 0) return 0;
  const std::int64_t at = (first - read.begin()) * std::int64_t{size_of(module_.form(load).type())};
  return at - at % bytes;
}

}  // namespace warplens::ptx
