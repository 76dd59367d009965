# Headers that nearly every file reads, compiled once: a quarter of the time of a first build. Every file still
# includes what it uses; the dev preset builds without this, so that a missing line is found.
#
# A precompiled header holds for one set of options: libraries share one, those that read or write JSON another with
# its library, tests a third.

set(warplens_headers
  <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

# warplens_precompile(NAME OPTIONS lib... HEADERS header...)
function(warplens_precompile name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS" ${ARGN})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/headers/${name}.cpp CONTENT "// Compiled for its headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/headers/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

warplens_precompile(warplens_headers OPTIONS warplens_options HEADERS ${warplens_headers})
warplens_precompile(warplens_json_headers OPTIONS warplens_options nlohmann_json::nlohmann_json
                    HEADERS ${warplens_headers} <nlohmann/json.hpp>)
if(WARPLENS_TESTS)
  warplens_precompile(warplens_test_headers OPTIONS warplens_test_options GTest::gmock
                      HEADERS ${warplens_headers} <gmock/gmock.h> <gtest/gtest.h>)
endif()
