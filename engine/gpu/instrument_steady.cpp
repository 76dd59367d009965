#include "engine/gpu/instrument_steady.h"

#include <fmt/format.h>

#include <utility>

#include "engine/gpu/totals.h"

namespace warplens::gpu {
namespace {

// Turns between two looks at an access whose address is computed in 32 bits: that far ahead they do not wrap.
constexpr int kTurnsShift = 6;

}  // namespace

void SteadyWriter::add(std::uint32_t check, const std::vector<std::uint32_t>& entries,
                       std::vector<SteadyPart> parts) {
  const auto number = static_cast<std::uint32_t>(groups_.size());
  const auto count = static_cast<std::uint32_t>(parts.size());
  groups_[check] = {number, parts_, std::move(parts)};
  parts_ += count;
  for (const std::uint32_t entry : entries) entries_[entry].push_back(number);
}

std::string SteadyWriter::prologue() const {
  if (empty()) return {};
  std::string text = fmt::format(
      "\t.reg .b32 \t%wl_group<{0}>, %wl_steady<{0}>, %wl_turns<{0}>, %wl_base<{1}>;\n"
      "\t.reg .b64 \t%wl_same<{1}>;\n",
      groups_.size(), parts_);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    text += fmt::format(
        "\tmov.u32 \t%wl_group{0}, 0;\n\tmov.u32 \t%wl_steady{0}, 0;\n\tmov.u32 \t%wl_turns{0}, 0;\n", g);
  for (std::uint32_t p = 0; p < parts_; ++p)
    text += fmt::format("\tmov.u32 \t%wl_base{0}, 0;\n\tmov.u64 \t%wl_same{0}, 0;\n", p);
  return text;
}

std::string SteadyWriter::before(std::uint32_t instruction) {
  std::string text;
  if (const auto found = entries_.find(instruction); found != entries_.end())
    for (const std::uint32_t group : found->second)
      text += fmt::format("\tmov.u32 \t%wl_steady{}, 0;\n", group);
  if (const auto found = groups_.find(instruction); found != groups_.end()) text += check(found->second);
  return text;
}

// %wlr0: the lanes that are here. A lane's last turn had the same lanes exactly when it was their last as
// well, and from there on all of them have made one turn.
std::string SteadyWriter::check(const Group& group) {
  const std::uint32_t fast = labels_.next();
  const std::uint32_t all = (1u << group.parts.size()) - 1;
  std::string body = fmt::format(
      "\tactivemask.b32 \t%wlr0;\n"
      "\tsetp.ne.u32 \t%wlp0, %wlr0, %wl_group{0};\n"
      "\tand.b32 \t%wlr1, %wl_turns{0}, {1};\n\tsetp.eq.or.u32 \t%wlp0, %wlr1, 0, %wlp0;\n"
      "\tsetp.ne.or.u32 \t%wlp1, %wl_steady{0}, {2}, %wlp0;\n"
      "{4}\t@!%wlp1 bra.uni \t$wl_steady_{3};\n"
      "\tsetp.eq.or.u32 \t%wlp0, %wl_steady{0}, 0, %wlp0;\n"
      "{5}\t@%wlp0 mov.u32 \t%wl_steady{0}, 0;\n",
      group.number, (1 << kTurnsShift) - 1, all, fast, any_of_lanes("%wlp1"), any_of_lanes("%wlp0"));
  for (std::size_t i = 0; i < group.parts.size(); ++i) body += part(group, i);
  body += fmt::format(
      "\tmov.u32 \t%wl_group{0}, %wlr0;\n$wl_steady_{1}:\n\tadd.u32 \t%wl_turns{0}, %wl_turns{0}, 1;\n",
      group.number, fast);
  return scoped(function_, {}, labels_.next(), "", body);
}

// Looks at one access, unless it is known to be steady.
std::string SteadyWriter::part(const Group& group, std::size_t index) {
  const SteadyPart& p = group.parts[index];
  const std::uint32_t number = group.first_part + static_cast<std::uint32_t>(index);
  const std::uint32_t next = labels_.next();
  std::string text = fmt::format(
      "\tand.b32 \t%wlr1, %wl_steady{}, {};\n\tsetp.ne.u32 \t%wlp1, %wlr1, 0;\n\t@%wlp1 bra.uni "
      "\t$wl_next_{};\n",
      group.number, 1u << index, next);
  text += p.address + movement(p.movement);
  text += fmt::format(
      "\tselp.b32 \t%wlr2, 1, 0, %wlp2;\n"
      "\t{{\n\t.param .b64 wl_value;\n\t.param .b64 wl_delta;\n\t.param .b64 wl_granule;\n"
      "\t.param .b32 wl_sound;\n\t.param .b32 wl_steady;\n"
      "\tst.param.b64 \t[wl_value], %wld6;\n\tst.param.b64 \t[wl_delta], %wld2;\n"
      "\tst.param.b64 \t[wl_granule], {};\n\tst.param.b32 \t[wl_sound], %wlr2;\n"
      "\tcall \t(wl_steady), warplens_steady, (wl_value, wl_delta, wl_granule, wl_sound);\n"
      "\tld.param.b32 \t%wlr3, [wl_steady];\n\t}}\n"
      "\tsetp.ne.u32 \t%wlp1, %wlr3, 0;\n\t@%wlp1 or.b32 \t%wl_steady{}, %wl_steady{}, {};\n",
      p.together ? -p.granule : p.granule, group.number, group.number, 1u << index);
  text += fmt::format(
      "\t{{\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n\t.param .b64 wl_packed;\n"
      "\tst.param.b64 \t[wl_value], %wld6;\n\tst.param.b32 \t[wl_rule], {};\n"
      "\tcall \t(wl_packed), warplens_measure_{}, (wl_value, wl_rule);\n"
      "\tld.param.b64 \t%wld5, [wl_packed];\n\t}}\n",
      p.rule, p.what);
  const std::uint32_t kept = labels_.next();
  text += fmt::format(
      "\tsub.u32 \t%wlr4, %wl_turns{0}, %wl_base{1};\n"
      "\tsetp.ne.u64 \t%wlp1, %wld5, %wl_same{1};\n\tsetp.ne.or.u32 \t%wlp1, %wlr0, %wl_group{0}, %wlp1;\n"
      "\tsetp.gt.or.u32 \t%wlp1, %wlr4, 1073741824, %wlp1;\n"
      "\tselp.b32 \t%wlr4, %wlr4, 0, %wlp1;\n\t@%wlp1 mov.u32 \t%wl_base{1}, %wl_turns{0};\n"
      "\tsetp.ne.u32 \t%wlp2, %wlr4, 0;\n{3}"
      "\t@!%wlp2 bra.uni \t$wl_kept_{2};\n",
      group.number, number, kept, any_of_lanes("%wlp2"));
  text += settle(p, number, group.number);
  return text +
         fmt::format("$wl_kept_{}:\n\tmov.u64 \t%wl_same{}, %wld5;\n$wl_next_{}:\n", kept, number, next);
}

// %wlr4: how many executions of what the part has counted last are not in its counters yet.
std::string SteadyWriter::settle(const SteadyPart& part, std::uint32_t number, std::uint32_t group) const {
  return fmt::format(
      "\tadd.u64 \t%wld7, %wl_counters, {0};\n"
      "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_packed;\n\t.param .b32 wl_turns;\n"
      "\t.param .b32 wl_lanes;\n\t.param .b32 wl_rule;\n"
      "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_packed], %wl_same{1};\n"
      "\tst.param.b32 \t[wl_turns], %wlr4;\n\tst.param.b32 \t[wl_lanes], %wl_group{2};\n"
      "\tst.param.b32 \t[wl_rule], {3};\n"
      "\tcall \twarplens_settle, (wl_slot, wl_packed, wl_turns, wl_lanes, wl_rule);\n\t}}\n",
      part.slot * kCountersOfSlot * 8, number, group, part.rule);
}

std::string SteadyWriter::flush(const std::vector<bool>& passed) {
  std::string text;
  for (const auto& [check, group] : groups_) {
    if (!passed[function_.block_of[check]]) continue;
    const std::uint32_t none = labels_.next();
    // Lanes that never came here would go through all of it for nothing.
    text += fmt::format(
        "\tactivemask.b32 \t%wlr0;\n\tsetp.ne.u32 \t%wlp1, %wl_group{0}, 0;\n"
        "{2}\t@!%wlp1 bra.uni \t$wl_none_{1};\n",
        group.number, none, any_of_lanes("%wlp1"));
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      const std::uint32_t number = group.first_part + static_cast<std::uint32_t>(i);
      text += fmt::format("\tsub.u32 \t%wlr4, %wl_turns{}, %wl_base{};\n", group.number, number) +
              settle(group.parts[i], number, group.number);
    }
    text += fmt::format("$wl_none_{}:\n", none);
  }
  return text;
}

// sum += the movement's value; %wld3 and %wld4 are free.
std::string SteadyWriter::add_terms(const Movement& movement, const char* sum) const {
  std::string text = fmt::format("\tmov.u64 \t{}, {};\n", sum, movement.constant);
  const auto load = [&](ptx::RegisterId reg, const char* into) {
    const ptx::Register& r = function_.registers[reg];
    return fmt::format("\t{} \t{}, {};\n", ptx::size_of(r.type) == 8 ? "mov.b64" : "cvt.u64.u32", into,
                       r.name);
  };
  for (const Movement::Term& term : movement.terms) {
    text += load(term.reg, "%wld4");
    if (term.times != ptx::kNone) text += load(term.times, "%wld3") + "\tmul.lo.u64 \t%wld4, %wld4, %wld3;\n";
    text += fmt::format("\tmul.lo.u64 \t%wld4, %wld4, {};\n\tadd.u64 \t{}, {}, %wld4;\n", term.coefficient,
                        sum, sum);
  }
  return text;
}

// Into %wld2 how far the address moves in a turn; %wlp2 says whether it will for the next turns.
std::string SteadyWriter::movement(const AddressMovement& movement) const {
  std::string text = add_terms(movement.wide, "%wld2") + "\tsetp.eq.u32 \t%wlp2, 0, 0;\n";
  for (const Widened& widened : movement.widened) {
    const std::string& source = function_.registers[widened.source].name;
    const char* extend = widened.is_signed ? "cvt.s64.s32" : "cvt.u64.u32";
    text += add_terms(widened.narrow, "%wld5");
    text += fmt::format(
        "\tcvt.u32.u64 \t%wlr1, %wld5;\n\tcvt.s64.s32 \t%wld5, %wlr1;\n"
        "\tshl.b64 \t%wld4, %wld5, {0};\n\t{1} \t%wld3, {2};\n\tadd.u64 \t%wld4, %wld4, %wld3;\n"
        "\tcvt.u32.u64 \t%wlr1, %wld4;\n\t{1} \t%wld3, %wlr1;\n"
        "\tsetp.eq.and.u64 \t%wlp2, %wld3, %wld4, %wlp2;\n"
        "\tmul.lo.u64 \t%wld5, %wld5, {3};\n\tadd.u64 \t%wld2, %wld2, %wld5;\n",
        kTurnsShift, extend, source, widened.coefficient);
  }
  return text;
}

}  // namespace warplens::gpu
