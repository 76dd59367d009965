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
#include <unordered_map>
#include <vector>

#include "engine/simt/op.h"

namespace warplens::simt {

using ptx::Type;

struct ListedForm {
  Handlers handlers;
  Type destination = Type::None;
  std::vector<Type> sources;
  std::uint64_t imm = 0;  // Op::imm, for handlers that serve several forms
  std::uint32_t flags = 0;
};

class FormTable {
 public:
  void add(std::string text, Handlers handlers, Type destination, std::vector<Type> sources,
           std::uint64_t imm = 0, std::uint32_t flags = 0) {
    forms_.insert_or_assign(std::move(text),
                            ListedForm{handlers, destination, std::move(sources), imm, flags});
  }
  const ListedForm* find(const std::string& text) const {
    const auto found = forms_.find(text);
    return found == forms_.end() ? nullptr : &found->second;
  }
  // Each opcode once.
  std::vector<std::string> opcodes() const;

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

// What a lane of a type is on the host, and the other way round.
template <typename T>
struct TypeOf;
#define WARPLENS_TYPE_OF(cpp, ptx_type, text) \
  template <>                                 \
  struct TypeOf<cpp> {                        \
    static constexpr Type value = ptx_type;   \
    static constexpr const char* name = text; \
  }
WARPLENS_TYPE_OF(u16, Type::U16, "u16");
WARPLENS_TYPE_OF(u32, Type::U32, "u32");
WARPLENS_TYPE_OF(u64, Type::U64, "u64");
WARPLENS_TYPE_OF(s16, Type::S16, "s16");
WARPLENS_TYPE_OF(s32, Type::S32, "s32");
WARPLENS_TYPE_OF(s64, Type::S64, "s64");
WARPLENS_TYPE_OF(float, Type::F32, "f32");
WARPLENS_TYPE_OF(double, Type::F64, "f64");
#undef WARPLENS_TYPE_OF

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
  return stem + "." + TypeOf<T>::name;
}

}  // namespace warplens::simt
