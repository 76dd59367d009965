#include <array>

#include "engine/trace/site.h"

namespace warplens::trace {
namespace {

constexpr std::array<std::string_view, 12> kKindNames{
    "load",      "store",       "atomic",       "reduction", "compare_and_swap", "async_copy",
    "bulk_copy", "matrix_load", "matrix_store", "texture",   "branch",           "barrier"};
constexpr std::array<std::string_view, 8> kSpaceNames{"global",    "shared",  "local",   "constant",
                                                      "parameter", "texture", "generic", "none"};

}  // namespace

std::string_view name(SiteKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::string_view name(Space space) {
  return kSpaceNames[static_cast<std::size_t>(space)];
}

}  // namespace warplens::trace
