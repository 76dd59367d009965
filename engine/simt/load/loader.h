// Turns a kernel and the functions it reaches into a Program: places variables, gives registers their rows,
// decodes instructions and cuts them into segments.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ptx/facts/pointees.h"
#include "engine/simt/load/program.h"
#include "engine/simt/ops/op.h"

namespace warplens::simt {

struct ListedForm;

class Loader final : public DecodeContext {
 public:
  Loader(const ptx::Module& module, const ptx::Function& entry, int sm_version);

  // Always a whole program; what it cannot run is in Program::unsupported.
  std::shared_ptr<Kernel::Program> load();

  const ptx::Module& module() const override { return module_; }
  const ptx::Function& function() const override { return *function_; }
  std::uint32_t source(const ptx::Operand& operand, ptx::Type type) override;
  std::uint32_t destination(const ptx::Operand& operand) override;
  std::uint32_t predicate(const ptx::Operand& operand) override;
  std::uint32_t predicate_destination(const ptx::Operand& operand) override;
  std::uint32_t constant(std::uint64_t bits, int bytes) override;
  std::uint32_t scratch(int rows) override;
  int width(const ptx::Operand& operand, ptx::Type fallback) const override;
  std::uint32_t list(std::span<const std::uint32_t> rows) override;

  // Where a symbol is: the space it lives in and its address there (a generic address for functions).
  struct Symbol {
    ptx::StateSpace space = ptx::StateSpace::None;
    std::uint64_t address = 0;
    bool in_frame = false;  // relative to the call frame of the routine
    const ptx::Variable* variable = nullptr;
  };
  const Symbol* find_symbol(const std::string& name) const;
  bool in_kernel() const { return routine_ == 0; }
  // Told by decoders about what they have met.
  Kernel::Program& program() const { return *program_; }
  void use_alloca() {
    uses_alloca_ = true;
    program_->uses_local = true;
  }

 private:
  // Placing (loader_layout.cpp).
  void collect_routines();
  void meet_all();
  bool calls_through_pointers(const ptx::Function& function) const;
  std::uint32_t add_routine(const ptx::Function* function);
  void mark_recursive();
  void place_variables();
  void place_variable(const ptx::Variable& variable);
  void fill_images();
  void refuse_constants();
  void fill_image(std::vector<std::uint8_t>& image, const ptx::Variable& variable, std::uint64_t at);
  void place_frame(std::uint32_t routine);
  void place_parameters();
  void place_registers(std::uint32_t routine);
  void size_stack();
  std::uint32_t new_rows(int rows);
  std::uint32_t new_predicate();
  std::uint32_t special_row(ptx::SpecialRegister special, std::uint32_t index, int bytes);
  std::uint32_t parameter_row(std::uint64_t offset, int loaded, int bytes, bool sign_extend);

  // Constants (loader_constants.cpp): what depends on the launch only is computed once.
  void find_constants();
  bool alias_constant(const ptx::Instruction& in);
  bool reads_constants_only(const ptx::Instruction& in) const;

  // What accesses point into (loader_pointees.cpp).
  void find_pointees(const ptx::Form& form, const ptx::Instruction& in);
  bool add_pointee(const std::string& name);

  // Code (loader_code.cpp).
  void load_routine(std::uint32_t routine);
  void load_instruction(std::uint32_t index);
  void find_consumed();
  bool only_copied(const ptx::Instruction& in) const;
  bool load_control(const ptx::Form& form, const ptx::Instruction& in);
  bool decode(const ptx::Form& form, const ptx::Instruction& in, Op& op);
  void load_contracted(std::uint32_t sum);  // loader_contracted.cpp
  bool decode_contracted(std::uint32_t sum, std::vector<Op>& ops);
  Op negation_of(std::uint32_t& row, const ListedForm& negates, int which);
  void add_op(const Op& op);
  bool decode_branch(const ptx::Instruction& in);
  bool decode_table(const ptx::Instruction& in);
  bool decode_call(const ptx::Instruction& in);
  bool decode_barrier(const ptx::Form& form, const ptx::Instruction& in);
  void open_segment();
  void close_segment(Flow flow);
  std::uint32_t guard_of(const ptx::Instruction& in);
  std::uint32_t add_terminator_op(const Op& op);
  void unsupported(const ptx::Form& form);
  void link_targets(std::uint32_t routine);
  std::vector<std::uint32_t> innermost_loops(std::uint32_t routine) const;
  std::uint32_t loop_length(std::uint32_t segment) const;
  void mark_spinning(std::uint32_t routine);
  bool only_asks(std::uint32_t segment) const;
  void mark_turns(std::uint32_t routine);  // loader_turns.cpp
  int source_line(const ptx::Function& function, const ptx::Instruction& in) const;

  const ptx::Module& module_;
  const ptx::Function& entry_;
  std::shared_ptr<Kernel::Program> program_;
  const ptx::Function* function_ = nullptr;
  std::uint32_t routine_ = 0;

  std::unordered_map<const ptx::Function*, std::uint32_t> routine_of_;
  std::vector<bool> met_;                                        // a routine of this number may be called
  std::unordered_map<std::string, Symbol> symbols_;              // of the module
  std::vector<std::unordered_map<std::string, Symbol>> locals_;  // of each routine
  std::vector<std::unordered_map<std::string, Piece>> frames_;   // .param variables of each routine

  bool too_many_registers_ = false;
  bool uses_alloca_ = false;
  std::uint32_t next_row_ = 0;  // bytes of the register file handed out
  std::uint32_t predicate_at_ = 0, predicates_left_ = 0;
  std::uint32_t scratch_ = 0;  // offset of the scratch rows
  static constexpr int kScratchRows = 64;
  std::vector<std::uint32_t> rows_;  // of the current routine: register -> offset
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> immediates_;
  std::map<std::tuple<int, std::uint32_t, int>, std::uint32_t> specials_;
  std::map<std::tuple<std::uint64_t, int, int, bool>, std::uint32_t> parameters_;
  std::uint32_t predicate_constants_[2] = {kNoRow, kNoRow};

  std::vector<bool> launch_constant_;   // registers of the current routine
  std::vector<std::uint8_t> in_setup_;  // instructions: 0 runs, 1 became a row, 2 runs in setup
  std::vector<std::uint32_t> definitions_;
  std::vector<bool> used_;
  std::vector<ptx::Contracted>
      contracted_;  // instructions of the current routine (ptx/contracted_products.h)
  std::uint32_t negated_rows_[2] = {kNoRow,
                                    kNoRow};  // terms that the operation behind needs with other signs
  std::vector<bool> consumed_;                // registers of the current routine that more than stores read
  ptx::Pointees pointees_;                    // of the current routine

  Segment segment_;  // being built
  bool open_ = false;
  std::uint32_t instruction_ = 0;          // of Program::instructions, being loaded
  std::vector<std::uint32_t> segment_at_;  // instruction of the function -> segment that starts there
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> site_of_;
};

}  // namespace warplens::simt
