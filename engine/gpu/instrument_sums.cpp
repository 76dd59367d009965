// The part of the counting rewrite that keeps sums in registers (TotalsWriter in instrument_totals.h).
#include <fmt/format.h>

#include "engine/gpu/counting_rules.h"
#include "engine/gpu/instrument_totals.h"
#include "engine/gpu/recorder_module.h"

namespace warplens::gpu {

using ptx::Function;
using ptx::Instruction;

// The sums' registers, all zero.
std::string TotalsWriter::prologue_of_sums() const {
  if (hot_.empty()) return {};
  std::string text = fmt::format(
      "\t.reg .b64 \t%wl_fields<{0}>, %wl_bytes<{0}>, %wl_last<{0}>, %wl_known<{0}>, %wl_own<{0}>;\n"
      "\t.reg .b32 \t%wl_n<{0}>, %wl_mask<{0}>;\n"
      "\t.reg .b32 \t%wl_led<{0}>, %wl_led_high<{0}>, %wl_divided<{0}>, %wl_divided_high<{0}>;\n",
      hot_.size() + 1);
  if (!trips_.empty())
    text +=
        fmt::format("\t.reg .b64 \t%wl_trip<{0}>;\n\t.reg .b32 \t%wl_trip_lanes<{0}>;\n", trips_.size() + 1);
  for (std::size_t trip = 1; trip <= trips_.size(); ++trip)
    text += fmt::format("\tmov.u64 \t%wl_trip{0}, 0;\n\tmov.u32 \t%wl_trip_lanes{0}, 0;\n", trip);
  for (const Part* part : hot_)
    if (counts_lanes(part->what))
      text += fmt::format(
          "\tmov.u64 \t%wl_own{0}, 0;\n\tmov.u32 \t%wl_led{0}, 0;\n\tmov.u32 \t%wl_led_high{0}, 0;\n"
          "\tmov.u32 \t%wl_divided{0}, 0;\n\tmov.u32 \t%wl_divided_high{0}, 0;\n",
          part->hot);
    else
      text += fmt::format(
          "\tmov.u64 \t%wl_fields{0}, 0;\n\tmov.u64 \t%wl_bytes{0}, 0;\n\tmov.u32 \t%wl_n{0}, 0;\n"
          "\tmov.u64 \t%wl_last{0}, 0;\n\tmov.u64 \t%wl_known{0}, 0;\n\tmov.u32 \t%wl_mask{0}, 0;\n",
          part->hot);
  return text;
}

bool TotalsWriter::sums_bytes(const Part& part) const {
  const CounterFamily family = layout_.slots[part.slot].family;
  return family == CounterFamily::Global || family == CounterFamily::Local;
}

// Puts what the execution counts into %wld5: as last time, when the same lanes are here and all have moved by
// the same distance, one that changes no count, or, in global memory, without leaving their sectors.
std::string TotalsWriter::measure(const Part& part) {
  const CounterFamily family = layout_.slots[part.slot].family;
  const std::string call = fmt::format(
      "\t{{\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n\t.param .b64 wl_packed;\n"
      "\tst.param.b64 \t[wl_value], %wld6;\n\tst.param.b32 \t[wl_rule], {};\n"
      "\tcall \t(wl_packed), warplens_measure_{}, (wl_value, wl_rule);\n"
      "\tld.param.b64 \t%wld5, [wl_packed];\n\t}}\n",
      part.rule, part.what);
  if (!remembers(family, part.rule)) return call;
  const bool plain_global = family == CounterFamily::Global && (part.rule & kRuleAtomic) == 0;
  const std::int64_t granule = distance_of(family, part.rule);
  const std::uint32_t known = labels_.next();
  std::string text = fmt::format(
      "\tsub.u64 \t%wld4, %wld6, %wl_last{0};\n\tmov.b64 \t{{%wlr3, %wlr4}}, %wld4;\n"
      "\tand.b32 \t%wlr6, %wlr3, {1};\n\tsetp.eq.u32 \t%wlp0, %wlr6, 0;\n",
      part.hot, granule - 1);
  if (plain_global)
    text += fmt::format(
        "\txor.b64 \t%wld5, %wld6, %wl_last{};\n\tshr.u64 \t%wld5, %wld5, 5;\n"
        "\tsetp.eq.or.u64 \t%wlp0, %wld5, 0, %wlp0;\n",
        part.hot);
  text += fmt::format(
      "\tshr.s32 \t%wlr5, %wlr3, 31;\n\tsetp.eq.and.s32 \t%wlp0, %wlr5, %wlr4, %wlp0;\n"
      "\tmov.u64 \t%wl_last{0}, %wld6;\n"
      "\tactivemask.b32 \t%wlr0;\n\tbrev.b32 \t%wlr1, %wlr0;\n\tclz.b32 \t%wlr1, %wlr1;\n"
      "\tshfl.sync.idx.b32 \t%wlr5, %wlr3, %wlr1, 31, %wlr0;\n"
      "\tsetp.eq.and.u32 \t%wlp0, %wlr5, %wlr3, %wlp0;\n"
      "\tsetp.eq.and.u32 \t%wlp0, %wlr0, %wl_mask{0}, %wlp0;\n"
      "{2}\tmov.u32 \t%wl_mask{0}, %wlr0;\n"
      "\tmov.u64 \t%wld5, %wl_known{0};\n\t@%wlp0 bra.uni \t$wl_known_{1};\n",
      part.hot, known, all_of_lanes("%wlp0"));
  return text + call + fmt::format("\tmov.u64 \t%wl_known{}, %wld5;\n$wl_known_{}:\n", part.hot, known);
}

// One execution without addresses: the lowest lane that is here counts it, and each lane counts itself. A
// branch divides its lanes when those that go a lane's way are not all that are here. In 64 bits, because two
// loops in each other pass 2^32 executions in seconds; a carry under a predicate costs less than a sum of 64
// bits.
std::string TotalsWriter::sum_lanes(const Part& part) const {
  if (part.trip != 0) return fmt::format("\tadd.u64 \t%wl_trip{0}, %wl_trip{0}, 1;\n", part.trip);
  const bool divides = part.what == std::string_view("branch");
  std::string text;
  if (divides) text += "\tsetp.ne.u64 \t%wlp1, %wld6, 0;\n";
  text += "\tactivemask.b32 \t%wlr0;\n";
  if (divides)
    text += "\tmov.u32 \t%wlr3, 0;\n\t@%wlp1 activemask.b32 \t%wlr3;\n\t@!%wlp1 activemask.b32 \t%wlr3;\n";
  text += fmt::format(
      "\tand.b32 \t%wlr1, %wlr0, %wl_below;\n\tsetp.eq.u32 \t%wlp0, %wlr1, 0;\n"
      "\tadd.u64 \t%wl_own{0}, %wl_own{0}, 1;\n\t@%wlp0 add.cc.u32 \t%wl_led{0}, %wl_led{0}, 1;\n\t@%wlp0 "
      "addc.u32 \t%wl_led_high{0}, %wl_led_high{0}, 0;\n",
      part.hot);
  if (divides)
    text += fmt::format(
        "\tsetp.ne.and.u32 \t%wlp0, %wlr3, %wlr0, %wlp0;\n"
        "\t@%wlp0 add.cc.u32 \t%wl_divided{0}, %wl_divided{0}, 1;\n\t@%wlp0 addc.u32 \t%wl_divided_high{0}, "
        "%wl_divided_high{0}, 0;\n",
        part.hot);
  return text;
}

// The branches and blocks of lone loops: each lane counts its passes, and behind the loop they tell the rest.
void TotalsWriter::plan_trips(int& registers) {
  constexpr int kRegisters = 9;
  const Function& f = module_.functions[entry_];
  if (!f.is_entry) return;
  for (const LoneLoop& loop : find_lone_loops(module_, f, uniformity_ ? &*uniformity_ : nullptr)) {
    const ptx::BasicBlock& block = f.blocks[loop.block];
    Part* part = nullptr;
    if (const auto site = at_.find({entry_, block.last - 1}); site != at_.end()) {
      std::vector<Part>& parts = parts_[site->second->index];
      if (parts.size() == 1 && counts_lanes(parts[0].what)) part = &parts[0];
    }
    if (const auto count = block_counts_.find({entry_, block.first}); count != block_counts_.end())
      part = &count->second;
    if (part == nullptr || kRegisters > registers) continue;
    registers -= kRegisters;
    hot_.push_back(part);
    trips_.push_back({loop.join, part});
    part->block = loop.block;
    part->hot = static_cast<std::uint32_t>(hot_.size());
    part->trip = static_cast<std::uint32_t>(trips_.size());
  }
}

std::string TotalsWriter::count_trips(std::uint32_t instruction) {
  std::string text;
  for (const Trips& trips : trips_)
    if (trips.join.at == instruction) text += sum_trips(*trips.part);
  for (const Trips& trips : trips_)
    if (trips.join.from == instruction)
      text += fmt::format("\tactivemask.b32 \t%wl_trip_lanes{0};\n\tmov.u64 \t%wl_trip{0}, 0;\n",
                          trips.part->trip);
  return text;
}

// Behind the loop. Its n-th turn is made by the lanes that have made n turns or more: there are as many turns
// as the most that a lane has made, and lanes part in the last turn of each that makes fewer.
std::string TotalsWriter::sum_trips(const Part& part) {
  const std::uint32_t several = labels_.next();
  return scoped(
      module_.functions[entry_], {}, labels_.next(), "",
      fmt::format(
          "\tbar.warp.sync \t%wl_trip_lanes{0};\n"
          "\tadd.u64 \t%wl_own{1}, %wl_own{1}, %wl_trip{0};\n"
          "\tbrev.b32 \t%wlr1, %wl_trip_lanes{0};\n\tclz.b32 \t%wlr1, %wlr1;\n"
          "\tmov.b64 \t{{%wlr2, %wlr3}}, %wl_trip{0};\n\tmov.u32 \t%wlr6, 0;\n"
          "\tshfl.sync.idx.b32 \t%wlr4, %wlr2, %wlr1, 31, %wl_trip_lanes{0};\n"
          "\tshfl.sync.idx.b32 \t%wlr5, %wlr3, %wlr1, 31, %wl_trip_lanes{0};\n"
          "\tmov.b64 \t%wld5, {{%wlr4, %wlr5}};\n\tsetp.eq.u64 \t%wlp1, %wld5, %wl_trip{0};\n"
          "\tvote.sync.all.pred \t%wlp1, %wlp1, %wl_trip_lanes{0};\n\t@%wlp1 bra.uni \t$wl_alike_{2};\n"
          "\t{{\n\t.param .b32 wl_lanes;\n\t.param .b64 wl_trips;\n\t.param .b64 wl_packed;\n"
          "\tst.param.b32 \t[wl_lanes], %wl_trip_lanes{0};\n\tst.param.b64 \t[wl_trips], %wl_trip{0};\n"
          "\tcall \t(wl_packed), warplens_trips, (wl_lanes, wl_trips);\n"
          "\tld.param.b64 \t%wld5, [wl_packed];\n\t}}\n"
          "\tcvt.u32.u64 \t%wlr6, %wld5;\n\tand.b32 \t%wlr6, %wlr6, 63;\n\tshr.u64 \t%wld5, %wld5, 6;\n"
          "\tmov.b64 \t{{%wlr4, %wlr5}}, %wld5;\n"
          "$wl_alike_{2}:\n"
          "\tsetp.ne.u64 \t%wlp0, %wl_trip{0}, 0;\n"
          "\tvote.sync.ballot.b32 \t%wlr1, %wlp0, %wl_trip_lanes{0};\n\tand.b32 \t%wlr1, %wlr1, %wl_below;\n"
          "\tsetp.eq.and.u32 \t%wlp0, %wlr1, 0, %wlp0;\n"
          "\t@%wlp0 add.cc.u32 \t%wl_led{1}, %wl_led{1}, %wlr4;\n"
          "\t@%wlp0 addc.u32 \t%wl_led_high{1}, %wl_led_high{1}, %wlr5;\n"
          "\t@%wlp0 add.cc.u32 \t%wl_divided{1}, %wl_divided{1}, %wlr6;\n"
          "\t@%wlp0 addc.u32 \t%wl_divided_high{1}, %wl_divided_high{1}, 0;\n",
          part.trip, part.hot, several));
}

// One execution into the sums of the lowest lane that is here.
std::string TotalsWriter::sum(const Part& part) {
  if (counts_lanes(part.what)) return sum_lanes(part);
  std::string text = measure(part) +
                     "\tactivemask.b32 \t%wlr0;\n"
                     "\tand.b32 \t%wlr1, %wlr0, %wl_below;\n\tsetp.eq.u32 \t%wlp0, %wlr1, 0;\n";
  if ((part.rule & (kRule8Lanes | kRule16Lanes)) != 0)
    text += fmt::format("\tand.b32 \t%wlr2, %wlr0, {};\n\tpopc.b32 \t%wlr2, %wlr2;\n",
                        (part.rule & kRule8Lanes) != 0 ? 0xff : 0xffff);
  else
    text += "\tpopc.b32 \t%wlr2, %wlr0;\n";
  text += fmt::format("\tadd.u32 \t%wlr2, %wlr2, 65536;\n\t@%wlp0 add.u32 \t%wl_n{0}, %wl_n{0}, %wlr2;\n",
                      part.hot);
  if (sums_bytes(part))  // four bytes become four fields of 16 bits, two halves two of 32
    text += fmt::format(
        "\tmov.b64 \t{{%wlr3, %wlr4}}, %wld5;\n"
        "\tprmt.b32 \t%wlr5, %wlr3, 0, 0x4140;\n\tprmt.b32 \t%wlr6, %wlr3, 0, 0x4342;\n"
        "\tmov.b64 \t%wld4, {{%wlr5, %wlr6}};\n\t@%wlp0 add.u64 \t%wl_fields{0}, %wl_fields{0}, %wld4;\n"
        "\tand.b32 \t%wlr5, %wlr4, 65535;\n\tshr.u32 \t%wlr6, %wlr4, 16;\n"
        "\tmov.b64 \t%wld4, {{%wlr5, %wlr6}};\n\t@%wlp0 add.u64 \t%wl_bytes{0}, %wl_bytes{0}, %wld4;\n",
        part.hot);
  else
    text += fmt::format("\t@%wlp0 add.u64 \t%wl_fields{0}, %wl_fields{0}, %wld5;\n", part.hot);
  const std::uint32_t room = labels_.next();
  return text +
         fmt::format("\tsetp.lt.u32 \t%wlp1, %wl_n{}, {};\n\t@%wlp1 bra \t$wl_room_{};\n", part.hot,
                     kSumExecutions << 16, room) +
         flush(part) +
         fmt::format(
             "\tmov.u64 \t%wl_fields{0}, 0;\n\tmov.u64 \t%wl_bytes{0}, 0;\n\tmov.u32 \t%wl_n{0}, 0;\n",
             part.hot) +
         fmt::format("$wl_room_{}:\n", room);
}

// Adds the sums of this lane to the counters; those without addresses of all lanes that are here.
std::string TotalsWriter::flush(const Part& part) const {
  if (counts_lanes(part.what))
    return fmt::format(
        "\tadd.u64 \t%wld7, %wl_counters, {0};\n"
        "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_led;\n\t.param .b64 wl_own;\n"
        "\t.param .b64 wl_divided;\n"
        "\tmov.b64 \t%wld5, {{%wl_led{1}, %wl_led_high{1}}};\n"
        "\tmov.b64 \t%wld4, {{%wl_divided{1}, %wl_divided_high{1}}};\n"
        "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_led], %wld5;\n"
        "\tst.param.b64 \t[wl_own], %wl_own{1};\n\tst.param.b64 \t[wl_divided], %wld4;\n"
        "\tcall \twarplens_flush_lanes, (wl_slot, wl_led, wl_own, wl_divided);\n\t}}\n",
        part.slot * kCountersOfSlot * 8, part.hot);
  return fmt::format(
      "\tadd.u64 \t%wld7, %wl_counters, {0};\n"
      "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_fields;\n\t.param .b64 wl_bytes;\n\t.param .b32 wl_n;\n"
      "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_fields], %wl_fields{1};\n"
      "\tst.param.b64 \t[wl_bytes], %wl_bytes{1};\n\tst.param.b32 \t[wl_n], %wl_n{1};\n"
      "\tcall \twarplens_flush, (wl_slot, wl_fields, wl_bytes, wl_n);\n\t}}\n",
      part.slot * kCountersOfSlot * 8, part.hot);
}

// In front of an instruction that leaves the kernel, for the lanes that do and come from `from`.
std::string TotalsWriter::flush_all(const Function& function, const Instruction& instruction,
                                    std::uint32_t from) {
  const std::vector<bool> passed = blocks_before(function, from);
  std::string body = steady_.flush(passed);
  for (const Part* part : hot_) {
    if (!passed[part->block]) continue;
    const std::uint32_t none = labels_.next();
    if (counts_lanes(part->what))
      body += fmt::format(
          "\tactivemask.b32 \t%wlr0;\n\tsetp.ne.u64 \t%wlp1, %wl_own{}, 0;\n"
          "{}\t@!%wlp1 bra.uni \t$wl_none_{};\n",
          part->hot, any_of_lanes("%wlp1"), none);
    else
      body +=
          fmt::format("\tsetp.eq.u32 \t%wlp1, %wl_n{}, 0;\n\t@%wlp1 bra \t$wl_none_{};\n", part->hot, none);
    body += flush(*part) + fmt::format("$wl_none_{}:\n", none);
  }
  return body.empty() ? body : scoped(function, instruction.guard, labels_.next(), "", body);
}

}  // namespace warplens::gpu
