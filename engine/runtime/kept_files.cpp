#include "engine/runtime/kept_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/message.h"

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDigits = "0123456789abcdef";

std::string digits(std::uint64_t value, int count) {
  std::string out;
  for (int i = count; i-- > 0;) out += kDigits[value >> (4 * i) & 15];
  return out;
}

// Two sums that go different ways over 8 bytes at a time: contents that differ get different names.
std::string name_of_contents(std::span<const std::uint8_t> bytes) {
  std::uint64_t a = bytes.size(), b = ~a;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
    a ^= a >> 29;
    b = (b + word) * 0xd6e8feb86659fd93u;
    b = (b << 31 | b >> 33) ^ word;
  }
  return digits(a, 16) + digits(b ^ b >> 32, 16);
}

// The same as this many bytes; pages of zeros are left out on the disk.
Status write_bytes(const fs::path& file, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kPage = 4096;
  static constexpr std::uint8_t kZeros[kPage] = {};
  const fs::path beside = file.string() + "." + std::to_string(::getpid()) + ".part";
  const int out = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool fine = out >= 0 && ::ftruncate(out, static_cast<off_t>(bytes.size())) == 0;
  for (std::size_t at = 0; fine && at < bytes.size(); at += kPage) {
    const std::size_t n = std::min(kPage, bytes.size() - at);
    if (std::memcmp(bytes.data() + at, kZeros, n) == 0) continue;
    errno = ENOSPC;  // what a short write means, which says nothing itself
    fine = ::pwrite(out, bytes.data() + at, n, static_cast<off_t>(at)) == static_cast<ssize_t>(n);
  }
  if (out >= 0) fine = ::close(out) == 0 && fine;
  fine = fine && ::rename(beside.c_str(), file.c_str()) == 0;
  if (fine) return Done{};
  const std::string why = std::strerror(errno);
  ::unlink(beside.c_str());
  return untold(ErrorKind::System, {"run.keep.not_written", {{"why", value_of(why)}}}, {file.string(), 0, 0});
}

Result<std::string> keep(const fs::path& folder, const char* room, const char* ending,
                         std::span<const std::uint8_t> bytes) {
  std::error_code failed;
  fs::create_directories(folder / room, failed);
  if (failed)
    return untold(ErrorKind::System, {"run.keep.no_folder", {{"why", value_of(failed.message())}}},
                  {(folder / room).string(), 0, 0});
  const std::string name = std::string(room) + "/" + name_of_contents(bytes) + ending;
  if (!fs::exists(folder / name, failed))
    if (Status written = write_bytes(folder / name, bytes); !written) return written.error();
  return "../" + name;
}

}  // namespace

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += "\\u" + digits(static_cast<unsigned char>(c), 4);
    else
      out += c;
  }
  return out + '"';
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) out += digits(byte, 2);
  return out;
}

Result<std::string> keep_contents(const fs::path& folder, std::span<const std::uint8_t> bytes) {
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) return std::string();
  return keep(folder, "memory", ".bin", bytes);
}

Result<std::string> keep_module(const fs::path& folder, std::string_view ptx) {
  return keep(folder, "modules", ".ptx", {reinterpret_cast<const std::uint8_t*>(ptx.data()), ptx.size()});
}

bool is_called(std::string_view shown, std::string_view mangled, std::string_view asked) {
  if (asked == "*" || asked == mangled || asked == shown) return true;
  const std::string_view whole = shown.substr(0, shown.rfind('('));
  if (asked == whole) return true;
  std::string_view plain = whole.substr(0, whole.find('<'));
  if (const auto blank = plain.rfind(' '); blank != std::string_view::npos) plain = plain.substr(blank + 1);
  if (asked == plain) return true;
  const auto scope = plain.rfind("::");
  return scope != std::string_view::npos && asked == plain.substr(scope + 2);
}

}  // namespace warplens::runtime
