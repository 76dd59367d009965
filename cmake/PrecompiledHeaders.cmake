# Headers that nearly every file reads, compiled once: a quarter of the time of a first build. Every file still
# includes what it uses; the dev preset builds without this, so that a missing line is found.
#
# A precompiled header holds for one set of options: libraries share one, test programs (which are built with -O1:
# they run once) another. Parts with options of their own go without.

set(warplens_headers
  <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/headers/libraries.cpp CONTENT "// Compiled for its headers.\n")
add_library(warplens_headers OBJECT ${CMAKE_BINARY_DIR}/headers/libraries.cpp)
target_link_libraries(warplens_headers PRIVATE warplens_options)
target_precompile_headers(warplens_headers PRIVATE ${warplens_headers})

if(WARPLENS_TESTS)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/headers/tests.cpp CONTENT "// Compiled for its headers.\n")
  add_library(warplens_test_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/headers/tests.cpp)
  target_link_libraries(warplens_test_headers PRIVATE warplens_test_options GTest::gmock)
  target_precompile_headers(warplens_test_headers PRIVATE ${warplens_headers} <gmock/gmock.h> <gtest/gtest.h>)
endif()
