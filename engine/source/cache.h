// Compiled PTX by content: the same text, options, compiler and included files give the same PTX, so it is
// kept in the cache folder and never compiled twice.
#pragma once

#include <cstdint>
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

std::optional<Ptx> load_cached(const std::string& key);
// Failures are ignored: a full disk costs time, not correctness.
void store_cached(const std::string& key, const Ptx& ptx);

}  // namespace warplens::source
