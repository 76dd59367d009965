// What hands do in a script: keys, text, the mouse, and a monkey's.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "app/lesson/glossary.h"
#include "app/window/shell/script.h"

namespace warplens::window {
namespace {

const std::map<std::string, int>& named_keys() {
  static const std::map<std::string, int> all = [] {
    std::map<std::string, int> keys{
        {"escape", GLFW_KEY_ESCAPE},  {"space", GLFW_KEY_SPACE},         {"tab", GLFW_KEY_TAB},
        {"enter", GLFW_KEY_ENTER},    {"backspace", GLFW_KEY_BACKSPACE}, {"delete", GLFW_KEY_DELETE},
        {"left", GLFW_KEY_LEFT},      {"right", GLFW_KEY_RIGHT},         {"up", GLFW_KEY_UP},
        {"down", GLFW_KEY_DOWN},      {"home", GLFW_KEY_HOME},           {"end", GLFW_KEY_END},
        {"pageup", GLFW_KEY_PAGE_UP}, {"pagedown", GLFW_KEY_PAGE_DOWN}};
    for (int i = 1; i <= 12; ++i) keys[fmt::format("f{}", i)] = GLFW_KEY_F1 + i - 1;
    return keys;
  }();
  return all;
}

// GLFW numbers letters, digits and signs as ASCII does, letters as their capitals.
std::optional<int> key_of(const std::string& word) {
  if (const auto found = named_keys().find(word); found != named_keys().end()) return found->second;
  constexpr std::string_view kSigns = "',-./;=[]\\`";
  if (word.size() != 1) return std::nullopt;
  const auto letter = static_cast<unsigned char>(word[0]);
  if (std::isalnum(letter) == 0 && kSigns.find(word[0]) == std::string_view::npos) return std::nullopt;
  return std::toupper(letter);
}

}  // namespace

// "escape", "b", "shift+b", "ctrl+shift+s".
Result<bool> ScriptPlayer::press(Workbench&, const ScriptAction& action, double) {
  ScriptInput input;
  std::string word = action.words[0];
  for (std::size_t plus = word.find('+'); plus != std::string::npos && plus + 1 < word.size();
       plus = word.find('+')) {
    const std::string held = word.substr(0, plus);
    if (held != "ctrl" && held != "shift")
      return wrong(action, {"script.not_held", {{"key", value_of(held)}}});
    (held == "ctrl" ? input.ctrl : input.shift) = true;
    word.erase(0, plus + 1);
  }
  input.key = key_of(word);
  if (!input.key) return wrong(action, {"script.no_key", {{"key", value_of(word)}}});
  input_ = input;
  return true;
}

// The characters, one blank between two words, as they come from a keyboard.
Result<bool> ScriptPlayer::write(Workbench&, const ScriptAction& action, double) {
  input_ = ScriptInput{};
  for (const std::string& word : action.words) input_->typed += (input_->typed.empty() ? "" : " ") + word;
  return true;
}

Result<bool> ScriptPlayer::point(Workbench&, const ScriptAction& action, double) {
  const auto x = script_number(action.words[0]), y = script_number(action.words[1]);
  if (!x || !y) return wrong(action, {"script.two_numbers", {{"name", value_of("point")}}});
  input_ = ScriptInput{};
  input_->at = visual::Point{static_cast<float>(*x), static_cast<float>(*y)};
  return true;
}

Result<bool> ScriptPlayer::term(Workbench&, const ScriptAction& action, double) {
  static const lesson::Glossary glossary = lesson::load_glossary();
  if (glossary.find(action.words[0]) == nullptr)
    return wrong(action, {"script.no_term", {{"name", value_of(action.words[0])}}});
  input_ = ScriptInput{};
  input_->term = action.words[0];
  return true;
}

Result<bool> ScriptPlayer::click(Workbench&, const ScriptAction& action, double) {
  const auto x = script_number(action.words[0]), y = script_number(action.words[1]);
  if (!x || !y) return wrong(action, {"script.two_numbers", {{"name", value_of("click")}}});
  input_ = ScriptInput{};
  input_->at = visual::Point{static_cast<float>(*x), static_cast<float>(*y)};
  input_->clicks = true;
  return true;
}

// The hand comes, takes hold, moves, stays where it is to let go, and lets go: each for one frame at least,
// as what is under a mouse is known a frame late. However long a frame takes, the hand leaves nothing out of
// its way: it moves by a part of it at most from one frame to the next.
Result<bool> ScriptPlayer::pull(Workbench&, const ScriptAction& action, double now) {
  float at[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto value = script_number(action.words[i]);
    if (!value) return wrong(action, {"script.pull", {}});
    at[i] = static_cast<float>(*value);
  }
  const auto seconds = script_number(action.words[4]);
  if (!seconds || !(*seconds > 0)) return wrong(action, {"script.pull", {}});
  constexpr int kComes = 2, kEnds = 3;
  constexpr double kMostAFrame = 0.04;
  const bool first = pulled_ < kComes;
  const double moved = kMostAFrame * std::max(0, pulled_++ - kComes);  // takes hold where it came to
  const auto way = static_cast<float>(std::clamp(std::min((now - *began_) / *seconds, moved), 0.0, 1.0));
  if (way >= 1) ++stayed_;
  const bool ended = stayed_ > kEnds;
  input_ = ScriptInput{};
  input_->hand = visual::Point{at[0] + (at[2] - at[0]) * way, at[1] + (at[3] - at[1]) * way};
  input_->held = !first && stayed_ < kEnds;
  if (ended) pulled_ = stayed_ = 0;
  return ended;
}

Result<bool> ScriptPlayer::monkey(Workbench&, const ScriptAction& action, double now) {
  const auto seed = script_number(action.words[0]), seconds = script_number(action.words[1]);
  if (!seed || *seed < 1 || *seed > 1e9 || !seconds || *seconds < 0)
    return wrong(action, {"script.monkey", {}});
  if (!monkey_) {
    std::vector<std::string> files;
    std::error_code failed;
    if (action.words.size() > 2)
      for (const auto& entry : std::filesystem::directory_iterator(action.words[2], failed))
        files.push_back(entry.path().string());
    if (failed) return wrong(action, {"script.no_folder", {{"name", value_of(action.words[2])}}});
    std::sort(files.begin(), files.end());
    monkey_.emplace(static_cast<unsigned>(*seed), std::move(files));
  }
  if (now - *began_ < *seconds) return false;
  monkey_.reset();
  return true;
}

}  // namespace warplens::window
