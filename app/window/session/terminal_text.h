// What a program has printed, as lines: a terminal without a cursor. A carriage return begins its line anew,
// control sequences vanish, and of very much output the newest lines stay.
//
// What Warplens' runtime says of the launch that runs (engine/runtime/interrupt.h) is no output: it is kept
// apart.
//
//   text.add("half\r\033[Klaunch 3: scale(float*) 40 %");
//   text.lines()    // {"half"}
//   text.running()  // launch 3 of scale(float*), 0.4
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::window {

struct RunningLaunch {
  std::uint64_t index = 0;
  std::string kernel;
  double fraction = 0;
  bool operator==(const RunningLaunch&) const = default;
};

class TerminalText {
 public:
  static constexpr std::size_t kMostLines = 4000, kLongestLine = 4000;

  void add(std::string_view bytes);
  // So many bytes came that nobody kept.
  void lost(std::uint64_t bytes) { lost_ += bytes; }
  void clear() { *this = {}; }

  // The last one may be without its end yet; empty while nothing stands on it.
  const std::deque<std::string>& lines() const { return lines_; }
  const std::string& open_line() const { return ours_ ? before_ours_ : line_; }
  bool empty() const { return lines_.empty() && open_line().empty(); }
  std::uint64_t lost() const { return lost_; }  // bytes
  const std::optional<RunningLaunch>& running() const { return running_; }
  std::uint64_t serial() const { return serial_; }  // another one, another text

 private:
  enum class In { Text, Escape, Sequence, Command };
  void put(char c);
  void erase();
  void end_line();
  void read_running();

  std::deque<std::string> lines_;
  std::string line_, before_ours_;
  In in_ = In::Text;
  bool returned_ = false;  // to the begin of the line, and nothing has come since
  bool ours_ = false;      // what stands on the line is Warplens'
  std::uint64_t lost_ = 0, serial_ = 0;
  std::optional<RunningLaunch> running_;
};

}  // namespace warplens::window
