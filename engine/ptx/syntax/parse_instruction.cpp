#include <bit>

#include "engine/ptx/syntax/parser_state.h"
#include "engine/ptx/syntax/special_registers.h"

namespace warplens::ptx {
namespace {

// Special registers with a component: the '.x' belongs to the name.
bool takes_component(std::string_view name) {
  return name.ends_with("tid") || name.ends_with("ctaid") || name == "%clusterid" || name == "%nclusterid";
}

}  // namespace

bool Parser::parse_instruction() {
  Instruction instruction;
  if (cursor_.accept('@') && !parse_guard(instruction.guard)) return false;
  cursor_.peek();
  instruction.line = cursor_.line();
  instruction.source = source_;
  std::string_view text = cursor_.opcode();
  if (text.empty()) return expected("instruction");
  if (cursor_.peek() == '.') {  // "ld .global .f32"
    std::string& joined = joined_forms_.emplace_back(text);
    while (cursor_.peek() == '.') joined += cursor_.directive();
    text = joined;
  }
  instruction.form = intern_form(text);
  const Form& form = module_.forms[instruction.form];
  bool read = false;
  if (form.opcode == Opcode::Bra) {
    read = parse_branch(instruction);
  } else if (form.opcode == Opcode::Brx) {
    read = parse_branch_table(instruction);
  } else if (form.opcode == Opcode::Call) {
    read = parse_call(instruction);
  } else {
    read = parse_operands(instruction);
  }
  if (!read || !expect(';', "instruction")) return false;
  fit_floats(instruction);
  function_.instructions.push_back(std::move(instruction));
  return true;
}

bool Parser::parse_guard(Guard& guard) {
  guard.negated = cursor_.accept('!');
  const std::string_view name = cursor_.word();
  if (name.empty() || !find_register(name, guard.predicate)) {
    return fail("guard", {{"found", value_of(std::string(name.substr(0, 64)))}});
  }
  return function_.registers[guard.predicate].type == Type::Pred ||
         fail("guard_type", {{"name", value_of(std::string(name.substr(0, 64)))}});
}

FormId Parser::intern_form(std::string_view text) {
  const auto [entry, is_new] = form_index_.try_emplace(text, static_cast<FormId>(module_.forms.size()));
  if (is_new) module_.forms.push_back(make_form(text));
  return entry->second;
}

bool Parser::parse_operands(Instruction& instruction) {
  if (cursor_.peek() == ';') return true;
  instruction.operands.reserve(4);
  do {
    if (!parse_operand(instruction.operands.emplace_back(), 0)) return false;
  } while (cursor_.accept(','));
  return true;
}

// bra{.uni} LABEL;
bool Parser::parse_branch(Instruction& instruction) {
  LabelUse use;
  use.column = (cursor_.peek(), cursor_.column());
  use.line = cursor_.line();
  use.name = cursor_.word();
  if (use.name.empty()) return expected("bra_label");
  use.instruction = static_cast<std::uint32_t>(function_.instructions.size());
  Operand& operand = instruction.operands.emplace_back();
  operand.kind = OperandKind::Label;
  operand.symbol = std::string(use.name);
  label_uses_.push_back(std::move(use));
  return true;
}

// brx.idx{.uni} %r1, targets;
bool Parser::parse_branch_table(Instruction& instruction) {
  if (!parse_operand(instruction.operands.emplace_back(), 0) || !expect(',', "index")) return false;
  const std::string_view list = cursor_.word();
  if (list.empty()) return expected("branch_list");
  instruction.prototype = list_name(list);
  return function_.target_lists.contains(instruction.prototype) ||
         fail("no_branch_list", {{"name", value_of(std::string(list.substr(0, 200)))}});
}

// call{.uni} (returns), callee, (arguments), prototype;   all but the callee may be missing
bool Parser::parse_call(Instruction& instruction) {
  if (cursor_.accept('(')) {
    if (!parse_call_list(instruction.call_returns) || !expect(',', "returned")) return false;
  }
  Operand& callee = instruction.operands.emplace_back();
  if (!parse_operand(callee, 0)) return false;
  if (callee.kind != OperandKind::Symbol && callee.kind != OperandKind::Register) {
    return fail("callee");
  }
  if (!cursor_.accept(',')) return true;
  if (cursor_.accept('(')) {
    if (!parse_call_list(instruction.call_arguments)) return false;
    if (!cursor_.accept(',')) return true;
  }
  const std::string_view list = cursor_.word();
  if (list.empty()) return expected("call_list");
  instruction.prototype = list_name(list);
  return true;
}

bool Parser::parse_call_list(std::vector<Operand>& out) {
  if (cursor_.accept(')')) return true;
  do {
    if (!parse_operand(out.emplace_back(), 0)) return false;
  } while (cursor_.accept(','));
  return expect(')', "call");
}

bool Parser::parse_operand(Operand& out, int depth) {
  if (depth > kMaxNesting) return fail("deep_operands");
  const char first = cursor_.peek();
  if (first == '{') return parse_vector(out, depth);
  if (first == '[') return parse_address(out, depth);
  if (first == '!') {
    const Cursor before = cursor_;
    cursor_.accept('!');
    const char next = cursor_.peek();
    if (next == '%' || next == '_' || next == '$' || (next >= 'A' && next <= 'z')) {
      if (!parse_named_operand(out, depth)) return false;
      out.negated = true;
      return out.kind == OperandKind::Register || fail("negated");
    }
    cursor_ = before;
  }
  if (first == '-' || first == '+' || first == '~' || first == '!' || first == '(' ||
      (first >= '0' && first <= '9')) {
    return parse_number_operand(out);
  }
  return parse_named_operand(out, depth);
}

bool Parser::parse_number_operand(Operand& out) {
  if (cursor_.at() == '-') {  // -%r1 is no PTX, but say so plainly
    const char next = cursor_.at(1);
    if (next == '%') return fail("negated_register");
  }
  Constant constant;
  if (!parse_constant(constant)) return false;
  out.kind = constant.is_float ? OperandKind::Float : OperandKind::Integer;
  if (constant.is_float) out.type = constant.is_single ? Type::F32 : Type::F64;
  out.value = static_cast<std::int64_t>(constant.bits);
  return true;
}

bool Parser::parse_named_operand(Operand& out, int depth) {
  const int column = (cursor_.peek(), cursor_.column());
  const int line = cursor_.line();
  const std::size_t start = cursor_.offset();
  std::string_view name = cursor_.word();
  if (name.empty()) return expected("operand");
  if (name == "_") {
    out.kind = OperandKind::Sink;
  } else if (find_register(name, out.reg)) {
    out.kind = OperandKind::Register;
    out.type = function_.registers[out.reg].type;
    if (cursor_.at() == '.') out.symbol = std::string(cursor_.directive().substr(1));  // %r1.b0
  } else if (name[0] == '%') {
    if (takes_component(name) && cursor_.at() == '.') {
      cursor_.directive();
      name = cursor_.slice(start, cursor_.offset());
    }
    const auto special = special_register(name);
    if (!special) {
      return fail_at(line, column,
                     {"ptx.no_register", {{"name", value_of(std::string(name.substr(0, 64)))}}});
    }
    out.kind = OperandKind::Special;
    out.special = special->which;
    out.value = special->index;
    if (special->which == SpecialRegister::Unknown) out.symbol = std::string(name);
    return true;
  } else if (name == "WARP_SZ") {
    out.kind = OperandKind::Integer;
    out.value = 32;
    return true;
  } else {
    name_symbol(out, name, line, column);
    return parse_offset(out.value);
  }
  if (cursor_.peek() == '|' && cursor_.at(1) != '|') return parse_pair(out, depth);
  return true;
}

void Parser::name_symbol(Operand& out, std::string_view name, int line, int column) {
  out.kind = OperandKind::Symbol;
  if (find_local(name, out.symbol)) return;
  out.symbol = std::string(name);
  if (!known_symbol(out.symbol)) pending_symbols_.push_back({out.symbol, line, column});
}

// d|p
bool Parser::parse_pair(Operand& out, int depth) {
  cursor_.accept('|');
  Operand first = std::move(out);
  out = {};
  out.kind = OperandKind::Vector;
  out.is_pair = true;
  out.elements.reserve(2);
  out.elements.push_back(std::move(first));
  return parse_operand(out.elements.emplace_back(), depth + 1);
}

bool Parser::parse_vector(Operand& out, int depth) {
  cursor_.accept('{');
  out.kind = OperandKind::Vector;
  if (cursor_.accept('}')) return true;
  do {
    if (!parse_operand(out.elements.emplace_back(), depth + 1)) return false;
  } while (cursor_.accept(','));
  if (!expect('}', "vector")) return false;
  // {a, b, c, d}|p: what a texture instruction read, and whether the texels are resident.
  if (depth == 0 && cursor_.peek() == '|' && cursor_.at(1) != '|') return parse_pair(out, depth);
  return true;
}

// "+8", "-4", "+-4", "+(2*8)" or nothing.
bool Parser::parse_offset(std::int64_t& out) {
  const char sign = cursor_.peek();
  if (sign != '+' && sign != '-') return true;
  if (sign == '+') cursor_.accept('+');
  Constant constant;
  if (!parse_constant(constant)) return false;
  if (constant.is_float) return fail("offset");
  out = static_cast<std::int64_t>(static_cast<std::uint64_t>(out) + constant.bits);
  return true;
}

// [%rd1+16]  [name]  [0x100]  [tex, sampler, {x, y}]
bool Parser::parse_address(Operand& out, int depth) {
  cursor_.accept('[');
  out.kind = OperandKind::Address;
  const char first = cursor_.peek();
  if (first == '-' || first == '+' || first == '(' || (first >= '0' && first <= '9')) {
    Constant constant;
    if (!parse_constant(constant)) return false;
    if (constant.is_float) return fail("address");
    out.value = static_cast<std::int64_t>(constant.bits);
  } else {
    const int column = cursor_.column();
    const int line = cursor_.line();
    const std::string_view name = cursor_.word();
    if (name.empty()) return expected("address");
    if (find_register(name, out.reg)) {
      out.type = function_.registers[out.reg].type;
    } else if (name[0] == '%') {
      return fail_at(line, column,
                     {"ptx.no_register", {{"name", value_of(std::string(name.substr(0, 64)))}}});
    } else {
      name_symbol(out, name, line, column);
      out.kind = OperandKind::Address;
    }
    if (!parse_offset(out.value)) return false;
  }
  while (cursor_.accept(',')) {
    if (!parse_operand(out.elements.emplace_back(), depth + 1)) return false;
  }
  if (!expect(']', "address")) return false;
  if (cursor_.at() == '.') cursor_.directive();  // ".unified", a hint without effect
  return true;
}

// A decimal literal such as 1.0 is a double until it meets a .f32 instruction.
void Parser::fit_floats(Instruction& instruction) {
  const Form& form = module_.forms[instruction.form];
  if (form.types.empty() || form.types.back() != Type::F32) return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::Float || operand.type != Type::F64) continue;
    const auto value = std::bit_cast<double>(operand.value);
    operand.type = Type::F32;
    operand.value = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

}  // namespace warplens::ptx
