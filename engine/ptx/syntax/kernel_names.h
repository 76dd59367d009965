// Names of kernels' instances, as symbols say them and as people write them.
#pragma once

#include <string>
#include <string_view>

namespace warplens::ptx {

// "map<&(square(float))>" is "map<square>": a function as a template argument is only its name. What has no
// such argument stays as it is.
std::string as_written(std::string_view name);

}  // namespace warplens::ptx
