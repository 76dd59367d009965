// What the exact shadow memory says about an access that races or reads what nobody wrote.
#pragma once

#include "engine/simt/checks/shadow.h"

namespace warplens::simt {

// Everything about the access that goes on, the same for all its lanes.
struct Current {
  const Op& op;
  Warp& warp;
  SharedShadow& block;
  std::uint32_t time = 0;
  bool strong = false;
  ScreenedAccess::Doing what = ScreenedAccess::Doing::Read;
  trace::Space space = trace::Space::Shared;
  // Of a strong access: what it finds goes somewhere, and, of an atomic, decides something (value_flow.h).
  bool looks = false, asked_for = false;
};

// The form of an instruction of the program; nullptr when there is no such one.
const ptx::Form* form_of(const Current& now, std::uint32_t instruction);

// This lane's access and an earlier one of that thread, with nothing to order them.
void report_race(const Current& now, unsigned lane, std::uint64_t address, const Mark& earlier,
                 std::uint64_t earlier_block, bool earlier_wrote);
void report_unwritten(const Current& now, unsigned lane, std::uint64_t address);
// Of memory that outlives launches: these lanes' reads, an address a lane.
void report_unwritten(const Current& now, LaneMask lanes, const std::uint64_t* addresses);
// Is that instruction of the program ld.volatile or st.volatile? It keeps the compiler from holding a value
// back, not the lanes of a warp together.
bool is_volatile(const Current& now, std::uint32_t instruction);
// Is one of the two an atomic and the other the plain look before a compare-and-swap (value_flow.h)?
bool is_checked_by_swap(const Current& now, const Mark& earlier);
// Fills in whether this strong access looks, and whether what it finds is asked for.
void find_use(Current& now);
// Does it end an mbarrier at which that other instruction arrived or waited? One lane may end what all of its
// warp used: they are done with it, and what brought them together (match.sync in libcu++'s pipeline) orders
// no other memory.
bool ends_what_was_used(const Current& now, std::uint32_t instruction);
// Is it an atomic (or another strong access) that only threads of its own block see as one?
bool has_block_scope(const Current& now, std::uint32_t instruction);

}  // namespace warplens::simt
