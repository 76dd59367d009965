#include "engine/gpu/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "engine/base/json_text.h"
#include "engine/base/message.h"

namespace warplens::gpu {
namespace {

// Larger messages are refused: a confused peer must not make this side reserve all memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
constexpr std::uint64_t kMostBlobs = 4096;
// Silence in the middle of a message that means the peer is stuck.
constexpr double kRestSeconds = 60;

Error lost() {
  return told(ErrorKind::System, {"gpu.worker.lost", {}});
}

Status write_all(int socket, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return lost();
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return Done{};
}

}  // namespace

Channel::~Channel() {
  if (socket_ >= 0) ::close(socket_);
}

Status Channel::send(const Frame& frame) {
  const std::string head = frame.head.dump();
  std::vector<std::uint64_t> sizes{head.size(), frame.blobs.size()};
  for (const auto& blob : frame.blobs) sizes.push_back(blob.size());
  if (const Status s = write_all(socket_, sizes.data(), sizes.size() * sizeof(std::uint64_t)); !s) return s;
  if (const Status s = write_all(socket_, head.data(), head.size()); !s) return s;
  for (const auto& blob : frame.blobs)
    if (const Status s = write_all(socket_, blob.data(), blob.size()); !s) return s;
  return Done{};
}

Status Channel::read_all(void* to, std::size_t bytes, double seconds) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    pollfd wait{socket_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, seconds < 0 ? -1 : static_cast<int>(seconds * 1000.0));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return told(ErrorKind::Cancelled, {"gpu.worker.silent", {}});
    const ssize_t got = ::recv(socket_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return lost();
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Done{};
}

Result<Frame> Channel::receive(double seconds) {
  std::uint64_t sizes[2];
  if (const Status s = read_all(sizes, 1, seconds); !s) return s.error();
  // A message that has begun is read to its end: giving up half way would lose the place in the stream.
  seconds = seconds < 0 ? -1 : kRestSeconds;
  if (const Status s = read_all(reinterpret_cast<char*>(sizes) + 1, sizeof sizes - 1, seconds); !s)
    return lost();
  if (sizes[0] > kMostBytes || sizes[1] > kMostBlobs) return lost();
  std::vector<std::uint64_t> blob_sizes(sizes[1]);
  if (const Status s = read_all(blob_sizes.data(), blob_sizes.size() * sizeof(std::uint64_t), seconds); !s)
    return lost();
  std::string head(sizes[0], '\0');
  if (const Status s = read_all(head.data(), head.size(), seconds); !s) return lost();
  Frame frame;
  frame.head = parse_json(head);
  if (frame.head.is_discarded()) return lost();
  for (const std::uint64_t size : blob_sizes) {
    if (size > kMostBytes) return lost();
    frame.blobs.emplace_back(size);
    if (const Status s = read_all(frame.blobs.back().data(), size, seconds); !s) return lost();
  }
  return frame;
}

}  // namespace warplens::gpu
