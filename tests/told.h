// What a fault says, in either language.
#pragma once

#include <map>
#include <string>

#include "engine/analysis/fault_text.h"

namespace warplens {

inline std::string told(const trace::Fault& fault, const std::string& language = "en") {
  static std::map<std::string, Catalogue> catalogues;
  auto at = catalogues.find(language);
  if (at == catalogues.end()) at = catalogues.emplace(language, Catalogue::load(language).value()).first;
  return at->second.text(analysis::fault_message(fault));
}

}  // namespace warplens
