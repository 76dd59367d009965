#include "engine/base/result.h"

namespace warplens {

std::string Error::text() const {
  std::string out;
  if (!place.file.empty()) out += place.file + ":";
  if (place.line > 0) out += std::to_string(place.line) + ":";
  if (place.line > 0 && place.column > 0) out += std::to_string(place.column) + ":";
  if (!out.empty()) out += " ";
  out += message;
  for (const std::string& note : notes) out += "\n  " + note;
  return out;
}

}  // namespace warplens
