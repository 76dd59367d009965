// Why a run costs what it costs, or what is wrong with it, in words.
#include <algorithm>
#include <optional>

#include "app/model/run/compile_advice.h"
#include "app/model/run/gpu_advice.h"
#include "app/window/panels/bench_parts.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/fault_text.h"
#include "engine/analysis/known_counts.h"
#include "engine/base/typography.h"

namespace warplens::window {
namespace {

using visual::Rect;
using visual::Role;

bool names_a_line(const Message& message) {
  return std::ranges::any_of(message.values, [](const auto& value) { return value.first == "line"; });
}

// What a line costs stands as a number over the words and behind the line; what the counts rest on stands at
// the numbers' badges. The reason stands nowhere else.
std::vector<std::string> without_what_stands_elsewhere(const Ui& ui, const std::vector<Message>& all,
                                                       const std::optional<Message>& known) {
  std::vector<Message> rest = all;
  std::vector<std::string> out;
  const auto without_known = [&] {
    std::vector<Message> some = rest;
    if (known) std::erase(some, *known);
    if (!some.empty() && some.size() < rest.size()) out.push_back(sentences(ui.catalogue, some));
  };
  without_known();
  if (all.size() < 2 || !names_a_line(all[0]) || names_a_line(all[1]) || all[1] == known) return out;
  rest.erase(rest.begin());
  out.push_back(sentences(ui.catalogue, rest));
  without_known();
  return out;
}

// Why the launch costs what it costs. The views say it about the access under the cursor; here it is only
// said where there is nothing to say about the launch.
std::string explanation(const Ui& ui, const std::vector<Message>* about, std::vector<std::string>& shorter) {
  const Picture* picture = ui.bench.picture();
  if (!picture) return ui.say(ui.bench.busy() ? "window.bench.first_run" : "window.bench.nothing");
  if (const Pinned* pinned = ui.bench.pinned()) {
    Setup shown = ui.bench.setup();
    shown.values = picture->of.values;
    const std::string& language = ui.bench.settings.language;
    return twin_words(pinned->picture.run->report, picture->run->report,
                      side_names(pinned->shown(), shown, ui.catalogue, language), ui.catalogue);
  }
  std::vector<Message> messages = about ? *about : picture->run->report.explanations;
  // Of a user's file the contents of buffers are ours: no verdict on them without saying so, and before it.
  const auto data = ui.bench.is_users_file() ? analysis::data_sentence(picture->run->report) : std::nullopt;
  if (data) messages.insert(messages.begin(), *data);
  const trace::Trace& trace = picture->run->trace;
  if (messages.empty() && !ui.bench.timeline().empty()) {
    const std::size_t step = ui.bench.cursor().step;
    if (trace.steps()[step].kind == trace::StepKind::Access) {
      messages = analysis::explain_access(trace, trace.access(step));
    }
  }
  if (messages.size() > 2) messages.resize(2);
  // What the numbers rest on is always said, where it is not the machine code.
  const auto known = analysis::known_sentence(picture->run->report);
  if (known && std::ranges::find(messages, *known) == messages.end()) messages.push_back(*known);
  shorter = without_what_stands_elsewhere(ui, messages, known);
  return sentences(ui.catalogue, messages);
}

// An error of the compiler or of the launch, in place of the explanation; the picture is the last good one.
std::string trouble(const Ui& ui) {
  if (const std::optional<Error>& error = ui.bench.error()) {
    if (error->kind == ErrorKind::Cancelled) return ui.say("window.run.stopped_first");
    std::string text = ui.say(*error);
    if (error->place.line > 0)
      text = ui.say(
          {"window.bench.error_line", {{"line", value_of(error->place.line)}, {"message", value_of(text)}}});
    // Of a file that could not be opened its name is not in sight.
    if (error->said && error->said->key.starts_with("file.") && !error->place.file.empty())
      text = ui.say({"file.at", {{"place", value_of(error->place.file)}, {"what", value_of(text)}}});
    const Inventory* there = ui.bench.inventory();
    if (const auto advice = there ? model::gpu_advice(*error, there->found) : std::nullopt)
      text += "\n" + ui.say(*advice);
    if (const auto advice = model::compile_advice(*error, ui.bench.text())) {
      if (!text.ends_with('.')) text += ".";
      text += " " + ui.say(*advice);
    }
    return text;
  }
  const Picture* picture = ui.bench.picture();
  if (picture && !picture->report().faults.empty()) {
    // What the GPU said of the same launch stands before what the check found.
    const Message& reason = ui.bench.measurement().reason;
    const std::string gpu = reason.key == "window.time.failed" ? ui.say(reason) + " " : "";
    const auto& assumed = ui.bench.setup().assumed;
    trace::Fault fault = picture->report().faults.front();
    const bool owned =
        model::own_up_to_addresses(*picture->run->program, picture->run->trace.launch.kernel, assumed, fault);
    const auto ours = owned ? std::nullopt : model::made_up_arguments(assumed);
    const std::string made_up = ours ? ui.say(*ours) + " " : "";
    return gpu + made_up +
           ui.say({"window.bench.fault",
                   {{"count", value_of(picture->report().faults_total)},
                    {"message", value_of(ui.say(analysis::fault_message(fault)))}}});
  }
  if (picture && picture->run->report.ending == analysis::Ending::Budget)
    return ui.say("window.bench.budget");
  if (const Message& reason = ui.bench.measurement().reason; reason.key == "window.time.failed") {
    return ui.say(reason);
  }
  return {};
}

}  // namespace

BenchWords bench_words(const Ui& ui, const std::vector<Message>* about) {
  const bool behind = ui.bench.looks_earlier() && ui.bench.totals_are_earlier();
  if (std::string wrong = trouble(ui); !wrong.empty())
    return {std::move(wrong), true, ui.bench.error() ? ui.bench.error_is_earlier() : behind};
  BenchWords words;
  words.text = explanation(ui, about, words.shorter);
  words.earlier = behind || pinned_is_earlier(ui);
  return words;
}

Sentence measure_sentence(const Ui& ui, const Pen& pen, float width, int most_lines, float line) {
  Sentence s;
  const BenchWords words = bench_words(ui);
  s.text = words.text;
  s.shorter = words.shorter;
  s.earlier = words.earlier;
  s.role = words.trouble ? Role::Bad : words.earlier ? Role::Dim : Role::Accent;
  if (s.text.empty()) return s;
  const auto lines = static_cast<int>(pen.wrapped(s.text, width - 32, {.size = 13}).size());
  s.lines = std::clamp(lines, 1, most_lines);
  s.line = line;
  return s;
}

void hold_still(const Ui& ui, float width, Sentence& sentence) {
  struct Held {
    std::string kernel;
    float width = 0;
    bool two_sides = false;  // a comparison has words of its own
    int lines = 0;
  };
  static Held held;
  const std::string id = ui.bench.kernel() ? ui.bench.kernel()->id : std::string();
  const bool two_sides = ui.bench.pinned() != nullptr;
  if (held.kernel != id || held.width != width || held.two_sides != two_sides)
    held = {id, width, two_sides, 0};
  if (sentence.role == Role::Bad) return;  // an error has its own room, and leaves none behind
  held.lines = std::max(held.lines, sentence.lines);
  sentence.lines = held.lines;
}

void show_in_active_view(Ui& ui, const char* view) {
  ui.bench.settings.views[static_cast<std::size_t>(std::max(0, ui.state.active_view))] = view;
}

void draw_sentence(Ui& ui, Pen& pen, const Sentence& s, const Rect& box) {
  pen.fill(box, Role::Panel, 6);
  const Role colour = s.earlier ? Role::Dim : s.role;
  pen.fill(box, colour, 6, 0.06f);
  pen.fill({box.x, box.y, 3, box.height}, colour, 1.5f);
  const auto rows_of = [&](std::string_view some) {
    return pen.wrapped(some, box.width - 32, {.size = 13}).size();
  };
  const auto rows = static_cast<std::size_t>(s.lines);
  const auto fits = std::ranges::find_if(s.shorter, [&](const auto& some) { return rows_of(some) <= rows; });
  std::string shown = s.text;
  if (rows_of(s.text) > rows && fits != s.shorter.end()) {
    shown = *fits;
  } else if (rows_of(s.text) > rows) {
    shown = whole_sentences(s.text, rows, rows_of);
    ui.fonts.note_cut(s.text);
  }
  pen.paragraph({box.x + 16, box.y + 9, box.width - 32, 0}, shown,
                {.size = 13, .alpha = s.earlier ? 0.5f : 1.0f}, s.line, s.lines);
  const Hit h = hit(pen, "sentence", box);
  const std::optional<Error>& error = ui.bench.error();
  const Picture* picture = ui.bench.picture();
  const bool faulted = !error && picture && picture->run && !picture->report().faults.empty();
  if (h.clicked && faulted) show_in_active_view(ui, "faults");
  if (h.hovered) {
    std::string more = s.text;
    if (error) {
      for (const std::string& note : error->notes) more += "\n" + note;
      tooltip(ui, more.substr(0, 1500));
    } else if (faulted) {
      tooltip(ui, more + "\n" + ui.say("window.bench.faults_tip"));
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    } else if (rows_of(s.text) > rows) {
      tooltip(ui, more);
    }
  }
}

}  // namespace warplens::window
