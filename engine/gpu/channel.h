// Messages between the program and its GPU worker process: a JSON object and binary blobs over a socket.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/result.h"

namespace warplens::gpu {

struct Frame {
  nlohmann::json head;
  std::vector<std::vector<std::uint8_t>> blobs;
};

// Owns the socket. Not thread safe: one request at a time.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  Status send(const Frame& frame);
  // Waits at most `seconds` for the next byte (negative: for ever). Kind Cancelled when the time is over.
  Result<Frame> receive(double seconds);

 private:
  Status read_all(void* to, std::size_t bytes, double seconds);
  int socket_;
};

}  // namespace warplens::gpu
