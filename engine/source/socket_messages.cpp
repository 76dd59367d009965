#include "engine/source/socket_messages.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warplens::source {
namespace {

constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);

void put_number(std::string& to, std::uint64_t n) {
  to.append(reinterpret_cast<const char*>(&n), sizeof n);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t n = 0;
  std::memcpy(&n, bytes.data() + at, sizeof n);
  return n;
}

std::vector<std::string> unpacked(std::string_view body) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= body.size();) {
    const std::size_t size = std::min<std::size_t>(number_at(body, at), body.size());
    at += sizeof(std::uint64_t);
    texts.emplace_back(body.substr(at, size));
    at += size;
  }
  return texts;
}

bool read_all(int socket, void* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::read(socket, static_cast<char*>(to) + done, bytes - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

bool send_message(int socket, char said, const std::vector<std::string>& texts) {
  std::string body;
  for (const std::string& text : texts) {
    put_number(body, text.size());
    body += text;
  }
  std::string bytes(1, said);
  put_number(bytes, body.size());
  bytes += body;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::optional<SocketMessage> receive_message(int socket) {
  char head[kHead];
  if (!read_all(socket, head, kHead)) return std::nullopt;
  std::string body(number_at({head, kHead}, 1), '\0');
  if (!read_all(socket, body.data(), body.size())) return std::nullopt;
  return SocketMessage{head[0], unpacked(body)};
}

bool IncomingMessage::receive(int socket) {
  char buffer[65536];
  const ssize_t n = ::read(socket, buffer, sizeof buffer);
  if (n > 0) bytes_.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

bool IncomingMessage::complete() const {
  return bytes_.size() >= kHead && bytes_.size() - kHead >= number_at(bytes_, 1);
}

SocketMessage IncomingMessage::take() {
  const std::size_t size = number_at(bytes_, 1);
  SocketMessage message{bytes_[0], unpacked(std::string_view(bytes_).substr(kHead, size))};
  bytes_.erase(0, kHead + size);
  return message;
}

}  // namespace warplens::source
