#include "engine/source/host_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/source/wrap.h"

namespace warplens::source {
namespace {

constexpr int kDeepestObject = 8;

HostValue flag(bool value) {
  static const TypeRef type = builtin_type("bool");
  return HostValue::of(value ? 1 : 0, type);
}

const DoubtRef& first_doubt(const HostValue& a, const HostValue& b) {
  // What is unknown is the better reason than what was assumed.
  if (a.doubt && b.doubt && a.known() && !b.known()) return b.doubt;
  return a.doubt ? a.doubt : b.doubt;
}

bool is_double(const HostValue& v) {
  return v.kind == HostValue::Kind::Real && !(v.type && v.type->name == "float");
}

TypeRef result_type(const HostValue& a, const HostValue& b) {
  const bool real = a.kind == HostValue::Kind::Real || b.kind == HostValue::Kind::Real;
  if (real) return builtin_type(is_double(a) || is_double(b) ? "double" : "float");
  if (!a.type || a.type->kind != Type::Kind::Integer) return b.type ? b.type : a.type;
  if (!b.type || b.type->kind != Type::Kind::Integer) return a.type;
  const TypeRef& wider =
      b.type->size > a.type->size || (b.type->size == a.type->size && b.type->is_unsigned) ? b.type : a.type;
  return wider->size < 4 ? builtin_type("int") : wider;
}

std::optional<HostValue> compared(std::string_view op, const HostValue& a, const HostValue& b) {
  const double x = a.number(), y = b.number();
  if (op == "==") return flag(x == y);
  if (op == "!=") return flag(x != y);
  if (op == "<") return flag(x < y);
  if (op == ">") return flag(x > y);
  if (op == "<=") return flag(x <= y);
  if (op == ">=") return flag(x >= y);
  if (op == "&&") return flag(x != 0 && y != 0);
  if (op == "||") return flag(x != 0 || y != 0);
  return std::nullopt;
}

std::optional<HostValue> calculated(std::string_view op, const HostValue& a, const HostValue& b) {
  const bool real = a.kind == HostValue::Kind::Real || b.kind == HostValue::Kind::Real;
  const char c = op[0];
  if (real) {
    const double x = a.number(), y = b.number();
    if (op == "+") return HostValue::of_real(x + y);
    if (op == "-") return HostValue::of_real(x - y);
    if (op == "*") return HostValue::of_real(x * y);
    if (op == "/") return HostValue::of_real(x / y);
    return std::nullopt;
  }
  const std::int64_t x = a.integer, y = b.integer;
  if (op == "+" || op == "-" || op == "*") return HostValue::of(wrap(c, x, y));
  if (op == "/" || op == "%") {
    if (y == 0 || (y == -1 && x == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
    return HostValue::of(op == "/" ? x / y : x % y);
  }
  if (op == "&") return HostValue::of(x & y);
  if (op == "|") return HostValue::of(x | y);
  if (op == "^") return HostValue::of(x ^ y);
  if ((op == "<<" || op == ">>") && y >= 0 && y < 64)
    return HostValue::of(op == "<<" ? static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << y) : x >> y);
  return std::nullopt;
}

// p + i, p - i: the same allocation further on.
HostValue moved(const HostValue& pointer, const HostValue& steps, bool back) {
  HostValue out = pointer;
  const std::uint64_t size = pointer.type && pointer.type->element ? pointer.type->element->size : 0;
  if (steps.kind != HostValue::Kind::Integer || size == 0) {
    // Somewhere inside: how much lies behind it is not known.
    if (steps.kind == HostValue::Kind::Integer && steps.integer == 0) return out;
    out.allocation = std::make_shared<Allocation>();
    out.allocation->doubt = steps.doubt ? steps.doubt : pointer.doubt;
    out.target.reset();
    return out;
  }
  const std::int64_t bytes = wrap('*', steps.integer, static_cast<std::int64_t>(size));
  out.offset = wrap(back ? '-' : '+', out.offset, bytes);
  if (steps.doubt && !out.doubt) out.doubt = steps.doubt;
  return out;
}

std::optional<HostValue> of_pointers(std::string_view op, const HostValue& a, const HostValue& b) {
  const bool left = a.kind == HostValue::Kind::Pointer, right = b.kind == HostValue::Kind::Pointer;
  if (!left && !right) return std::nullopt;
  if (left && !right && (op == "+" || op == "-")) return moved(a, b, op == "-");
  if (right && !left && op == "+") return moved(b, a, false);
  const HostValue& other = left ? b : a;
  // Pointers that something made are not null.
  if (!(left && right) && other.is_number() && other.number() == 0) {
    if (op == "==") return flag(false);
    if (op == "!=") return flag(true);
  }
  if (op == "&&" && (left ? right || other.is_number() : a.is_number())) return flag(a.truth() && b.truth());
  return HostValue::unknown(first_doubt(a, b));
}

}  // namespace

namespace {
thread_local PlacesOfReading* current_reading = nullptr;
}

PlacesOfReading::PlacesOfReading() : outer_(current_reading == nullptr) {
  if (outer_) current_reading = this;
}

PlacesOfReading::~PlacesOfReading() {
  if (!outer_) return;
  current_reading = nullptr;
  for (const std::weak_ptr<Cell>& place : places_)
    if (const Place alive = place.lock()) {
      const HostValue let_go = std::exchange(alive->value, {});  // may free others
    }
}

Place make_place(HostValue value, TypeRef type) {
  auto place = std::make_shared<Cell>(Cell{std::move(value), std::move(type)});
  if (current_reading == nullptr) return place;
  std::vector<std::weak_ptr<Cell>>& places = current_reading->places_;
  if (places.size() >= current_reading->sweep_) {
    std::erase_if(places, [](const std::weak_ptr<Cell>& one) { return one.expired(); });
    current_reading->sweep_ = std::max<std::size_t>(1024, 2 * places.size());
  }
  places.push_back(place);
  return place;
}

std::int64_t HostValue::whole() const {
  if (kind != Kind::Real) return integer;
  if (!(std::fabs(real) < 9.2e18)) return real > 0 ? std::numeric_limits<std::int64_t>::max() : 0;
  return static_cast<std::int64_t>(real);
}

HostValue HostValue::unknown(DoubtRef doubt, TypeRef type) {
  HostValue v;
  v.doubt = std::move(doubt);
  v.type = std::move(type);
  return v;
}
HostValue HostValue::of(std::int64_t value, TypeRef type) {
  HostValue v;
  v.kind = Kind::Integer;
  v.integer = value;
  v.type = std::move(type);
  return v;
}
HostValue HostValue::of_real(double value, TypeRef type) {
  HostValue v;
  v.kind = Kind::Real;
  v.real = value;
  v.type = std::move(type);
  return v;
}

bool same(const HostValue& a, const HostValue& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case HostValue::Kind::Unknown:
      return true;
    case HostValue::Kind::Integer:
      return a.integer == b.integer;
    case HostValue::Kind::Real:
      return a.real == b.real;
    case HostValue::Kind::Pointer:
      return a.allocation == b.allocation && a.target == b.target && a.offset == b.offset;
    case HostValue::Kind::Object:
      return a.object == b.object;
    case HostValue::Kind::Closure:
      return a.closure == b.closure;
    case HostValue::Kind::Function:
    case HostValue::Kind::Text:
      return a.text == b.text;
  }
  return false;
}

HostValue joined(const HostValue& a, const HostValue& b, const DoubtRef& doubt) {
  if (same(a, b)) return a.doubt ? a : b;
  // Two buffers of one size that change places: either will do.
  if (a.kind == HostValue::Kind::Pointer && b.kind == HostValue::Kind::Pointer && a.allocation &&
      b.allocation && a.allocation->bytes && a.allocation->bytes == b.allocation->bytes &&
      a.offset == b.offset)
    return a;
  return HostValue::unknown(doubt, a.type ? a.type : b.type);
}

HostValue copied(const HostValue& value, int depth) {
  if (value.kind != HostValue::Kind::Object || !value.object) return value;
  HostValue out = value;
  if (depth > kDeepestObject) return HostValue::unknown(value.doubt, value.type);
  out.object = std::make_shared<Object>(*value.object);
  for (auto& [name, place] : out.object->members)
    place = make_place(copied(place->value, depth + 1), place->type);
  for (Place& place : out.object->elements) place = make_place(copied(place->value, depth + 1), place->type);
  return out;
}

HostValue unary(std::string_view op, const HostValue& v) {
  if (op == "!" && (v.is_number() || v.kind == HostValue::Kind::Pointer)) {
    HostValue out = flag(!v.truth());
    out.doubt = v.doubt;
    return out;
  }
  if (!v.is_number()) return HostValue::unknown(v.doubt, v.type);
  HostValue out = v;
  if (op == "-") {
    out.integer = wrap('-', 0, v.integer);
    out.real = -v.real;
  } else if (op == "~") {
    if (v.kind != HostValue::Kind::Integer) return HostValue::unknown(v.doubt, v.type);
    out.integer = ~v.integer;
  }
  return out;
}

HostValue binary(std::string_view op, const HostValue& a, const HostValue& b) {
  if (auto pointers = of_pointers(op, a, b)) return *pointers;
  const TypeRef type = result_type(a, b);
  // One side may decide: 0 && x, 1 || x.
  if ((op == "&&" || op == "||") && (a.is_number() != b.is_number())) {
    const HostValue& one = a.is_number() ? a : b;
    if ((one.number() != 0) == (op == "||")) {
      HostValue out = flag(op == "||");
      out.doubt = one.doubt;
      return out;
    }
  }
  if (!a.is_number() || !b.is_number()) return HostValue::unknown(first_doubt(a, b), type);
  auto out = compared(op, a, b);
  if (!out && (out = calculated(op, a, b))) {
    out->type = type;
    // Unsigned numbers of 32 bits go round.
    if (out->kind == HostValue::Kind::Integer && type && type->is_unsigned && type->size == 4)
      out->integer &= 0xffffffff;
  }
  if (!out) return HostValue::unknown(first_doubt(a, b), type);
  out->doubt = first_doubt(a, b);
  return *out;
}

HostValue converted(HostValue value, const TypeRef& type) {
  if (!type || type->kind == Type::Kind::Unknown || type->kind == Type::Kind::Void) return value;
  if (type->kind == Type::Kind::Real && value.is_number()) {
    value.real = value.number();
    if (type->size == 4) value.real = static_cast<float>(value.real);
    value.kind = HostValue::Kind::Real;
  } else if (type->kind == Type::Kind::Integer && value.is_number()) {
    std::int64_t n = value.whole();
    if (type->name == "bool")
      n = value.number() != 0 ? 1 : 0;
    else if (type->size == 4)
      n = type->is_unsigned ? n & 0xffffffff : static_cast<std::int32_t>(n);
    else if (type->size == 2)
      n = type->is_unsigned ? n & 0xffff : static_cast<std::int16_t>(n);
    else if (type->size == 1)
      n = type->is_unsigned ? n & 0xff : static_cast<std::int8_t>(n);
    value.kind = HostValue::Kind::Integer;
    value.integer = n;
  } else if (type->kind == Type::Kind::Structure && value.is_number() && type->name == "dim3") {
    // dim3 grid = 16;
    HostValue out;
    out.kind = HostValue::Kind::Object;
    out.object = std::make_shared<Object>();
    const TypeRef part = builtin_type("unsigned int");
    out.object->members["x"] = make_place(value, part);
    for (const char* name : {"y", "z"}) out.object->members[name] = make_place(HostValue::of(1, part), part);
    out.doubt = value.doubt;
    value = out;
  }
  value.type = type;
  return value;
}

TypeRef pointer_to(TypeRef element) {
  Type type{Type::Kind::Pointer,
            (element ? element->name : std::string("void")) + "*",
            8,
            8,
            false,
            {},
            {},
            {},
            {}};
  type.element = std::move(element);
  return std::make_shared<const Type>(std::move(type));
}

namespace {

struct Builtin {
  std::string_view source, name;
  Type::Kind kind;
  std::uint64_t size;
  bool is_unsigned = false;
};
constexpr Builtin kBuiltins[] = {{"void", "void", Type::Kind::Void, 1},
                                 {"bool", "bool", Type::Kind::Integer, 1, true},
                                 {"char", "char", Type::Kind::Integer, 1},
                                 {"signed char", "signed char", Type::Kind::Integer, 1},
                                 {"int8_t", "signed char", Type::Kind::Integer, 1},
                                 {"uint8_t", "unsigned char", Type::Kind::Integer, 1, true},
                                 {"uchar", "unsigned char", Type::Kind::Integer, 1, true},
                                 {"unsigned char", "unsigned char", Type::Kind::Integer, 1, true},
                                 {"short", "short", Type::Kind::Integer, 2},
                                 {"int16_t", "short", Type::Kind::Integer, 2},
                                 {"unsigned short", "unsigned short", Type::Kind::Integer, 2, true},
                                 {"ushort", "unsigned short", Type::Kind::Integer, 2, true},
                                 {"uint16_t", "unsigned short", Type::Kind::Integer, 2, true},
                                 {"int", "int", Type::Kind::Integer, 4},
                                 {"int32_t", "int", Type::Kind::Integer, 4},
                                 {"cudaError_t", "int", Type::Kind::Integer, 4},
                                 {"CUresult", "int", Type::Kind::Integer, 4},
                                 {"unsigned int", "unsigned int", Type::Kind::Integer, 4, true},
                                 {"uint", "unsigned int", Type::Kind::Integer, 4, true},
                                 {"uint32_t", "unsigned int", Type::Kind::Integer, 4, true},
                                 {"long", "long", Type::Kind::Integer, 8},
                                 {"int64_t", "long", Type::Kind::Integer, 8},
                                 {"ptrdiff_t", "long", Type::Kind::Integer, 8},
                                 {"ssize_t", "long", Type::Kind::Integer, 8},
                                 {"unsigned long", "unsigned long", Type::Kind::Integer, 8, true},
                                 {"ulong", "unsigned long", Type::Kind::Integer, 8, true},
                                 {"size_t", "unsigned long", Type::Kind::Integer, 8, true},
                                 {"uint64_t", "unsigned long", Type::Kind::Integer, 8, true},
                                 {"uintptr_t", "unsigned long", Type::Kind::Integer, 8, true},
                                 {"long long", "long long", Type::Kind::Integer, 8},
                                 {"unsigned long long", "unsigned long long", Type::Kind::Integer, 8, true},
                                 {"cudaStream_t", "cudaStream_t", Type::Kind::Unknown, 8},
                                 {"float", "float", Type::Kind::Real, 4},
                                 {"double", "double", Type::Kind::Real, 8},
                                 {"half", "__half", Type::Kind::Unknown, 2},
                                 {"__half", "__half", Type::Kind::Unknown, 2},
                                 {"__nv_bfloat16", "__nv_bfloat16", Type::Kind::Unknown, 2},
                                 {"half2", "__half2", Type::Kind::Unknown, 4},
                                 {"__half2", "__half2", Type::Kind::Unknown, 4},
                                 {"cuFloatComplex", "float2", Type::Kind::Structure, 8},
                                 {"cuComplex", "float2", Type::Kind::Structure, 8},
                                 {"cuDoubleComplex", "double2", Type::Kind::Structure, 16},
                                 {"curandState", "curandState", Type::Kind::Unknown, 48},
                                 {"curandState_t", "curandState", Type::Kind::Unknown, 48},
                                 {"dim3", "dim3", Type::Kind::Structure, 12}};

// float4, uchar3, longlong2, and uint3, which is dim3 without its ones.
std::optional<Type> vector_type(std::string_view name) {
  static constexpr struct {
    std::string_view stem;
    std::uint64_t size;
  } kStems[] = {{"char", 1},  {"uchar", 1}, {"short", 2},    {"ushort", 2},    {"int", 4},    {"uint", 4},
                {"float", 4}, {"long", 8},  {"longlong", 8}, {"ulonglong", 8}, {"double", 8}, {"ulong", 8}};
  if (name.size() < 4 || name.back() < '1' || name.back() > '4') return std::nullopt;
  const auto count = static_cast<std::uint64_t>(name.back() - '0');
  for (const auto& [stem, size] : kStems)
    if (name.substr(0, name.size() - 1) == stem) {
      Type type;
      type.kind = Type::Kind::Structure;
      type.name = name;
      type.size = size * count;
      type.align = count == 3 ? size : std::min<std::uint64_t>(16, size * count);
      return type;
    }
  return std::nullopt;
}

}  // namespace

TypeRef builtin_type(std::string_view name) {
  static const std::map<std::string_view, TypeRef> types = [] {
    std::map<std::string_view, TypeRef> made;
    for (const Builtin& b : kBuiltins) {
      Type type;
      type.kind = b.kind;
      type.name = b.name;
      type.size = b.size;
      type.align = b.size == 12 || b.size == 16 ? 4 : b.size == 48 ? 8 : b.size;
      type.is_unsigned = b.is_unsigned;
      made[b.source] = std::make_shared<const Type>(std::move(type));
    }
    return made;
  }();
  if (const auto found = types.find(name); found != types.end()) return found->second;
  if (auto made = vector_type(name)) return std::make_shared<const Type>(std::move(*made));
  return nullptr;
}

}  // namespace warplens::source
