#include <algorithm>
#include <functional>

#include "engine/ptx/syntax/control_flow.h"
#include "engine/ptx/syntax/parser_state.h"

namespace warplens::ptx {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

}  // namespace

std::size_t Parser::SourceLineHash::operator()(const SourceLine& line) const {
  std::size_t seed = std::hash<std::string>{}(line.function);
  seed = mix(seed, static_cast<std::size_t>(line.file));
  seed = mix(seed, static_cast<std::size_t>(line.line));
  seed = mix(seed, static_cast<std::size_t>(line.column));
  return mix(seed, line.inlined_at);
}

bool Parser::parse_function(Linkage linkage, bool is_entry) {
  function_ = {};
  scopes_.clear();
  range_registers_.clear();
  used_names_.clear();
  rename_counts_.clear();
  free_parameters_.clear();
  label_uses_.clear();
  list_names_.clear();
  source_ = kNone;
  source_index_.clear();
  source_by_place_.clear();

  function_.is_entry = is_entry;
  function_.is_visible = linkage.is_visible;
  function_.is_weak = linkage.is_weak;
  function_.line = (cursor_.peek(), cursor_.line());
  open_scope();
  if (cursor_.accept('(') && !parse_parameters(function_.returns)) return false;
  const std::string_view name = cursor_.word();
  if (name.empty()) return expected("function_name");
  function_.name = std::string(name);
  if (cursor_.accept('(') && !parse_parameters(function_.parameters)) return false;
  if (!parse_function_directives(function_)) return false;
  function_.is_extern = cursor_.accept(';');
  if (!function_.is_extern) {
    if (!expect('{', "body")) return false;
    if (!parse_body() || !finish_function()) return false;
  }
  scopes_.clear();
  return install_function();
}

// From behind '(' to behind ')'.
bool Parser::parse_parameters(std::vector<Variable>& out) {
  if (cursor_.accept(')')) return true;
  do {
    if (cursor_.accept("...")) continue;
    const std::string_view space = cursor_.directive();
    if (space != ".param" && space != ".reg") return expected("parameter_space");
    Variable variable;
    variable.space = space == ".reg" ? StateSpace::Reg : StateSpace::Param;
    std::string_view written;
    if (!parse_variable_type(variable) || !parse_declarator(variable, written)) return false;
    if (variable.space == StateSpace::Reg) {
      if (!declare_register(written, variable.type)) return false;
    } else if (written != "_") {
      if (is_declared_here(written)) return fail("parameter_twice", {{"name", value_of(variable.name)}});
      scopes_.back().names.emplace(written, Scope::Entry{Scope::Entry::Kind::Parameter, Type::None, 0});
      used_names_.insert(variable.name);
    }
    out.push_back(std::move(variable));
  } while (cursor_.accept(','));
  return expect(')', "parameters");
}

bool Parser::parse_function_directives(Function& function) {
  while (cursor_.peek() == '.') {
    const std::size_t start = cursor_.offset();
    const std::string_view word = cursor_.directive();
    if (word == ".pragma") {
      std::string text;
      if (!parse_pragma(text)) return false;
      function.pragmas.emplace_back(0, std::move(text));
      continue;
    }
    std::vector<std::uint32_t> numbers;
    std::size_t end = cursor_.offset();
    for (bool more = cursor_.peek() >= '0' && cursor_.at() <= '9'; more; more = cursor_.accept(',')) {
      std::uint64_t number = 0;
      if (!parse_count(number, 0xffffffffu)) return false;
      if (numbers.size() > 16) return fail("too_many_numbers", {{"word", value_of(std::string(word))}});
      numbers.push_back(static_cast<std::uint32_t>(number));
      end = cursor_.offset();
    }
    if (word == ".maxntid" && !numbers.empty()) {
      function.max_threads = numbers;
    } else if (word == ".reqntid" && !numbers.empty()) {
      function.required_threads = numbers;
    } else if (word == ".minnctapersm" && !numbers.empty()) {
      function.min_blocks_per_sm = numbers[0];
    } else if (word == ".maxnreg" && !numbers.empty()) {
      function.max_registers = numbers[0];
    } else {
      function.directives.emplace_back(cursor_.slice(start, end));
    }
  }
  return true;
}

bool Parser::parse_pragma(std::string& out) {
  std::string_view inside;
  do {
    if (!cursor_.quoted(inside)) return expected("pragma");
    if (!out.empty()) out += "\", \"";
    out += inside;
  } while (cursor_.accept(','));
  return expect(';', "pragma");
}

bool Parser::parse_body() {
  // The function's own braces are a scope inside that of its parameters.
  open_scope();
  const std::size_t outermost = scopes_.size();
  while (true) {
    if (cursor_.accept('}')) {
      close_scope();
      if (scopes_.size() < outermost) return true;
      continue;
    }
    if (cursor_.accept('{')) {
      if (scopes_.size() - outermost >= kMaxScopeDepth) return fail("deep_scopes");
      open_scope();
      continue;
    }
    if (cursor_.accept(';')) continue;
    if (!parse_body_statement()) return false;
  }
}

bool Parser::parse_body_statement() {
  const char first = cursor_.peek();
  if (first == '.') return parse_body_directive(cursor_.directive());
  if (first == '@') return parse_instruction();
  // A label is a word and a ':', and an opcode never is: "mov.shared::cta" has two.
  const Cursor before = cursor_;
  const std::string_view word = cursor_.word();
  if (word.empty()) return expected("statement");
  const char next = cursor_.at();
  if (next == ':' || next == ' ' || next == '\t' || next == '\n' || next == '\r') {
    if (cursor_.peek() == ':' && cursor_.at(1) != ':') {
      cursor_.accept(':');
      return parse_label_or_list(word);
    }
  }
  cursor_ = before;
  return parse_instruction();
}

bool Parser::parse_body_directive(std::string_view directive) {
  if (directive == ".loc") return parse_loc();
  if (directive == ".reg") return parse_registers();
  if (directive == ".file") return parse_file();
  if (directive == ".section") return parse_section();
  if (directive == ".pragma") {
    std::string text;
    if (!parse_pragma(text)) return false;
    const auto next = static_cast<std::uint32_t>(function_.instructions.size());
    function_.pragmas.emplace_back(next, std::move(text));
    return true;
  }
  Linkage linkage;
  if (directive == ".extern") {
    linkage.is_extern = true;
    directive = cursor_.directive();
  }
  const auto space = directive.empty() ? std::nullopt : space_from_name(directive.substr(1));
  if (space && (*space == StateSpace::Local || *space == StateSpace::Shared || *space == StateSpace::Param ||
                *space == StateSpace::Global || *space == StateSpace::Const)) {
    return parse_variables(linkage, *space);
  }
  return fail("directive_in_body", {{"found", value_of(std::string(directive.substr(0, 32)))}});
}

// .reg .b32 %r<10>, %x;
bool Parser::parse_registers() {
  Variable variable;
  if (!parse_variable_type(variable)) return false;
  if (variable.vector_width != 1) return fail("vector_registers");
  do {
    const std::string_view name = cursor_.word();
    if (name.empty()) return expected("register_name");
    if (cursor_.accept('<')) {
      std::uint64_t count = 0;
      if (!parse_count(count, 0xfffffffeu) || !expect('>', "register_count")) {
        return false;
      }
      if (!declare_range(name, variable.type, static_cast<std::uint32_t>(count))) return false;
    } else if (!declare_register(name, variable.type)) {
      return false;
    }
  } while (cursor_.accept(','));
  return expect(';', "registers");
}

// .loc 2 115 4, function_name $L__info_string1, inlined_at 2 122 3
bool Parser::parse_loc() {
  constexpr std::uint64_t kMost = 0x7fffffff;
  const auto place_key = [](std::uint64_t file, std::uint64_t line, std::uint64_t column) {
    return file << 44 ^ line << 13 ^ column;
  };
  std::uint64_t file = 0, line = 0, column = 0;
  if (!parse_unsigned(file, kMaxFileNumber, "file_number") || !parse_unsigned(line, kMost, "line"))
    return false;
  if (!parse_unsigned(column, kMost, "column")) return false;
  SourceLine made;
  made.file = static_cast<int>(file);
  made.line = static_cast<int>(line);
  made.column = static_cast<int>(column);
  while (cursor_.accept(',')) {
    const std::string_view word = cursor_.word();
    if (word == "function_name") {
      made.function = std::string(cursor_.word());
      if (made.function.empty()) return expected("function_label");
      std::uint64_t offset = 0;
      if (cursor_.accept('+')) {
        if (!parse_unsigned(offset, kMost, "offset")) return false;
        made.function += "+" + std::to_string(offset);
      }
    } else if (word == "inlined_at") {
      std::uint64_t f = 0, l = 0, c = 0;
      if (!parse_unsigned(f, kMaxFileNumber, "file_number") || !parse_unsigned(l, kMost, "line"))
        return false;
      if (!parse_unsigned(c, kMost, "column")) return false;
      const auto caller = source_by_place_.find(place_key(f, l, c));
      if (caller != source_by_place_.end()) {
        made.inlined_at = caller->second;
      } else {
        SourceLine outer;
        outer.file = static_cast<int>(f);
        outer.line = static_cast<int>(l);
        outer.column = static_cast<int>(c);
        made.inlined_at = intern_source_line(std::move(outer));
      }
    } else {
      return fail("loc_word", {{"found", value_of(std::string(word.substr(0, 32)))}});
    }
  }
  source_ = intern_source_line(std::move(made));
  source_by_place_[place_key(file, line, column)] = source_;
  return true;
}

std::uint32_t Parser::intern_source_line(SourceLine line) {
  const auto next = static_cast<std::uint32_t>(function_.source_lines.size());
  const auto [entry, is_new] = source_index_.try_emplace(line, next);
  if (is_new) function_.source_lines.push_back(std::move(line));
  return entry->second;
}

bool Parser::parse_label_or_list(std::string_view name) {
  if (cursor_.peek() != '.') return declare_label(name);
  const Cursor before = cursor_;
  const std::string_view word = cursor_.directive();
  if (word == ".branchtargets") return parse_branch_targets(name);
  if (word == ".calltargets") return parse_call_targets(name);
  if (word == ".callprototype") return parse_prototype(name);
  cursor_ = before;  // a label before .loc or .pragma
  return declare_label(name);
}

bool Parser::parse_branch_targets(std::string_view name) {
  std::string unique;
  if (!declare_list(name, unique)) return false;
  std::vector<std::string>& targets = function_.target_lists[unique];
  do {
    LabelUse use;
    use.column = (cursor_.peek(), cursor_.column());
    use.line = cursor_.line();
    use.name = cursor_.word();
    if (use.name.empty()) return expected("branch_target");
    use.list = unique;
    use.operand = static_cast<std::uint32_t>(targets.size());
    targets.emplace_back(use.name);
    label_uses_.push_back(std::move(use));
  } while (cursor_.accept(','));
  return expect(';', "branch_targets");
}

bool Parser::parse_call_targets(std::string_view name) {
  std::string unique;
  if (!declare_list(name, unique)) return false;
  std::vector<std::string>& targets = function_.target_lists[unique];
  do {
    const int column = (cursor_.peek(), cursor_.column());
    const int line = cursor_.line();
    const std::string_view target = cursor_.word();
    if (target.empty()) return expected("call_target");
    targets.emplace_back(target);
    pending_symbols_.push_back({std::string(target), line, column});
  } while (cursor_.accept(','));
  return expect(';', "call_targets");
}

bool Parser::parse_prototype(std::string_view name) {
  std::string unique;
  if (!declare_list(name, unique)) return false;
  cursor_.peek();
  const std::size_t start = cursor_.offset();
  // Its text is kept whole; it ends at the first ';'.
  while (cursor_.peek() != ';') {
    if (cursor_.at_end()) return expected("prototype_end");
    if (cursor_.directive().empty() && cursor_.word().empty() && cursor_.number().empty() &&
        !cursor_.accept(cursor_.at())) {
      return expected("prototype");
    }
  }
  function_.prototypes[unique] = std::string(cursor_.slice(start, cursor_.offset()));
  return expect(';', "prototype");
}

// PTX lets a body, or a label, end at the closing brace, which returns. With the return written out every
// path ends in an instruction and every label names one.
void Parser::end_with_return() {
  const auto end = static_cast<std::uint32_t>(function_.instructions.size());
  bool needed = function_.instructions.empty() || function_.instructions.back().guard.predicate != kNone;
  if (!needed) needed = !module_.form(function_.instructions.back()).effects().ends_block();
  for (const auto& [name, position] : function_.labels) needed |= position == end;
  if (!needed) return;
  Instruction instruction;
  instruction.form = intern_form("ret");
  instruction.line = cursor_.line();
  instruction.source = source_;
  function_.instructions.push_back(std::move(instruction));
}

bool Parser::finish_function() {
  if (!label_uses_.empty()) {
    const LabelUse& use = label_uses_.front();
    return fail_at(use.line, use.column,
                   {"ptx.no_label", {{"name", value_of(std::string(use.name.substr(0, 200)))}}});
  }
  end_with_return();
  const Status built = build_control_flow(module_, function_);
  if (built) return true;
  cursor_.peek();
  return fail_at(cursor_.line(), cursor_.column(), *built.error().said);
}

// A definition replaces the declaration that went before it, and stands where it was written.
bool Parser::install_function() {
  const auto [entry, is_new] =
      function_index_.try_emplace(function_.name, static_cast<std::uint32_t>(module_.functions.size()));
  if (!is_new) {
    Function& existing = module_.functions[entry->second];
    if (function_.is_extern) return true;
    if (!existing.is_extern) {
      return fail_at(function_.line, 1,
                     {"ptx.function_twice", {{"name", value_of(function_.name.substr(0, 200))}}});
    }
    function_.is_visible |= existing.is_visible;
    existing.name.clear();  // swept away in finish_module()
    entry->second = static_cast<std::uint32_t>(module_.functions.size());
  }
  function_.demangled = demangle(function_.name);
  module_.functions.push_back(std::move(function_));
  return true;
}

}  // namespace warplens::ptx
