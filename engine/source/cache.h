// What compilers said, by content: the same text, options, compiler and included files give the same PTX or
// the same errors, which are kept in the cache folder. An entry that is damaged is as if it were not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/source/compile.h"

namespace warplens::source {

// 128 bits of FNV-1a over fields; a field's length is hashed too, so that fields cannot run together.
class Hash {
 public:
  Hash& add(std::string_view field);
  std::string text() const;  // 32 hexadecimal digits

 private:
  void mix(unsigned char byte);
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
};

// The folder of what is kept, which is there; empty where no folder can be trusted.
std::filesystem::path made_cache_entries();

std::optional<Ptx> load_cached(const std::string& key);
// Failures are ignored: a full disk costs time, not correctness.
void store_cached(const std::string& key, const Ptx& ptx);

// That a text does not compile, and why.
std::optional<Error> load_failure(const std::string& key);
void store_failure(const std::string& key, const Error& error);

}  // namespace warplens::source
