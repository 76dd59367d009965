// HostMachine: calls of the file's own functions.
#include <algorithm>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

constexpr int kDeepestCalls = 40;

}  // namespace

const HostFunction* HostMachine::overload(const std::multimap<std::string, HostFunction, std::less<>>& in,
                                          std::string_view name, std::size_t arguments) const {
  const HostFunction* found = nullptr;
  const auto [first, last] = in.equal_range(name);
  for (auto it = first; it != last; ++it) {
    const HostFunction& f = it->second;
    if (f.body.empty() && f.initials.empty()) continue;
    const auto needed = static_cast<std::size_t>(
        std::count_if(f.parameters.begin(), f.parameters.end(),
                      [](const HostParameter& p) { return p.default_value.empty(); }));
    const bool fits = arguments >= needed && arguments <= f.parameters.size();
    if (fits) return &f;
    if (found == nullptr) found = &f;
  }
  // Packs and macros: the number may differ.
  return found != nullptr && !found->templates.empty() && found->templates.back().is_pack ? found : nullptr;
}

bool HostMachine::match_type(TokenRange pattern, TypeRef type, const std::string& name, TypeRef& found) {
  std::size_t at = pattern.last;
  std::size_t stars = 0;
  for (std::size_t i = pattern.first; i < pattern.last; ++i) {
    if (t()[i].is(name)) at = i;
    if (t()[i].is("*")) ++stars;
  }
  if (at == pattern.last || !type) return false;
  // std::vector<T>&: what it holds.
  if (at > pattern.first && is(at - 1, "<")) {
    found = type->element;
    return found != nullptr;
  }
  if (at + 1 < pattern.last && is(at + 1, "::")) return false;
  for (; stars > 0 && type; --stars) {
    if (type->kind != Type::Kind::Pointer && type->kind != Type::Kind::Sequence) return false;
    type = type->element;
  }
  if (type && type->kind == Type::Kind::Sequence && !type->name.empty() && type->name.back() == ']')
    type = pointer_to(type->element);
  found = type;
  return type && type->kind != Type::Kind::Void && !type->name.empty();
}

HostMachine::TemplateArguments HostMachine::deduce(const std::vector<TemplateParameter>& templates,
                                                   const std::vector<HostParameter>& parameters,
                                                   const std::vector<Operand>& arguments, TokenRange given) {
  TemplateArguments out;
  const auto parts = given.empty() ? std::vector<TokenRange>{} : split_at_commas(p_, given, true);
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const TemplateParameter& parameter = templates[i];
    TokenRange range = i < parts.size() ? parts[i] : TokenRange{};
    if (parameter.is_type) {
      TypeRef type;
      if (!range.empty()) type = type_at(range.first, range.last, true).type;
      for (std::size_t a = 0; !type && a < parameters.size() && a < arguments.size(); ++a)
        match_type(parameters[a].type, arguments[a].value.type, parameter.name, type);
      if (!type && !parameter.default_value.empty())
        type = type_at(parameter.default_value.first, parameter.default_value.last, true).type;
      if (type) out.types[parameter.name] = std::move(type);
    } else {
      if (range.empty()) range = parameter.default_value;
      if (!range.empty()) out.values[parameter.name] = evaluate(range);
    }
  }
  return out;
}

void HostMachine::bind(const std::vector<HostParameter>& parameters, const std::vector<Operand>& arguments,
                       bool standalone) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const HostParameter& parameter = parameters[i];
    const TypeRef type = type_at(parameter.type.first, parameter.type.last, true).type;
    if (i < arguments.size()) {
      if (parameter.by_reference && arguments[i].place) {
        scope_->names[parameter.name] = arguments[i].place;
        continue;
      }
      define(parameter.name, arguments[i].value, type);
    } else if (!parameter.default_value.empty()) {
      define(parameter.name, evaluate(parameter.default_value), type);
    } else if (standalone) {
      const DoubtRef why = doubt(Doubt::Why::Caller, parameter.name, parameter.type.first);
      const bool number = type && type->kind == Type::Kind::Integer && type->name != "bool";
      const bool object = type && type->kind == Type::Kind::Structure;
      HostValue value = number   ? invented(parameter.name, why, type)
                        : object ? default_value(type)
                                 : HostValue::unknown(why, type);
      if (object && !value.known()) value = HostValue::unknown(why, type);
      // dim3 of a caller: not 1 x 1 x 1.
      if (object && (type->name == "dim3" || !type->structure)) value = HostValue::unknown(why, type);
      define(parameter.name, std::move(value), type);
    }
  }
}

HostMachine::Operand HostMachine::run_body(TokenRange body) {
  std::vector<HostValue> outer_returns;
  std::swap(outer_returns, returns_);
  const bool outer_uncertain = std::exchange(uncertain_, false);
  const int outer_nesting = std::exchange(nesting_, 0);
  statements(body);
  Operand result;
  if (!returns_.empty()) {
    result.value = returns_.front();
    const DoubtRef why = doubt(Doubt::Why::Condition, "return", body.first);
    for (std::size_t i = 1; i < returns_.size(); ++i) result.value = joined(result.value, returns_[i], why);
  }
  returns_ = std::move(outer_returns);
  uncertain_ = outer_uncertain;
  nesting_ = outer_nesting;
  return result;
}

// What a constructor's initialisers say of the members.
void HostMachine::initialise_members(const HostFunction& function, Object& self) {
  for (std::size_t i = function.initials.first; i < function.initials.last; ++i) {
    if (!is_name(i)) continue;
    std::size_t open = i + 1;
    if (is(open, "<")) open = after_angles(p_, open, function.initials.last);
    if (!is(open, "(") && !is(open, "{")) continue;
    const std::size_t close = closing(open, function.initials.last);
    const auto member = self.members.find(t()[i].text);
    if (member != self.members.end()) {
      const TypeRef type = member->second->type;
      std::vector<Operand> values = arguments({open + 1, close});
      store(member->second,
            type && (type->kind == Type::Kind::Structure || type->kind == Type::Kind::Sequence)
                ? constructed(type, std::move(values), i)
            : values.empty() ? HostValue::of(0)
                             : values.front().value);
    }
    i = close;
  }
}

HostMachine::Operand HostMachine::call(const HostFunction& function, const std::vector<Operand>& arguments,
                                       TokenRange templates, const std::shared_ptr<Object>& self,
                                       const TypeRef& self_type) {
  called_.insert(&function);
  const TemplateArguments bound = deduce(function.templates, function.parameters, arguments, templates);
  if (depth_ >= kDeepestCalls || !step())
    return {HostValue::unknown(doubt(Doubt::Why::Unfollowed, function.name, function.body.first)), nullptr};
  ++depth_;
  const std::shared_ptr<Scope> before = std::exchange(scope_, std::make_shared<Scope>());
  scope_->outer = globals_;
  scope_->self = self;
  scope_->self_type = self_type;
  for (const auto& [name, type] : bound.types) scope_->types[name] = type;
  for (const auto& [name, value] : bound.values) define(name, value);
  if (self_type) {
    for (const auto& [name, type] : self_type->bindings) scope_->types[name] = type;
    for (const auto& [name, value] : self_type->bound_constants) define(name, HostValue::of(value));
  }
  bind(function.parameters, arguments, false);
  if (self) initialise_members(function, *self);
  Operand result = run_body(function.body);
  const TypeSpec returned = type_at(function.result.first, function.result.last, true);
  if (returned.type && returned.type->kind != Type::Kind::Void && !returned.is_auto)
    result.value = converted(result.value, returned.type);
  scope_ = before;
  --depth_;
  return result;
}

HostMachine::Operand HostMachine::call_closure(const Closure& closure,
                                               const std::vector<Operand>& arguments) {
  if (depth_ >= kDeepestCalls || !step()) return {};
  ++depth_;
  const std::shared_ptr<Scope> before = std::exchange(scope_, std::make_shared<Scope>());
  scope_->outer = closure.scope;
  scope_->self = closure.scope->self;
  scope_->self_type = closure.scope->self_type;
  bind(closure.parameters, arguments, false);
  Operand result = run_body(closure.body);
  scope_ = before;
  --depth_;
  return result;
}

HostMachine::Operand HostMachine::call_named(const std::string& name, TokenRange templates,
                                             std::vector<Operand> given, std::size_t at) {
  if (name.starts_with("cudaLaunch") || name == "cuLaunchKernel") {
    launch_by_function(name, given, at);
    return {HostValue::of(0, builtin_type("int")), nullptr};
  }
  if (scope_->self_type && scope_->self_type->structure)
    if (const HostFunction* method = overload(scope_->self_type->structure->methods, name, given.size()))
      return call(*method, given, templates, scope_->self, scope_->self_type);
  if (const HostFunction* function = overload(p_.functions, name, given.size()))
    return call(*function, given, templates, nullptr, nullptr);
  if (auto known = library(name, templates, given, at)) return *known;
  // What a function that is not here is given the address of, it may change.
  for (const Operand& argument : given)
    if (argument.value.target)
      store(argument.value.target,
            HostValue::unknown(doubt(Doubt::Why::Unfollowed, name, at), argument.value.target->type));
  DoubtRef why = doubt(Doubt::Why::Unfollowed, name, at);
  for (const Operand& argument : given)
    if (argument.value.doubt && !argument.value.doubt->assumed) why = argument.value.doubt;
  return {HostValue::unknown(why), nullptr};
}

HostMachine::Operand HostMachine::call_method(const Operand& object, const std::string& name,
                                              TokenRange templates, std::vector<Operand> given,
                                              std::size_t at) {
  const HostValue& value = object.value;
  const TypeRef type = value.type;
  if (type && type->structure && value.object) {
    // Also those of what it is derived from.
    std::vector<std::shared_ptr<const HostStructure>> look = {type->structure};
    for (std::size_t n = 0; n < look.size() && n < 8; ++n) {
      if (const HostFunction* method = overload(look[n]->methods, name, given.size()))
        return call(*method, given, templates, value.object, type);
      for (const std::string& base : look[n]->bases)
        if (const auto found = p_.structures.find(base); found != p_.structures.end())
          look.push_back(found->second);
    }
    if (const auto field = value.object->members.find(name);
        field != value.object->members.end() && field->second->value.closure)
      return call_closure(*field->second->value.closure, given);
  }
  if (auto known = sequence_method(object, name, given, at)) return *known;
  for (const Operand& argument : given)
    if (argument.value.target)
      store(argument.value.target,
            HostValue::unknown(doubt(Doubt::Why::Unfollowed, name, at), argument.value.target->type));
  return {HostValue::unknown(value.doubt && !value.doubt->assumed ? value.doubt
                                                                  : doubt(Doubt::Why::Unfollowed, name, at)),
          nullptr};
}

}  // namespace warplens::source
