#include "engine/ptx/syntax/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warplens::ptx {
namespace {

enum class Class : std::uint8_t { Other, Bits, Unsigned, Signed, Float };

struct TypeRow {
  Type type;
  std::string_view name;
  int bytes;
  Class kind;
};

// In the order of the enumeration, so that a row is found by its index.
constexpr std::array<TypeRow, 29> kTypes{{
    {Type::None, "", 0, Class::Other},
    {Type::Pred, "pred", 0, Class::Other},
    {Type::B8, "b8", 1, Class::Bits},
    {Type::B16, "b16", 2, Class::Bits},
    {Type::B32, "b32", 4, Class::Bits},
    {Type::B64, "b64", 8, Class::Bits},
    {Type::B128, "b128", 16, Class::Bits},
    {Type::U8, "u8", 1, Class::Unsigned},
    {Type::U16, "u16", 2, Class::Unsigned},
    {Type::U32, "u32", 4, Class::Unsigned},
    {Type::U64, "u64", 8, Class::Unsigned},
    {Type::S8, "s8", 1, Class::Signed},
    {Type::S16, "s16", 2, Class::Signed},
    {Type::S32, "s32", 4, Class::Signed},
    {Type::S64, "s64", 8, Class::Signed},
    {Type::F16, "f16", 2, Class::Float},
    {Type::F16x2, "f16x2", 4, Class::Float},
    {Type::BF16, "bf16", 2, Class::Float},
    {Type::BF16x2, "bf16x2", 4, Class::Float},
    {Type::TF32, "tf32", 4, Class::Float},
    {Type::F32, "f32", 4, Class::Float},
    {Type::F64, "f64", 8, Class::Float},
    {Type::E4M3, "e4m3", 1, Class::Float},
    {Type::E5M2, "e5m2", 1, Class::Float},
    {Type::U16x2, "u16x2", 4, Class::Unsigned},
    {Type::S16x2, "s16x2", 4, Class::Signed},
    {Type::TexRef, "texref", 8, Class::Other},
    {Type::SamplerRef, "samplerref", 8, Class::Other},
    {Type::SurfRef, "surfref", 8, Class::Other},
}};

constexpr bool in_enumeration_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(in_enumeration_order());

const TypeRow& row(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

// The first name of a space is the one that is printed.
constexpr std::array<std::pair<StateSpace, std::string_view>, 13> kSpaces{{
    {StateSpace::Reg, "reg"},
    {StateSpace::SpecialReg, "sreg"},
    {StateSpace::Const, "const"},
    {StateSpace::Global, "global"},
    {StateSpace::Local, "local"},
    {StateSpace::Param, "param"},
    {StateSpace::Param, "param::entry"},
    {StateSpace::Param, "param::func"},
    {StateSpace::Shared, "shared"},
    {StateSpace::Shared, "shared::cta"},
    {StateSpace::SharedCluster, "shared::cluster"},
    {StateSpace::Tex, "tex"},
    {StateSpace::Generic, "generic"},
}};

}  // namespace

int size_of(Type type) {
  return row(type).bytes;
}

bool is_signed(Type type) {
  return row(type).kind == Class::Signed;
}

bool is_integer(Type type) {
  return row(type).kind == Class::Signed || row(type).kind == Class::Unsigned;
}

bool is_bits(Type type) {
  return row(type).kind == Class::Bits;
}

bool is_float(Type type) {
  return row(type).kind == Class::Float;
}

std::string_view name(Type type) {
  return row(type).name;
}

std::optional<Type> type_from_name(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return r.name == text; });
  if (found == kTypes.end()) return std::nullopt;
  return found->type;
}

std::string_view name(StateSpace space) {
  const auto found =
      std::find_if(kSpaces.begin(), kSpaces.end(), [&](const auto& entry) { return entry.first == space; });
  return found == kSpaces.end() ? std::string_view{} : found->second;
}

std::optional<StateSpace> space_from_name(std::string_view text) {
  const auto found =
      std::find_if(kSpaces.begin(), kSpaces.end(), [&](const auto& entry) { return entry.second == text; });
  if (found == kSpaces.end()) return std::nullopt;
  return found->first;
}

}  // namespace warplens::ptx
