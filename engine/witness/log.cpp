#include "engine/witness/log.h"

#include <fcntl.h>
#include <unistd.h>

namespace warplens::witness {

void Log::open(const std::string& file) {
  if (!file.empty()) file_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

// One write for all: threads and processes of the program share the file.
void Log::write(const std::string& lines) {
  if (file_ >= 0 && !lines.empty()) static_cast<void>(!::write(file_, lines.data(), lines.size()));
}

void Log::write(const Json& event) {
  write(line(event));
}

std::string Log::line(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Log& log() {
  static Log& instance = *new Log;  // calls may come after the program's last destructor
  return instance;
}

}  // namespace warplens::witness
