#include "engine/ptx/versions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace warplens::ptx {
namespace {

// A form needs `version` when its opcode is `opcode` (any when empty) and it has `modifier` (any when empty).
struct Rule {
  std::string_view opcode, modifier;
  PtxVersion version;
};

constexpr PtxVersion kOldest{6, 0};  // of sm_70, the oldest machine that anyone still prints for

constexpr std::array kRules{
    // Warp communication
    Rule{"activemask", "", {6, 2}},
    Rule{"redux", "", {7, 0}},
    Rule{"redux", "f32", {8, 6}},
    Rule{"elect", "", {8, 0}},
    Rule{"nanosleep", "", {6, 3}},
    // Matrices and asynchronous copies
    Rule{"ldmatrix", "", {6, 5}},
    Rule{"stmatrix", "", {7, 8}},
    Rule{"mma", "", {7, 0}},
    Rule{"wmma", "", {7, 0}},
    Rule{"movmatrix", "", {7, 8}},
    Rule{"wgmma", "", {8, 0}},
    Rule{"cp", "", {7, 0}},
    Rule{"cp", "bulk", {8, 0}},
    Rule{"mbarrier", "", {7, 0}},
    Rule{"mbarrier", "try_wait", {7, 8}},
    Rule{"mbarrier", "expect_tx", {8, 0}},
    Rule{"mbarrier", "acquire", {8, 0}},
    Rule{"mbarrier", "release", {8, 0}},
    Rule{"mbarrier", "relaxed", {8, 6}},
    Rule{"mbarrier", "cta", {8, 0}},
    Rule{"mbarrier", "cluster", {8, 0}},
    Rule{"multimem", "", {8, 1}},
    Rule{"tensormap", "", {8, 3}},
    Rule{"tcgen05", "", {8, 6}},
    // Clusters and the rest of sm_90
    Rule{"mapa", "", {7, 8}},
    Rule{"getctarank", "", {7, 8}},
    Rule{"griddepcontrol", "", {7, 8}},
    Rule{"barrier", "cluster", {7, 8}},
    Rule{"barrier", "acquire", {8, 0}},
    Rule{"barrier", "release", {8, 0}},
    Rule{"barrier", "relaxed", {8, 0}},
    Rule{"fence", "async", {8, 0}},
    Rule{"fence", "mbarrier_init", {8, 0}},
    Rule{"fence", "acquire", {8, 6}},
    Rule{"fence", "release", {8, 6}},
    Rule{"", "cluster", {7, 8}},
    Rule{"setmaxnreg", "", {8, 0}},
    Rule{"st", "async", {8, 1}},
    Rule{"red", "async", {8, 1}},
    Rule{"fence", "", {6, 0}},
    // Memory
    Rule{"createpolicy", "", {7, 4}},
    Rule{"discard", "", {7, 4}},
    Rule{"applypriority", "", {7, 4}},
    Rule{"ld", "v8", {8, 8}},
    Rule{"st", "v8", {8, 8}},
    Rule{"atom", "v2", {8, 1}},
    Rule{"atom", "v4", {8, 1}},
    Rule{"red", "v2", {8, 1}},
    Rule{"red", "v4", {8, 1}},
    Rule{"atom", "f16", {6, 3}},
    Rule{"atom", "f16x2", {6, 2}},
    Rule{"atom", "bf16", {7, 8}},
    Rule{"atom", "bf16x2", {7, 8}},
    Rule{"", "param::entry", {8, 3}},
    Rule{"", "param::func", {8, 3}},
    Rule{"", "shared::cta", {7, 8}},
    Rule{"", "shared::cluster", {7, 8}},
    Rule{"", "mmio", {8, 2}},
    Rule{"alloca", "", {7, 3}},
    Rule{"stacksave", "", {7, 3}},
    Rule{"stackrestore", "", {7, 3}},
    // Types and arithmetic
    Rule{"", "b128", {8, 3}},
    Rule{"", "bf16", {7, 8}},
    Rule{"", "bf16x2", {7, 8}},
    Rule{"", "tf32", {7, 0}},
    Rule{"", "e4m3x2", {8, 1}},
    Rule{"", "e5m2x2", {8, 1}},
    Rule{"", "f32x2", {8, 6}},
    Rule{"", "u16x2", {8, 0}},
    Rule{"", "s16x2", {8, 0}},
    Rule{"tanh", "", {7, 0}},
    Rule{"ex2", "f16", {7, 0}},
    Rule{"ex2", "f16x2", {7, 0}},
    Rule{"", "relu", {7, 0}},
    Rule{"", "NaN", {7, 0}},
    Rule{"", "xorsign", {7, 2}},
    Rule{"min", "f16", {7, 0}},
    Rule{"max", "f16", {7, 0}},
    Rule{"min", "f16x2", {7, 0}},
    Rule{"max", "f16x2", {7, 0}},
    Rule{"abs", "f16", {6, 5}},
    Rule{"abs", "f16x2", {6, 5}},
    Rule{"szext", "", {7, 6}},
    Rule{"bmsk", "", {7, 6}},
    Rule{"fma", "oob", {8, 1}},
};

// Everything that PTX 6.0 already had; what is in neither table keeps the module's own version.
constexpr std::array<std::string_view, 97> kOldOpcodes{
    "abs",      "add",  "addc",     "and",     "atom",   "bar",      "barrier",   "bfe",  "bfi",
    "bfind",    "bra",  "brev",     "brkpt",   "brx",    "call",     "clz",       "cnot", "copysign",
    "cos",      "cvt",  "cvta",     "div",     "dp2a",   "dp4a",     "ex2",       "exit", "fence",
    "fma",      "fns",  "isspacep", "istypep", "ld",     "ldu",      "lg2",       "lop3", "mad",
    "mad24",    "madc", "match",    "max",     "membar", "min",      "mov",       "mul",  "mul24",
    "neg",      "not",  "or",       "pmevent", "popc",   "prefetch", "prefetchu", "prmt", "rcp",
    "red",      "rem",  "ret",      "rsqrt",   "sad",    "selp",     "set",       "setp", "shf",
    "shfl",     "shl",  "shr",      "sin",     "slct",   "sqrt",     "st",        "sub",  "subc",
    "suld",     "suq",  "sured",    "sust",    "testp",  "tex",      "tld4",      "trap", "txq",
    "vabsdiff", "vadd", "vmad",     "vmax",    "vmin",   "vset",     "vshl",      "vshr", "vsub",
    "vote",     "xor",  "vadd2",    "vadd4",   "vsub2",  "vsub4",    "vabsdiff4"};

struct TargetRule {
  std::string_view target;
  PtxVersion version;
};
constexpr std::array kTargets{
    TargetRule{"sm_72", {6, 1}},   TargetRule{"sm_75", {6, 3}},  TargetRule{"sm_80", {7, 0}},
    TargetRule{"sm_86", {7, 1}},   TargetRule{"sm_87", {7, 4}},  TargetRule{"sm_89", {7, 8}},
    TargetRule{"sm_90", {7, 8}},   TargetRule{"sm_90a", {8, 0}}, TargetRule{"sm_100", {8, 6}},
    TargetRule{"sm_100a", {8, 6}}, TargetRule{"sm_101", {8, 6}}, TargetRule{"sm_103", {8, 8}},
    TargetRule{"sm_110", {9, 0}},  TargetRule{"sm_120", {8, 7}}, TargetRule{"sm_121", {8, 8}},
};
constexpr std::array<std::string_view, 8> kOldTargets{"sm_50", "sm_52", "sm_53", "sm_60",
                                                      "sm_61", "sm_62", "sm_70", "compute_70"};

bool knows_opcode(std::string_view opcode) {
  if (std::find(kOldOpcodes.begin(), kOldOpcodes.end(), opcode) != kOldOpcodes.end()) return true;
  return std::any_of(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.opcode == opcode; });
}

PtxVersion needed_by(const Form& form) {
  PtxVersion needed = kOldest;
  for (const Rule& rule : kRules) {
    const bool fits = (rule.opcode.empty() || rule.opcode == form.opcode) &&
                      (rule.modifier.empty() || form.has(rule.modifier));
    if (fits) needed = std::max(needed, rule.version);
  }
  for (const std::string& modifier : form.modifiers) {  // cache hints and scopes such as .L2::cache_hint
    if (modifier.find("::") != std::string::npos) needed = std::max(needed, PtxVersion{7, 4});
  }
  return needed;
}

// Cluster registers and what else sm_90 brought.
PtxVersion needed_by(const Operand& operand) {
  PtxVersion needed = kOldest;
  if (operand.kind == OperandKind::Special && operand.special >= SpecialRegister::IsExplicitCluster &&
      operand.special <= SpecialRegister::ClusterNctarank) {
    needed = {7, 8};
  } else if (operand.kind == OperandKind::Special && (operand.special == SpecialRegister::CurrentGraphExec ||
                                                      operand.special == SpecialRegister::AggrSmemSize)) {
    needed = {8, 1};
  } else if (operand.kind == OperandKind::Special && operand.special == SpecialRegister::Unknown) {
    needed = {7, 6};
  }
  for (const Operand& element : operand.elements) needed = std::max(needed, needed_by(element));
  return needed;
}

PtxVersion needed_by(const Function& function, bool source_lines) {
  PtxVersion needed = kOldest;
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& operand : instruction.operands) needed = std::max(needed, needed_by(operand));
  }
  if (!function.directives.empty()) needed = std::max(needed, PtxVersion{7, 8});
  for (const auto& [index, text] : function.pragmas)
    if (text.starts_with("used_bytes_mask")) needed = std::max(needed, PtxVersion{8, 3});
  const bool inlined = std::any_of(function.source_lines.begin(), function.source_lines.end(),
                                   [](const SourceLine& line) { return line.inlined_at != kNone; });
  return source_lines && inlined ? std::max(needed, PtxVersion{7, 2}) : needed;
}

}  // namespace

PtxVersion lowest_version(const Module& module, bool source_lines) {
  const PtxVersion own{module.version_major, module.version_minor};
  PtxVersion needed = kOldest;
  const auto target = std::find_if(kTargets.begin(), kTargets.end(),
                                   [&](const TargetRule& rule) { return rule.target == module.target; });
  if (target != kTargets.end()) {
    needed = target->version;
  } else if (std::find(kOldTargets.begin(), kOldTargets.end(), module.target) == kOldTargets.end()) {
    return own;
  }
  for (const Form& form : module.forms) {
    if (!knows_opcode(form.opcode)) return own;
    needed = std::max(needed, needed_by(form));
  }
  for (const Function& function : module.functions)
    needed = std::max(needed, needed_by(function, source_lines));
  if (!module.aliases.empty()) needed = std::max(needed, PtxVersion{6, 3});
  return std::min(needed, own);
}

}  // namespace warplens::ptx
