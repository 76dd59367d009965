#include "app/window/session/terminal_text.h"

#include <charconv>
#include <utility>

namespace warplens::window {
namespace {

constexpr std::string_view kOurs = "launch ";
constexpr std::size_t kTab = 8;

}  // namespace

void TerminalText::add(std::string_view bytes) {
  if (bytes.empty()) return;
  for (const char c : bytes) put(c);
  ++serial_;
  read_running();
}

void TerminalText::put(char c) {
  const auto code = static_cast<unsigned char>(c);
  switch (in_) {
    case In::Escape:
      in_ = c == '[' ? In::Sequence : c == ']' ? In::Command : In::Text;
      return;
    case In::Sequence:  // ends with a letter
      if (code < 0x40) return;
      in_ = In::Text;
      if (c == 'K' && returned_) erase();
      return;
    case In::Command:  // ends with a bell
      if (c == '\a') in_ = In::Text;
      return;
    case In::Text:
      break;
  }
  if (c == '\033') {
    in_ = In::Escape;
  } else if (c == '\n') {
    end_line();
  } else if (c == '\r') {
    returned_ = true;
  } else if (c == '\t') {
    do put(' ');
    while (line_.size() % kTab != 0);
  } else if (code >= 0x20 && code != 0x7f) {
    if (std::exchange(returned_, false) && !ours_) line_.clear();
    line_ += c;
    // Another program may print while a launch runs.
    if (ours_ && line_.size() <= kOurs.size() && !kOurs.starts_with(line_)) {
      line_ = std::exchange(before_ours_, {}) + line_;
      ours_ = false;
    }
    if (line_.size() >= kLongestLine) end_line();
  }
}

// The begin of what Warplens says, or the end of it: then what stood there before stands there again.
void TerminalText::erase() {
  returned_ = false;
  running_.reset();
  if (!ours_) before_ours_ = std::exchange(line_, {});
  ours_ = true;
  line_.clear();
}

void TerminalText::end_line() {
  // Nothing of ours ends a line: what came behind it is the program's.
  if (std::exchange(ours_, false)) line_ = std::exchange(before_ours_, {}) + std::exchange(line_, {});
  returned_ = false;
  running_.reset();
  lines_.push_back(std::exchange(line_, {}));
  if (lines_.size() <= kMostLines) return;
  lost_ += lines_.front().size() + 1;
  lines_.pop_front();
}

// "launch 3: scale(float*) 40 %"
void TerminalText::read_running() {
  running_.reset();
  if (!ours_ || !line_.starts_with(kOurs) || !line_.ends_with(" %")) return;
  RunningLaunch launch;
  const char* const end = line_.data() + line_.size();
  const auto [at, failed] = std::from_chars(line_.data() + kOurs.size(), end, launch.index);
  const std::size_t name = static_cast<std::size_t>(at - line_.data()) + 2;
  const std::size_t percent = line_.rfind(' ', line_.size() - 3);
  if (failed != std::errc{} || percent == std::string::npos || percent < name) return;
  launch.kernel = line_.substr(name, percent - name);
  int done = 0;
  std::from_chars(line_.data() + percent + 1, end, done);
  launch.fraction = done / 100.0;
  running_ = std::move(launch);
}

}  // namespace warplens::window
