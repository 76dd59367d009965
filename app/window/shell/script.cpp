#include "app/window/shell/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/assets.h"

namespace warplens::window {
namespace {

constexpr double kLongestWait = 120;  // seconds, of a wait that names none
constexpr double kTaskShown = 1.7;    // seconds after which what takes long says so, and a little more

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::optional<double> script_number(std::string_view word) {
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool read = failed == std::errc{} && end == word.data() + word.size();
  return read && std::abs(value) < 1e15 ? std::optional(value) : std::nullopt;
}

const std::vector<ScriptPlayer::Verb>& ScriptPlayer::verbs() {
  static const std::vector<Verb> all{
      {"open", 1, 1, &ScriptPlayer::open},         {"file", 1, 2, &ScriptPlayer::file},
      {"set", 2, 2, &ScriptPlayer::set},           {"drag", 4, 4, &ScriptPlayer::drag},
      {"view", 1, 2, &ScriptPlayer::view},         {"device", 1, 2, &ScriptPlayer::device},
      {"look", 1, 1, &ScriptPlayer::look},         {"measure", 1, 1, &ScriptPlayer::measure},
      {"wait", 1, 2, &ScriptPlayer::wait},         {"screenshot", 1, 1, &ScriptPlayer::screenshot},
      {"term", 1, 1, &ScriptPlayer::term},         {"press", 1, 1, &ScriptPlayer::press},
      {"click", 2, 2, &ScriptPlayer::click},       {"report", 0, 0, &ScriptPlayer::report},
      {"modelled", 1, 8, &ScriptPlayer::modelled}, {"type", 1, 1, &ScriptPlayer::type},
      {"revert", 0, 0, &ScriptPlayer::revert},     {"lesson", 1, 1, &ScriptPlayer::lesson},
      {"next", 0, 0, &ScriptPlayer::lesson},       {"back", 0, 0, &ScriptPlayer::lesson},
      {"page", 1, 1, &ScriptPlayer::lesson},       {"guess", 1, 8, &ScriptPlayer::lesson},
      {"paint", 1, 128, &ScriptPlayer::lesson},    {"curve", 2, 64, &ScriptPlayer::lesson},
      {"skip", 0, 0, &ScriptPlayer::lesson},       {"why", 1, 1, &ScriptPlayer::lesson},
      {"hint", 0, 0, &ScriptPlayer::lesson},       {"edit", 1, 1, &ScriptPlayer::type},
      {"reference", 0, 0, &ScriptPlayer::lesson},  {"place", 1, 1, &ScriptPlayer::lesson},
      {"answer", 1, 1, &ScriptPlayer::lesson},     {"reach", 0, 0, &ScriptPlayer::lesson},
      {"give", 2, 16, &ScriptPlayer::give},        {"include", 1, 1, &ScriptPlayer::choose},
      {"define", 1, 1, &ScriptPlayer::choose},     {"monkey", 2, 3, &ScriptPlayer::monkey},
      {"program", 1, 64, &ScriptPlayer::program},  {"pull", 5, 5, &ScriptPlayer::pull},
      {"point", 2, 2, &ScriptPlayer::point},       {"write", 1, 64, &ScriptPlayer::write},
  };
  return all;
}

Result<std::vector<ScriptAction>> parse_script(std::string_view text, const std::string& file) {
  std::vector<ScriptAction> out;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int at = 1; std::getline(lines, line); ++at) {
    std::istringstream words(line.substr(0, line.find('#')));
    ScriptAction action;
    action.line = at;
    if (!(words >> action.verb)) continue;
    for (std::string word; words >> word;) action.words.push_back(word);
    const auto& verbs = ScriptPlayer::verbs();
    const auto verb = std::find_if(verbs.begin(), verbs.end(),
                                   [&](const ScriptPlayer::Verb& v) { return action.verb == v.name; });
    if (verb == verbs.end()) {
      std::vector<std::string> names;
      for (const ScriptPlayer::Verb& v : verbs) names.emplace_back(v.name);
      return told(ErrorKind::Usage,
                  {"script.no_action", {{"name", value_of(action.verb)}, {"names", value_of(joined(names))}}},
                  {file, at, 1});
    }
    if (action.words.size() < verb->least || action.words.size() > verb->most)
      return told(ErrorKind::Usage,
                  {"script.number_of_words",
                   {{"name", value_of(action.verb)},
                    {"least", value_of(verb->least)},
                    {"most", value_of(verb->most)},
                    {"given", value_of(action.words.size())}}},
                  {file, at, 1});
    out.push_back(std::move(action));
  }
  return out;
}

Error ScriptPlayer::wrong(const ScriptAction& action, Message what) const {
  return told(ErrorKind::Usage, std::move(what), {file_, action.line, 1});
}

Error ScriptPlayer::wrong(const ScriptAction& action, const Error& why) const {
  return {ErrorKind::Usage, why.message, {file_, action.line, 1}, why.notes, why.said};
}

Status ScriptPlayer::advance(Workbench& bench, double now) {
  while (!done() && !screenshot_ && !input_) {
    const ScriptAction& action = actions_[next_];
    const auto verb =
        std::find_if(verbs().begin(), verbs().end(), [&](const Verb& v) { return action.verb == v.name; });
    if (!began_) began_ = now;
    const Result<bool> ended = (this->*verb->handler)(bench, action, now);
    if (!ended) return ended.error();
    if (!*ended) return Done{};
    began_.reset();
    ++next_;
  }
  return Done{};
}

Result<bool> ScriptPlayer::open(Workbench& bench, const ScriptAction& action, double) {
  if (bench.open_kernel(action.words[0])) return true;
  return wrong(action, {"script.no_kernel", {{"name", value_of(action.words[0])}}});
}

Result<bool> ScriptPlayer::file(Workbench& bench, const ScriptAction& action, double) {
  bench.open_file(action.words[0], action.words.size() > 1 ? action.words[1] : "");
  return true;
}

Result<bool> ScriptPlayer::give(Workbench& bench, const ScriptAction& action, double) {
  std::string text;
  for (std::size_t i = 1; i < action.words.size(); ++i) text += (i > 1 ? " " : "") + action.words[i];
  const Status fits = bench.give(action.words[0], text);
  return fits ? Result<bool>(true) : wrong(action, fits.error());
}

Result<bool> ScriptPlayer::choose(Workbench& bench, const ScriptAction& action, double) {
  CompilerChoices choices = bench.setup().compiler;
  const std::string& word = action.words[0];
  const std::size_t equals = std::min(word.find('='), word.size());
  if (action.verb == "include")
    choices.include_paths.push_back(word);
  else
    choices.defines.emplace_back(word.substr(0, equals),
                                 equals == word.size() ? "1" : word.substr(equals + 1));
  bench.compile_with(std::move(choices));
  return true;
}

Result<bool> ScriptPlayer::set(Workbench& bench, const ScriptAction& action, double) {
  const auto* kernel = bench.kernel();
  const model::Slider* const slider = kernel ? kernel->slider(action.words[0]) : nullptr;
  if (slider == nullptr) return wrong(action, {"script.no_slider", {{"name", value_of(action.words[0])}}});
  auto value = script_number(action.words[1]);
  if (const auto named = std::ranges::find(slider->choices, action.words[1]); named != slider->choices.end())
    value = static_cast<double>(named - slider->choices.begin());
  if (!value && !slider->choices.empty())
    return wrong(action, {"script.no_choice",
                          {{"value", value_of(action.words[1])},
                           {"slider", value_of(action.words[0])},
                           {"choices", value_of(joined(slider->choices))}}});
  if (!value) return wrong(action, {"script.no_number", {{"text", value_of(action.words[1])}}});
  bench.set_value(action.words[0], static_cast<std::int64_t>(*value));
  return true;
}

// As a hand does it: another value at every frame in which the knob has moved far enough.
Result<bool> ScriptPlayer::drag(Workbench& bench, const ScriptAction& action, double now) {
  const auto from = script_number(action.words[1]), to = script_number(action.words[2]),
             seconds = script_number(action.words[3]);
  if (!from || !to || !seconds || !(*seconds > 0) || !bench.values().contains(action.words[0]))
    return wrong(action, {"script.drag", {}});
  const double part = std::clamp((now - *began_) / *seconds, 0.0, 1.0);
  bench.set_value(action.words[0], std::llround(*from + (*to - *from) * part));
  return part >= 1;
}

Result<bool> ScriptPlayer::view(Workbench& bench, const ScriptAction& action, double) {
  for (const std::string& name : action.words)
    if (!visual::find_view(name)) return wrong(action, {"script.no_view", {{"name", value_of(name)}}});
  bench.keep_views({action.words.front(), action.words.back()});
  bench.settings.two_views = action.words.size() > 1;
  return true;
}

Result<bool> ScriptPlayer::device(Workbench& bench, const ScriptAction& action, double) {
  if (!bench.inventory()) return false;
  const std::string& name = action.words[0];
  if (name == "emulator") {
    bench.choose_backend({});
  } else if (const std::vector<model::Recording>& all = bench.inventory()->recordings.all;
             name == "recording" && !all.empty()) {
    // Of the GPU that is named, or the one that would play by itself.
    auto chosen = bench.inventory()->recordings.best() - all.data();
    if (action.words.size() > 1) {
      const auto of = std::ranges::find_if(all, [&](const model::Recording& r) {
        return r.device.name.find(action.words[1]) != std::string::npos;
      });
      if (of == all.end())
        return wrong(action, {"script.no_recording", {{"name", value_of(action.words[1])}}});
      chosen = of - all.begin();
    }
    bench.choose_backend({Backend::Kind::Recording, 0, static_cast<std::size_t>(chosen)});
  } else if (name == "gpu" && !bench.inventory()->found.devices.empty()) {
    bench.choose_backend({Backend::Kind::Gpu, bench.inventory()->found.devices.front().ordinal});
  } else {
    return wrong(action, {"script.no_back_end", {{"name", value_of(name)}}});
  }
  return true;
}

Result<bool> ScriptPlayer::modelled(Workbench& bench, const ScriptAction& action, double) {
  std::string name;
  for (const std::string& word : action.words) name += (name.empty() ? "" : " ") + word;
  const auto listed = bench.devices().device(name);
  if (!listed) return wrong(action, listed.error());
  bench.choose_device((*listed)->name);
  return true;
}

Result<bool> ScriptPlayer::type(Workbench& bench, const ScriptAction& action, double now) {
  const Result<std::string> text = read_text(action.words[0]);
  if (!text)
    return wrong(
        action, Message{"file.at", {{"place", value_of(action.words[0])}, {"what", value_of(text.error())}}});
  bench.set_text(*text, now);
  return true;
}

Result<bool> ScriptPlayer::revert(Workbench& bench, const ScriptAction&, double) {
  bench.revert_text();
  return true;
}

Result<bool> ScriptPlayer::look(Workbench& bench, const ScriptAction& action, double) {
  const std::string& word = action.words[0];
  if (word == "dark" || word == "light") {
    bench.settings.theme = word;
  } else if (word == "en" || word == "zh") {
    bench.settings.language = word;
  } else {
    return wrong(action, {"script.look", {}});
  }
  return true;
}

Result<bool> ScriptPlayer::measure(Workbench& bench, const ScriptAction& action, double) {
  const std::string& word = action.words[0];
  if (word == "again") {
    bench.measure_again();
  } else if (word == "stop") {
    bench.cancel_measuring();
  } else if (word == "warm" || word == "flushed") {
    bench.set_cold(word == "flushed");
  } else {
    return wrong(action, {"script.measure", {}});
  }
  return true;
}

// settled: nothing is waiting or running; picture, time, curve, counters: that much of it is there.
Result<bool> ScriptPlayer::wait(Workbench& bench, const ScriptAction& action, double now) {
  const std::string& what = action.words[0];
  if (const auto seconds = script_number(what)) return now - *began_ >= *seconds;
  const Measurement& m = bench.measurement();
  bool there = false;
  if (what == "settled") {
    there = bench.settled() && (lessons_ == nullptr || !lessons_->busy());
  } else if (what == "picture") {
    there = bench.picture() && bench.picture()->whole && bench.picture()->of.values == bench.values();
  } else if (what == "time") {
    there = m.timing.has_value();
  } else if (what == "curve") {
    there = m.points.size() > 1;
  } else if (what == "counters") {
    there = !m.counters.empty();
  } else if (what == "task") {
    there = bench.seconds_running() > kTaskShown;
  } else if (what == "program" && program_ != nullptr) {
    there = !program_->busy() && !program_->awaited();
  } else if (what == "launch" && program_ != nullptr) {
    there = program_->open() && bench.picture() && bench.picture()->whole;
  } else {
    return wrong(action, {"script.wait", {}});
  }
  if (there) return true;
  const double most =
      action.words.size() > 1 ? script_number(action.words[1]).value_or(kLongestWait) : kLongestWait;
  if (now - *began_ < most) return false;
  return wrong(action, {"script.did_not_come", {{"what", value_of(what)}, {"seconds", value_of(most)}}});
}

Result<bool> ScriptPlayer::screenshot(Workbench&, const ScriptAction& action, double) {
  screenshot_ = action.words[0];
  return true;
}

Result<bool> ScriptPlayer::report(Workbench& bench, const ScriptAction& action, double now) {
  const Measurement& m = bench.measurement();
  nlohmann::ordered_json out{{"line", action.line}, {"seconds", now}};
  if (bench.kernel()) out["kernel"] = bench.kernel()->id;
  out["values"] = bench.values();
  for (const model::Assumption& one : bench.setup().assumed) out["assumed"][one.what] = one.value;
  if (bench.error()) out["error"] = bench.error()->text();
  out["device"] = m.on.hardware;
  out["modelled_for"] = bench.device_name();
  out["live"] = m.live;
  if (const Picture* picture = bench.picture()) {
    out["backend"] = trace::name(picture->run->report.backend);
    out["faults"] = picture->run->report.faults_total;
    if (picture->what_if && bench.kernel())
      if (const auto text = Catalogue::load(bench.settings.language))
        out["what_if"] =
            text->text(model::what_if_message(*picture->what_if, *bench.kernel(), bench.settings.language));
  }
  out["median_ms"] = m.timing ? nlohmann::ordered_json(m.timing->median) : nlohmann::ordered_json(nullptr);
  if (m.timing)
    for (const Message& warning : m.timing->warnings) out["warnings"].push_back(warning.key);
  if (!m.reason.key.empty()) {
    out["reason"] = m.reason.key;
    for (const auto& [name, value] : m.reason.values)
      if (name == "message")
        if (const auto* text = std::get_if<std::string>(&value)) out["message"] = *text;
  }
  out["nearby_ms"] = m.nearby ? nlohmann::ordered_json(m.nearby->median) : nlohmann::ordered_json(nullptr);
  out["points"] = m.points.size();
  out["counters"] = m.counters.size();
  if (!m.counters_reason.key.empty()) out["counters_reason"] = m.counters_reason.key;
  out["measuring"] = bench.measuring();
  if (const auto earlier = bench.earlier(visual::Basis::Run)) {
    out["earlier"] = {{"values", earlier->of.values},
                      {"other_text", earlier->of.text != bench.setup().text},
                      {"device", earlier->of.device},
                      {"looks", bench.looks_earlier()}};
  }
  if (lessons_ != nullptr) out["lesson"] = lessons_->report();
  if (program_ != nullptr) out["program"] = program_->report();
  if (const auto text = Catalogue::load(bench.settings.language); text && bench.toast())
    out["note"] = text->text(bench.toast()->text);
  out["edited"] = bench.edited();
  out["step"] = bench.cursor().step;
  out["views"] = bench.settings.views;
  out["cut"] = seen_.cut;
  out["hidden_below"] = seen_.hidden_below;
  out["line_in_sight"] = seen_.line_in_sight;
  out["presents"] = seen_.presents;
  out["fills_screen"] = seen_.fills_screen;
  out["dark"] = seen_.dark;
  out["atlases"] = seen_.atlases;
  if (!seen_.term.empty())
    out["term"] = {{"id", seen_.term}, {"written", seen_.term_written}, {"bottom", seen_.term_bottom}};
  out["code_height"] = bench.settings.code_height;
  out["longest_frame_ms"] = std::round(std::exchange(longest_frame_, 0) * 1e4) / 10;
  reports_.push_back(out.dump());
  return true;
}

}  // namespace warplens::window
