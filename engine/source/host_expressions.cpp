// HostMachine: expressions.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

constexpr int kDeepestExpression = 150;

int precedence(const Token& token) {
  static const std::map<std::string_view, int> kLevels = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
      {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  if (token.kind != TokenKind::Punctuation) return 0;
  const auto found = kLevels.find(token.text);
  return found == kLevels.end() ? 0 : found->second;
}

HostValue number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  const bool hex = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
  const auto last = static_cast<char>(std::tolower(static_cast<unsigned char>(digits.back())));
  const bool real = !hex && (digits.find_first_of(".eE") != std::string::npos || last == 'f');
  if (real)
    return HostValue::of_real(std::strtod(digits.c_str(), nullptr),
                              builtin_type(last == 'f' ? "float" : "double"));
  if (digits.size() > 2 && (digits[1] == 'b' || digits[1] == 'B'))
    return HostValue::of(std::strtoll(digits.c_str() + 2, nullptr, 2), builtin_type("int"));
  const auto value = static_cast<std::int64_t>(std::strtoull(digits.c_str(), nullptr, 0));
  const std::string suffix =
      digits.substr(std::min(digits.size(), digits.find_last_of("0123456789abcdefABCDEF") + 1));
  const bool is_unsigned = suffix.find_first_of("uU") != std::string::npos;
  const bool wide = suffix.find_first_of("lLzZ") != std::string::npos || value > 0x7fffffff;
  return HostValue::of(value, builtin_type(wide          ? (is_unsigned ? "size_t" : "long")
                                           : is_unsigned ? "uint"
                                                         : "int"));
}

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
  static const std::set<std::string_view> kOps = {"+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^"};
  const bool plain = c.i < c.last && is(c.i, "=");
  const bool compound = c.i + 1 < c.last && kOps.contains(t()[c.i].text) && is(c.i + 1, "=");
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
    const int level = precedence(t()[c.i]);
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
      Place place = std::make_shared<Cell>();
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
            std::make_shared<Cell>(Cell{HostValue::unknown(value.doubt), builtin_type("unsigned int")});
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
        out.object->elements.push_back(std::make_shared<Cell>(Cell{copied(value.value), type->element}));
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
    list.object->elements.push_back(std::make_shared<Cell>(Cell{copied(value.value), nullptr}));
  return {list, nullptr};
}

HostMachine::Operand HostMachine::primary(Cursor& c) {
  const Token& token = t()[c.i];
  if (token.kind == TokenKind::Number) return ++c.i, Operand{number(token.text), nullptr};
  if (token.kind == TokenKind::Character) {
    HostValue value = HostValue::of(token.text.size() == 3 ? token.text[1] : 0, builtin_type("char"));
    return ++c.i, Operand{value, nullptr};
  }
  if (token.kind == TokenKind::String) {
    HostValue value;
    value.kind = HostValue::Kind::Text;
    value.text = token.text;
    while (c.i < c.last && t()[c.i].kind == TokenKind::String) ++c.i;
    return {value, nullptr};
  }
  if (token.is("(")) return bracket(c);
  if (token.is("[")) return lambda(c);
  if (token.is("{")) return braced(c, nullptr);
  if (token.is("::")) ++c.i;
  if (is_name(c.i) && c.i < c.last) return name(c);
  ++c.i;
  return {HostValue::unknown(doubt(Doubt::Why::Unfollowed, token.text, c.i - 1)), nullptr};
}

// (expression) or (type)expression
HostMachine::Operand HostMachine::bracket(Cursor& c) {
  const std::size_t open = c.i, close = closing(open, c.last);
  if (close >= c.last) {
    c.i = c.last;
    return {};
  }
  if (is_name(open + 1) && !find(t()[open + 1].text)) {
    const bool pointer = is(close - 1, "*");
    const TypeSpec spec = type_at(open + 1, close, pointer);
    if (spec.type && spec.next == close) {
      c.i = close + 1;
      HostValue value = prefix(c).value;
      if (value.kind == HostValue::Kind::Pointer && spec.type->kind == Type::Kind::Pointer) {
        // (void**)&p: what it points to keeps its own type.
        value.type = spec.type;
      } else {
        value = converted(std::move(value), spec.type);
      }
      return {value, nullptr};
    }
  }
  Cursor inner{open + 1, close};
  Operand value = comma(inner);
  c.i = close + 1;
  if (inner.i < inner.last) return {HostValue::unknown(doubt(Doubt::Why::Unfollowed, "()", open)), nullptr};
  return value;
}

HostMachine::Operand HostMachine::lambda(Cursor& c) {
  const std::size_t captures = closing(c.i, c.last);
  std::size_t i = captures + 1;
  auto closure = std::make_shared<Closure>();
  closure->scope = scope_;
  if (is(i, "(") && i < c.last) {
    const std::size_t close = closing(i, c.last);
    closure->parameters = read_parameters(p_, {i + 1, close});
    i = close + 1;
  }
  while (i < c.last && !is(i, "{")) ++i;
  const std::size_t close = i < c.last ? closing(i, c.last) : c.last;
  closure->body = {i + 1, close};
  c.i = std::min(close + 1, c.last);
  HostValue value;
  value.kind = HostValue::Kind::Closure;
  value.closure = std::move(closure);
  return {value, nullptr};
}

HostMachine::Operand HostMachine::size_of(Cursor& c) {
  ++c.i;
  if (is(c.i, ".")) {  // sizeof...(pack)
    c.i = c.last;
    return {};
  }
  TypeRef type;
  const std::size_t at = c.i;
  if (is(c.i, "(") && c.i < c.last) {
    const std::size_t close = closing(c.i, c.last);
    const bool variable = is_name(c.i + 1) && find(t()[c.i + 1].text);
    const TypeSpec spec = variable ? TypeSpec{} : type_at(c.i + 1, close, false);
    if (spec.type && spec.next == close) {
      type = spec.type;
    } else {
      Cursor inner{c.i + 1, close};
      const Operand of = comma(inner);
      type = of.place && of.place->type ? of.place->type : of.value.type;
    }
    c.i = std::min(close + 1, c.last);
  } else {
    const Operand of = prefix(c);
    type = of.place && of.place->type ? of.place->type : of.value.type;
  }
  if (!type || type->size == 0)
    return {HostValue::unknown(doubt(Doubt::Why::Unfollowed, "sizeof", at), builtin_type("size_t")), nullptr};
  return {HostValue::of(static_cast<std::int64_t>(type->size), builtin_type("size_t")), nullptr};
}

// new float[n], new Object(arguments)
HostMachine::Operand HostMachine::new_expression(Cursor& c) {
  const std::size_t at = c.i++;
  if (is(c.i, "(")) c.i = closing(c.i, c.last) + 1;  // placement
  const TypeSpec spec = type_at(c.i, c.last, true);
  c.i = std::max(spec.next, at + 1);
  const std::uint64_t size = spec.type ? spec.type->size : 0;
  if (is(c.i, "[") && c.i < c.last) {
    const std::size_t close = closing(c.i, c.last);
    const HostValue bytes = binary("*", evaluate({c.i + 1, close}),
                                   size > 0 ? HostValue::of(static_cast<std::int64_t>(size)) : HostValue{});
    c.i = std::min(close + 1, c.last);
    if (is(c.i, "(") || is(c.i, "{")) c.i = std::min(closing(c.i, c.last) + 1, c.last);
    return {pointer_value(bytes, pointer_to(spec.type)), nullptr};
  }
  std::vector<Operand> given;
  if ((is(c.i, "(") || is(c.i, "{")) && c.i < c.last) {
    const std::size_t close = closing(c.i, c.last);
    given = arguments({c.i + 1, close});
    c.i = std::min(close + 1, c.last);
  }
  HostValue value;
  value.kind = HostValue::Kind::Pointer;
  value.type = pointer_to(spec.type);
  value.target = std::make_shared<Cell>(Cell{constructed(spec.type, std::move(given), at), spec.type});
  return {value, nullptr};
}

// After a name: whether "<...>" are template arguments, which are then passed over.
bool HostMachine::template_arguments(Cursor& c, const std::string& name, TokenRange& found) const {
  if (c.i >= c.last || !is(c.i, "<")) return false;
  const std::size_t after = after_angles(p_, c.i, c.last);
  if (after > c.last || after <= c.i + 1 || !(is(after - 1, ">") || is(after - 1, ">>"))) return false;
  const bool used = after >= c.last || is(after, "(") || is(after, "<<<") || is(after, "{") ||
                    is(after, "::") || is(after, ",") || is(after, ")") || is(after, ";");
  if (!used || (find(name) && !p_.functions.contains(name) && p_.kernel(name) == nullptr)) return false;
  found = {c.i + 1, after - 1};
  c.i = after;
  return true;
}

HostMachine::Operand HostMachine::name(Cursor& c) {
  const std::size_t at = c.i;
  std::string id(t()[c.i].text);
  if (id == "sizeof" || id == "alignof") return size_of(c);
  if (id == "new") return new_expression(c);
  if (id == "delete") {
    ++c.i;
    if (is(c.i, "[")) c.i += 2;
    return prefix(c);
  }
  if (id == "true" || id == "false")
    return ++c.i, Operand{HostValue::of(id == "true" ? 1 : 0, builtin_type("bool")), nullptr};
  if (id == "nullptr") return ++c.i, Operand{HostValue::of(0, pointer_to(builtin_type("void"))), nullptr};
  if (id == "this") {
    ++c.i;
    HostValue self;
    self.kind = HostValue::Kind::Object;
    self.object = scope_->self;
    self.type = scope_->self_type;
    if (!self.object) self.kind = HostValue::Kind::Unknown;
    return {self, nullptr};
  }
  if (id.ends_with("_cast") && is(c.i + 1, "<") && id.size() > 6) {
    const std::size_t after = after_angles(p_, c.i + 1, c.last);
    if (after < c.last && is(after, "(") && id != "raw_pointer_cast") {
      const TypeSpec spec = type_at(c.i + 2, after - 1, true);
      const std::size_t close = closing(after, c.last);
      HostValue value = evaluate({after + 1, close});
      c.i = std::min(close + 1, c.last);
      if (value.kind == HostValue::Kind::Pointer && spec.type)
        value.type = spec.type;
      else
        value = converted(std::move(value), spec.type);
      return {value, nullptr};
    }
  }
  ++c.i;
  TokenRange templates;
  template_arguments(c, id, templates);
  while (c.i + 1 < c.last && is(c.i, "::") && is_name(c.i + 1)) {
    id = t()[c.i + 1].text;
    c.i += 2;
    TokenRange inner;
    if (template_arguments(c, id, inner)) templates = inner;
  }
  const Place place = find(id);
  const bool qualified = at + 1 < c.i && is(at + 1, "::");
  if (place && !(qualified && p_.kernel(id) != nullptr)) {
    if (c.i < c.last && is(c.i, "<<<")) {
      const HostValue& kernel = place->value;
      if (kernel.kind == HostValue::Kind::Function) return launch(c, std::string(kernel.text), {});
      return launch(c, "", {});
    }
    return {place->value, place};
  }
  if (c.i < c.last && is(c.i, "<<<")) return launch(c, id, templates);
  return unbound(c, id, templates);
}

// A name that is no variable: of a type, a function, a kernel, or from a header.
HostMachine::Operand HostMachine::unbound(Cursor& c, const std::string& id, TokenRange templates) {
  const std::size_t at = c.i - 1;
  const bool round = c.i < c.last && is(c.i, "("), brace = c.i < c.last && is(c.i, "{");
  if (round || brace) {
    // float(x), dim3(1, 2), Pixel{1, 2}
    TypeRef type;
    if (!p_.functions.contains(id) || p_.structures.contains(id)) type = named_type(id, templates);
    const std::size_t close = closing(c.i, c.last);
    if (type && brace) return braced(c, type);
    std::vector<Operand> given = arguments({c.i + 1, close});
    c.i = std::min(close + 1, c.last);
    if (type) return {constructed(type, std::move(given), at), nullptr};
    return call_named(id, templates, std::move(given), at);
  }
  // unsigned int(x)
  if (is_name(c.i) && c.i < c.last && builtin_type(id)) {
    const TypeSpec spec = type_at(at, c.last, false);
    if (spec.type && spec.next > c.i && is(spec.next, "(")) {
      c.i = spec.next;
      HostValue value = bracket(c).value;
      return {converted(std::move(value), spec.type), nullptr};
    }
  }
  HostValue value;
  if (p_.kernel(id) != nullptr || p_.functions.contains(id)) {
    value.kind = HostValue::Kind::Function;
    value.text = id;
    if (!templates.empty()) {
      bool certain = true;
      std::string list;
      for (const TokenRange part : split_at_commas(p_, templates, true))
        list += (list.empty() ? "" : ", ") + template_argument(part, certain);
      value.text += "<" + list + ">";
      if (certain && p_.kernel(id) != nullptr) remember_instance(value.text);
    }
    return {value, nullptr};
  }
  if (id == "cin") {
    value.text = "cin";
    return {value, nullptr};
  }
  if (id.starts_with("cuda") || id.starts_with("CU")) {  // cudaSuccess, cudaMemcpyHostToDevice
    if (id == "cudaSuccess" || id == "CUDA_SUCCESS" || id == "CUBLAS_STATUS_SUCCESS")
      return {HostValue::of(0, builtin_type("int")), nullptr};
  }
  static const std::map<std::string_view, std::int64_t> kLimits = {
      {"INT_MAX", 2147483647}, {"RAND_MAX", 2147483647}, {"warpSize", 32}};
  if (const auto found = kLimits.find(id); found != kLimits.end())
    return {HostValue::of(found->second, builtin_type("int")), nullptr};
  return {HostValue::unknown(doubt(Doubt::Why::Unfollowed, id, at)), nullptr};
}

}  // namespace warplens::source
