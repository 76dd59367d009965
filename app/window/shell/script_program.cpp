// What a script does with a whole program:
//
//   file main.cu
//   program run 1024 data.txt     says yes to the question and runs it with these arguments
//   wait program                  until it has ended
//   program launch scale 2        opens the third launch of scale; `wait launch`
//   program on gpu                where it runs; or emulator
//   program back                  to the list
//   program take FOLDER           the launch that is open, as a folder of its own
//   program page FILE             the run that has ended, as a page
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "app/window/shell/script.h"

namespace warplens::window {
namespace {

using By = ProgramSession::Column;

constexpr std::pair<const char*, By> kColumns[] = {{"worst", By::Worst},
                                                   {"kernel", By::Kernel},
                                                   {"launches", By::Launches},
                                                   {"share", By::Share},
                                                   {"lost", By::Lost},
                                                   {"sectors", By::Sectors},
                                                   {"ratio", By::Ratio},
                                                   {"conflicts", By::Conflicts},
                                                   {"divergence", By::Divergence},
                                                   {"faults", By::Faults},
                                                   {"time", By::Time}};

std::string behind(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
}

// Words that need nothing but the session. False: none of them.
bool simple(ProgramSession& program, const std::string& word, const std::string& rest) {
  if (word == "show" || word == "back")
    program.show(true);
  else if (word == "bench")
    program.show(false);
  else if (word == "stop")
    program.stop();
  else if (word == "input")
    program.type(rest);
  else if (word == "end")
    program.end_input();
  else if (word == "on" && (rest == "gpu" || rest == "emulator"))
    program.run_on(rest == "gpu");
  else if (word == "every")
    program.choices.every = rest;
  else if (word == "budget")
    program.choices.budget = rest;
  else if (word == "folder")
    program.choices.folder = rest;
  else if (word == "more")
    program.choices.more = rest;
  else if (word == "keep")
    program.choices.keep_first = rest != "none";
  else if (word == "checks")
    program.choices.all_checks = rest == "all";
  else if (word == "strict")
    program.choices.strict = rest != "off";
  else if (word == "kernel")
    program.choose_kernel(rest);
  else
    return false;
  return true;
}

}  // namespace

Result<bool> ScriptPlayer::program(Workbench&, const ScriptAction& action, double) {
  if (program_ == nullptr) return wrong(action, {"script.no_programs", {}});
  ProgramSession& program = *program_;
  const std::string& word = action.words[0];
  const std::string rest = behind(action.words);
  if (simple(program, word, rest)) return true;
  if (word == "run") {
    if (program.file().empty()) return wrong(action, {"script.no_main", {}});
    program.agree();
    program.choices.arguments = rest;
    if (program.wrong())
      return wrong(action, {"script.wrong_choices", {{"why", value_of(*program.wrong())}}});
    program.show(true);
    program.run();
    return true;
  }
  if (word == "sort") {
    for (const auto& [name, column] : kColumns)
      if (rest == name) return program.sort(column), true;
    return wrong(action, {"script.no_column", {{"name", value_of(rest)}}});
  }
  if (word == "launch" && action.words.size() == 3) {
    std::uint64_t number = 0;
    const std::string& text = action.words[2];
    std::from_chars(text.data(), text.data() + text.size(), number);
    const auto at = program.find(action.words[1], number);
    if (!at)
      return wrong(action,
                   {"script.no_launch", {{"number", value_of(text)}, {"kernel", value_of(action.words[1])}}});
    program.open_launch(*at);
    return true;
  }
  if (word == "take" && program.open()) {
    program.take(*program.open(), rest);
    return true;
  }
  if (word == "page" && program.has_page()) {
    program.write_page(rest);
    return true;
  }
  return wrong(action, {"script.program", {}});
}

}  // namespace warplens::window
