// What ptxas made of a module: the machine instructions of each function that touch memory or steer control,
// each with the PTX instruction it was made of. Where it is known, the rules of as_executed.h, branch_form.h,
// unrolled_loops.h, register_arrays.h and saved_registers.h, which foretell what ptxas does, need not guess.
//
//   ld.shared.f32 %f1,[%r1];  ...  ld.shared.f32 %f4,[%r1+12];        in PTX lines 61 to 64
//   {LoadShared, 16 bytes, line 61}                                    in the listing: lines 62 to 64 have
//   none
//
// A listing comes from the machine code that ptxas writes with -lineinfo (engine/source/cubin.h), or from its
// printed form. It is data without references to the module; attach() puts it where the rules look.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/ptx/syntax/types.h"

namespace warplens::ptx {

struct Module;

// Opcodes of the machine (CUDA Binary Utilities, instruction set of compute capability 7.0 to 9.0) by what
// they do; the comment names them.
enum class MachineOp : std::uint8_t {
  Other,
  Load,             // LDG, LDS, LDL, LD
  Store,            // STG, STS, STL, ST
  Atomic,           // ATOMG, ATOMS, ATOM
  Reduction,        // RED
  AsyncCopy,        // LDGSTS
  MatrixLoad,       // LDSM
  ConstantLoad,     // LDC from a bank other than the parameters'
  UniformConstant,  // ULDC from such a bank
  Branch,           // BRA
  BranchTable,      // BRX
  BranchDivided,    // BRA.DIV: taken where not all lanes are there
  Exit,             // EXIT
  Meet,             // BSSY: names where lanes that part will meet
  Met,              // BSYNC
  Leave,            // BREAK: lanes that will not meet
  Call,             // CALL
  Return,           // RET
  Barrier,          // BAR
  Shuffle,          // SHFL
  Vote,             // VOTE
};

constexpr bool is_jump(MachineOp op) {
  return op == MachineOp::Branch || op == MachineOp::BranchDivided;
}
constexpr bool ends_function(MachineOp op) {
  return op == MachineOp::Exit || op == MachineOp::Return;
}
constexpr bool ends_block(MachineOp op) {
  return is_jump(op) || op == MachineOp::BranchTable || ends_function(op);
}

// How an instruction reads the parameters' constant bank, in which the shape of the launch stands as well.
enum class ParameterRead : std::uint8_t {
  None,
  Loaded,     // LDC: into a register, which is waited for
  Immediate,  // ULDC, or as an operand: the instruction itself waits
};

// What executes an instruction whose opcode MachineOp does not tell.
enum class MachinePipe : std::uint8_t {
  Unknown,
  Alu,              // integers, logic, comparisons, moves: IADD3, LOP3, ISETP, FSETP, SEL, MOV, ...
  Fma,              // FADD, FMUL, FFMA
  FmaHeavy,         // IMAD: the half of those pipes that multiplies integers, too
  Wide,             // IMAD.WIDE, IMAD.HI: the same, for twice as long
  Half,             // HADD2, HFMA2, ...
  Double,           // DADD, DFMA, DSETP, ...
  Special,          // MUFU, conversions of floats and integers, POPC, FLO, BREV
  Tensor,           // HMMA, IMMA, ...
  Uniform,          // the warp's own: UIADD3, UMOV, ULDC, ...
  SpecialRegister,  // S2R
  SpecialOfWarp,    // S2UR
  Control,          // what steers or does nothing: NOP, BMOV, DEPBAR, YIELD
  Match,            // MATCH: lanes that have the same value
  Sync,             // WARPSYNC of the lanes that a register names
};

// How ptxas has an instruction wait: the control bits of its encoding. Arithmetic of a latency that is always
// the same is waited for by counting; what comes when it comes holds one of six scoreboards of its warp.
struct MachineSchedule {
  static constexpr std::uint16_t kScoreboards = 6, kNone = 7;
  std::uint16_t stall : 4 = 0;  // cycles until the warp issues its next one; 0: nothing is known of all this
  std::uint16_t waits : 6 = 0;  // scoreboards that have to be free before it issues, bit by bit
  std::uint16_t holds : 3 = kNone;  // the one that it holds until its result is there
  std::uint16_t reads : 3 = kNone;  // the one that it holds until it has read its registers
  std::uint16_t yields : 1 = 0;     // lets other warps go before its next one
  bool known() const { return stall > 0; }
  // `stall` below 16; scoreboards that there are not stand for none.
  static constexpr MachineSchedule of(unsigned stall, unsigned waits, unsigned holds, unsigned reads,
                                      bool yields = false) {
    MachineSchedule out;
    out.stall = stall & 15u;
    out.waits = waits & 63u;
    out.holds = holds < kScoreboards ? holds & 7u : kNone;
    out.reads = reads < kScoreboards ? reads & 7u : kNone;
    out.yields = yields ? 1 : 0;
    return out;
  }
  bool operator==(const MachineSchedule&) const = default;
};

struct MachineInstruction {
  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  static constexpr std::uint16_t kLastConstantLine = 1023;  // of a bank of 64 KiB
  MachineOp op = MachineOp::Other;
  StateSpace space = StateSpace::None;  // of loads, stores, atomics; Generic when the address tells
  std::uint8_t bytes = 0;               // a lane, of loads and stores
  bool guarded = false;                 // executed under a predicate
  // Of Other alone.
  ParameterRead parameter : 2 = ParameterRead::None;
  MachinePipe pipe : 4 = MachinePipe::Unknown;
  std::uint16_t constant_line : 10 = 0;  // of a parameter, by 64 bytes: 0 has the block's shape
  MachineSchedule schedule = {};
  int line = 0;                      // of the PTX text; 0 unknown
  std::uint32_t target = kNowhere;   // Branch, Meet: index into the same list; kNowhere: outside
  std::uint32_t made_of = kNowhere;  // index into Function::instructions; known once attached
  bool operator==(const MachineInstruction&) const = default;
};

// Was made of its instruction itself, not of its operands' arithmetic.
inline bool tells(const MachineInstruction& machine) {
  return machine.op != MachineOp::Other && machine.op != MachineOp::Meet && machine.op != MachineOp::Met;
}

// The machine code of one function, as it stands in the kernel that calls it.
struct MachineFunction {
  std::string name;                              // of the PTX function
  std::vector<MachineInstruction> instructions;  // all of them, in the order of their addresses
  // Of a kernel: instructions that stand beside its own in its section, of functions that it calls and of
  // ptxas's routines. A launch has them fetched as well (read on an H200: tools/golden/dram_pieces.cu).
  std::uint32_t others = 0;
  bool operator==(const MachineFunction&) const = default;
};

// Each function once; without ptxas's own routines (the slow paths of divisions).
struct MachineListing {
  std::vector<MachineFunction> functions;
  bool operator==(const MachineListing&) const = default;
};

// One line a function, a token an instruction, runs of the same written once; what print() gives is what
// parse_listing() takes. Errors name the line.
std::string print(const MachineListing& listing);
Result<MachineListing> parse_listing(std::string_view text);

// Gives each function of `module` its machine code. A function that stands in several kernels gets the first
// one's; of functions that ptxas put into their callers nothing is known. Nothing happens where lines of the
// listing do not fit the module.
void attach(const MachineListing& listing, Module& module);

}  // namespace warplens::ptx
