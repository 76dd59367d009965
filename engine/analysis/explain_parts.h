// What the three kinds of explanation share: building messages and recognising the shape of an access.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/base/message.h"

namespace warplens::analysis {

using MessageValues = std::vector<std::pair<std::string, MessageValue>>;

inline Message explanation(const char* key, MessageValues values = {}) {
  return {std::string("explain.") + key, std::move(values)};
}

enum class Shape {
  Uniform,     // every lane at one address
  Contiguous,  // lane after lane without gaps
  Reversed,    // the same, backwards
  Strided,     // a constant other distance
  Groups,      // equally many lanes a group, constant distances inside groups and between them
  Scattered,
};

struct Form {
  Shape shape = Shape::Scattered;
  std::int64_t stride = 0;        // bytes from lane to lane, in Groups inside a group
  int lanes_per_group = 0;        // Groups
  std::int64_t group_stride = 0;  // Groups: bytes from group to group
};

// `addresses` holds 32 values, of which those of the active lanes are looked at.
Form form_of(int bytes, LaneMask active, const std::uint64_t* addresses);

}  // namespace warplens::analysis
