#include "visual/stall_look.h"

#include <algorithm>

namespace warplens::visual {

std::string profiler_word(const std::string& reason) {
  std::string out, word;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (word == "lg" || word == "mio" || word == "imc")
      std::transform(word.begin(), word.end(), word.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    else if (word[0] >= 'a' && word[0] <= 'z')
      word[0] = static_cast<char>(word[0] - 'a' + 'A');
    out += (out.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : reason) {
    if (c == '_')
      end_word();
    else
      word += c;
  }
  end_word();
  return reason == "selected" ? out : "Stall " + out;
}

StallLook look_of(analysis::SmStall state) {
  using analysis::SmStall;
  switch (state) {
    case SmStall::Selected:
      return {Ink::of(Role::Accent)};
    case SmStall::NotSelected:
      return {Ink::of(Role::Text, 0.85f)};
    case SmStall::LongScoreboard:
      return {Ink::of(Role::Dim, 0.55f), Pattern::Hatched};
    case SmStall::ShortScoreboard:
      return {Ink::of(Role::Good, 0.8f), Pattern::Dotted};
    case SmStall::Barrier:
    case SmStall::Membar:
      return {Ink::of(Role::Modelled, 0.8f), Pattern::Hatched};
    case SmStall::LgThrottle:
    case SmStall::MioThrottle:
    case SmStall::MathPipeThrottle:
    case SmStall::DispatchStall:
      return {Ink::of(Role::Warn, 0.8f)};
    case SmStall::Drain:
    case SmStall::Sleeping:
      return {Ink::of(Role::Dim, 0.55f), Pattern::Dotted};
    case SmStall::BranchResolving:
    case SmStall::ImcMiss:
    case SmStall::NoInstruction:
      return {Ink::of(Role::Warn, 0.5f), Pattern::Dotted};
    default:
      return {Ink::of(Role::Line)};
  }
}

}  // namespace warplens::visual
