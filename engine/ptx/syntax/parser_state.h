// The parser's inside, split by what is read: module statements (parser.cpp), variables and initialisers
// (parse_variable.cpp), function headers and bodies (parse_function.cpp), instructions and operands
// (parse_instruction.cpp), names in scopes (parse_scope.cpp).
//
// Every member that reads returns false after fail(); the first failure is the one reported.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/message.h"
#include "engine/ptx/syntax/cursor.h"
#include "engine/ptx/syntax/module.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {

// Bounds that keep hostile text from using more memory or stack than its own length justifies.
inline constexpr std::size_t kMaxScopeDepth = 64;
inline constexpr int kMaxNesting = 32;  // of vectors, initialiser braces and expressions
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxFileNumber = 1u << 16;
inline constexpr std::uint32_t kMaxAlignment = 1u << 20;

// A number in the text, before anyone knows the type it is wanted in.
struct Constant {
  bool is_float = false;
  bool is_single = false;  // a float written 0f...
  std::uint64_t bits = 0;
};

// Names of one { } of a function.
struct Scope {
  struct Entry {
    enum class Kind : std::uint8_t { Register, Local, Parameter, List } kind = Kind::Register;
    Type type = Type::None;
    std::uint32_t index = kNone;  // register id once it is used; index into the function's locals
  };
  struct Range {  // .reg .b32 %r<10>
    Type type = Type::None;
    std::uint32_t count = 0;
    std::uint32_t serial = 0;
  };
  std::unordered_map<std::string_view, Entry> names;
  std::unordered_map<std::string_view, Range> ranges;
  std::unordered_map<std::string_view, std::string> labels;  // as written -> unique in the function
  std::size_t first_label_use = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : cursor_(text), options_(options) {}
  Result<Module> run();

 private:
  struct Linkage {
    bool is_extern = false, is_visible = false, is_weak = false;
  };
  // A label named by a branch or, when `list` is set, by a .branchtargets list. Resolved when its scope ends.
  struct LabelUse {
    std::uint32_t instruction = 0, operand = 0;
    std::string list;
    std::string_view name;
    int line = 0, column = 0;
  };
  struct SymbolUse {
    std::string name;
    int line = 0, column = 0;
  };
  struct SourceLineHash {
    std::size_t operator()(const SourceLine& line) const;
  };

  // --- failures
  using Values = std::vector<std::pair<std::string, MessageValue>>;
  bool fail(const char* key, Values values = {});       // at the cursor; keys are below ptx.
  bool fail_at(int line, int column, Message message);  // elsewhere
  bool expected(const char* key);                       // "expected WHAT, found ...": ptx.what.KEY
  bool expect(char c, const char* where);               // ptx.where.WHERE
  bool expected_message(Message what);

  // --- parser.cpp: module scope
  bool parse_module();
  bool parse_statement();
  bool parse_version();
  bool parse_target();
  bool parse_file();
  bool parse_section();
  bool parse_debug_strings();
  bool parse_alias();
  bool finish_module();
  void resolve_inlined_names();
  bool check_symbols();
  bool add_module_variable(Variable variable);
  bool known_symbol(const std::string& name) const;

  // --- numbers (parse_constant.cpp)
  bool parse_number(Constant& out);
  bool parse_constant(Constant& out, int depth = 0);  // with operators
  bool parse_binary(Constant& out, int precedence, int depth);
  bool parse_unary(Constant& out, int depth);
  bool parse_count(std::uint64_t& out, std::uint64_t limit);
  bool parse_unsigned(std::uint64_t& out, std::uint64_t limit, std::string_view what);

  // --- parse_variable.cpp
  struct Initialiser;
  bool parse_variable_type(Variable& variable);                          // .align .v4 .f32 .ptr ...
  bool parse_declarator(Variable& variable, std::string_view& written);  // name[4][8] = {...}
  bool parse_variables(Linkage linkage, StateSpace space);  // up to ';', into the scope or the module
  bool declare_variable(std::string_view written, Variable variable);
  bool parse_extents(Variable& variable, std::vector<std::uint64_t>& extents);
  bool parse_initialiser(Variable& variable, const std::vector<std::uint64_t>& extents);
  bool parse_initial_list(Initialiser& state, std::size_t level, std::uint64_t position);
  bool parse_initial_element(Initialiser& state, std::uint64_t position);
  bool parse_masked_symbol(Initialiser& state, std::uint64_t position, std::uint64_t mask);
  bool parse_symbol_with_offset(Relocation& out);
  bool finish_masks(Initialiser& state);
  bool check_size(Variable& variable);

  // --- parse_function.cpp
  bool parse_function(Linkage linkage, bool is_entry);
  bool parse_parameters(std::vector<Variable>& out);
  bool parse_function_directives(Function& function);
  bool parse_body();
  bool parse_body_statement();
  bool parse_body_directive(std::string_view directive);
  bool parse_registers();
  bool parse_loc();
  bool parse_pragma(std::string& out);
  bool parse_label_or_list(std::string_view name);
  bool parse_branch_targets(std::string_view name);
  bool parse_call_targets(std::string_view name);
  bool parse_prototype(std::string_view name);
  bool finish_function();
  void end_with_return();
  bool declare_label(std::string_view name);
  void resolve_labels();
  std::string list_name(std::string_view written) const;
  bool install_function();
  std::uint32_t intern_source_line(SourceLine line);

  // --- parse_scope.cpp
  void open_scope();
  void close_scope();
  bool declare_register(std::string_view name, Type type);
  bool declare_range(std::string_view prefix, Type type, std::uint32_t count);
  bool declare_local(std::string_view written, Variable variable);
  std::uint32_t take_free_parameter(std::string_view written, const Variable& variable);
  bool declare_list(std::string_view name, std::string& unique);
  bool is_declared_here(std::string_view name) const;
  bool find_register(std::string_view name, RegisterId& out);  // makes it on first use
  bool find_local(std::string_view name, std::string& out) const;
  std::string unique_name(std::string_view name);
  RegisterId make_register(std::string_view name, Type type);
  bool find_in_range(Scope& scope, std::string_view name, RegisterId& out);

  // --- parse_instruction.cpp
  bool parse_instruction();
  bool parse_guard(Guard& guard);
  FormId intern_form(std::string_view text);
  bool parse_operands(Instruction& instruction);
  bool parse_branch(Instruction& instruction);
  bool parse_branch_table(Instruction& instruction);
  bool parse_call(Instruction& instruction);
  bool parse_call_list(std::vector<Operand>& out);
  bool parse_operand(Operand& out, int depth);
  bool parse_named_operand(Operand& out, int depth);
  bool parse_pair(Operand& out, int depth);
  bool parse_vector(Operand& out, int depth);
  bool parse_address(Operand& out, int depth);
  bool parse_number_operand(Operand& out);
  bool parse_offset(std::int64_t& out);  // "+8", "-4", "+-4", or nothing
  void name_symbol(Operand& out, std::string_view name, int line, int column);
  void fit_floats(Instruction& instruction);

  Cursor cursor_;
  const ParseOptions& options_;
  Error error_;
  bool failed_ = false;

  Module module_;
  std::unordered_map<std::string, std::uint32_t> variable_index_, function_index_;
  std::unordered_map<std::string_view, FormId> form_index_;
  std::deque<std::string> joined_forms_;  // texts of forms that were written with blanks inside
  std::deque<std::string> made_names_;    // names of declared ranges of variables
  std::vector<SymbolUse> pending_symbols_;
  std::uint64_t initial_bytes_ = 0;  // of all variables, bounded by the length of the text
  std::string debug_strings_;
  std::unordered_map<std::string_view, std::size_t> debug_labels_;

  Function function_;          // the one being read
  std::vector<Scope> scopes_;  // the open ones, outermost first; empty outside functions
  std::uint32_t ranges_made_ = 0;
  std::unordered_map<std::uint64_t, RegisterId> range_registers_;  // range serial << 32 | number
  std::unordered_set<std::string> used_names_;                     // of registers and locals
  std::unordered_map<std::string_view, std::uint32_t> rename_counts_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> free_parameters_;  // of closed scopes
  std::vector<LabelUse> label_uses_;
  std::vector<std::string> list_names_;  // unique names of .branchtargets, .calltargets, .callprototype
  std::uint32_t source_ = kNone;
  std::unordered_map<SourceLine, std::uint32_t, SourceLineHash> source_index_;
  std::unordered_map<std::uint64_t, std::uint32_t> source_by_place_;  // last one at file, line, column
};

}  // namespace warplens::ptx
