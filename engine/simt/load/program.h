// A kernel decoded for execution: straight runs of operations (segments) that end where control may leave
// them, and the tables that the interpreter, the memory system and the messages need. Immutable once loaded.
//
//   @%p1 bra $skip;   ends a segment with Flow::Branch: next = the segment behind it, target = $skip's,
//                     reconverge = the segment at the immediate post-dominator (kNoSegment: function exit)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/simt/emulator.h"
#include "engine/simt/ops/op.h"
#include "engine/trace/site.h"

namespace warplens::simt {

inline constexpr std::uint32_t kNoSegment = 0xffffffffu;

// Where the spaces lie in the 64-bit generic address space. Global addresses are generic addresses as they
// are; the others are a window plus an offset.
inline constexpr std::uint64_t kGlobalBase = 0x7000'0000'0000;
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000;
inline constexpr std::uint64_t kConstWindow = 0x0300'0000'0000;
inline constexpr std::uint64_t kParamWindow = 0x0400'0000'0000;
inline constexpr std::uint64_t kFunctionWindow = 0x0500'0000'0000;  // addresses of functions
inline constexpr std::uint64_t kKernelWindow = 0x0500'8000'0000;    // of kernels, which kernels may launch
inline constexpr std::uint64_t kTextureWindow = 0x0600'0000'0000;   // handles of texture and surface objects
inline constexpr std::uint64_t kWindowBytes = 0x0001'0000'0000;

inline constexpr std::uint64_t kMultiprocessors = 132;  // of the GPU that kernels find: an H200

enum class Flow : std::uint8_t {
  Next,         // runs on into the next segment
  Branch,       // bra, guarded or not
  BranchTable,  // brx.idx
  Call,
  Return,
  Exit,
  Barrier,   // bar, barrier: by thread counts
  Converge,  // an operation that needs lanes to arrive first (OpFlags)
  Trap,
  Sleep,  // nanosleep and waits that failed: give way to others
};

struct Segment {
  std::uint32_t first_op = 0, op_count = 0;
  // Of Program::instructions, terminator included.
  std::uint32_t first_instruction = 0, instruction_count = 0;
  Flow flow = Flow::Next;
  bool has_guards = false;  // among the straight operations
  bool may_spin = false;    // a back edge of a loop that polls memory
  // The same, where a lock is asked for again and again (atom.cas, atom.exch) and nothing is written besides:
  // who has got it must not wait for the others behind the loop.
  bool asks_for_lock = false;
  bool apart = false;            // lanes that come here at different times do not meet (ptx/meeting_places.h)
  std::uint32_t op = kNoRow;     // terminator's entry in ops (Barrier, Converge, BranchTable, Call)
  std::uint32_t guard = kNoRow;  // terminator's guard
  std::uint32_t next = kNoSegment;  // falling through
  std::uint32_t target = kNoSegment;
  std::uint32_t reconverge = kNoSegment;
  std::uint32_t detail = 0;  // index into calls, tables or barriers
  std::uint32_t site = trace::kNoSite;
  std::uint32_t first_constant = 0, constant_count = 0;  // parameter loads resolved at load time
  std::uint32_t routine = 0;
  std::uint32_t turn = kNoRow;  // index into turns, where a back edge leads to
};

// Where a loop begins another turn, and what tells there that no turn will be the last
// (ptx/facts/steered_loops.h).
struct LoopTurn {
  bool leads_out = true;
  bool steered = false;  // `rows` decide, and memory that the loop only reads where `reads_memory`
  bool reads_memory = false;
  struct Row {
    std::uint32_t offset = 0;
    std::uint8_t bytes = 0;  // of one lane; 0: a predicate
  };
  std::vector<Row> rows;              // what steers and is needed from here on
  std::uint32_t first = 0, back = 0;  // of Program::instructions: the loop without a way out
};

// What an address of an access may point into, where the code tells (ptx/pointees.h).
struct Pointee {
  trace::Space space = trace::Space::Global;
  std::uint32_t parameter = kNoRow;  // of the kernel: whatever buffer the launch binds to it
  // Otherwise a variable: generic address (global), offset (shared, constant) or place in the call frame
  // (local). The end of an extern shared array is the end of its window.
  std::uint64_t begin = 0, end = 0;
  const ptx::Variable* variable = nullptr;
};

struct InstructionInfo {
  std::uint32_t function = 0, index = 0;
  std::uint32_t site = trace::kNoSite;
  int line = 0, ptx_line = 0;
  std::uint32_t first_pointee = 0, pointee_count = 0;  // of Program::pointees; none: it may be anywhere
};

// Bytes of a .param variable inside a frame.
struct Piece {
  std::uint32_t offset = 0, bytes = 0;
};

enum class Builtin : std::uint8_t {
  None,
  Printf,
  Assert,
  Malloc,
  Free,
  OpenLaunch,  // what kernels ask of the runtime, from here on: device_launch.h
  Launch,
  MakeStream,
  Copy,
  CopyRows,
  Fill,
  FillRows,
  Allocate,
  Release,
  ErrorName,
  ErrorText,
  SetCondition,
  AskAttribute,
  AskLimit,
  AskDeviceCount,
  AskDevice,
  AskVersion,
  AskPreference,
  AskFunction,
  AskOccupancy,
  Succeed
};

struct Routine {
  const ptx::Function* function = nullptr;
  std::uint32_t function_index = 0;
  std::uint32_t entry = kNoSegment;
  std::uint32_t frame_bytes = 16;  // .local and .param variables of one call, a lane
  std::vector<Piece> parameters, returns;
  Builtin builtin = Builtin::None;
  bool recursive = false;
  struct Slot {
    std::uint32_t offset = 0;
    std::uint8_t bytes = 0;  // of one lane; 0: a predicate
  };
  std::vector<Slot> slots;  // recursive routines: their registers, each alone in its rows
};

struct CallInfo {
  std::uint32_t routine = 0;  // of a direct call
  bool indirect = false;
  std::uint32_t address = kNoRow;  // row of u64 function addresses
  std::vector<Piece> arguments, returns;
};

struct BarrierInfo {
  enum class Kind : std::uint8_t {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
    ClusterArrive,
    ClusterWait
  } kind = Kind::Sync;
  std::uint32_t id = kNoRow;         // row
  std::uint32_t threads = kNoRow;    // row; kNoRow: all threads of the block
  std::uint32_t predicate = kNoRow;  // RedXxx
  std::uint32_t d = kNoRow;          // row (popc) or predicate
};

// A row that is written once a launch (or once a block), for each warp.
struct ConstantRow {
  enum class Kind : std::uint8_t { Immediate, Parameter, Special, Predicate } kind = Kind::Immediate;
  std::uint32_t offset = 0;       // in the register file
  std::uint8_t bytes = 4;         // of an element
  std::uint64_t bits = 0;         // Immediate, Predicate: value; Parameter: offset in the parameters
  std::uint8_t loaded_bytes = 0;  // Parameter: bytes in memory, extended to `bytes`
  bool sign_extend = false;
  ptx::SpecialRegister special = ptx::SpecialRegister::Unknown;
  std::uint32_t special_index = 0;
  bool per_block = false;
};

struct ConstantLoad {  // a kernel parameter load that became a row
  std::uint32_t instruction = 0;
  std::uint32_t offset = 0;
  std::uint8_t bytes = 4;
};

struct PlacedVariable {
  const ptx::Variable* variable = nullptr;
  std::uint64_t address = 0;  // global: generic address; const, shared: offset
};

struct Kernel::Program {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Function* entry = nullptr;
  int sm_version = 90;
  std::vector<trace::Site> sites;
  std::vector<Op> ops;
  std::vector<Segment> segments;
  std::vector<InstructionInfo> instructions;
  std::vector<Pointee> pointees;
  std::vector<std::uint32_t> lists;
  std::vector<Routine> routines;  // 0 is the kernel
  std::vector<CallInfo> calls;
  std::vector<std::vector<std::uint32_t>> tables;  // brx.idx: segments
  std::vector<BarrierInfo> barriers;
  std::vector<LoopTurn> turns;
  std::vector<ConstantRow> constants;
  std::vector<ConstantLoad> constant_loads;
  std::vector<Op> setup;  // depend on nothing but constants: run once a warp slot
  // Registers that may be read before they are written: offset, bytes.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cleared;
  std::uint32_t register_bytes = 0;  // of one warp
  std::uint32_t parameter_bytes = 0;
  std::vector<Piece> parameters;
  std::vector<PlacedVariable> globals, constants_placed, shared;
  std::uint64_t global_bytes = 0, const_bytes = 0;
  std::optional<Error> impossible;  // no GPU could run it either
  std::vector<std::uint8_t> const_image;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> global_initials;  // offset, bytes
  std::uint64_t static_shared = 0;
  std::uint32_t shared_alignment = 16;
  std::uint32_t lane_local_bytes = 16;
  bool uses_local = false;
  bool uses_device_heap = false;
  bool uses_async_copies = false;    // cp.async: shared memory that is written later
  bool uses_grid_workspace = false;  // %envreg1 and 2: where a cooperative grid counts its arrivals
  bool partial_barriers = false;     // mbarriers, counted barriers: only some warps wait for each other
  std::uint32_t alloca_begin = 0;    // in local memory: where alloca() takes from; 0: nobody calls it
  Dim3 cluster{1, 1, 1};             // blocks, of the kernel's attribute
  bool polls_memory = false;         // waits for other threads in a loop
  bool may_wait = false;             // so, or in a longer loop around its work: all blocks take turns
  bool order_sensitive = false;      // results may depend on the order of blocks: one worker
  std::vector<UnsupportedOp> unsupported;

  // The form of one of `instructions`.
  const ptx::Form& form_of(std::uint32_t instruction) const {
    const InstructionInfo& info = instructions[instruction];
    return module->form(module->functions[info.function].instructions[info.index]);
  }
};

}  // namespace warplens::simt
