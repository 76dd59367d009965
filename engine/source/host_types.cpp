// HostMachine: types, and objects of them.
#include <algorithm>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

constexpr int kDeepestType = 12;
constexpr std::size_t kMostElements = 64;  // of an array whose elements are followed one by one

bool is_qualifier(std::string_view word) {
  static const std::set<std::string_view> kWords = {
      "const",      "constexpr",    "static",       "volatile",        "register", "inline",
      "extern",     "typename",     "struct",       "class",           "enum",     "union",
      "mutable",    "thread_local", "__restrict__", "__device__",      "__host__", "__constant__",
      "__shared__", "__managed__",  "restrict",     "__forceinline__", "friend",   "virtual",
      "explicit",   "__inline__",   "__restrict",   "constinit"};
  return kWords.contains(word);
}
bool is_number_word(std::string_view word) {
  static const std::set<std::string_view> kWords = {"unsigned", "signed", "long",  "short",
                                                    "int",      "char",   "double"};
  return kWords.contains(word);
}

// "unsigned long int" -> "unsigned long"
std::string number_type(const std::vector<std::string_view>& words) {
  const auto has = [&](std::string_view w) {
    return std::find(words.begin(), words.end(), w) != words.end();
  };
  const auto longs = std::count(words.begin(), words.end(), std::string_view("long"));
  const std::string sign = has("unsigned") ? "unsigned " : "";
  if (has("double")) return "double";
  if (has("char")) return has("signed") ? "signed char" : sign + "char";
  if (has("short")) return sign + "short";
  if (longs > 1) return sign + "long long";
  if (longs == 1) return sign + "long";
  return sign + "int";
}

bool is_sequence(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "vector", "device_vector", "host_vector", "universal_vector", "array", "valarray",
      "deque",  "device_ptr",    "unique_ptr",  "shared_ptr",       "span",  "initializer_list"};
  return kNames.contains(name);
}

}  // namespace

TypeRef HostMachine::with_suffix(TypeRef type, std::size_t& i, std::size_t last) const {
  for (; i < last; ++i) {
    if (is(i, "*")) {
      type = pointer_to(type);
    } else if (!is(i, "&") && !is(i, "&&") && !(is_name(i) && is_qualifier(t()[i].text))) {
      break;
    }
  }
  return type;
}

// `lenient`: a name that nothing declared may be a type from a header.
HostMachine::TypeSpec HostMachine::type_at(std::size_t i, std::size_t last, bool lenient) {
  TypeSpec spec;
  std::vector<std::string_view> words;
  spec.next = i;
  TypeRef found;
  bool named = false;
  for (; i < last; ++i) {
    if (is(i, "[") && is(i + 1, "[")) {
      i = closing(i, last - 1);
      continue;
    }
    if (!is_name(i)) break;
    const std::string_view word = t()[i].text;
    if (is_qualifier(word)) continue;
    if ((word == "alignas" || word == "__align__" || word == "__launch_bounds__") && is(i + 1, "(")) {
      i = closing(i + 1, last - 1);
      continue;
    }
    if (is_number_word(word) && !named) {
      words.push_back(word);
      continue;
    }
    if (named || !words.empty()) break;
    if (word == "auto" || word == "decltype") {
      spec.is_auto = named = spec.known = true;
      if (word == "decltype" && is(i + 1, "(")) i = closing(i + 1, last - 1);
      continue;
    }
    // std::vector<float>
    std::string name(word);
    while (is(i + 1, "::") && is_name(i + 2) && i + 2 < last) {
      i += 2;
      name = t()[i].text;
    }
    TokenRange arguments;
    if (is(i + 1, "<")) {
      const std::size_t after = after_angles(p_, i + 1, last);
      if (after <= last && after > i + 2 && (is(after - 1, ">") || is(after - 1, ">>"))) {
        arguments = {i + 2, after - 1};
        i = after - 1;
      }
    }
    found = named_type(name, arguments);
    if (!found && !lenient) return spec;
    spec.known = found != nullptr;
    if (!found) {
      Type unknown;
      unknown.name = name;
      found = std::make_shared<const Type>(std::move(unknown));
    }
    named = true;
  }
  if (!words.empty()) found = builtin_type(number_type(words));
  if (!words.empty()) spec.known = true;
  if (!found && !spec.is_auto) return spec;
  spec.type = with_suffix(found, i, last);
  spec.next = i;
  return spec;
}

TypeRef HostMachine::named_type(const std::string& name, TokenRange arguments) {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get())
    if (const auto found = scope->types.find(name); found != scope->types.end()) return found->second;
  if (const auto found = p_.structures.find(name); found != p_.structures.end())
    return structure_type(found->second, arguments);
  if (const auto found = p_.aliases.find(name); found != p_.aliases.end()) {
    if (nesting_ > kDeepestType) return nullptr;
    ++nesting_;
    std::shared_ptr<Scope> before = scope_;
    if (const auto templates = p_.alias_templates.find(name); templates != p_.alias_templates.end()) {
      const TemplateArguments bound = deduce(templates->second, {}, {}, arguments);
      scope_ = std::make_shared<Scope>();
      scope_->outer = before;
      for (const auto& [parameter, type] : bound.types) scope_->types[parameter] = type;
    }
    const TypeRef type = type_at(found->second.first, found->second.last, true).type;
    scope_ = before;
    --nesting_;
    return type;
  }
  if (TypeRef builtin = builtin_type(name)) return builtin;
  if (is_sequence(name)) return sequence_of(name, arguments);
  return nullptr;
}

TypeRef HostMachine::sequence_of(const std::string& name, TokenRange arguments) {
  Type type;
  type.kind = name.ends_with("_ptr") ? Type::Kind::Pointer : Type::Kind::Sequence;
  type.name = name;
  type.size = name.ends_with("_ptr") ? 8 : 24;
  type.align = 8;
  if (!arguments.empty()) {
    const auto parts = split_at_commas(p_, arguments, true);
    type.element = type_at(parts[0].first, parts[0].last, true).type;
    if (name == "array" && parts.size() > 1) {
      const HostValue count = evaluate(parts[1]);
      if (count.is_number() && type.element) {
        type.bound_constants["size"] = count.whole();
        type.size = type.element->size * static_cast<std::uint64_t>(std::max<std::int64_t>(0, count.whole()));
        type.align = type.element->align;
      }
    }
  }
  return std::make_shared<const Type>(std::move(type));
}

TypeRef HostMachine::structure_type(const std::shared_ptr<const HostStructure>& structure,
                                    TokenRange arguments) {
  Type type;
  type.kind = Type::Kind::Structure;
  type.name = structure->name;
  type.structure = structure;
  if (!structure->templates.empty()) {
    const TemplateArguments bound = deduce(structure->templates, {}, {}, arguments);
    std::string list;
    for (const TemplateParameter& parameter : structure->templates) {
      std::string text;
      if (const auto found = bound.types.find(parameter.name); found != bound.types.end()) {
        type.bindings[parameter.name] = found->second;
        text = found->second->name;
      } else if (const auto value = bound.values.find(parameter.name); value != bound.values.end()) {
        if (value->second.is_number()) {
          type.bound_constants[parameter.name] = value->second.whole();
          text = std::to_string(value->second.whole());
        }
      }
      list += (list.empty() ? "" : ", ") + text;
    }
    type.name += "<" + list + ">";
  }
  const std::string key = type.name + "@" + std::to_string(reinterpret_cast<std::uintptr_t>(structure.get()));
  if (const auto found = structure_types_.find(key); found != structure_types_.end()) return found->second;
  if (nesting_ > kDeepestType) return nullptr;
  ++nesting_;
  structure_types_[key] = std::make_shared<const Type>(type);  // a list's node points to its like
  lay_out(type);
  --nesting_;
  return structure_types_[key] = std::make_shared<const Type>(std::move(type));
}

// Size and alignment, as the host's and the device's compiler lay a structure out.
void HostMachine::lay_out(Type& type) {
  const NewScope scope(*this);
  for (const auto& [name, bound] : type.bindings) scope_->types[name] = bound;
  for (const auto& [name, value] : type.bound_constants) define(name, HostValue::of(value));
  std::uint64_t offset = 0, align = 1;
  bool certain = true;
  const auto place = [&](std::uint64_t size, std::uint64_t alignment) {
    align = std::max(align, alignment);
    if (type.structure->is_union) {
      offset = std::max(offset, size);
    } else {
      offset = (offset + alignment - 1) / alignment * alignment + size;
    }
  };
  for (const std::string& base : type.structure->bases) {
    const TypeRef part = named_type(base, {});
    if (part && part->size > 0)
      place(part->size, part->align);
    else
      certain = false;
  }
  for (const HostField& field : type.structure->fields) {
    if (is(field.type.first, "static")) {
      scope_->names[field.name] = make_place(evaluate(field.initial), nullptr);
      continue;
    }
    const TypeRef part = type_at(field.type.first, field.type.last, true).type;
    std::uint64_t count = 1;
    for (std::size_t i = field.extents.first; i < field.extents.last && is(i, "["); ++i) {
      const std::size_t close = closing(i, field.extents.last);
      const HostValue extent = evaluate({i + 1, close});
      certain &= extent.is_number() && extent.whole() >= 0;
      count *= extent.is_number() ? static_cast<std::uint64_t>(extent.whole()) : 1;
      i = close;
    }
    if (!part || part->size == 0) {
      certain = false;
    } else {
      place(part->size * count, std::max<std::uint64_t>(1, part->align));
    }
  }
  type.align = align;
  type.size = certain ? std::max<std::uint64_t>(1, (offset + align - 1) / align * align) : 0;
}

void HostMachine::construct_fields(const TypeRef& type, Object& object, int depth) {
  for (const std::string& base : type->structure->bases)
    if (const TypeRef part = named_type(base, {}); part && part->structure && depth < kDeepestType)
      construct_fields(part, object, depth + 1);
  for (const HostField& field : type->structure->fields) {
    const TypeSpec spec = type_at(field.type.first, field.type.last, true);
    Place place = make_place();
    place->type = spec.type;
    if (!field.extents.empty()) {
      place->value = array(spec.type, field.extents, field.initial);
      place->type = place->value.type;
    } else if (!field.initial.empty()) {
      const bool brace = is(field.initial.first, "{");
      Cursor c{field.initial.first, field.initial.last};
      place->value = converted(brace ? braced(c, spec.type).value : evaluate(field.initial), spec.type);
    } else {
      place->value = default_value(spec.type, depth + 1);
    }
    object.members[field.name] = place;
  }
}

HostValue HostMachine::default_value(const TypeRef& type, int depth) {
  if (!type || depth > kDeepestType) return {};
  HostValue out;
  out.type = type;
  if (type->kind == Type::Kind::Structure) {
    out.kind = HostValue::Kind::Object;
    out.object = std::make_shared<Object>();
    if (type->name == "dim3")
      for (const char* const name : {"x", "y", "z"})
        out.object->members[name] = make_place(HostValue::of(1), builtin_type("unsigned int"));
    if (!type->structure) return out;
    const NewScope scope(*this);
    scope_->self = out.object;
    scope_->self_type = type;
    for (const auto& [name, bound] : type->bindings) scope_->types[name] = bound;
    for (const auto& [name, value] : type->bound_constants) define(name, HostValue::of(value));
    construct_fields(type, *out.object, depth);
  } else if (type->kind == Type::Kind::Sequence) {
    const auto size = type->bound_constants.find("size");
    return sequence(type, HostValue::of(size != type->bound_constants.end() ? size->second : 0));
  }
  return out;
}

HostValue HostMachine::constructed(const TypeRef& type, std::vector<Operand> arguments, std::size_t at) {
  if (!type) return arguments.size() == 1 ? arguments[0].value : HostValue{};
  if (type->kind == Type::Kind::Sequence) {
    if (arguments.empty()) return default_value(type);
    const HostValue& first = arguments[0].value;
    // vector(first, last) and copies: as large as what they come from.
    if (first.kind == HostValue::Kind::Object || first.kind == HostValue::Kind::Pointer) {
      if (first.object && first.type && first.type->kind == Type::Kind::Sequence)
        return sequence(type, first.object->counted
                                  ? HostValue::of(static_cast<std::int64_t>(first.object->count))
                                  : HostValue::unknown(first.doubt));
      return sequence(type, HostValue::unknown(first.doubt ? first.doubt
                                                           : doubt(Doubt::Why::Unfollowed, type->name, at)));
    }
    return sequence(type, first);
  }
  if (type->kind != Type::Kind::Structure)
    return arguments.empty() ? converted(HostValue::of(0), type) : converted(arguments[0].value, type);
  if (arguments.size() == 1 && arguments[0].value.kind == HostValue::Kind::Object &&
      arguments[0].value.type && arguments[0].value.type->name == type->name)
    return copied(arguments[0].value);
  HostValue out = default_value(type);
  if (type->structure) {
    const HostFunction* const constructor =
        overload(type->structure->methods, type->structure->name, arguments.size());
    if (constructor != nullptr) {
      call(*constructor, arguments, {}, out.object, type);
      return out;
    }
    for (std::size_t i = 0; i < arguments.size() && i < type->structure->fields.size(); ++i)
      store(out.object->members[type->structure->fields[i].name], arguments[i].value);
    return out;
  }
  static constexpr std::string_view kNames[] = {"x", "y", "z", "w"};
  if (arguments.size() == 1 && !arguments[0].value.known() && type->name == "dim3" &&
      !(arguments[0].value.type && arguments[0].value.type->kind == Type::Kind::Integer))
    return HostValue::unknown(arguments[0].value.doubt, type);
  const TypeRef part = type->name == "dim3" ? builtin_type("unsigned int") : nullptr;
  for (std::size_t i = 0; i < arguments.size() && i < 4; ++i)
    out.object->members[std::string(kNames[i])] = make_place(converted(arguments[i].value, part), part);
  return out;
}

// T name[extents] = initial.
HostValue HostMachine::array(const TypeRef& element, TokenRange extents, TokenRange initial) {
  HostValue out;
  out.kind = HostValue::Kind::Object;
  out.object = std::make_shared<Object>();
  HostValue count = HostValue::of(1);
  int dimensions = 0;
  for (std::size_t i = extents.first; i < extents.last && is(i, "["); ++i) {
    const std::size_t close = closing(i, extents.last);
    if (close > i + 1) count = binary("*", count, evaluate({i + 1, close}));
    if (close == i + 1) count = HostValue::unknown(nullptr);
    ++dimensions;
    i = close;
  }
  std::vector<Operand> values;
  if (!initial.empty() && is(initial.first, "{"))
    values = arguments({initial.first + 1, closing(initial.first, initial.last)});
  if (!count.is_number() && !values.empty() && dimensions == 1)
    count = HostValue::of(static_cast<std::int64_t>(values.size()));
  Type type;
  type.kind = Type::Kind::Sequence;
  type.name = (element ? element->name : std::string()) + "[]";
  type.element = element;
  if (count.is_number() && count.whole() >= 0) {
    out.object->counted = true;
    out.object->count = static_cast<std::uint64_t>(count.whole());
    if (element) type.size = element->size * out.object->count;
    const bool followed = out.object->count <= kMostElements && dimensions == 1;
    for (std::uint64_t i = 0; followed && i < out.object->count; ++i) {
      Place place = make_place(default_value(element, 1), element);
      if (i < values.size()) place->value = converted(copied(values[i].value), element);
      if (i >= values.size() && !values.empty() && element && element->kind == Type::Kind::Integer)
        place->value = HostValue::of(0, element);
      out.object->elements.push_back(std::move(place));
    }
  }
  out.allocation = std::make_shared<Allocation>();
  if (type.size > 0) out.allocation->bytes = type.size;
  out.allocation->doubt = count.doubt;
  out.type = std::make_shared<const Type>(std::move(type));
  return out;
}

}  // namespace warplens::source
