// Communication between the lanes of a warp: shfl, vote, match, redux, elect, activemask.
//
// The interpreter brings the lanes that a membermask names together and calls the handler once for all of
// them. Lanes may carry different masks (tiles of a cooperative group): each group of equal masks then votes
// and reduces for itself. Lanes outside their own mask, and shuffles that read a lane that does not take
// part, are undefined on the machine; they read their own value here and are reported when checks are on.
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

// f(lanes) for each set of executing lanes with the same membermask.
template <typename F>
void for_groups(const Op& op, Warp& warp, LaneMask mask, F f) {
  const u32* members = row<u32>(warp, op.e);
  const u32 first = members[std::countr_zero(mask)];
  const LaneMask same = mask_of([=](unsigned l) { return members[l] == first; }) & mask;
  f(same);
  LaneMask left = mask & ~same;
  while (left != 0) {
    const u32 members_of_group = members[std::countr_zero(left)];
    LaneMask group = 0;
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(left, l) && members[l] == members_of_group) group |= LaneMask{1} << l;
    f(group);
    left &= ~group;
  }
}

// ---- shfl

enum class Shuffle : std::uint8_t { Up, Down, Butterfly, Index };

// Where each lane reads, and whether that lane lies inside its segment. c packs the clamp (bits 0-4) and the
// segment mask (bits 8-12).
template <Shuffle kMode>
LaneMask shuffle_sources(const u32* b, const u32* c, u32* from) {
  alignas(64) u32 inside[kWarpSize];
  WARPLENS_FOR_LANES(l) {
    const s32 lane = static_cast<s32>(l), amount = static_cast<s32>(b[l] & 31);
    const s32 segment = static_cast<s32>(c[l] >> 8 & 31), clamp = static_cast<s32>(c[l] & 31);
    const s32 lowest = lane & segment, limit = lowest | (clamp & ~segment);
    const s32 wanted = kMode == Shuffle::Up          ? lane - amount
                       : kMode == Shuffle::Down      ? lane + amount
                       : kMode == Shuffle::Butterfly ? lane ^ amount
                                                     : lowest | (amount & ~segment);
    const bool ok = kMode == Shuffle::Up ? wanted >= limit : wanted <= limit;
    from[l] = static_cast<u32>(ok ? wanted : lane);
    inside[l] = ok ? ~0u : 0u;
  }
  return pack_mask(inside);
}

void report_absent_sources(const Op& op, Warp& warp, LaneMask mask, LaneMask absent, const u32* from) {
  const auto reader = static_cast<unsigned>(std::countr_zero(absent));
  report_fault(warp, op, trace::FaultKind::InactiveLaneRead, absent,
               {"fault.lanes.absent",
                {{"reader", value_of(reader)},
                 {"read", value_of(from[reader])},
                 {"present", value_of(active_lanes(mask))}}});
}

template <Shuffle kMode>
void shuffle_handler(const Op& op, Warp& warp, LaneMask mask) {
  alignas(64) u32 from[kWarpSize], value[kWarpSize];
  const LaneMask inside = shuffle_sources<kMode>(row<u32>(warp, op.b), row<u32>(warp, op.c), from);
  const u32* a = row<u32>(warp, op.a);
  LaneMask absent = 0;
  if (mask != kFullMask) {
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
      const bool present = lane_in(mask, from[l] & 31);
      absent |= LaneMask{!present} << l;
    }
    absent &= mask;
    if (absent != 0 && warp.check_all) report_absent_sources(op, warp, mask, absent, from);
  }
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) value[l] = a[from[l] & 31];
  // PTX leaves it undefined. Of GPUs 0 is reported, and sums in public programs are right because of it.
  for (LaneMask left = absent; left != 0; left &= left - 1) value[std::countr_zero(left)] = 0;
  write_lanes(row<u32>(warp, op.d), mask, mask == kFullMask, [&](unsigned l) { return value[l]; });
  const u32 predicate = static_cast<u32>(op.imm);
  if (predicate != kNoRow) write_predicate(warp, predicate, inside, mask);
}

bool decode_shuffle(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  static const std::unordered_map<std::string_view, Handler> modes{
      {"shfl.sync.up.b32", &shuffle_handler<Shuffle::Up>},
      {"shfl.sync.down.b32", &shuffle_handler<Shuffle::Down>},
      {"shfl.sync.bfly.b32", &shuffle_handler<Shuffle::Butterfly>},
      {"shfl.sync.idx.b32", &shuffle_handler<Shuffle::Index>},
      {"shfl.up.b32", &shuffle_handler<Shuffle::Up>},
      {"shfl.down.b32", &shuffle_handler<Shuffle::Down>},
      {"shfl.bfly.b32", &shuffle_handler<Shuffle::Butterfly>},
      {"shfl.idx.b32", &shuffle_handler<Shuffle::Index>}};
  const auto mode = modes.find(form.text);
  if (mode == modes.end()) return false;
  const bool sync = form.has(ptx::Modifier::Sync);
  const std::size_t operands = sync ? 5 : 4;
  if (!context.count(in, operands, operands)) return false;
  const ptx::Operand& to = in.operands[0];
  const bool pair = to.kind == ptx::OperandKind::Vector;
  if (pair && to.elements.size() != 2) return false;
  op.d = destination_row(context, pair ? to.elements[0] : to, Type::B32);
  op.imm = pair ? context.predicate_destination(to.elements[1]) : kNoRow;
  op.a = source_row(context, in.operands[1], Type::B32);
  op.b = source_row(context, in.operands[2], Type::B32);
  op.c = source_row(context, in.operands[3], Type::B32);
  if (sync) {
    op.e = source_row(context, in.operands[4], Type::B32);
    op.flags |= kConvergesMembers;
  }
  op.set(both(mode->second));
  return context.ok();
}

// ---- vote, activemask, elect

constexpr auto kAll = [](LaneMask holds, LaneMask group) { return holds == group; };
constexpr auto kAny = [](LaneMask holds, LaneMask) { return holds != 0; };
constexpr auto kUniform = [](LaneMask holds, LaneMask group) { return holds == 0 || holds == group; };

template <auto F>
void vote_handler(const Op& op, Warp& warp, LaneMask mask) {
  const LaneMask holds = read_predicate(warp, op.a);
  for_groups(op, warp, mask, [&](LaneMask group) {
    write_predicate(warp, op.d, F(holds & group, group) ? kFullMask : 0, group);
  });
}

void ballot_handler(const Op& op, Warp& warp, LaneMask mask) {
  const LaneMask holds = read_predicate(warp, op.a);
  // The destination may be the membermask's own register: read all groups before writing.
  alignas(64) u32 value[kWarpSize] = {};
  for_groups(op, warp, mask, [&](LaneMask group) {
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(group, l)) value[l] = holds & group;
  });
  write_lanes(row<u32>(warp, op.d), mask, mask == kFullMask, [&](unsigned l) { return value[l]; });
}

bool decode_vote(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool sync = form.has(ptx::Modifier::Sync), ballot = form.has(ptx::Modifier::Ballot);
  const std::size_t operands = sync ? 3 : 2;
  if (form.modifiers.size() != operands || form.types.size() != 1 || !context.count(in, operands, operands))
    return false;
  if (form.type() != (ballot ? Type::B32 : Type::Pred)) return false;
  op.d = destination_row(context, in.operands[0], form.type());
  op.a = context.predicate(in.operands[1]);
  op.e = sync ? source_row(context, in.operands[2], Type::B32) : context.constant(kFullMask, 4);
  if (sync) op.flags |= kConvergesMembers;
  if (ballot)
    op.set(both(&ballot_handler));
  else if (form.has(ptx::Modifier::All))
    op.set(both(&vote_handler<kAll>));
  else if (form.has(ptx::Modifier::Any))
    op.set(both(&vote_handler<kAny>));
  else if (form.has(ptx::Modifier::Uni))
    op.set(both(&vote_handler<kUniform>));
  else
    return false;
  return context.ok();
}

void active_handler(const Op& op, Warp& warp, LaneMask mask) {
  write_lanes(row<u32>(warp, op.d), mask, mask == kFullMask, [=](unsigned) { return mask; });
}

bool decode_active(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.modifiers != std::vector{ptx::Modifier::B32} || !context.count(in, 1, 1)) return false;
  op.d = destination_row(context, in.operands[0], Type::B32);
  op.set(both(&active_handler));
  return context.ok();
}

// The lowest lane of each group leads.
void elect_handler(const Op& op, Warp& warp, LaneMask mask) {
  alignas(64) u32 leaders[kWarpSize] = {};
  LaneMask elected = 0;
  for_groups(op, warp, mask, [&](LaneMask group) {
    const auto leader = static_cast<u32>(std::countr_zero(group));
    elected |= LaneMask{1} << leader;
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(group, l)) leaders[l] = leader;
  });
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return leaders[l]; });
  write_predicate(warp, static_cast<u32>(op.imm), elected, mask);
}

bool decode_elect(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.modifiers != std::vector{ptx::Modifier::Sync} || !context.count(in, 2, 2)) return false;
  const ptx::Operand& to = in.operands[0];
  if (to.kind != ptx::OperandKind::Vector || to.elements.size() != 2) return false;
  op.d = destination_row(context, to.elements[0], Type::B32);
  op.imm = context.predicate_destination(to.elements[1]);
  op.e = source_row(context, in.operands[1], Type::B32);
  op.flags |= kConvergesMembers;
  op.set(both(&elect_handler));
  return context.ok();
}

// ---- match

template <typename T>
LaneMask lanes_with(const T* a, T value, LaneMask group) {
  LaneMask equal = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) equal |= LaneMask{a[l] == value} << l;
  return equal & group;
}

template <typename T>
void match_any_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  alignas(64) u32 value[kWarpSize] = {};
  for_groups(op, warp, mask, [&](LaneMask group) {
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(group, l)) value[l] = lanes_with(a, a[l], group);
  });
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return value[l]; });
}

// The whole group when all values are equal, else nothing; the predicate says which.
template <typename T>
void match_all_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  alignas(64) u32 value[kWarpSize] = {};
  LaneMask agreed = 0;
  for_groups(op, warp, mask, [&](LaneMask group) {
    if (lanes_with(a, a[std::countr_zero(group)], group) != group) return;
    agreed |= group;
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(group, l)) value[l] = group;
  });
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return value[l]; });
  const u32 predicate = static_cast<u32>(op.imm);
  if (predicate != kNoRow) write_predicate(warp, predicate, agreed, mask);
}

bool decode_match(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  static const std::unordered_map<std::string_view, Handler> handlers{
      {"match.any.sync.b32", &match_any_handler<u32>},
      {"match.any.sync.b64", &match_any_handler<u64>},
      {"match.all.sync.b32", &match_all_handler<u32>},
      {"match.all.sync.b64", &match_all_handler<u64>}};
  const auto handler = handlers.find(form.text);
  if (handler == handlers.end() || !context.count(in, 3, 3)) return false;
  const ptx::Operand& to = in.operands[0];
  const bool pair = to.kind == ptx::OperandKind::Vector;
  if (pair && (to.elements.size() != 2 || form.has(ptx::Modifier::Any))) return false;
  op.d = destination_row(context, pair ? to.elements[0] : to, Type::B32);
  op.imm = pair ? context.predicate_destination(to.elements[1]) : kNoRow;
  op.a = source_row(context, in.operands[1], form.type());
  op.e = source_row(context, in.operands[2], Type::B32);
  op.flags |= kConvergesMembers;
  op.set(both(handler->second));
  return context.ok();
}

// ---- redux

template <typename T, auto F>
void reduce_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  alignas(64) T value[kWarpSize] = {};
  for_groups(op, warp, mask, [&](LaneMask group) {
    T sum = a[std::countr_zero(group)];
    for (LaneMask rest = group & (group - 1); rest != 0; rest &= rest - 1)
      sum = F(sum, a[std::countr_zero(rest)]);
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(group, l)) value[l] = sum;
  });
  write_lanes(row<T>(warp, op.d), mask, false, [&](unsigned l) { return value[l]; });
}

constexpr auto kSum = [](u32 a, u32 b) { return a + b; };
constexpr auto kLeast = []<typename T>(T a, T b) { return a < b ? a : b; };
constexpr auto kGreatest = []<typename T>(T a, T b) { return a > b ? a : b; };
constexpr auto kAnd = [](u32 a, u32 b) { return a & b; };
constexpr auto kOr = [](u32 a, u32 b) { return a | b; };
constexpr auto kXor = [](u32 a, u32 b) { return a ^ b; };
// Of floats: NaN only when all are, or (kPropagate) when any is.
template <bool kLess, bool kAbsolute, bool kPropagate>
constexpr auto kExtreme = [](float a, float b) {
  const float x = kAbsolute ? std::fabs(a) : a, y = kAbsolute ? std::fabs(b) : b;
  if (kPropagate && (x != x || y != y)) return canonical(x + y);
  const bool tie = x == y && std::signbit(x) == kLess;
  return canonical(y != y || (kLess ? x < y : x > y) || tie ? x : y);
};

bool decode_reduce(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  static const std::unordered_map<std::string_view, Handler> handlers{
      {"redux.sync.add.u32", &reduce_handler<u32, kSum>},
      {"redux.sync.add.s32", &reduce_handler<u32, kSum>},
      {"redux.sync.min.u32", &reduce_handler<u32, kLeast>},
      {"redux.sync.min.s32", &reduce_handler<s32, kLeast>},
      {"redux.sync.max.u32", &reduce_handler<u32, kGreatest>},
      {"redux.sync.max.s32", &reduce_handler<s32, kGreatest>},
      {"redux.sync.and.b32", &reduce_handler<u32, kAnd>},
      {"redux.sync.or.b32", &reduce_handler<u32, kOr>},
      {"redux.sync.xor.b32", &reduce_handler<u32, kXor>},
      {"redux.sync.min.f32", &reduce_handler<float, kExtreme<true, false, false>>},
      {"redux.sync.max.f32", &reduce_handler<float, kExtreme<false, false, false>>},
      {"redux.sync.min.NaN.f32", &reduce_handler<float, kExtreme<true, false, true>>},
      {"redux.sync.max.NaN.f32", &reduce_handler<float, kExtreme<false, false, true>>},
      {"redux.sync.min.abs.f32", &reduce_handler<float, kExtreme<true, true, false>>},
      {"redux.sync.max.abs.f32", &reduce_handler<float, kExtreme<false, true, false>>},
      {"redux.sync.min.abs.NaN.f32", &reduce_handler<float, kExtreme<true, true, true>>},
      {"redux.sync.max.abs.NaN.f32", &reduce_handler<float, kExtreme<false, true, true>>}};
  const auto handler = handlers.find(form.text);
  if (handler == handlers.end() || !context.count(in, 3, 3)) return false;
  op.d = destination_row(context, in.operands[0], Type::B32);
  op.a = source_row(context, in.operands[1], Type::B32);
  op.e = source_row(context, in.operands[2], Type::B32);
  op.flags |= kConvergesMembers;
  op.set(both(handler->second));
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {
    {ptx::Opcode::Shfl, decode_shuffle},      {ptx::Opcode::Vote, decode_vote},
    {ptx::Opcode::Activemask, decode_active}, {ptx::Opcode::Elect, decode_elect},
    {ptx::Opcode::Match, decode_match},       {ptx::Opcode::Redux, decode_reduce}};

}  // namespace

std::span<const OpcodeEntry> warp_entries() {
  return kEntries;
}

}  // namespace warplens::simt
