// One warp without an emulator: decodes the straight-line code of a function with the tables of operations
// and runs it over 32 lanes, so that operation families are tested by themselves.
//
//   LaneMachine machine(module, *module.find_function("k"));
//   machine.decode();
//   machine.set("%ra", lane, 7);
//   machine.run();
//   machine.get("%ro", lane);
#pragma once

#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/simt/ops/ops.h"

namespace warplens::simt::test {

class LaneMachine : public DecodeContext {
 public:
  LaneMachine(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function) {
    for (const ptx::Register& reg : function.registers) rows_[reg.name] = allocate(2);
    rows_.emplace("%guard", allocate(2));
  }

  // All instructions but ret.
  bool decode() {
    for (const ptx::Instruction& in : function_.instructions) {
      const ptx::Form& form = module_.form(in);
      if (form.opcode == ptx::Opcode::Ret) continue;
      Op op;
      if (!decode_one(form, in, op)) return refused_ = form.text, false;
      if (in.guard.predicate != ptx::kNone)
        op.guard = rows_.at(function_.registers[in.guard.predicate].name) | (in.guard.negated ? 1u : 0u);
      ops_.push_back(op);
    }
    file_.resize(next_ + kRowBytes);
    return true;
  }
  const std::string& refused() const { return refused_; }

  void run(LaneMask active = kFullMask) {
    Warp warp = view();
    warp.exited = ~active;
    for (const Op& op : ops_) {
      const LaneMask mask = op.guard == kNoRow ? active : active & read_predicate(warp, op.guard);
      if (mask != 0) (mask == kFullMask ? op.handlers.full : op.handlers.masked)(op, warp, mask);
    }
  }

  void set(const std::string& name, unsigned lane, std::uint64_t value) {
    Warp warp = view();
    const int bytes = bytes_of(name);
    if (bytes == 0) return write_predicate(warp, rows_.at(name), value & 1 ? kFullMask : 0, 1u << lane);
    std::memcpy(warp.registers + rows_.at(name) + lane * static_cast<unsigned>(bytes), &value,
                static_cast<std::size_t>(bytes));
  }
  std::uint64_t get(const std::string& name, unsigned lane) {
    Warp warp = view();
    const int bytes = bytes_of(name);
    if (bytes == 0) return read_predicate(warp, rows_.at(name)) >> lane & 1;
    std::uint64_t value = 0;
    std::memcpy(&value, warp.registers + rows_.at(name) + lane * static_cast<unsigned>(bytes),
                static_cast<std::size_t>(bytes));
    return value;
  }

  const ptx::Module& module() const override { return module_; }
  const ptx::Function& function() const override { return function_; }
  std::uint32_t source(const ptx::Operand& operand, ptx::Type type) override {
    if (operand.kind == ptx::OperandKind::Register) return row_of(operand);
    if (operand.kind == ptx::OperandKind::Special && operand.special == ptx::SpecialRegister::LaneId)
      return lane_row();
    if (operand.kind == ptx::OperandKind::Integer || operand.kind == ptx::OperandKind::Float)
      return constant(static_cast<std::uint64_t>(operand.value), ptx::size_of(type));
    return fail(), 0;
  }
  std::uint32_t destination(const ptx::Operand& operand) override {
    if (operand.kind == ptx::OperandKind::Sink) return allocate(2);
    return operand.kind == ptx::OperandKind::Register ? row_of(operand) : (fail(), 0);
  }
  std::uint32_t predicate(const ptx::Operand& operand) override {
    if (operand.kind == ptx::OperandKind::Integer) return constant(operand.value ? ~0u : 0u, 4);
    return operand.kind == ptx::OperandKind::Register ? row_of(operand) | (operand.negated ? 1u : 0u)
                                                      : (fail(), 0);
  }
  std::uint32_t predicate_destination(const ptx::Operand& operand) override { return destination(operand); }
  std::uint32_t constant(std::uint64_t bits, int bytes) override {
    const std::uint32_t offset = allocate(2);
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      std::memcpy(file_.data() + offset + l * static_cast<unsigned>(bytes), &bits,
                  static_cast<std::size_t>(bytes));
    return offset;
  }
  std::uint32_t scratch(int rows) override { return allocate(static_cast<std::uint32_t>(rows)); }
  int width(const ptx::Operand& operand, ptx::Type fallback) const override {
    const bool is_register = operand.kind == ptx::OperandKind::Register;
    return ptx::size_of(is_register ? function_.registers[operand.reg].type : fallback);
  }
  std::uint32_t list(std::span<const std::uint32_t> rows) override {
    lists_.insert(lists_.end(), rows.begin(), rows.end());
    return static_cast<std::uint32_t>(lists_.size() - rows.size());
  }

 private:
  bool decode_one(const ptx::Form& form, const ptx::Instruction& in, Op& op) {
    for (const auto table : arithmetic_tables())
      for (const OpcodeEntry& entry : table) {
        if (entry.opcode != form.opcode) continue;
        reset();
        op = Op{};
        if (entry.decode(*this, form, in, op)) return true;
      }
    return false;
  }
  std::uint32_t row_of(const ptx::Operand& operand) {
    return rows_.at(function_.registers[operand.reg].name);
  }
  std::uint32_t lane_row() {
    const std::uint32_t offset = allocate(1);
    for (std::uint32_t l = 0; l < unsigned(kWarpSize); ++l) std::memcpy(file_.data() + offset + 4 * l, &l, 4);
    return offset;
  }
  int bytes_of(const std::string& name) const {
    for (const ptx::Register& reg : function_.registers)
      if (reg.name == name) return ptx::size_of(reg.type);
    return 0;
  }
  std::uint32_t allocate(std::uint32_t rows) {
    const std::uint32_t offset = next_;
    next_ += rows * kRowBytes;
    file_.resize(next_);
    return offset;
  }
  Warp view() {
    Warp warp;
    warp.registers = file_.data();
    warp.lists = lists_.data();
    return warp;
  }

  // Rows are aligned to 64 bytes.
  template <typename T>
  struct Aligned {
    using value_type = T;
    T* allocate(std::size_t n) {
      return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    bool operator==(const Aligned&) const = default;
    template <typename U>
    Aligned(const Aligned<U>&) {}
    Aligned() = default;
  };

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::map<std::string, std::uint32_t> rows_;
  std::vector<std::byte, Aligned<std::byte>> file_;
  std::vector<std::uint32_t> lists_;
  std::vector<Op> ops_;
  std::uint32_t next_ = 0;
  std::string refused_;
};

}  // namespace warplens::simt::test
