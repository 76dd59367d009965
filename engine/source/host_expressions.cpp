// HostMachine: expressions, from the comma down to what stands behind an operand.
#include <algorithm>

#include "engine/source/constants.h"
#include "engine/source/host_machine.h"
#include "engine/source/lexer.h"

namespace warplens::source {
namespace {

constexpr int kDeepestExpression = 150;

}  // namespace

HostValue HostMachine::evaluate(TokenRange range) {
  if (range.empty()) return {};
  Cursor c{range.first, range.last};
  const HostValue value = comma(c).value;
  if (c.i < c.last)
    return HostValue::unknown(doubt(Doubt::Why::Unfollowed, p_.source_of(range), range.first));
  return value;
}

HostMachine::Operand HostMachine::comma(Cursor& c) {
  Operand value = assignment(c);
  while (c.i < c.last && is(c.i, ",") && step()) {
    ++c.i;
    value = assignment(c);
  }
  return value;
}

HostMachine::Operand HostMachine::assignment(Cursor& c) {
  const std::size_t begin = c.i;
  if (nesting_ > kDeepestExpression || !step()) {
    c.i = c.last;
    return {};
  }
  ++nesting_;
  Operand left = ternary(c);
  const bool plain = c.i < c.last && is(c.i, "=");
  const bool compound = c.i + 1 < c.last && is_compound(t()[c.i].text) && is(c.i + 1, "=");
  if (plain || compound) {
    const std::string_view op = t()[c.i].text;
    c.i += plain ? 1 : 2;
    const bool brace = is(c.i, "{") && c.i < c.last;
    HostValue right = brace ? braced(c, left.place ? left.place->type : nullptr).value : assignment(c).value;
    if (compound) right = binary(op, left.value, right);
    const std::string_view name = is_name(begin) ? t()[begin].text : std::string_view{};
    if (!right.known() && !right.doubt) right.doubt = doubt(Doubt::Why::Unfollowed, name, begin);
    // grid = 16 makes a dim3 of it, through the type of the variable.
    if (left.place) {
      store(left.place, std::move(right), name);
      left.value = left.place->value;
    }
  }
  --nesting_;
  return left;
}

HostMachine::Operand HostMachine::ternary(Cursor& c) {
  Operand condition = operation(c, 1);
  if (c.i >= c.last || !is(c.i, "?")) return condition;
  ++c.i;
  const Operand yes = assignment(c);
  if (!is(c.i, ":") || c.i >= c.last) return {};
  ++c.i;
  const Operand no = assignment(c);
  const HostValue& asked = condition.value;
  if (asked.is_number() || asked.kind == HostValue::Kind::Pointer) {
    Operand chosen = asked.truth() ? yes : no;
    // argc > 1 ? atoi(argv[1]) : 1024 is the author's default.
    if (!chosen.value.doubt && asked.doubt) chosen.value.doubt = asked.doubt;
    return chosen;
  }
  const DoubtRef why = asked.doubt ? asked.doubt : doubt(Doubt::Why::Condition, "?", c.i);
  if (same(yes.value, no.value)) return yes;
  HostValue either = HostValue::unknown(why, yes.value.type ? yes.value.type : no.value.type);
  return {either, nullptr};
}

HostMachine::Operand HostMachine::operation(Cursor& c, int lowest) {
  Operand left = prefix(c);
  while (c.i < c.last && step()) {
    const int level = binary_precedence(t()[c.i]);
    if (level < lowest || level == 0) break;
    // a += b is an assignment
    if (c.i + 1 < c.last && is(c.i + 1, "=") && t()[c.i + 1].begin == t()[c.i].end() && level >= 3 &&
        !is(c.i, "==") && !is(c.i, "<=") && !is(c.i, ">=") && !is(c.i, "!=") && !is(c.i, "<") &&
        !is(c.i, ">"))
      break;
    const std::string_view op = t()[c.i++].text;
    const std::size_t at = c.i;
    const Operand right = operation(c, level + 1);
    if (op == ">>" && left.value.text == "cin") {
      const std::string_view name = is_name(at) ? t()[at].text : std::string_view{};
      if (right.place)
        store(right.place, HostValue::unknown(doubt(Doubt::Why::Input, name, at), right.place->type), name);
      continue;
    }
    left = {binary(op, left.value, right.value), nullptr};
  }
  return left;
}

HostMachine::Operand HostMachine::prefix(Cursor& c) {
  if (c.i >= c.last || nesting_ > kDeepestExpression || !step()) {
    c.i = c.last;
    return {};
  }
  ++nesting_;
  Operand result;
  const std::string_view op = t()[c.i].text;
  const bool mark = t()[c.i].kind == TokenKind::Punctuation;
  if (mark && (op == "+" || op == "-") && is(c.i + 1, op) && t()[c.i + 1].begin == t()[c.i].end()) {
    c.i += 2;
    result = prefix(c);
    if (result.place) store(result.place, binary(op, result.value, HostValue::of(1, builtin_type("int"))));
    if (result.place) result.value = result.place->value;
  } else if (mark && (op == "-" || op == "+" || op == "!" || op == "~")) {
    ++c.i;
    result = {unary(op, prefix(c).value), nullptr};
  } else if (mark && (op == "&" || op == "&&")) {
    ++c.i;
    const Operand of = prefix(c);
    result.value.type = pointer_to(of.value.type ? of.value.type : of.place ? of.place->type : nullptr);
    if (of.value.kind == HostValue::Kind::Function) {
      result = of;
    } else if (of.place) {
      result.value.kind = HostValue::Kind::Pointer;
      result.value.target = of.place;
    } else {
      result.value.doubt = of.value.doubt;
      // &v[3]: an element of what an allocation holds
      if (of.value.allocation) {
        result.value.kind = HostValue::Kind::Pointer;
        result.value.allocation = of.value.allocation;
        result.value.offset = of.value.offset;
      }
    }
  } else if (mark && op == "*") {
    ++c.i;
    result = dereferenced(prefix(c).value);
  } else {
    result = postfix(c);
  }
  --nesting_;
  return result;
}

HostMachine::Operand HostMachine::dereferenced(const HostValue& pointer) {
  if (pointer.target) return {pointer.target->value, pointer.target};
  Operand out;
  if (pointer.type) out.value.type = pointer.type->element;
  out.value.doubt = pointer.doubt;
  out.value.allocation = pointer.allocation;
  out.value.offset = pointer.offset;
  return out;
}

HostMachine::Operand HostMachine::postfix(Cursor& c) {
  Operand result = primary(c);
  while (c.i < c.last && step()) {
    if (is(c.i, "[")) {
      const std::size_t close = closing(c.i, c.last);
      const HostValue index = evaluate({c.i + 1, close});
      c.i = std::min(close + 1, c.last);
      result = subscript(result, index);
    } else if (is(c.i, ".") || is(c.i, "->")) {
      if (is(c.i, "->")) result = result.value.target ? dereferenced(result.value) : result;
      ++c.i;
      result = member(c, result);
    } else if (is(c.i, "(")) {
      const std::size_t close = closing(c.i, c.last), at = c.i;
      std::vector<Operand> given = arguments({c.i + 1, close});
      c.i = std::min(close + 1, c.last);
      if (result.value.kind == HostValue::Kind::Closure) {
        const auto closure = result.value.closure;
        result = call_closure(*closure, given);
      } else {
        result = {HostValue::unknown(doubt(Doubt::Why::Unfollowed, "()", at)), nullptr};
      }
    } else if ((is(c.i, "+") || is(c.i, "-")) && c.i + 1 < c.last && is(c.i + 1, t()[c.i].text) &&
               t()[c.i + 1].begin == t()[c.i].end() && result.place) {
      const Place place = result.place;
      store(place, binary(t()[c.i].text, place->value, HostValue::of(1, builtin_type("int"))));
      result.place = nullptr;  // the old value
      c.i += 2;
    } else if (is(c.i, "<<<") && result.value.kind == HostValue::Kind::Function) {
      // (scale)<<<...>>>, kernels[i]<<<...>>>
      const std::string kernel = result.value.text;
      result = launch(c, kernel, {});
    } else {
      break;
    }
  }
  return result;
}

HostMachine::Operand HostMachine::subscript(const Operand& array, const HostValue& index) {
  const HostValue& a = array.value;
  if (a.object && a.kind == HostValue::Kind::Object && index.kind == HostValue::Kind::Integer &&
      index.integer >= 0 && static_cast<std::size_t>(index.integer) < a.object->elements.size()) {
    const Place& place = a.object->elements[static_cast<std::size_t>(index.integer)];
    return {place->value, place};
  }
  Operand out;
  if (a.type) out.value.type = a.type->element;
  out.value.doubt = a.doubt;
  out.value.allocation = a.allocation;
  out.value.offset = a.offset;
  if (a.kind == HostValue::Kind::Pointer && a.target && index.is_number() && index.number() == 0)
    return dereferenced(a);
  if (a.allocation && a.type) {
    HostValue pointer = a;
    pointer.kind = HostValue::Kind::Pointer;
    pointer.type = pointer_to(a.type->element);
    const HostValue moved = binary("+", pointer, index);
    out.value.allocation = moved.allocation;
    out.value.offset = moved.offset;
  }
  if (!out.value.doubt)
    out.value.doubt = std::make_shared<const Doubt>(Doubt{Doubt::Why::Unfollowed, "[]", 0, false});
  return out;
}

HostMachine::Operand HostMachine::member(Cursor& c, const Operand& object) {
  if (is(c.i, "template")) ++c.i;
  if (is(c.i, "~")) ++c.i;
  if (!is_name(c.i) || c.i >= c.last) {
    c.i = c.last;
    return {};
  }
  const std::size_t at = c.i;
  const std::string name(t()[c.i++].text);
  TokenRange templates;
  template_arguments(c, name, templates);
  if (c.i < c.last && is(c.i, "(")) {
    const std::size_t close = closing(c.i, c.last);
    std::vector<Operand> given = arguments({c.i + 1, close});
    c.i = std::min(close + 1, c.last);
    return call_method(object, name, templates, std::move(given), at);
  }
  const HostValue& value = object.value;
  if (value.kind == HostValue::Kind::Object && value.object) {
    const auto found = value.object->members.find(name);
    if (found != value.object->members.end()) return {found->second->value, found->second};
    if (value.object->elements.empty()) {
      Place place = make_place();
      place->value = HostValue::unknown(value.doubt ? value.doubt : doubt(Doubt::Why::Unfollowed, name, at));
      value.object->members[name] = place;
      return {place->value, place};
    }
  }
  // A member of what is not known: of a device's properties, for one. What is assigned to it is remembered.
  if (object.place && !value.known()) {
    HostValue made = HostValue::unknown(value.doubt, value.type);
    made.kind = HostValue::Kind::Object;
    made.object = std::make_shared<Object>();
    if (value.type && value.type->name == "dim3")
      for (const char* const part : {"x", "y", "z"})
        made.object->members[part] =
            make_place(HostValue::unknown(value.doubt), builtin_type("unsigned int"));
    log(object.place);
    object.place->value = made;
    c.i = at;
    return member(c, {made, object.place});
  }
  HostValue unknown = HostValue::unknown(value.doubt);
  if (value.doubt && value.doubt->why == Doubt::Why::Device)
    unknown.doubt = doubt(Doubt::Why::Device, value.doubt->name + "." + name, at);
  return {unknown, nullptr};
}

std::vector<HostMachine::Operand> HostMachine::arguments(TokenRange range) {
  std::vector<Operand> out;
  Cursor c{range.first, range.last};
  while (c.i < c.last && step()) {
    const std::size_t before = c.i;
    if (is(c.i, "{"))
      out.push_back(braced(c, nullptr));
    else
      out.push_back(assignment(c));
    // What could not be read is unknown, and the next argument begins after its comma.
    if (c.i < c.last && !is(c.i, ",")) {
      out.back() = {HostValue::unknown(doubt(Doubt::Why::Unfollowed, p_.source_of({before, c.i}), before)),
                    nullptr};
      while (c.i < c.last && !is(c.i, ",")) {
        if (is(c.i, "(") || is(c.i, "{") || is(c.i, "[")) c.i = closing(c.i, c.last - 1);
        ++c.i;
      }
    }
    if (c.i < c.last) ++c.i;
  }
  return out;
}

// {1, 2, 3}: a value of `type`, or a list.
HostMachine::Operand HostMachine::braced(Cursor& c, const TypeRef& type) {
  const std::size_t open = c.i, close = closing(open, c.last);
  c.i = std::min(close + 1, c.last);
  std::vector<Operand> values;
  bool named = false;
  for (std::size_t j = open + 1; j < close; ++j) named |= is(j, ".") && (is(j - 1, "{") || is(j - 1, ","));
  if (named && type && type->kind == Type::Kind::Structure) {  // {.n = 3, .x = 4}
    HostValue out = default_value(type);
    for (const TokenRange part : split_at_commas(p_, {open + 1, close}, false))
      if (is(part.first, ".") && is(part.first + 2, "=") && out.object)
        if (const auto found = out.object->members.find(t()[part.first + 1].text);
            found != out.object->members.end())
          store(found->second, evaluate({part.first + 3, part.last}));
    return {out, nullptr};
  }
  values = arguments({open + 1, close});
  if (type && type->kind == Type::Kind::Sequence && type->name != "array") {
    HostValue out = sequence(type, HostValue::of(static_cast<std::int64_t>(values.size())));
    if (values.size() <= 64)
      for (const Operand& value : values)
        out.object->elements.push_back(make_place(copied(value.value), type->element));
    return {out, nullptr};
  }
  if (type && type->kind == Type::Kind::Structure)
    return {constructed(type, std::move(values), open), nullptr};
  if (type && type->kind != Type::Kind::Sequence)
    return {values.empty() ? converted(HostValue::of(0), type) : values[0].value, nullptr};
  HostValue list;
  list.kind = HostValue::Kind::Object;
  list.object = std::make_shared<Object>();
  list.object->counted = true;
  list.object->count = values.size();
  for (const Operand& value : values)
    list.object->elements.push_back(make_place(copied(value.value), nullptr));
  return {list, nullptr};
}

}  // namespace warplens::source
