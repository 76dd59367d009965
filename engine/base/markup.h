// Text as it stands in XML and HTML, in an attribute too.
#pragma once

#include <string>
#include <string_view>

namespace warplens {

// & < > " become entities; control characters, which XML has no place for, are left out.
std::string escaped_markup(std::string_view text);

}  // namespace warplens
