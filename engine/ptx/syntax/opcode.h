// Opcodes and their modifiers as numbers, and what each opcode does. Their texts are known to parser and
// printer alone; to add one, write its row in opcodes.inc or modifiers.inc.
//
//   effects_of(Opcode::Atom).memory == MemoryUse::Atomic
//   form.opcode == Opcode::Ld && form.has(Modifier::Volatile)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warplens::ptx {

enum class Opcode : std::uint8_t {
  Unknown,
#define OPCODE(name, ...) name,
#include "engine/ptx/syntax/opcodes.inc"
#undef OPCODE
};

enum class Modifier : std::uint8_t {
  Unknown,
#define MODIFIER(name, text) name,
#include "engine/ptx/syntax/modifiers.inc"
#undef MODIFIER
};

// The operand that is written.
enum class Written : std::uint8_t {
  First,
  None,       // the first operand is read as the others are
  IfReduces,  // the first with .red, else none
  AlsoRead,   // the first, whose old value counts
};

// What memory the instruction means, and what it does there.
enum class MemoryUse : std::uint8_t {
  None,
  Load,
  Store,
  Atomic,
  Reduce,
  Copy,  // cp.async, cp.async.bulk and what belongs to them
  LoadMatrix,
  StoreMatrix,
  Tile,     // wmma: only its .load and .store
  Barrier,  // an mbarrier object
  Texel,    // of a texture or a surface
  Name,     // names a place and moves nothing that is followed
  Ask,      // what a texture or surface is like
};

// Where the thread goes on.
enum class Control : std::uint8_t {
  Next,
  Branch,
  Table,
  Call,
  Return,
  Exit,
  Trap,
  Barrier,  // behind it, when the others are there
  Sleep,    // behind it, after a while
};

// What of an SM executes it where it does not touch memory and Control does not say it.
enum class Issue : std::uint8_t {
  Arithmetic,  // the pipe of its type
  Multiply,    // the pipe of 32-bit floats, integers as well
  Special,     // roots, sines, quotients
  Bits,        // counts and reverses bits, beside the conversions
  Matrix,
  Exchange,  // by way of shared memory's crossbar
  Vote,
  Fence,
  Nothing,  // the machine has no instruction for it
};

// How the results of a warp's lanes hang together.
enum class Lanes : std::uint8_t {
  Own,       // of the lane's own operands
  Same,      // one for the warp, whatever goes in
  Differ,    // another for each lane, whatever goes in
  Exchange,  // of another lane's operands
};

// What is computed, as far as a pointer or the low bits of an address follow it.
enum class Meaning : std::uint8_t {
  Other,
  Move,
  Convert,
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  ShiftLeft,
  ShiftRight,
  And,
  Or,
  Xor,
  Choose,
};

// Exact forms of these are subroutines of ptxas (execution_of() of facts/machine_cost.h tells which).
enum class Routine : std::uint8_t { None, Division, Root, InverseRoot };

// Neither changes shared or local memory nor orders what others do to it.
inline constexpr std::uint16_t kQuiet = 1;
// Depends on its operands alone and does nothing but write its result.
inline constexpr std::uint16_t kPure = 2;
inline constexpr std::uint16_t kArithmetic = kQuiet | kPure;
// Orders the memory accesses of threads.
inline constexpr std::uint16_t kOrders = 4;
// Does more than write its result, or asks who runs with it: stays in the block where it stands.
inline constexpr std::uint16_t kAnchored = 8;
// Synchronises, communicates, calls or has no predicated form: what holds it is branched around.
inline constexpr std::uint16_t kBranched = 16;
// May wait for other threads.
inline constexpr std::uint16_t kWaits = 32;
// Runs on the special function unit, or divides: ptxas does not copy it by unrolling a loop.
inline constexpr std::uint16_t kLong = 64;
// Hands a value on or decides by it; others make a new value of it.
inline constexpr std::uint16_t kDecides = 128;
// A hint to the machine: changes nothing that is shown.
inline constexpr std::uint16_t kHint = 256;

// The defaults are what is assumed of an opcode that nobody knows.
struct Effects {
  std::uint8_t since = 0;  // PTX version, ten times; 0: not known
  std::uint16_t flags = 0;
  Written written = Written::First;
  MemoryUse memory = MemoryUse::None;
  Control control = Control::Next;
  Lanes lanes = Lanes::Own;
  Meaning meaning = Meaning::Other;
  Routine routine = Routine::None;
  Issue issue = Issue::Arithmetic;
  std::uint8_t flops = 0;  // that a roofline counts, of a lane and an element
  constexpr bool is(std::uint16_t flag) const { return (flags & flag) != 0; }
  constexpr bool ends_thread() const { return control == Control::Return || control == Control::Exit; }
  constexpr bool leaves() const { return ends_thread() || control == Control::Trap; }
  constexpr bool ends_block() const {
    return control == Control::Branch || control == Control::Table || leaves();
  }
};

const Effects& effects_of(Opcode opcode);
std::vector<Opcode> all_opcodes();  // without Unknown

std::string_view name(Opcode opcode);  // "ld"; empty for Unknown
std::string_view name(Modifier modifier);
Opcode opcode_from_name(std::string_view text);
Modifier modifier_from_name(std::string_view text);

}  // namespace warplens::ptx
