// What this program and the processes that it starts of itself say to each other over a socket: a letter that
// tells what it is, and texts.
//
//   send_message(socket, 'r', {"nvcc", "-ptx"});
//   while (auto message = receive_message(socket)) use(message->said, message->texts);
//
// Nothing here needs what main() sets up.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warplens::source {

struct SocketMessage {
  char said = 0;
  std::vector<std::string> texts;
};

// False when the other side is gone.
bool send_message(int socket, char said, const std::vector<std::string>& texts = {});
// Waits for a whole message; nothing when the other side is gone.
std::optional<SocketMessage> receive_message(int socket);

// A message that arrives in pieces, for whoever must not wait for it.
class IncomingMessage {
 public:
  // Takes what is there. False when the other side is gone.
  bool receive(int socket);
  bool complete() const;
  SocketMessage take();

 private:
  std::string bytes_;
};

}  // namespace warplens::source
