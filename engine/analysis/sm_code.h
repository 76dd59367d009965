// What the warps of an SM execute, as the model of an SM takes it: which unit an instruction needs and for
// how long, which registers it waits for and gives, and what each of its accesses asks of the memory.
//
//   SmCode code = sm_code(module, entry, trace, caches, constants, device);
//   simulate_sm(code, setup);                        // sm_simulation.h
//
// The instructions are those of the machine, in ptxas's order and unrolled as it unrolled
// (machine_chains.h); where no machine code is known, those of the PTX.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/analysis/caches.h"
#include "engine/analysis/device.h"
#include "engine/analysis/model_constants.h"
#include "engine/ptx/syntax/module.h"
#include "engine/trace/block_work.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

enum class SmUnit : std::uint8_t {
  None,  // costs nothing: the machine has no instruction for it
  Alu,   // integers, logic, comparisons
  Fma,   // 32-bit floats: either half of the multipliers
  Fp64,
  Special,  // roots, sines, conversions: behind the queue to shared memory
  Tensor,
  Shared,  // shared memory, shuffles: short scoreboard
  Global,  // global, local and texture memory: long scoreboard
  Constant,
  Branch,
  Barrier,
  Fence,
  Exit,
  Sleep,
  Uniform,   // of the warp, not of its lanes; what only steers
  FmaHeavy,  // products of integers: the half of the multipliers that has them
};

// Cycles that integer arithmetic has the unit: 16 lanes a scheduler, and ptxas gives half of what they could
// do to the multipliers (IMAD for IADD and MOV).
inline constexpr float kIntegerBusy = 1.5f;
// Each by itself, where ptxas's choice is known; of a half of the multipliers.
inline constexpr float kAluBusy = 2, kFmaBusy = 2;
// Cycles behind a product of 64 bits in which its scheduler issues nothing: 2.1 behind IMAD.HI, 2.6 behind
// IMAD.WIDE (read on an H200: tools/golden/dispatch.cu); one between them for both.
inline constexpr float kWideHold = 2.3f;

// Cycles until a constant that is loaded into a register is there: from an address in a register (C2 of
// docs/VERIFICATION.md: of one address), and a parameter or the block's shape (worked out from what warps of
// tools/golden/busy.cu wait for on an H200 in front of their first load; nobody read it alone).
inline constexpr int kConstantLoad = 40, kParameterLoad = 30;
inline constexpr float kConstantBusy = 2;  // cycles of the SM for one address

// One instruction of the program, however often it runs. Registers are those of the PTX, and further ones for
// values that several turns of an unrolled loop have at the same time.
struct SmInstruction {
  SmUnit unit = SmUnit::Alu;
  bool store = false;     // nobody waits for it
  bool constant = false;  // reads a parameter, and waits for it
  bool indexed = false;   // loads one into a register (LDC)
  bool named = false;     // reads the address of a variable or a function, in a bank of constants of its own
  bool aside = false;     // behind the queue, but not to L1: parameters, tables in constant memory
  bool table = false;     // loads from the latter
  bool special = false;   // reads a special register of lanes
  bool meets = false;     // where lanes wait for each other: once for each way on which some came
  bool steers = false;    // a jump or an end, perhaps under a guard
  bool copies = false, commits = false, waits_for_copies = false;  // cp.async
  std::uint16_t constant_line = 8;     // of a parameter, by 64 bytes: 0 has the block's shape
  std::uint16_t groups_left = 0;       // that it does not wait for
  std::uint8_t tiles = 1;              // of a warp, among whose lanes it exchanges values
  std::uint16_t pause = 0;             // cycles until its warp may go on, where ptxas's schedule is not known
  ptx::MachineSchedule schedule = {};  // known: what it waits for, instead of the registers that it reads
  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  std::uint32_t place = kNowhere;  // in the text, in instructions; kNowhere: not part of it
  std::uint16_t latency = 4;       // cycles until its result; memory: at best
  float busy = 1;                  // cycles that its unit is taken
  float hold = 0;                  // cycles behind it in which its scheduler issues nothing
  std::uint32_t reads = 0, writes = 0, read_count = 0, write_count = 0;  // into SmCode::registers
  trace::SiteId site = trace::kNoSite;
  int line = 0;
};

// One execution by a warp.
struct SmStep {
  static constexpr std::uint32_t kNoAccess = 0xffffffffu;
  static constexpr std::uint32_t kPredicatedOff = 0xfffffffeu;  // issued, and nothing happens
  std::uint32_t instruction = 0;                                // into SmCode::instructions
  std::uint32_t access = kNoAccess;                             // of SmCode::access
};

// What one access costs. Sectors that no level above had.
struct SmAccess {
  std::uint16_t cycles = 1;  // of the load/store unit
  std::uint16_t tags = 1;    // of those until its lines were looked up: all that a load takes that misses
  std::uint16_t from_l2 = 0, from_dram = 0, stored = 0;  // sectors
  std::uint16_t changed = 0;                             // of those stored: that DRAM has to be given
  std::uint16_t atomics = 0;                             // sectors, each as often as L2 changes it
  std::uint16_t requests = 0;                            // lines that L2 is asked for
  std::uint16_t lines = 1;                               // that it touches
  std::uint16_t latency = 0;                             // of the furthest of them
  bool sparse = false;                                   // stores one word of a sector at most
  bool cold = false;                                     // DRAM brings some of it
  std::uint16_t coming = 0;                              // ServedAccess::coming
  bool answered = false;                                 // an atomic that hands back what was there before
  // The first line that a load or a store touches in L1, any numbers; where the others begin in
  // SmCode::other_lines, and how many. Of a table: where its lines begin in SmCode::table_lines, `requests`
  // of them.
  std::uint32_t line = kNoLine, others = 0;
  std::uint16_t other_count = 0;
  static constexpr std::uint32_t kNoLine = 0xffffffffu;
};

struct SmCode {
  std::vector<SmInstruction> instructions;
  std::vector<std::uint32_t> registers;  // lists of register numbers
  std::uint32_t register_count = 0;
  std::vector<std::vector<std::vector<SmStep>>> blocks;  // by stored block and warp
  // What the caches answered blocks from all over the launch, one set of answers behind the other: the n-th
  // of so many sets is that of access n * accesses.size() / answers and those behind it.
  std::vector<SmAccess> accesses;
  std::uint32_t answers = 1;
  const SmAccess& access(std::uint32_t number, std::uint32_t answer) const {
    return accesses[answer * (accesses.size() / answers) + number];
  }
  std::uint32_t line_count = 0;  // of SmAccess::line
  std::vector<std::uint32_t> other_lines;
  std::vector<std::uint32_t> table_lines;  // by 64 bytes of constant memory
  double machine_bytes = 0;                // of the functions that are executed
  double fetched_bytes = 0;                // of all that stands in the kernel's section with them
  bool cut = false;                        // warps went on beyond what is here; then
  double walked_a_block = 0;   // says how much that is: instructions of the PTX, of those that stand for all
  std::vector<double> walked;  // the same of each block
  // The first block is the launch's first, which often has work that others have not: it stands for itself
  // alone, the others for all.
  bool first_alone = false;
  // Of those that stand for all, the one that an SM runs which is given fewer blocks than there are of them.
  std::uint32_t typical = 0;
  // Where blocks differ (typical_blocks.h): which of them the n-th block of an SM is like, and how many of
  // the launch's blocks each of them is. Empty where they come in turn.
  std::vector<std::uint32_t> order;
  std::vector<double> shares;
  // The stored block that stands for the n-th of so many that an SM is given.
  std::size_t stands_for(std::uint64_t number, std::uint64_t given) const;
  // How much of the launch a stored block stands for, of 1.
  double share_of(std::size_t block) const;
  // The same of those blocks that store something; 1 where none does.
  double share_that_stores() const;
  // Steps of a block, all its warps together.
  double steps_of(std::size_t block) const;
  // Cycles of its schedulers that a block's instructions take to issue, of those that stand for all.
  double slots_a_block() const;
  // Instructions of them alone.
  double instructions_a_block() const;
};

inline constexpr double kInstructionBytes = 16;  // of the machine

struct SmCodeLimits {
  std::size_t blocks = 5, steps_a_warp = 200000,
              steps = 400000;  // a block alone takes no more of a warp than its share
};
// `work`: what each block of the launch executed; null: not known, and the stored ones stand for all alike.
SmCode sm_code(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
               const CacheReport& caches, const Device& device, const trace::BlockWork* work = nullptr,
               const SmCodeLimits& limits = {});

}  // namespace warplens::analysis
