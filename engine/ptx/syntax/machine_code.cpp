#include "engine/ptx/syntax/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "engine/base/message.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {
namespace {

// Letters of the printed form. Behind a function's name stands "#" and the number of instructions beside its
// own, where there are any. A token is LINE, then LETTER [SPACE BYTES] for what is not Other, "p" or "u"
// and a line of constants for a parameter that is loaded or read at once, then "@" when guarded and ">INDEX"
// for a target, "/" and a letter for a pipe, "+" and the cycles of a schedule, with "m" and the scoreboards
// that it waits for, "h" and the one that its result holds, "r" and the one that its operands hold:
//   68LG4+2h3   77B@>12+5   54/a+4m8   31u8/a+13
constexpr std::array<std::pair<MachineOp, char>, 20> kLetters{{
    {MachineOp::Load, 'L'},          {MachineOp::Store, 'S'},
    {MachineOp::Atomic, 'A'},        {MachineOp::Reduction, 'R'},
    {MachineOp::AsyncCopy, 'K'},     {MachineOp::MatrixLoad, 'M'},
    {MachineOp::ConstantLoad, 'C'},  {MachineOp::UniformConstant, 'U'},
    {MachineOp::Branch, 'B'},        {MachineOp::BranchTable, 'T'},
    {MachineOp::BranchDivided, 'D'}, {MachineOp::Exit, 'E'},
    {MachineOp::Meet, 'P'},          {MachineOp::Met, 'Y'},
    {MachineOp::Leave, 'Q'},         {MachineOp::Call, 'F'},
    {MachineOp::Return, 'Z'},        {MachineOp::Barrier, 'W'},
    {MachineOp::Shuffle, 'H'},       {MachineOp::Vote, 'V'},
}};

constexpr std::array<std::pair<StateSpace, char>, 5> kSpaceLetters{{{StateSpace::Global, 'G'},
                                                                    {StateSpace::Shared, 'S'},
                                                                    {StateSpace::Local, 'L'},
                                                                    {StateSpace::Const, 'C'},
                                                                    {StateSpace::Generic, 'X'}}};

constexpr std::array<std::pair<MachinePipe, char>, 14> kPipeLetters{{{MachinePipe::Alu, 'a'},
                                                                     {MachinePipe::Fma, 'f'},
                                                                     {MachinePipe::FmaHeavy, 'i'},
                                                                     {MachinePipe::Wide, 'w'},
                                                                     {MachinePipe::Half, 'h'},
                                                                     {MachinePipe::Double, 'd'},
                                                                     {MachinePipe::Special, 'x'},
                                                                     {MachinePipe::Tensor, 't'},
                                                                     {MachinePipe::Uniform, 'u'},
                                                                     {MachinePipe::SpecialRegister, 's'},
                                                                     {MachinePipe::SpecialOfWarp, 'q'},
                                                                     {MachinePipe::Control, 'c'},
                                                                     {MachinePipe::Match, 'n'},
                                                                     {MachinePipe::Sync, 'y'}}};

char letter_of(MachineOp op) {
  return std::ranges::find(kLetters, op, &std::pair<MachineOp, char>::first)->second;
}

void print_token(const MachineInstruction& instruction, std::string& out) {
  out += fmt::format("{}", instruction.line);
  if (instruction.op != MachineOp::Other) out += letter_of(instruction.op);
  if (instruction.space != StateSpace::None) {
    out += std::ranges::find(kSpaceLetters, instruction.space, &std::pair<StateSpace, char>::first)->second;
    out += fmt::format("{}", instruction.bytes);
  }
  if (instruction.parameter != ParameterRead::None)
    out += fmt::format("{}{}", instruction.parameter == ParameterRead::Loaded ? 'p' : 'u',
                       instruction.constant_line);
  if (instruction.guarded) out += '@';
  if (instruction.target != MachineInstruction::kNowhere) out += fmt::format(">{}", instruction.target);
  if (instruction.pipe != MachinePipe::Unknown) {
    out += '/';
    out += std::ranges::find(kPipeLetters, instruction.pipe, &std::pair<MachinePipe, char>::first)->second;
  }
  const MachineSchedule& schedule = instruction.schedule;
  if (!schedule.known()) return;
  out += fmt::format("+{}", schedule.stall);
  if (schedule.yields != 0) out += 'y';
  if (schedule.waits != 0) out += fmt::format("m{}", schedule.waits);
  if (schedule.holds != MachineSchedule::kNone) out += fmt::format("h{}", schedule.holds);
  if (schedule.reads != MachineSchedule::kNone) out += fmt::format("r{}", schedule.reads);
}

class TokenReader {
 public:
  explicit TokenReader(std::string_view token) : rest_(token) {}

  bool read(MachineInstruction& out) {
    if (!number(out.line)) return false;
    if (!rest_.empty() && rest_[0] >= 'A' && rest_[0] <= 'Z') {
      const auto op = std::ranges::find(kLetters, rest_[0], &std::pair<MachineOp, char>::second);
      if (op == kLetters.end()) return false;
      out.op = op->first;
      rest_.remove_prefix(1);
    }
    const bool accesses = out.op >= MachineOp::Load && out.op <= MachineOp::UniformConstant;
    if (accesses) {
      if (rest_.empty()) return false;
      const auto space = std::ranges::find(kSpaceLetters, rest_[0], &std::pair<StateSpace, char>::second);
      if (space == kSpaceLetters.end()) return false;
      out.space = space->first;
      rest_.remove_prefix(1);
      if (!number(out.bytes)) return false;
    }
    if (rest_.starts_with('p') || rest_.starts_with('u')) {
      out.parameter = rest_[0] == 'p' ? ParameterRead::Loaded : ParameterRead::Immediate;
      rest_.remove_prefix(1);
      std::uint16_t line = 0;
      if (out.op != MachineOp::Other || !number(line) || line > MachineInstruction::kLastConstantLine)
        return false;
      out.constant_line = line & MachineInstruction::kLastConstantLine;
    }
    if (rest_.starts_with('@')) {
      out.guarded = true;
      rest_.remove_prefix(1);
    }
    if (rest_.starts_with('>')) {
      rest_.remove_prefix(1);
      if (!number(out.target)) return false;
    }
    if (rest_.starts_with('/') && !pipe(out)) return false;
    if (rest_.starts_with('+') && !schedule(out.schedule)) return false;
    return rest_.empty();
  }

  bool others(std::uint32_t& out) {
    if (!rest_.starts_with('#')) return false;
    rest_.remove_prefix(1);
    return number(out) && rest_.empty();
  }

 private:
  bool pipe(MachineInstruction& out) {
    if (rest_.size() < 2 || out.op != MachineOp::Other) return false;
    const auto found = std::ranges::find(kPipeLetters, rest_[1], &std::pair<MachinePipe, char>::second);
    if (found == kPipeLetters.end()) return false;
    out.pipe = found->first;
    rest_.remove_prefix(2);
    return true;
  }

  bool schedule(MachineSchedule& out) {
    const auto part = [&](char letter, std::uint16_t& value, std::uint16_t most) {
      if (!rest_.starts_with(letter)) return true;
      rest_.remove_prefix(1);
      return number(value) && value <= most;
    };
    constexpr std::uint16_t kLast = MachineSchedule::kScoreboards - 1, kAll = (2u << kLast) - 1;
    std::uint16_t stall = 0, waits = 0, holds = out.holds, reads = out.reads;
    if (!part('+', stall, 15) || stall == 0) return false;
    const bool yields = rest_.starts_with('y');
    if (yields) rest_.remove_prefix(1);
    if (!part('m', waits, kAll) || !part('h', holds, kLast) || !part('r', reads, kLast)) return false;
    out = MachineSchedule::of(stall, waits, holds, reads, yields);
    return true;
  }

  template <typename T>
  bool number(T& out) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  std::string_view rest_;
};

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

std::string print(const MachineListing& listing) {
  std::string out;
  for (const MachineFunction& function : listing.functions) {
    out += function.name;
    if (function.others > 0) out += fmt::format(" #{}", function.others);
    for (const MachineInstruction& instruction : function.instructions) {
      out += ' ';
      print_token(instruction, out);
    }
    out += '\n';
  }
  return out;
}

Result<MachineListing> parse_listing(std::string_view text) {
  MachineListing out;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    MachineFunction function;
    function.name = next_word(line);
    for (bool first = true; !line.empty(); first = false) {
      const std::string_view token = next_word(line);
      if (first && TokenReader(token).others(function.others)) continue;
      MachineInstruction instruction;
      if (!TokenReader(token).read(instruction))
        return told(ErrorKind::System,
                    {"ptx.no_machine_instruction",
                     {{"line", value_of(line_number)}, {"text", value_of(std::string(token))}}});
      function.instructions.push_back(instruction);
    }
    out.functions.push_back(std::move(function));
  }
  for (const MachineFunction& function : out.functions)
    for (const MachineInstruction& instruction : function.instructions)
      if (instruction.target != MachineInstruction::kNowhere &&
          instruction.target >= function.instructions.size())
        return told(ErrorKind::System, {"ptx.machine_jump", {{"function", value_of(function.name)}}});
  return out;
}

void attach(const MachineListing& listing, Module& module) {
  module.derived.forget();
  std::unordered_map<std::string_view, const MachineFunction*> by_name;
  for (const MachineFunction& function : listing.functions) by_name.try_emplace(function.name, &function);
  for (Function& function : module.functions) {
    const auto found = by_name.find(function.name);
    if (found == by_name.end() || function.instructions.empty()) continue;
    std::unordered_map<int, std::uint32_t> at_line;
    bool unique = true;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i)
      unique = at_line.try_emplace(function.instructions[i].line, i).second && unique;
    if (!unique) continue;  // several instructions on one line: which of them is meant cannot be told
    function.machine = found->second->instructions;
    function.machine_others = found->second->others;
    for (MachineInstruction& instruction : function.machine)
      if (const auto at = at_line.find(instruction.line); at != at_line.end())
        instruction.made_of = at->second;
  }
}

}  // namespace warplens::ptx
