#include "engine/ptx/syntax/versions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace warplens::ptx {
namespace {

// A form needs `version` when it has `modifier` and its opcode is `opcode`. What the opcode itself needs
// stands in opcodes.inc.
struct Rule {
  Opcode opcode;
  Modifier modifier;
  PtxVersion version;
};
constexpr Opcode kAny = Opcode::Unknown;

constexpr PtxVersion kOldest{6, 0};  // of sm_70, the oldest machine that anyone still prints for

constexpr std::array kRules{
    // Warp communication
    Rule{Opcode::Redux, Modifier::F32, {8, 6}},
    // Matrices and asynchronous copies
    Rule{Opcode::Cp, Modifier::Bulk, {8, 0}},
    Rule{Opcode::Mbarrier, Modifier::TryWait, {7, 8}},
    Rule{Opcode::Mbarrier, Modifier::ExpectTx, {8, 0}},
    Rule{Opcode::Mbarrier, Modifier::Acquire, {8, 0}},
    Rule{Opcode::Mbarrier, Modifier::Release, {8, 0}},
    Rule{Opcode::Mbarrier, Modifier::Relaxed, {8, 6}},
    Rule{Opcode::Mbarrier, Modifier::Cta, {8, 0}},
    Rule{Opcode::Mbarrier, Modifier::Cluster, {8, 0}},
    // Clusters and the rest of sm_90
    Rule{Opcode::Barrier, Modifier::Cluster, {7, 8}},
    Rule{Opcode::Barrier, Modifier::Acquire, {8, 0}},
    Rule{Opcode::Barrier, Modifier::Release, {8, 0}},
    Rule{Opcode::Barrier, Modifier::Relaxed, {8, 0}},
    Rule{Opcode::Fence, Modifier::Async, {8, 0}},
    Rule{Opcode::Fence, Modifier::MbarrierInit, {8, 0}},
    Rule{Opcode::Fence, Modifier::Acquire, {8, 6}},
    Rule{Opcode::Fence, Modifier::Release, {8, 6}},
    Rule{kAny, Modifier::Cluster, {7, 8}},
    Rule{Opcode::St, Modifier::Async, {8, 1}},
    Rule{Opcode::Red, Modifier::Async, {8, 1}},
    // Memory
    Rule{Opcode::Ld, Modifier::V8, {8, 8}},
    Rule{Opcode::St, Modifier::V8, {8, 8}},
    Rule{Opcode::Atom, Modifier::V2, {8, 1}},
    Rule{Opcode::Atom, Modifier::V4, {8, 1}},
    Rule{Opcode::Red, Modifier::V2, {8, 1}},
    Rule{Opcode::Red, Modifier::V4, {8, 1}},
    Rule{Opcode::Atom, Modifier::F16, {6, 3}},
    Rule{Opcode::Atom, Modifier::F16x2, {6, 2}},
    Rule{Opcode::Atom, Modifier::Bf16, {7, 8}},
    Rule{Opcode::Atom, Modifier::Bf16x2, {7, 8}},
    Rule{kAny, Modifier::ParamEntry, {8, 3}},
    Rule{kAny, Modifier::ParamFunc, {8, 3}},
    Rule{kAny, Modifier::SharedCta, {7, 8}},
    Rule{kAny, Modifier::SharedCluster, {7, 8}},
    Rule{kAny, Modifier::Mmio, {8, 2}},
    // Types and arithmetic
    Rule{kAny, Modifier::B128, {8, 3}},
    Rule{kAny, Modifier::Bf16, {7, 8}},
    Rule{kAny, Modifier::Bf16x2, {7, 8}},
    Rule{kAny, Modifier::Tf32, {7, 0}},
    Rule{kAny, Modifier::E4m3x2, {8, 1}},
    Rule{kAny, Modifier::E5m2x2, {8, 1}},
    Rule{kAny, Modifier::F32x2, {8, 6}},
    Rule{kAny, Modifier::U16x2, {8, 0}},
    Rule{kAny, Modifier::S16x2, {8, 0}},
    Rule{Opcode::Ex2, Modifier::F16, {7, 0}},
    Rule{Opcode::Ex2, Modifier::F16x2, {7, 0}},
    Rule{kAny, Modifier::Relu, {7, 0}},
    Rule{kAny, Modifier::PassNan, {7, 0}},
    Rule{kAny, Modifier::Xorsign, {7, 2}},
    Rule{Opcode::Min, Modifier::F16, {7, 0}},
    Rule{Opcode::Max, Modifier::F16, {7, 0}},
    Rule{Opcode::Min, Modifier::F16x2, {7, 0}},
    Rule{Opcode::Max, Modifier::F16x2, {7, 0}},
    Rule{Opcode::Abs, Modifier::F16, {6, 5}},
    Rule{Opcode::Abs, Modifier::F16x2, {6, 5}},
    Rule{Opcode::Fma, Modifier::Oob, {8, 1}},
};

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

PtxVersion needed_by(const Form& form) {
  const int since = form.effects().since;
  PtxVersion needed = std::max(kOldest, PtxVersion{since / 10, since % 10});
  for (const Rule& rule : kRules)
    if ((rule.opcode == kAny || rule.opcode == form.opcode) && form.has(rule.modifier))
      needed = std::max(needed, rule.version);
  // Cache hints and scopes such as .L2::cache_hint.
  if (form.text.find("::") != std::string::npos) needed = std::max(needed, PtxVersion{7, 4});
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
    if (form.effects().since == 0) return own;
    needed = std::max(needed, needed_by(form));
  }
  for (const Function& function : module.functions)
    needed = std::max(needed, needed_by(function, source_lines));
  if (!module.aliases.empty()) needed = std::max(needed, PtxVersion{6, 3});
  return std::min(needed, own);
}

}  // namespace warplens::ptx
