#include "engine/gpu/instrument_whole.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gpu/recorder_module.h"

namespace warplens::gpu {
namespace {

constexpr std::uint32_t kBytes = 0xff;

bool is_shared(CounterFamily family) {
  return family == CounterFamily::Shared || family == CounterFamily::SharedAsync;
}

std::uint32_t bytes_of(std::uint32_t rule) {
  return rule & kBytes;
}

// What a warp counts, as lanes 2 to 5 read it: one byte each, lowest first.
constexpr std::uint32_t four(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a | b << 8 | c << 16 | d << 24;
}

// %wlr1, %wlr2: the first lane's address; %wld5: that of this lane if each lies `distance` behind the one
// before; %wlp0: whether it is so in this lane.
std::string follows(std::uint32_t distance) {
  return fmt::format(
      "\tmov.b64 \t{{%wlr3, %wlr4}}, %wld6;\n"
      "\tshfl.sync.idx.b32 \t%wlr1, %wlr3, 0, 31, -1;\n\tshfl.sync.idx.b32 \t%wlr2, %wlr4, 0, 31, -1;\n"
      "\tmov.b64 \t%wld5, {{%wlr1, %wlr2}};\n{}"
      "\tsetp.eq.u64 \t%wlp0, %wld5, %wld6;\n",
      distance == 0 ? std::string()
                    : fmt::format("\tmad.wide.u32 \t%wld5, %wl_lane, {}, %wld5;\n", distance));
}

std::string unless(std::uint32_t some) {
  return fmt::format("\t@!%wlp0 bra.uni \t$wl_some_{};\n", some);
}

std::string unless_all(std::uint32_t some) {
  return "\tvote.sync.all.pred \t%wlp0, %wlp0, -1;\n" + unless(some);
}

// Puts into %wlr1 (four counters) and, for global and local memory, %wld5 (six) what is counted.
std::string packed_low(std::uint32_t value) {
  return fmt::format("\tmov.u32 \t%wlr1, {};\n", value);
}

std::string packed_bytes(std::uint32_t bytes) {
  return fmt::format("\tmov.u32 \t%wlr2, {};\n\tmov.b64 \t%wld5, {{%wlr1, %wlr2}};\n",
                     32 * bytes | 32 * bytes << 16);
}

// G1 to G4; atomics on addresses that rise are not in each other's way (R1), compare-and-swap has half lines.
std::string global(std::uint32_t rule, std::uint32_t some) {
  const std::uint32_t bytes = bytes_of(rule), line = (rule & kRuleSwap) != 0 ? 64 : 128;
  return follows(bytes) + unless_all(some) +
         fmt::format(
             "\tand.b32 \t%wlr3, %wlr1, 31;\n\tadd.u32 \t%wlr3, %wlr3, {0};\n\tshr.u32 \t%wlr3, %wlr3, 5;\n"
             "\tand.b32 \t%wlr4, %wlr1, {1};\n\tadd.u32 \t%wlr4, %wlr4, {2};\n\tshr.u32 \t%wlr4, %wlr4, "
             "{3};\n"
             "\tmad.lo.u32 \t%wlr1, %wlr3, 256, {4};\n\tmad.lo.u32 \t%wlr1, %wlr4, 16777216, %wlr1;\n",
             32 * bytes + 31, line - 1, 32 * bytes + line - 1, line == 128 ? 7 : 6, four(1, 0, bytes, 0)) +
         packed_bytes(bytes);
}

// L1, all lanes at the same word of theirs.
std::string local(std::uint32_t rule, std::uint32_t some) {
  const std::uint32_t bytes = bytes_of(rule), words = std::max(1u, bytes / 4);
  return follows(0) + unless_all(some) +
         packed_low(four(words, 4 * words, std::min(4 * words, bytes), words)) + packed_bytes(bytes);
}

// S1 to S5, A1, A2, M3: lanes that follow each other have banks of their own; in one row of the banks lanes
// with one bank have one word, which only atomics and asynchronous copies mind.
std::string shared(std::uint32_t rule, std::uint32_t some) {
  const std::uint32_t bytes = bytes_of(rule);
  const bool in_row = bytes <= 4 && (rule & kRuleByLane) == 0;
  const std::uint32_t passes = std::max(1u, bytes / 4) * ((rule & kRuleSwap) != 0 ? 2 : 1);
  std::string text = fmt::format(
      "\tcvt.u32.u64 \t%wlr3, %wld6;\n\tshfl.sync.idx.b32 \t%wlr1, %wlr3, 0, 31, -1;\n"
      "\tmad.lo.u32 \t%wlr2, %wl_lane, {}, %wlr1;\n\tsetp.eq.u32 \t%wlp0, %wlr2, %wlr3;\n",
      bytes);
  if (in_row)
    text +=
        "\txor.b32 \t%wlr1, %wlr1, %wlr3;\n\tsetp.lt.u32 \t%wlp1, %wlr1, 128;\n"
        "\tvote.sync.all.pred \t%wlp0, %wlp0, -1;\n\tvote.sync.all.pred \t%wlp1, %wlp1, -1;\n"
        "\tor.pred \t%wlp0, %wlp0, %wlp1;\n";
  return text + (in_row ? unless(some) : unless_all(some)) + packed_low(four(1, passes, passes, 0));
}

// C1
std::string constant(std::uint32_t rule, std::uint32_t some) {
  const std::uint32_t loads = rule >> kRuleLoadsShift;
  return follows(0) + unless_all(some) + packed_low(four(loads, loads, 0, 0));
}

std::string measure(CounterFamily family, std::uint32_t rule, std::uint32_t some) {
  switch (family) {
    case CounterFamily::Global:
      return global(rule, some);
    case CounterFamily::Local:
      return local(rule, some);
    case CounterFamily::Constant:
      return constant(rule, some);
    default:
      return shared(rule, some);
  }
}

}  // namespace

// %wl_mine: the counter that a lane adds to, in the first slot. Lane 0 adds one execution, lane 1 its 32
// lanes
// (%wl_one); lanes 2 to 7 cut their counter out of 64 bits: 8 8 8 8 16 16. Lanes above shift all of it away.
const char* whole_warp_prologue() {
  return "\t.reg .b32 \t%wl_lane, %wl_one, %wl_shift, %wl_field;\n\t.reg .b64 \t%wl_mine;\n"
         "\t{\n\t.reg .pred \t%wlp<3>;\n\t.reg .b32 \t%wlr;\n"
         "\tmov.u32 \t%wl_lane, %laneid;\n\tmad.wide.u32 \t%wl_mine, %wl_lane, 8, %wl_counters;\n"
         "\tsetp.eq.u32 \t%wlp0, %wl_lane, 0;\n\tsetp.eq.u32 \t%wlp1, %wl_lane, 1;\n"
         "\tsetp.lt.u32 \t%wlp2, %wl_lane, 6;\n"
         "\tselp.b32 \t%wl_one, 1, 0, %wlp0;\n\tselp.b32 \t%wl_one, 32, %wl_one, %wlp1;\n"
         "\tselp.b32 \t%wl_field, 255, 65535, %wlp2;\n"
         "\tmad.lo.s32 \t%wl_shift, %wl_lane, 8, -16;\n\tmad.lo.s32 \t%wlr, %wl_lane, 16, -64;\n"
         "\tmax.s32 \t%wl_shift, %wl_shift, %wlr;\n\t}\n";
}

bool has_whole_warp(CounterFamily family, std::uint32_t rule) {
  if (family == CounterFamily::Constant) return true;
  const std::uint32_t bytes = bytes_of(rule);
  if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) != 0) return false;
  const std::uint32_t plain = kBytes | kRuleSwap | kRuleNarrow;
  if (is_shared(family)) return (rule & ~(plain | kRuleByLane | kRuleMerges)) == 0;
  if (family == CounterFamily::Global) return (rule & ~(plain | kRuleAtomic)) == 0;
  return family == CounterFamily::Local;
}

// The lowest lane that is here adds the execution, the next one the lanes. Each has an address of its own: on
// one address the compiler would put a vote around every addition.
std::string count_lanes(std::uint32_t slot, bool divides) {
  const std::uint32_t at = slot * kCountersOfSlot * 8;
  std::string text = "\tactivemask.b32 \t%wlr0;\n";
  if (divides)
    text +=
        "\tsetp.ne.u64 \t%wlp1, %wld6, 0;\n"
        "\tmov.u32 \t%wlr3, 0;\n\t@%wlp1 activemask.b32 \t%wlr3;\n\t@!%wlp1 activemask.b32 \t%wlr3;\n";
  text += fmt::format(
      "\tand.b32 \t%wlr1, %wlr0, %wl_below;\n\tpopc.b32 \t%wlr1, %wlr1;\n\tpopc.b32 \t%wlr2, %wlr0;\n"
      "\tmad.wide.u32 \t%wld7, %wlr1, 8, %wl_counters;\n"
      "\tsetp.eq.u32 \t%wlp0, %wlr1, 0;\n\tselp.b32 \t%wlr4, 1, %wlr2, %wlp0;\n"
      "\tcvt.u64.u32 \t%wld5, %wlr4;\n\tsetp.lt.u32 \t%wlp0, %wlr1, 2;\n"
      "\t@%wlp0 red.global.add.u64 \t[%wld7+{}], %wld5;\n"
      "\tsetp.eq.u32 \t%wlp0, %wlr2, 1;\n\t@%wlp0 red.global.add.u64 \t[%wld7+{}], 1;\n",
      at, at + 8);
  if (divides)
    text += fmt::format(
        "\tsetp.ne.u32 \t%wlp0, %wlr3, %wlr0;\n\tsetp.eq.and.u32 \t%wlp0, %wlr1, 0, %wlp0;\n"
        "\t@%wlp0 red.global.add.u64 \t[%wld7+{}], 1;\n",
        at + 16);
  return text;
}

std::string whole_warp(Labels& labels, std::uint32_t slot, CounterFamily family, std::uint32_t rule,
                       const std::string& otherwise) {
  const std::uint32_t some = labels.next();
  std::string text = fmt::format(
      "\tactivemask.b32 \t%wlr0;\n\tsetp.ne.u32 \t%wlp0, %wlr0, -1;\n\t@%wlp0 bra.uni \t$wl_some_{};\n",
      some);
  text += measure(family, rule, some);
  if (family == CounterFamily::Global || family == CounterFamily::Local)
    text += "\tshr.u64 \t%wld5, %wld5, %wl_shift;\n\tcvt.u32.u64 \t%wlr1, %wld5;\n";
  else
    text += "\tshr.u32 \t%wlr1, %wlr1, %wl_shift;\n";
  text += "\tand.b32 \t%wlr1, %wlr1, %wl_field;\n\tor.b32 \t%wlr1, %wlr1, %wl_one;\n";
  return text +
         fmt::format(
             "\tsetp.ne.u32 \t%wlp0, %wlr1, 0;\n\tcvt.u64.u32 \t%wld5, %wlr1;\n"
             "\t@%wlp0 red.global.add.u64 \t[%wl_mine+{}], %wld5;\n\tbra.uni \t$wl_whole_{};\n$wl_some_{}:\n",
             slot * kCountersOfSlot * 8, some, some) +
         otherwise + fmt::format("$wl_whole_{}:\n", some);
}

}  // namespace warplens::gpu
