// Values of host code as far as they follow from the text: numbers, what a pointer points to, members of
// objects; and where a value is not known or not certain, the doubt about it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/source/host_program.h"
#include "engine/source/launches.h"

namespace warplens::source {

using DoubtRef = std::shared_ptr<const Doubt>;

struct Type;
using TypeRef = std::shared_ptr<const Type>;
struct Type {
  enum class Kind { Unknown, Void, Integer, Real, Pointer, Structure, Sequence } kind = Kind::Unknown;
  std::string name;  // as a template argument is written: "float", "unsigned int", "Pixel", "float*"
  std::uint64_t size = 0, align = 1;  // bytes; 0: unknown
  bool is_unsigned = false;
  TypeRef element;  // of a pointer, or of a std::vector and the like
  std::shared_ptr<const HostStructure> structure;
  std::map<std::string, TypeRef> bindings;              // template arguments of the structure
  std::map<std::string, std::int64_t> bound_constants;  // those that are numbers
};

// What cudaMalloc, malloc, new or a container made.
struct Allocation {
  std::optional<std::uint64_t> bytes;
  DoubtRef doubt;
};

struct Cell;
using Place = std::shared_ptr<Cell>;  // of a variable or member
struct Object {
  std::map<std::string, Place, std::less<>> members;
  std::vector<Place> elements;  // of a small array
  std::uint64_t count = 0;      // elements of an array or container, also of one that is not small
  bool counted = false;
};

struct Scope;
struct Closure {
  std::vector<HostParameter> parameters;
  TokenRange body;
  std::shared_ptr<Scope> scope;
};

struct HostValue {
  enum class Kind { Unknown, Integer, Real, Pointer, Object, Function, Closure, Text } kind = Kind::Unknown;
  std::int64_t integer = 0;
  double real = 0;
  TypeRef type;
  std::shared_ptr<Allocation> allocation;  // of a pointer, or of a container's elements
  std::int64_t offset = 0;                 // bytes into it
  Place target;                            // a pointer to a variable
  std::shared_ptr<warplens::source::Object> object;
  std::shared_ptr<const warplens::source::Closure> closure;
  std::string text;  // the function's name with its template arguments; the characters of a literal
  DoubtRef doubt;

  bool known() const { return kind != Kind::Unknown; }
  bool is_number() const { return kind == Kind::Integer || kind == Kind::Real; }
  double number() const { return kind == Kind::Real ? real : static_cast<double>(integer); }
  std::int64_t whole() const;  // truncated as C++ does; saturates
  bool truth() const { return kind == Kind::Pointer || number() != 0; }

  static HostValue unknown(DoubtRef doubt, TypeRef type = nullptr);
  static HostValue of(std::int64_t value, TypeRef type = nullptr);
  static HostValue of_real(double value, TypeRef type = nullptr);
};

struct Cell {
  HostValue value;
  TypeRef type;  // null: takes any
};

Place make_place(HostValue value = {}, TypeRef type = nullptr);

// Lets go of what was made while it stood. Values may hold each other in a ring (a node of a list that
// follows itself, a lambda in the scope that it captures), which nobody else would ever free. One a reading,
// on its own thread; the inner one of two does nothing.
class PlacesOfReading {
 public:
  PlacesOfReading();
  ~PlacesOfReading();
  PlacesOfReading(const PlacesOfReading&) = delete;
  PlacesOfReading& operator=(const PlacesOfReading&) = delete;

 private:
  friend Place make_place(HostValue, TypeRef);
  std::vector<std::weak_ptr<Cell>> places_;
  std::size_t sweep_ = 1024;  // places at which those that are gone are taken out
  bool outer_ = false;
};

// The same as far as a launch could tell.
bool same(const HostValue& a, const HostValue& b);
// What is known of both, else unknown because of `doubt`.
HostValue joined(const HostValue& a, const HostValue& b, const DoubtRef& doubt);
// The object behind a value copied, so that both change alone.
HostValue copied(const HostValue& value, int depth = 0);

HostValue unary(std::string_view op, const HostValue& value);
HostValue binary(std::string_view op, const HostValue& a, const HostValue& b);
// As an assignment to a variable of that type does it.
HostValue converted(HostValue value, const TypeRef& type);

// int, float, size_t, float4, dim3, cudaError_t ...: null when it is none of those.
TypeRef builtin_type(std::string_view name);
TypeRef pointer_to(TypeRef element);

}  // namespace warplens::source
