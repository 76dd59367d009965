// A site is one memory, branch or barrier instruction of a kernel together with the source line it came from.
// Sites are numbered in the order of the instructions, the kernel's own first, then those of the functions it
// calls; the emulator and the GPU recorder use the same numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/known.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::trace {

using SiteId = std::uint32_t;
inline constexpr SiteId kNoSite = 0xffffffffu;

enum class SiteKind : std::uint8_t {
  Load,
  Store,
  Atomic,
  Reduction,
  CompareAndSwap,  // an Atomic that compares (counts differently)
  AsyncCopy,       // cp.async: global read and shared write
  BulkCopy,        // cp.async.bulk
  MatrixLoad,      // ldmatrix
  MatrixStore,     // stmatrix
  Texture,
  Branch,
  Barrier,
};

// An instruction that reads, changes and writes in one step.
constexpr bool is_atomic(SiteKind kind) {
  return kind == SiteKind::Atomic || kind == SiteKind::Reduction || kind == SiteKind::CompareAndSwap;
}
// What the report counts as loads and as stores. A copy counts where it reads.
constexpr bool is_load(SiteKind kind) {
  return kind == SiteKind::Load || kind == SiteKind::AsyncCopy || kind == SiteKind::MatrixLoad ||
         kind == SiteKind::BulkCopy;
}
constexpr bool is_store(SiteKind kind) {
  return kind == SiteKind::Store || kind == SiteKind::MatrixStore;
}

enum class Space : std::uint8_t { Global, Shared, Local, Constant, Parameter, Texture, Generic, None };
std::string_view name(SiteKind kind);
std::string_view name(Space space);

struct Site {
  SiteId index = 0;
  std::uint32_t function = 0;     // index into Module::functions
  std::uint32_t instruction = 0;  // index into that function's instructions
  SiteKind kind = SiteKind::Load;
  Space space = Space::None;  // Generic when only the run tells
  std::string op;             // "ld.global.f32"
  bool strong = false;        // volatile or with an order of memory (ptx::Form::is_strong)
  int bytes = 0;              // per lane, as written (vector included)
  ptx::Type type = ptx::Type::None;
  std::string file;          // source file, empty when unknown
  int line = 0, column = 0;  // source line: innermost frame inside the kernel's own file; 0 unknown
  int ptx_line = 0;
  std::string text;  // source line, trimmed; filled when the source is at hand
  // As executed, and how all of that is known, the weakest of its parts (ptx/lowering/lowering.h):
  Known known = Known::AsWritten;
  SiteId leader = kNoSite;           // the site this one is merged into; itself otherwise
  int executed_bytes = 0;            // leader: bytes a lane of the executed access
  std::int64_t executed_offset = 0;  // leader: where the wide access starts relative to the leader's address
  bool reduction = false;            // an atom whose result is unused: counted as a reduction
  ptx::AtomicForm atomic_form = ptx::AtomicForm::EveryLane;  // whether one lane does it for the warp
  // The basic block that it is in, and whether what it loads is needed there: who goes on to another block
  // has waited for it then.
  std::uint32_t basic_block = 0;
  bool needed_in_block = false;
  bool leaves = false;  // a branch that the machine has not: a predicated EXIT, or predicated code instead
  bool floating_shared_atomic = false;  // shared atomic without native instruction (hardware_h200.md A4)
  bool in_registers = false;  // never executed: a local array in registers, a constant as an operand
};

// What kind of site an instruction is; nothing where it is none. The emulator's events have the same kind.
std::optional<SiteKind> site_kind(const ptx::Form& form);
// The space that a memory instruction names; Generic where it names none.
Space space_of(ptx::StateSpace space);

// All sites of an entry and of the functions reachable from it.
std::vector<Site> collect_sites(const ptx::Module& module, const ptx::Function& entry, int sm_version = 90);

}  // namespace warplens::trace
