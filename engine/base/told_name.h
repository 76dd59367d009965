// What memory is called when somebody is told of it: a name that a program gives as it is, one that is made
// here (place_name.h) in the reader's language.
//
//   told_name("in")            // "in"
//   told_name("argument 2")    // in Chinese "第 2 号参数"
#pragma once

#include <string>

#include "engine/base/message.h"
#include "engine/base/place_name.h"

namespace warplens {

inline MessageValue told_name(const std::string& name) {
  if (const auto number = allocation_number(name))
    return value_of(Message{"fault.allocation", {{"index", value_of(std::to_string(*number))}}});
  if (const auto number = argument_number(name))
    return value_of(Message{"fault.argument", {{"index", value_of(*number)}}});
  return name;
}

}  // namespace warplens
