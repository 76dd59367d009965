// Executes host code on what is known of its values, to find out how kernels are launched. A condition that
// is unknown runs both ways, and what differs afterwards is unknown; a loop runs as long as its count is
// known and it is short, and what it changed is unknown otherwise.
//
//   HostMachine machine(program);
//   machine.run();
//   machine.launches, machine.instances
//
// Its parts: host_machine.cpp (scopes, what is run), host_calls.cpp, host_statements.cpp,
// host_expressions.cpp, host_types.cpp, host_library.cpp (what the CUDA runtime and the standard library do),
// host_launch.cpp.
#pragma once

#include <functional>
#include <set>

#include "engine/source/host_value.h"

namespace warplens::source {

struct Scope {
  std::map<std::string, Place, std::less<>> names;
  std::map<std::string, TypeRef, std::less<>> types;
  std::shared_ptr<Scope> outer;
  std::shared_ptr<Object> self;  // of a method
  TypeRef self_type;
};

class HostMachine {
 public:
  explicit HostMachine(HostProgram& program);
  void run();

  std::vector<HostLaunch> launches;
  std::vector<std::string> instances;
  std::optional<DeclaredType> declared_type(const std::string& name);

 private:
  enum class Flow { Next, Break, Continue, Leave };
  struct Operand {
    HostValue value;
    Place place;  // null: no variable
  };
  struct Cursor {
    std::size_t i = 0, last = 0;
  };
  struct TypeSpec {
    TypeRef type;
    std::size_t next = 0;
    bool is_auto = false, known = false;
  };
  using Bindings = std::map<std::string, TypeRef>;
  struct TemplateArguments {
    Bindings types;
    std::map<std::string, HostValue> values;
  };

  // Tokens.
  const std::vector<Token>& t() const { return p_.text.tokens; }
  bool is(std::size_t i, std::string_view text) const { return i < t().size() && t()[i].is(text); }
  bool is_name(std::size_t i) const { return i < t().size() && t()[i].kind == TokenKind::Identifier; }
  std::size_t closing(std::size_t i, std::size_t last) const { return std::min(p_.match[i], last); }
  std::size_t statement_end(std::size_t i, std::size_t last) const;  // its ';'
  int line_at(std::size_t i) const { return i < t().size() ? t()[i].line : 0; }

  // Scopes and storage.
  Place find(std::string_view name) const;
  Place define(const std::string& name, HostValue value, TypeRef type = nullptr);
  void store(const Place& place, HostValue value, std::string_view name = {});
  void log(const Place& place);
  bool step();  // false: the budget is spent
  DoubtRef doubt(Doubt::Why why, std::string_view name, std::size_t at, bool assumed = false) const;
  HostValue invented(std::string_view name, const DoubtRef& why, const TypeRef& type) const;
  struct NewScope {
    explicit NewScope(HostMachine& machine);
    ~NewScope();
    HostMachine& m;
    std::shared_ptr<Scope> before;
  };

  // Statements.
  Flow statements(TokenRange range);
  Flow statement(std::size_t& i, std::size_t last);
  Flow keyword(std::size_t& i, std::size_t last, bool& was_one);
  Flow if_statement(std::size_t& i, std::size_t last);
  Flow branches(const HostValue& condition, const std::function<Flow()>& yes, const std::function<Flow()>& no,
                const DoubtRef& unknown);
  Flow loop(std::size_t& i, std::size_t last);
  Flow run_loop(TokenRange condition, TokenRange step, TokenRange body, bool body_first);
  Flow for_each(TokenRange head, std::size_t colon, TokenRange body);
  Flow switch_statement(std::size_t& i, std::size_t last);
  void forget_changed(std::size_t frame, const DoubtRef& why, std::initializer_list<TokenRange> ranges);
  std::size_t skip_statement(std::size_t i, std::size_t last, int depth = 0) const;
  bool declaration(std::size_t& i, std::size_t last);
  void declarator(TokenRange range, const TypeSpec& spec);
  void structured_binding(std::size_t i, std::size_t end);
  HostValue array(const TypeRef& element, TokenRange extents, TokenRange initial);

  // Types.
  TypeSpec type_at(std::size_t i, std::size_t last, bool lenient);
  TypeRef named_type(const std::string& name, TokenRange arguments);
  TypeRef structure_type(const std::shared_ptr<const HostStructure>& structure, TokenRange arguments);
  void lay_out(Type& type);
  TypeRef with_suffix(TypeRef type, std::size_t& i, std::size_t last) const;
  TypeRef sequence_of(const std::string& name, TokenRange arguments);
  HostValue default_value(const TypeRef& type, int depth = 0);
  HostValue constructed(const TypeRef& type, std::vector<Operand> arguments, std::size_t at);
  void construct_fields(const TypeRef& type, Object& object, int depth);

  // Expressions.
  HostValue evaluate(TokenRange range);
  Operand comma(Cursor& c);
  Operand assignment(Cursor& c);
  Operand ternary(Cursor& c);
  Operand operation(Cursor& c, int lowest);
  Operand prefix(Cursor& c);
  Operand postfix(Cursor& c);
  Operand primary(Cursor& c);
  Operand bracket(Cursor& c);
  Operand name(Cursor& c);
  Operand unbound(Cursor& c, const std::string& name, TokenRange templates);
  Operand member(Cursor& c, const Operand& object);
  Operand subscript(const Operand& array, const HostValue& index);
  Operand size_of(Cursor& c);
  Operand new_expression(Cursor& c);
  Operand lambda(Cursor& c);
  Operand braced(Cursor& c, const TypeRef& type);
  Operand dereferenced(const HostValue& pointer);
  std::vector<Operand> arguments(TokenRange range);
  bool template_arguments(Cursor& c, const std::string& name, TokenRange& found) const;

  // Calls.
  Operand call(const HostFunction& function, const std::vector<Operand>& arguments, TokenRange templates,
               const std::shared_ptr<Object>& self, const TypeRef& self_type);
  Operand call_closure(const Closure& closure, const std::vector<Operand>& arguments);
  Operand call_named(const std::string& name, TokenRange templates, std::vector<Operand> arguments,
                     std::size_t at);
  Operand call_method(const Operand& object, const std::string& name, TokenRange templates,
                      std::vector<Operand> arguments, std::size_t at);
  void bind(const std::vector<HostParameter>& parameters, const std::vector<Operand>& arguments,
            bool standalone);
  const HostFunction* overload(const std::multimap<std::string, HostFunction, std::less<>>& in,
                               std::string_view name, std::size_t arguments) const;
  TemplateArguments deduce(const std::vector<TemplateParameter>& templates,
                           const std::vector<HostParameter>& parameters,
                           const std::vector<Operand>& arguments, TokenRange given);
  bool match_type(TokenRange pattern, TypeRef type, const std::string& name, TypeRef& found);
  void initialise_members(const HostFunction& function, Object& self);
  Operand run_body(TokenRange body);
  void run_uncalled();

  // The CUDA runtime and the standard library.
  std::optional<Operand> library(const std::string& name, TokenRange templates,
                                 std::vector<Operand>& arguments, std::size_t at);
  bool allocate(const std::string& name, std::vector<Operand>& arguments, std::size_t at);
  std::optional<HostValue> mathematics(const std::string& name, const std::vector<Operand>& arguments) const;
  std::optional<Operand> sequence_method(const Operand& object, const std::string& name,
                                         std::vector<Operand>& arguments, std::size_t at);
  std::optional<Operand> input(const std::string& name, std::vector<Operand>& arguments, std::size_t at);
  std::optional<Operand> runtime(const std::string& name, std::vector<Operand>& arguments, std::size_t at);
  HostValue pointer_value(const HostValue& bytes, const TypeRef& type) const;
  HostValue sequence(const TypeRef& type, const HostValue& count) const;

  // Launches.
  Operand launch(Cursor& c, const std::string& kernel, TokenRange templates);
  void launch_by_function(const std::string& name, std::vector<Operand>& arguments, std::size_t at);
  void record(const std::string& kernel, TokenRange templates, const std::array<HostValue, 3>& setup,
              const std::vector<Operand>& arguments, std::vector<std::string> texts, std::size_t at);
  std::string instance_of(const std::string& kernel, TokenRange templates,
                          const std::vector<Operand>& arguments, bool& certain);
  std::string template_argument(TokenRange range, bool& certain);
  LaunchArgument described(const HostValue& value, std::string text) const;
  static bool flatten(const HostValue& value, std::string& out, int depth);
  void remember_instance(const std::string& name);
  void remember_written_instances();

  HostProgram& p_;
  std::shared_ptr<Scope> scope_, globals_;
  std::vector<std::vector<std::pair<Place, HostValue>>> journal_;
  std::vector<HostValue> returns_;
  TypeRef result_type_;
  bool uncertain_ = false;  // a break, continue or return may have happened
  bool spent_ = false;
  std::uint64_t steps_ = 0;
  int depth_ = 0, nesting_ = 0;
  std::set<const HostFunction*> called_;
  std::set<std::string> known_instances_;
  std::map<std::string, TypeRef> structure_types_;
  std::set<std::string> known_launches_;
};

}  // namespace warplens::source
