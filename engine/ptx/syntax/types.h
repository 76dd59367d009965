// PTX scalar types and state spaces, with the names of the PTX ISA document.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warplens::ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  U16x2,
  S16x2,
  TexRef,
  SamplerRef,
  SurfRef,
};

// Bytes in memory; 0 for None and Pred, 8 for the opaque references.
int size_of(Type type);
bool is_signed(Type type);
bool is_integer(Type type);  // U* and S*
bool is_bits(Type type);     // B*
bool is_float(Type type);
std::string_view name(Type type);  // "u32", "f16x2", without the dot
std::optional<Type> type_from_name(std::string_view name);

enum class StateSpace : std::uint8_t {
  None,
  Reg,
  SpecialReg,
  Const,
  Global,
  Local,
  Param,
  Shared,
  SharedCluster,
  Tex,
  Generic,  // a memory instruction that names no space
};
std::string_view name(StateSpace space);
std::optional<StateSpace> space_from_name(
    std::string_view name);  // accepts "shared::cta", "param::entry" etc.

}  // namespace warplens::ptx
