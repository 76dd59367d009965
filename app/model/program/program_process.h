// A whole program run for somebody who watches: on a terminal of its own, so that it prints as it would in
// one and can be typed to, with what its launches did told as they end.
//
//   Result<ProgramEnd> end = run_watched({built->file, "1024"}, folder, settings, room, watcher);
//
// It ends with this process, in whatever way that ends: the terminal hangs up, and the system kills it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/program/run_events.h"
#include "app/model/program/whole_program.h"

namespace warplens::model {

class ProgramWatcher {
 public:
  enum class Wish { GoOn, Interrupt, Kill };

  virtual ~ProgramWatcher() = default;
  // Bytes as a terminal gets them; with Settings::progress also which launch runs
  // (engine/runtime/interrupt.h).
  virtual void on_output(std::string_view bytes) = 0;
  virtual void on_event(const RunEvents::Json& line) = 0;
  // Some ten times a second. `idle`: seconds in which it has printed nothing and used no processor time.
  virtual void on_turn(double idle) = 0;
  // Interrupt: as Ctrl-C, so that the launch that runs is told of; killed when it does not follow soon.
  virtual Wish wish() = 0;
  // What was typed since the last call; "\x04" at the begin of a line ends its input.
  virtual std::string typed() = 0;
};

// `folder`: that it works in.
Result<ProgramEnd> run_watched(const std::vector<std::string>& command, const std::filesystem::path& folder,
                               runtime::Settings settings, const std::filesystem::path& private_folder,
                               ProgramWatcher& watcher);

// What exec() takes; valid as long as the texts are.
std::vector<char*> pointers(std::vector<std::string>& texts);

}  // namespace warplens::model
