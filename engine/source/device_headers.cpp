#include "engine/source/device_headers.h"

#include <filesystem>
#include <mutex>

#include "engine/base/assets.h"
#include "engine/source/cache.h"

namespace warplens::source {

const std::vector<std::pair<std::string_view, std::string_view>>& device_headers() {
  static const std::vector<std::pair<std::string_view, std::string_view>> headers = {
#include "device_headers.inc"
  };
  return headers;
}

std::string_view device_header(std::string_view name) {
  for (const auto& [header, text] : device_headers())
    if (header == name) return text;
  return {};
}

Result<std::string> device_header_folder() {
  // Two threads that start together must not both write; two processes may, and write the same bytes.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  Hash hash;
  for (const auto& [name, text] : device_headers()) hash.add(name).add(text);
  const std::filesystem::path folder = cache_folder() / ("device_headers_" + hash.text());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, text] : device_headers()) {
    const std::filesystem::path file = folder / name;
    if (std::filesystem::exists(file, error)) continue;
    if (auto written = write_text(file, text); !written) return written.error();
  }
  return folder.string();
}

}  // namespace warplens::source
