#include "engine/ptx/syntax/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/ptx/syntax/special_registers.h"
#include "engine/ptx/syntax/versions.h"

namespace warplens::ptx {
namespace {

constexpr std::size_t kDeepestInlining = 64;  // frames printed for one instruction

// Labels of inlined functions' names in .debug_str.
using NameLabels = std::map<std::string, std::string>;

class Writer {
 public:
  Writer(const Module& module, const PrintOptions& options) : module_(module), options_(options) {}

  std::string module_text();
  void instruction(const Instruction& instruction);
  void use(const Function& function) { current_ = &function; }  // whose registers instructions name
  std::string take() { return std::move(out_); }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  template <typename List, typename Each>
  void put_list(const List& list, Each each) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out_ += ", ";
      first = false;
      each(item);
    }
  }

  void header();
  void forward_declarations();
  void variable(const Variable& variable);
  void declarator(const Variable& variable);
  void initialiser(const Variable& variable);
  void initial_bytes(const Variable& variable);
  void relocation(const Variable& variable, const Relocation& relocation, std::uint64_t offset);
  void signature(const Function& function);
  void parameters(const std::vector<Variable>& list);
  void function(const Function& function);
  void directives(const Function& function);
  void registers(const Function& function);
  void lists(const Function& function);
  void body(const Function& function);
  void location(const Function& function, std::uint32_t source);
  void operand(const Operand& operand);
  void address(const Operand& operand);
  void integer(std::int64_t value);
  void offset(std::int64_t value);
  void files();
  void debug_strings();

  std::string_view reg_name(RegisterId reg) const { return current_->registers[reg].name; }

  const Module& module_;
  const PrintOptions& options_;
  const Function* current_ = nullptr;
  std::string out_;
  NameLabels names_;
};

std::string Writer::module_text() {
  header();
  forward_declarations();
  for (const Variable& v : module_.variables) variable(v);
  for (const Function& f : module_.functions)
    if (!options_.leave_out || !options_.leave_out(f)) function(f);
  std::map<std::string, std::string> aliases(module_.aliases.begin(), module_.aliases.end());
  for (const auto& [name, target] : aliases) put(".alias {}, {};\n", name, target);
  if (options_.source_lines) {
    files();
    debug_strings();
  }
  return std::move(out_);
}

void Writer::header() {
  PtxVersion version{module_.version_major, module_.version_minor};
  if (options_.lowest_version) version = lowest_version(module_, options_.source_lines);
  put(".version {}.{}\n", version.major, version.minor);
  put(".target {}", module_.target.empty() ? "sm_70" : module_.target);
  for (const std::string& option : module_.target_options) {
    if (option != "debug") put(", {}", option);  // asks for DWARF, which the parser does not keep
  }
  put("\n.address_size {}\n\n", module_.address_size);
}

// Functions may call, and initialisers may name, what stands further down.
void Writer::forward_declarations() {
  for (const Function& f : module_.functions) {
    if (f.is_entry || f.is_extern) continue;
    signature(f);
    out_ += ";\n";
  }
}

void Writer::declarator(const Variable& v) {
  put(".align {} ", v.alignment);
  if (v.vector_width > 1) put(".v{} ", v.vector_width);
  put(".{} {}", name(v.type), v.name);
  if (!v.is_array) return;
  if (v.count == 0) {
    out_ += "[]";
  } else {
    put("[{}]", v.count);
  }
}

void Writer::variable(const Variable& v) {
  if (v.is_extern) out_ += ".extern ";
  if (v.is_visible) out_ += ".visible ";
  if (v.is_weak) out_ += ".weak ";
  put(".{} ", name(v.space));
  if (!v.attribute.empty()) put(".attribute({}) ", v.attribute);
  if (v.type == Type::TexRef || v.type == Type::SamplerRef || v.type == Type::SurfRef) {
    put(".{} {}", name(v.type), v.name);
    if (v.is_array) put("[{}]", v.count);
  } else {
    declarator(v);
    if (!v.initial.empty() || !v.relocations.empty()) initialiser(v);
  }
  out_ += ";\n";
}

void Writer::initialiser(const Variable& v) {
  const bool list = v.is_array || v.vector_width > 1;
  out_ += list ? " = {" : " = ";
  // Vectors are printed with the braces that their elements had.
  initial_bytes(v);
  if (list) out_ += '}';
}

void Writer::initial_bytes(const Variable& v) {
  const auto bytes = static_cast<std::uint64_t>(size_of(v.type));
  const auto width = static_cast<std::uint64_t>(v.vector_width);
  std::vector<const Relocation*> relocations;
  for (const Relocation& r : v.relocations) relocations.push_back(&r);
  std::sort(relocations.begin(), relocations.end(),
            [](const Relocation* a, const Relocation* b) { return a->offset < b->offset; });
  std::size_t next = 0;
  const std::uint64_t count = v.initial.size() / bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0) out_ += ", ";
    if (v.is_array && width > 1 && i % width == 0) out_ += '{';
    while (next < relocations.size() &&
           relocations[next]->offset + static_cast<std::uint64_t>(relocations[next]->bytes) <= i * bytes) {
      ++next;
    }
    if (next < relocations.size() && relocations[next]->offset <= i * bytes) {
      relocation(v, *relocations[next], i * bytes - relocations[next]->offset);
    } else {
      std::uint64_t bits = 0;
      for (std::uint64_t b = 0; b < std::min<std::uint64_t>(bytes, 8); ++b) {
        bits |= std::uint64_t{v.initial[i * bytes + b]} << (8 * b);
      }
      if (v.type == Type::F32) {
        put("0f{:08X}", bits);
      } else if (v.type == Type::F64) {
        put("0d{:016X}", bits);
      } else {
        put("{}", bits);
      }
    }
    if (v.is_array && width > 1 && (i % width == width - 1 || i + 1 == count)) out_ += '}';
  }
}

void Writer::relocation(const Variable& v, const Relocation& r, std::uint64_t at) {
  const bool split = size_of(v.type) < r.bytes;
  if (split) put("{:#X}(", std::uint64_t{0xff} << (8 * at));
  if (r.generic) {
    put("generic({})", r.symbol);
  } else {
    out_ += r.symbol;
  }
  offset(r.addend);
  if (split) out_ += ')';
}

void Writer::parameters(const std::vector<Variable>& list) {
  put_list(list, [&](const Variable& v) {
    if (v.space == StateSpace::Reg) {
      put(".reg .{} {}", name(v.type), v.name);
    } else if (v.pointee_space != StateSpace::None) {
      put(".param .{} .ptr ", name(v.type));
      if (v.pointee_space != StateSpace::Generic) put(".{} ", name(v.pointee_space));
      if (v.pointee_alignment != 0) put(".align {} ", v.pointee_alignment);
      out_ += v.name;
    } else {
      out_ += ".param ";
      declarator(v);
    }
  });
}

void Writer::signature(const Function& f) {
  const bool alias = module_.aliases.contains(f.name);
  if (f.is_extern && !alias) out_ += ".extern ";
  if (f.is_visible) out_ += ".visible ";
  if (f.is_weak) out_ += ".weak ";
  out_ += f.is_entry ? ".entry " : ".func ";
  if (!f.returns.empty()) {
    out_ += '(';
    parameters(f.returns);
    out_ += ") ";
  }
  out_ += f.name;
  out_ += '(';
  parameters(f.parameters);
  out_ += ")\n";
  directives(f);
}

void Writer::directives(const Function& f) {
  const auto numbers = [&](std::string_view word, const std::vector<std::uint32_t>& values) {
    if (!values.empty()) put("{} {}\n", word, fmt::join(values, ", "));
  };
  numbers(".maxntid", f.max_threads);
  numbers(".reqntid", f.required_threads);
  if (f.min_blocks_per_sm) put(".minnctapersm {}\n", *f.min_blocks_per_sm);
  if (f.max_registers) put(".maxnreg {}\n", *f.max_registers);
  for (const std::string& text : f.directives) put("{}\n", text);
}

void Writer::function(const Function& f) {
  use(f);
  signature(f);
  if (f.is_extern) {
    out_ += ";\n";
    return;
  }
  out_ += "{\n";
  registers(f);
  for (const Variable& v : f.locals) {
    out_ += '\t';
    variable(v);
  }
  lists(f);
  body(f);
  out_ += "}\n\n";
}

void Writer::registers(const Function& f) {
  // Register parameters are declared by the signature.
  const auto is_parameter = [&](const std::string& reg) {
    const auto same = [&](const Variable& v) { return v.space == StateSpace::Reg && v.name == reg; };
    return std::any_of(f.parameters.begin(), f.parameters.end(), same) ||
           std::any_of(f.returns.begin(), f.returns.end(), same);
  };
  const bool any = std::any_of(f.parameters.begin(), f.parameters.end(),
                               [](const Variable& v) { return v.space == StateSpace::Reg; }) ||
                   std::any_of(f.returns.begin(), f.returns.end(),
                               [](const Variable& v) { return v.space == StateSpace::Reg; });
  std::map<Type, std::vector<std::string_view>> by_type;
  for (const Register& reg : f.registers) {
    if (!any || !is_parameter(reg.name)) by_type[reg.type].push_back(reg.name);
  }
  constexpr std::size_t kPerLine = 12;
  for (const auto& [type, names] : by_type) {
    for (std::size_t i = 0; i < names.size(); i += kPerLine) {
      const auto last = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), i + kPerLine));
      put("\t.reg .{} {};\n", name(type),
          fmt::join(names.begin() + static_cast<std::ptrdiff_t>(i), last, ", "));
    }
  }
}

void Writer::lists(const Function& f) {
  const std::map<std::string, std::vector<std::string>> targets(f.target_lists.begin(), f.target_lists.end());
  for (const auto& [list, names] : targets) {
    const bool labels = !names.empty() && f.labels.contains(names[0]);
    put("\t{}: {} {};\n", list, labels ? ".branchtargets" : ".calltargets", fmt::join(names, ", "));
  }
  const std::map<std::string, std::string> prototypes(f.prototypes.begin(), f.prototypes.end());
  for (const auto& [list, text] : prototypes) put("\t{}: .callprototype {};\n", list, text);
}

void Writer::body(const Function& f) {
  std::vector<std::pair<std::uint32_t, std::string_view>> labels;
  for (const auto& [label, position] : f.labels) labels.emplace_back(position, label);
  std::sort(labels.begin(), labels.end());
  std::size_t next_label = 0, next_pragma = 0;
  std::uint32_t source = kNone;
  if (options_.prologue) out_ += options_.prologue(f);
  for (std::uint32_t i = 0; i <= f.instructions.size(); ++i) {
    for (; next_label < labels.size() && labels[next_label].first <= i; ++next_label) {
      put("{}:\n", labels[next_label].second);
    }
    for (; next_pragma < f.pragmas.size() && f.pragmas[next_pragma].first <= i; ++next_pragma) {
      put("\t.pragma \"{}\";\n", f.pragmas[next_pragma].second);
    }
    if (i == f.instructions.size()) break;
    const Instruction& next = f.instructions[i];
    if (options_.source_lines && next.source != source && next.source != kNone) {
      location(f, next.source);
      source = next.source;
    }
    if (options_.before) out_ += options_.before(f, i);
    out_ += '\t';
    instruction(next);
    out_ += '\n';
  }
}

// An inlined line names its caller's, which must have been the last .loc at that place.
void Writer::location(const Function& f, std::uint32_t source) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t at = source;
       at != kNone && at < f.source_lines.size() && frames.size() < kDeepestInlining;
       at = f.source_lines[at].inlined_at) {
    frames.push_back(at);
  }
  for (std::size_t i = frames.size(); i-- > 0;) {
    const SourceLine& line = f.source_lines[frames[i]];
    put("\t.loc {} {} {}", line.file, line.line, line.column);
    if (i + 1 < frames.size()) {
      const auto next = names_.size();
      const auto entry = names_.try_emplace(line.function, fmt::format("$L__info_string{}", next)).first;
      const SourceLine& caller = f.source_lines[frames[i + 1]];
      put(", function_name {}, inlined_at {} {} {}", entry->second, caller.file, caller.line, caller.column);
    }
    out_ += '\n';
  }
}

void Writer::instruction(const Instruction& in) {
  const Form& form = module_.form(in);
  if (in.guard.predicate != kNone) put("@{}{} ", in.guard.negated ? "!" : "", reg_name(in.guard.predicate));
  out_ += form.text;
  out_ += ' ';
  if (form.opcode == Opcode::Call) {
    if (!in.call_returns.empty()) {
      out_ += '(';
      put_list(in.call_returns, [&](const Operand& o) { operand(o); });
      out_ += "), ";
    }
    if (!in.operands.empty()) operand(in.operands[0]);
    if (!in.call_arguments.empty() || !in.prototype.empty()) {
      out_ += ", (";
      put_list(in.call_arguments, [&](const Operand& o) { operand(o); });
      out_ += ')';
    }
  } else {
    put_list(in.operands, [&](const Operand& o) { operand(o); });
  }
  if (!in.prototype.empty()) put(", {}", in.prototype);
  out_ += ';';
}

void Writer::integer(std::int64_t value) {
  if (value < -0x80000000ll) {
    put("{:#x}", static_cast<std::uint64_t>(value));
  } else {
    put("{}", value);
  }
}

void Writer::offset(std::int64_t value) {
  if (value > 0) {
    put("+{}", value);
  } else if (value < 0) {
    put("+-{}", 0 - static_cast<std::uint64_t>(value));
  }
}

void Writer::address(const Operand& o) {
  out_ += '[';
  if (o.reg != kNone) {
    out_ += reg_name(o.reg);
    offset(o.value);
  } else if (!o.symbol.empty()) {
    out_ += o.symbol;
    offset(o.value);
  } else {
    integer(o.value);
  }
  for (const Operand& element : o.elements) {
    out_ += ", ";
    operand(element);
  }
  out_ += ']';
}

void Writer::operand(const Operand& o) {
  switch (o.kind) {
    case OperandKind::Sink:
      out_ += '_';
      return;
    case OperandKind::Register:
      if (o.negated) out_ += '!';
      out_ += reg_name(o.reg);
      if (!o.symbol.empty()) put(".{}", o.symbol);
      return;
    case OperandKind::Integer:
      return integer(o.value);
    case OperandKind::Float:
      if (o.type == Type::F32) return put("0f{:08X}", static_cast<std::uint32_t>(o.value));
      return put("0d{:016X}", static_cast<std::uint64_t>(o.value));
    case OperandKind::Special:
      out_ += o.special == SpecialRegister::Unknown ? o.symbol : special_register_name(o.special, o.value);
      return;
    case OperandKind::Symbol:
      out_ += o.symbol;
      return offset(o.value);
    case OperandKind::Label:
      out_ += o.symbol;
      return;
    case OperandKind::Address:
      return address(o);
    case OperandKind::Vector:
      if (o.is_pair && o.elements.size() == 2) {
        operand(o.elements[0]);
        out_ += '|';
        return operand(o.elements[1]);
      }
      out_ += '{';
      put_list(o.elements, [&](const Operand& element) { operand(element); });
      out_ += '}';
      return;
  }
}

void Writer::files() {
  for (std::size_t i = 1; i < module_.files.size(); ++i) {
    if (!module_.files[i].empty()) put(".file {} \"{}\"\n", i, module_.files[i]);
  }
}

void Writer::debug_strings() {
  if (names_.empty()) return;
  out_ += ".section .debug_str\n{\n";
  for (const auto& [text, label] : names_) {
    put("{}:\n.b8 ", label);
    for (const char c : text) put("{},", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out_ += "0\n";
  }
  out_ += "}\n";
}

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  return Writer(module, options).module_text();
}

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  const PrintOptions options;
  Writer writer(module, options);
  writer.use(function);
  writer.instruction(instruction);
  return writer.take();
}

}  // namespace warplens::ptx
