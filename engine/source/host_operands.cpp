// HostMachine: what an expression is made of: numbers, names, brackets, lambdas, sizeof, new.
#include <algorithm>
#include <cstdlib>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

HostValue literal(std::string_view text) {
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

HostMachine::Operand HostMachine::primary(Cursor& c) {
  const Token& token = t()[c.i];
  if (token.kind == TokenKind::Number) return ++c.i, Operand{literal(token.text), nullptr};
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
  value.target = make_place(constructed(spec.type, std::move(given), at), spec.type);
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
