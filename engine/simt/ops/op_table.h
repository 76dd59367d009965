// Families as tables: one row a form of an instruction, keyed by its text as PTX spells it.
//
//   void add_bit_forms(FormTable& table) {
//     table.add("popc.b64", unary<u32, u64, kPopulation>(), Type::U32, {Type::B64});
//   }
//
// A listed form's operands are its destination and its sources, in order; their types say which rows they
// are (Type::Pred: predicate masks). They arrive in Op::d and Op::a, b, c, e. Forms with other operands
// (pairs, vectors, modes that change an operand) have decode functions of their own.
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "engine/simt/ops/op.h"

namespace warplens::simt {

using ptx::Type;

struct ListedForm {
  Handlers handlers;
  Type destination = Type::None;
  std::vector<Type> sources;
  std::uint64_t imm = 0;  // Op::imm, for handlers that serve several forms
};

class FormTable {
 public:
  void add(std::string text, Handlers handlers, Type destination, std::vector<Type> sources,
           std::uint64_t imm = 0) {
    forms_.insert_or_assign(std::move(text), ListedForm{handlers, destination, std::move(sources), imm});
  }
  const ListedForm* find(const std::string& text) const {
    const auto found = forms_.find(text);
    return found == forms_.end() ? nullptr : &found->second;
  }
  // Each opcode once.
  std::vector<ptx::Opcode> opcodes() const;

 private:
  std::unordered_map<std::string, ListedForm> forms_;
};

// All listed forms of all families.
const FormTable& listed_forms();
bool decode_listed(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op);

// Operand rows with their widths checked: a register narrower than the type would be overrun.
std::uint32_t destination_row(DecodeContext& context, const ptx::Operand& operand, Type type);
std::uint32_t source_row(DecodeContext& context, const ptx::Operand& operand, Type type);

// The families.
void add_integer_forms(FormTable& table);
void add_multiply_forms(FormTable& table);
void add_carry_forms(FormTable& table);
void add_bit_forms(FormTable& table);
void add_float_forms(FormTable& table);
void add_directed_forms(FormTable& table);
void add_math_forms(FormTable& table);
void add_half_forms(FormTable& table);
void add_select_forms(FormTable& table);
void add_video_forms(FormTable& table);
std::span<const OpcodeEntry> bit_entries();
std::span<const OpcodeEntry> compare_entries();
std::span<const OpcodeEntry> move_entries();
std::span<const OpcodeEntry> convert_entries();
std::span<const OpcodeEntry> warp_entries();
std::span<const OpcodeEntry> matrix_entries();
std::span<const OpcodeEntry> wmma_entries();
std::span<const OpcodeEntry> video_entries();

// The PTX type whose lanes are T on the host, and its name.
template <typename T>
struct TypeOf {
  static constexpr Type of_width(Type two, Type four, Type eight) {
    return sizeof(T) == 2 ? two : sizeof(T) == 4 ? four : eight;
  }
  static constexpr Type value = std::is_floating_point_v<T> ? of_width(Type::None, Type::F32, Type::F64)
                                : std::is_signed_v<T>       ? of_width(Type::S16, Type::S32, Type::S64)
                                                            : of_width(Type::U16, Type::U32, Type::U64);
};

template <typename T>
std::string type_suffix() {  // ".u32"
  return std::string(".").append(ptx::name(TypeOf<T>::value));
}

// table.add for handlers whose lanes' types are the operands' types.
template <typename D, typename A, auto F>
void add_unary(FormTable& table, const std::string& text) {
  table.add(text, unary<D, A, F>(), TypeOf<D>::value, {TypeOf<A>::value});
}
template <typename D, typename A, typename B, auto F>
void add_binary(FormTable& table, const std::string& text) {
  table.add(text, binary<D, A, B, F>(), TypeOf<D>::value, {TypeOf<A>::value, TypeOf<B>::value});
}
template <typename D, typename A, typename B, typename C, auto F>
void add_ternary(FormTable& table, const std::string& text) {
  table.add(text, ternary<D, A, B, C, F>(), TypeOf<D>::value,
            {TypeOf<A>::value, TypeOf<B>::value, TypeOf<C>::value});
}
template <typename T>
std::string with_type(const std::string& stem) {
  return stem + type_suffix<T>();
}

}  // namespace warplens::simt
