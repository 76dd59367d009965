// What ptxas makes of a function, in one place: every fact about it "as executed" is decided here, once, and
// read by the emulator, the instrumented run, the counters and the views.
//
//   ld.shared.f32 %f1,[%r1];  ld.shared.f32 %f2,[%r1+4];     accesses[1].leader == 0, accesses[0].bytes == 8
//   @%p1 bra L;  around two additions                         branches.forms[i] == BranchForm::Removed
//
// Two providers fill it: the function's machine code (Function::machine), where ptxas was asked, and
// otherwise rules that foretell it. Which one is chosen once a function; what the machine code does not tell
// (atomics that one lane does for all) follows the rules either way.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/known.h"
#include "engine/ptx/facts/unrolled_loops.h"
#include "engine/ptx/machine/machine_weights.h"
#include "engine/ptx/rules/atomic_form.h"
#include "engine/ptx/rules/branch_form.h"
#include "engine/ptx/rules/contracted_products.h"
#include "engine/ptx/rules/meeting_places.h"
#include "engine/ptx/rules/spills.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// What is executed of an instruction; of one that accesses no memory all but `known` says that nothing
// happens to it.
struct LoweredAccess {
  std::uint32_t leader =
      kNone;                // the instruction that is counted for it: itself, or the one that carries it out
  int bytes = 0;            // leader: bytes a lane of what is executed
  std::int64_t offset = 0;  // leader: where that starts, relative to the leader's own address
  bool dropped = false;     // never executed: an array in registers, a constant as an operand
  bool reduction = false;   // an atom that is carried out as a reduction
  AtomicForm atomic = AtomicForm::EveryLane;
  // An atomic that shared memory has no instruction for: there it is a loop of loads and compare-and-swaps
  // (hardware_h200.md A4). Of a generic address only the run tells whether it is there.
  bool loop_in_shared = false;
  // How all of that is known, the weakest of its parts; of a branch, whether it stays; and, where a rule says
  // that the loop around it is unrolled, how often it is executed.
  Known known = Known::AsWritten;
};

struct Lowered {
  Known provider = Known::Rule;  // MachineCode or Rule
  // Too large for what looks at all of it (giant.h): loops, folded branches and repeated loads stand as
  // written.
  bool giant = false;
  std::vector<LoweredAccess> accesses;  // one an instruction
  ExecutedBranches branches;
  std::vector<std::uint32_t> added_branches;  // one an instruction (added_branches.h)
  std::vector<UnrolledLoop> loops;            // that the machine unrolls once more
  MeetingPlaces meeting;
  std::vector<Contracted> contracted;  // one an instruction (contracted_products.h)
  MachineWeights weights;              // of the machine instructions; empty: not known
  std::vector<Spill> spills;
  int saved_words = 0;  // that a call stores and loads (saved_registers.h)
};

// Kept with the module (Module::derived): made once however often it is asked for, by any number of threads.
std::shared_ptr<const Lowered> lowered(const Module& module, const Function& function);

// Makes it anew.
Lowered lower(const Module& module, const Function& function);
// How often lower() has run in this process: what does not change must not be made twice.
std::uint64_t times_lowered();

}  // namespace warplens::ptx
