// JSON's reader, compiled once for everybody: of the library it is what costs a compiler most.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace warplens {

// Discarded (is_discarded()) where the text is no JSON.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);  // members in the order of the text

}  // namespace warplens
