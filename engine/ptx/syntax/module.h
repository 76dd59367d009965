// A PTX module in memory: what the parser makes, the printer writes, and the emulator, the instrumenter and
// the analyses read. Plain data; ids are indexes, valid as long as the Module lives and is not edited.
//
//   ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd4+16];     in PTX
//   form: opcode Ld, modifiers {Global, Nc, V4, F32}, types {F32}, space Global, vector 4
//   operands: Vector{reg,reg,reg,reg}, Address{reg %rd4, offset 16}
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/opcode.h"
#include "engine/ptx/syntax/types.h"

namespace warplens::ptx {

using RegisterId = std::uint32_t;
using FormId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffu;

struct Register {
  std::string name;  // with the percent sign; made unique when scopes shadow each other
  Type type = Type::None;
};

// A place inside an initialiser that holds the address of a symbol.
struct Relocation {
  std::uint64_t offset = 0;  // bytes into the variable
  int bytes = 8;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;  // written as generic(symbol)
};

// Anything declared with a state space: parameters, shared arrays, constants, module globals, local depots.
struct Variable {
  std::string name;
  StateSpace space = StateSpace::None;
  Type type = Type::None;
  std::uint32_t alignment = 0;  // bytes; natural alignment when the text names none
  int vector_width = 1;         // .v2, .v4
  std::uint64_t count = 1;      // elements of an array; 0 for an extern array without extent (dynamic shared)
  bool is_array = false;
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;
  std::string attribute;              // inside of .attribute(...), as written: ".managed"
  std::vector<std::uint8_t> initial;  // the first bytes; those after it, up to bytes(), are zero
  std::vector<Relocation> relocations;
  // Parameters declared with .ptr: the space and alignment of what they point to.
  StateSpace pointee_space = StateSpace::None;
  std::uint32_t pointee_alignment = 0;
  int line = 0;  // in the PTX text

  std::uint64_t bytes() const {
    return count * static_cast<std::uint64_t>(size_of(type)) * static_cast<std::uint64_t>(vector_width);
  }
};

enum class SpecialRegister : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize,
  IsExplicitCluster,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  CurrentGraphExec,
  EnvReg,
  Pm,
  Unknown,
};

enum class OperandKind : std::uint8_t {
  Sink,      // _
  Register,  // %r1, !%p1 (negated)
  Integer,   // 42, 0x2a, -1, also a predicate constant
  Float,     // 0f3F800000, 0d..., value holds the bits, type says F32 or F64
  Special,   // %tid.x; value holds the index of %envregN and %pmN
  Symbol,    // name of a variable or function, with an offset: its address
  Address,   // [base + offset]; base is a register, a symbol, or neither (absolute)
  Vector,    // {a, b, c, d}; also the pair  d|p  of setp and shfl (is_pair)
  Label,     // branch target, value holds the instruction index once resolved
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  Type type = Type::None;  // of Register and Float operands
  bool negated = false;    // !%p
  bool is_pair = false;    // Vector written a|b
  SpecialRegister special = SpecialRegister::Unknown;
  RegisterId reg = kNone;         // Register; base of Address
  std::int64_t value = 0;         // Integer value, Float bits, offset of Address and Symbol
  std::string symbol;             // Symbol, Label, base of Address; selector of a Register ("b0" in %r1.b0)
  std::vector<Operand> elements;  // Vector; in an Address what follows the base: [tex, smp, {x, y}] has two
};

// Calls use(register) for every register that an operand names.
template <typename Use>
void for_each_register(const Operand& operand, Use use) {
  if (operand.reg != kNone) use(operand.reg);
  for (const Operand& element : operand.elements) for_each_register(element, use);
}

// m16n8k16: the matrices of a product.
struct MatrixShape {
  int m = 0, n = 0, k = 0;
};

// An opcode with all its modifiers, stored once a module however often it is used.
struct Form {
  std::string text;  // "ld.global.nc.v4.f32", as written
  Opcode opcode = Opcode::Unknown;
  std::vector<Modifier> modifiers;      // in the order written; Unknown for what has no row in modifiers.inc
  std::vector<Type> types;              // the modifiers that are types, in order
  StateSpace space = StateSpace::None;  // Generic for memory instructions that name none
  int vector_width = 1;                 // .v2 .v4 .v8
  std::optional<MatrixShape> shape;     // .m16n8k16
  bool has(Modifier modifier) const;
  // Written with an order of memory or volatile: a load or store that threads may talk by (PTX ISA, memory
  // consistency model, strong operations). Of atomics, which all are, it says only what is written.
  bool is_strong() const;
  const Effects& effects() const { return effects_of(opcode); }
  Type type(std::size_t i = 0) const { return i < types.size() ? types[i] : Type::None; }
};

struct Guard {
  RegisterId predicate = kNone;  // kNone: always executed
  bool negated = false;
};

// One frame of inlining, innermost first when walked along `parent`.
struct SourceLine {
  int file = 0;  // index into Module::files, 0 unknown
  int line = 0;
  int column = 0;
  std::uint32_t inlined_at =
      kNone;             // index into Function::source_lines: where the enclosing function was called
  std::string function;  // name of the inlined function, empty for the kernel itself
  bool operator==(const SourceLine&) const = default;
};

struct Instruction {
  FormId form = 0;
  Guard guard;
  std::vector<Operand> operands;  // as written: destinations first
  std::uint32_t source = kNone;   // index into Function::source_lines, from .loc
  int line = 0;                   // in the PTX text
  // Direct calls:  call (ret...), callee, (args...);  operands then hold the callee as Symbol (or Register).
  std::vector<Operand> call_returns;
  std::vector<Operand> call_arguments;
  std::string prototype;  // name of .callprototype, .calltargets or .branchtargets
};

// Half-open range of instruction indexes with a single entry and no jump inside.
struct BasicBlock {
  std::uint32_t first = 0, last = 0;
  std::vector<std::uint32_t> successors, predecessors;  // block indexes
  std::uint32_t immediate_post_dominator = kNone;       // kNone: the function's exit
  std::uint32_t loop_depth = 0;
};

struct Function {
  std::string name;       // as in the PTX (mangled)
  std::string demangled;  // "scale(float*, int)" or the name itself
  bool is_entry = false;
  bool is_extern = false;  // declared without a body
  bool is_visible = false;
  bool is_weak = false;
  std::vector<Variable> parameters;
  std::vector<Variable> returns;
  std::vector<Register> registers;
  std::vector<Variable> locals;  // .local, .shared, .param declared in the body
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;       // covers every instruction, in order
  std::vector<std::uint32_t> block_of;  // instruction index -> block
  std::vector<SourceLine> source_lines;
  std::unordered_map<std::string, std::uint32_t> labels;                   // name -> instruction index
  std::unordered_map<std::string, std::vector<std::string>> target_lists;  // .branchtargets, .calltargets
  std::unordered_map<std::string, std::string> prototypes;                 // .callprototype text
  std::optional<std::uint32_t> max_registers;                              // .maxnreg
  std::vector<std::uint32_t> max_threads, required_threads;                // .maxntid, .reqntid
  std::optional<std::uint32_t> min_blocks_per_sm;
  std::vector<std::string> directives;  // the other performance directives, as written: ".explicitcluster"
  // .pragma strings of the body and the index of the instruction that follows.
  std::vector<std::pair<std::uint32_t, std::string>> pragmas;
  std::vector<MachineInstruction> machine;  // what ptxas made of it; empty when that is not known
  std::uint32_t machine_others = 0;         // MachineFunction::others
  int line = 0;
};

// What was worked out about a module's functions, kept for who asks again (function_facts.h, lowering.h). It
// goes with one module at one place: a copy, or what a module is moved to, starts with nothing, since its
// owner may edit it. Edits that change the number of instructions are noticed; others call forget().
class Derived {
 public:
  struct Kept;
  Derived();
  Derived(const Derived&);
  Derived& operator=(const Derived&);
  ~Derived();
  void forget();
  Kept& kept() const { return *kept_; }

 private:
  std::unique_ptr<Kept> kept_;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                       // "sm_80"
  std::vector<std::string> target_options;  // what follows it: "debug", "texmode_independent"
  int address_size = 64;
  std::vector<std::string> files;  // index 0 is unused
  std::vector<Form> forms;
  std::vector<Variable> variables;  // module scope: .global .const .shared .extern .tex
  std::vector<Function> functions;
  std::unordered_map<std::string, std::string> aliases;
  Derived derived;

  const Form& form(const Instruction& instruction) const { return forms[instruction.form]; }
  const Function* find_function(std::string_view name) const;  // exact name in the PTX
  const Variable* find_variable(std::string_view name) const;

  // An entry by plain name ("scale"), mangled name, or template instance ("scale<int, 4>").
  // The error lists the kernels there are; ambiguity is an error that lists the candidates.
  Result<const Function*> find_entry(std::string_view name) const;
};

// "scale(float*, int)" for "_Z5scalePfi"; the name itself when it is not a mangled one.
std::string demangle(std::string_view mangled);

// Splits "ld.global.nc.v4.f32" into its parts.
Form make_form(std::string_view text);

}  // namespace warplens::ptx
