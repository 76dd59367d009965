#include "engine/source/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/assets.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostEntries = 2000;

fs::path folder() {
  return cache_folder() / "ptx";
}

// The oldest quarter goes when the cache is full.
void prune(const fs::path& where) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(where, error))
    files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() < kMostEntries) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() / 4; ++i) fs::remove(files[i].second, error);
}

}  // namespace

void Hash::mix(unsigned char byte) {
  a_ = (a_ ^ byte) * 0x100000001b3u;
  b_ = (b_ ^ byte) * 0x3f58476d1ce4e5b9u;
  b_ ^= b_ >> 29;
}

Hash& Hash::add(std::string_view field) {
  for (std::size_t n = field.size(), i = 0; i < sizeof n; ++i) mix(static_cast<unsigned char>(n >> (8 * i)));
  for (const char c : field) mix(static_cast<unsigned char>(c));
  return *this;
}

std::string Hash::text() const {
  return fmt::format("{:016x}{:016x}", a_, b_);
}

std::optional<Ptx> load_cached(const std::string& key) {
  const auto text = read_text(folder() / (key + ".json"));
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("ptx") || !json["ptx"].is_string()) return std::nullopt;
  try {
    Ptx ptx;
    ptx.text = json.at("ptx").get<std::string>();
    ptx.compiler = static_cast<Compiler>(json.at("compiler").get<int>());
    ptx.compiler_version = json.at("version").get<std::string>();
    for (const auto& w : json.at("warnings"))
      ptx.warnings.push_back(
          {Diagnostic::Severity::Warning,
           {w.at("file").get<std::string>(), w.at("line").get<int>(), w.at("column").get<int>()},
           w.at("message").get<std::string>()});
    ptx.from_cache = true;
    return ptx;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // written by another version, or damaged: compile again
  }
}

void store_cached(const std::string& key, const Ptx& ptx) {
  nlohmann::json warnings = nlohmann::json::array();
  for (const Diagnostic& w : ptx.warnings)
    warnings.push_back(
        {{"file", w.place.file}, {"line", w.place.line}, {"column", w.place.column}, {"message", w.message}});
  const nlohmann::json json = {{"ptx", ptx.text},
                               {"compiler", static_cast<int>(ptx.compiler)},
                               {"version", ptx.compiler_version},
                               {"warnings", warnings}};
  std::error_code error;
  fs::create_directories(folder(), error);
  prune(folder());
  static_cast<void>(write_text(folder() / (key + ".json"),
                               json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

}  // namespace warplens::source
