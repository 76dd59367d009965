# How a part of Warplens is built: one static library a folder, compiled from every .cpp in it and in its rooms.

add_library(warplens_options INTERFACE)
target_include_directories(warplens_options INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(warplens_options INTERFACE fmt::fmt)
target_compile_options(warplens_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                                 -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps and overruns that are not there in "text" + std::string (its bug 105651) once it inlines.
  target_compile_options(warplens_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
                                                   -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for memory to use again as soon as it took 128 MiB: a twelfth of a first build's time for a fourth less
  # memory in its largest unit (1.1 GiB, and 0.9).
  target_compile_options(warplens_options INTERFACE --param=ggc-min-heapsize=700000)
endif()
# Counting leans on the population-count instruction, which every x86-64 processor since 2009 has.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  target_compile_options(warplens_options INTERFACE -march=x86-64-v2)
endif()
if(WARPLENS_WARNINGS_AS_ERRORS)
  target_compile_options(warplens_options INTERFACE -Werror)
endif()
if(WARPLENS_SANITIZE)
  target_compile_options(warplens_options INTERFACE -fsanitize=${WARPLENS_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(warplens_options INTERFACE -fsanitize=${WARPLENS_SANITIZE})
  # One variable alone: test discovery takes the second element of a list for the name of a property.
  if(WARPLENS_SANITIZE STREQUAL "thread")
    set(WARPLENS_SANITIZER_OPTIONS "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/races.txt:print_suppressions=0")
  else()
    set(WARPLENS_SANITIZER_OPTIONS "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/leaks.txt:print_suppressions=0")
  endif()
endif()

# Most of a test runs once, and what it asks of the program is compiled as ever: -Og takes two thirds of the time of
# -O1, and less than -O0, which has more code to write. -fPIC: their precompiled header is a library's.
add_library(warplens_test_options INTERFACE)
target_link_libraries(warplens_test_options INTERFACE warplens_options)
target_compile_options(warplens_test_options INTERFACE -fPIC $<$<CONFIG:Release>:-Og>)

# warplens_waits(file...)
# These files of the calling folder wait for a person, a file, a compiler or a GPU: they are compiled in two thirds of
# the time.
function(warplens_waits)
  set_property(SOURCE ${ARGN} APPEND PROPERTY
               COMPILE_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og>)
endfunction()

# warplens_library(NAME DEPENDS lib... [EXTERNAL lib...] [EXCEPT folder...] [TOGETHER folder...] [WAITS [BUT file...]])
# Makes warplens_NAME from the .cpp files of the calling folder and of the folders in it. DEPENDS are other parts of Warplens,
# EXTERNAL are libraries that only this part's own files see, EXCEPT are folders that are compiled with options of their
# own (warplens_room), TOGETHER are those whose files are compiled together (Rooms.cmake); "." is the calling folder.
# WAITS: all of it does (warplens_waits) BUT these files, which read a whole trace.
function(warplens_library name)
  cmake_parse_arguments(ARG "WAITS" "" "DEPENDS;EXTERNAL;EXCEPT;TOGETHER;BUT" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp */*.cpp)
  list(TRANSFORM ARG_BUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${ARG_BUT})
  foreach(folder ${ARG_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/${folder}/[^/]+$")
  endforeach()
  list(TRANSFORM ARG_DEPENDS PREPEND warplens_)
  if(sources)
    warplens_rooms(units "${ARG_TOGETHER}" ${sources})
    add_library(warplens_${name} STATIC ${units} ${ARG_BUT})
    target_link_libraries(warplens_${name} PUBLIC warplens_options ${ARG_DEPENDS} PRIVATE ${ARG_EXTERNAL})
    if(nlohmann_json::nlohmann_json IN_LIST ARG_EXTERNAL)
      target_precompile_headers(warplens_${name} REUSE_FROM warplens_json_headers)
    else()
      target_precompile_headers(warplens_${name} REUSE_FROM warplens_headers)
    endif()
    if(ARG_WAITS)
      warplens_waits(${units})
    endif()
  else()
    add_library(warplens_${name} INTERFACE)
    target_link_libraries(warplens_${name} INTERFACE warplens_options ${ARG_DEPENDS} ${ARG_EXTERNAL})
  endif()
endfunction()

# warplens_reads_headers_once(TARGET)
# A program or library besides the parts begins with their precompiled header, for which it is compiled as they are.
function(warplens_reads_headers_once target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM warplens_headers)
endfunction()

# warplens_room(NAME FOLDERS folder... OPTIONS option... [TOGETHER folder...])
# The .cpp files of these folders, compiled with these options, as part of warplens_NAME.
function(warplens_room name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;OPTIONS;TOGETHER" ${ARGN})
  list(TRANSFORM ARG_FOLDERS APPEND /*.cpp OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(files_at_once 10) # what a compiler inlines depends on how much it sees: these units stay as they were measured
  warplens_rooms(units "${ARG_TOGETHER}" ${sources})
  add_library(warplens_${name}_room OBJECT ${units})
  target_link_libraries(warplens_${name}_room PRIVATE $<TARGET_PROPERTY:warplens_${name},LINK_LIBRARIES>)
  target_compile_options(warplens_${name}_room PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(warplens_${name}_room PRIVATE ${warplens_headers})
  target_sources(warplens_${name} PRIVATE $<TARGET_OBJECTS:warplens_${name}_room>)
endfunction()

# warplens_embed(NAME OUTPUT file...)
# Makes texts part of warplens_NAME, so that an installed program needs no source tree: one of its sources
# includes OUTPUT, a list of {"file name", text}.
function(warplens_embed name output)
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/${output})
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
  add_custom_command(
    OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUTPUT=${embedded} -P ${script}
    DEPENDS ${ARGN} ${script}
    COMMENT "Embedding ${output}"
    VERBATIM)
  add_custom_target(warplens_${name}_texts DEPENDS ${embedded})
  add_dependencies(warplens_${name} warplens_${name}_texts)
  target_include_directories(warplens_${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# warplens_test(NAME DEPENDS lib... [EXTERNAL lib...] [ENVIRONMENT NAME=value...] [LONG pattern...]
#               [AS_ONE_BUT pattern] [PARTS number])
# One GoogleTest program, test_NAME, from the .cpp files of the calling folder, which are compiled together; each case
# is a CTest test. LONG are names of cases that take a minute and more: they are begun first, so that at the end no core
# waits for one of them. AS_ONE_BUT: all cases but these share what takes a minute to compute, and are one CTest test.
# PARTS: there are hundreds of short cases, to which a process of their own (and what they make once a process) would
# cost three times what they take. So many processes share them, and each is a CTest test that leaves its cases in cases/
# of the build folder, where tools/summarise-tests counts and names them.
function(warplens_test name)
  cmake_parse_arguments(ARG "" "AS_ONE_BUT;PARTS" "DEPENDS;EXTERNAL;ENVIRONMENT;LONG" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *_test.cpp)
  if(NOT sources)
    return()
  endif()
  set(files_at_once 8)
  warplens_rooms(units . ${sources})
  list(TRANSFORM ARG_DEPENDS PREPEND warplens_)
  add_executable(test_${name} ${units} $<TARGET_OBJECTS:warplens_test_places>)
  target_link_libraries(test_${name} PRIVATE warplens_test_options ${ARG_DEPENDS} ${ARG_EXTERNAL} GTest::gmock_main)
  set_target_properties(test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(test_${name} REUSE_FROM warplens_test_headers)
  set(environment ${ARG_ENVIRONMENT})
  if(WARPLENS_SANITIZE)
    list(APPEND environment ${WARPLENS_SANITIZER_OPTIONS})
  endif()
  if(ARG_PARTS)
    foreach(part RANGE 1 ${ARG_PARTS})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}.part_${part} COMMAND test_${name})
      set_property(TEST ${name}.part_${part} PROPERTY ENVIRONMENT ${environment} GTEST_TOTAL_SHARDS=${ARG_PARTS}
                   GTEST_SHARD_INDEX=${index} GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/cases/${name}.part_${part}.xml)
      set_property(TEST ${name}.part_${part} PROPERTY TIMEOUT 2400)
    endforeach()
    return()
  endif()
  if(environment)
    list(JOIN environment "\\;" environment) # one property
    list(PREPEND environment ENVIRONMENT)
  endif()
  set(others "*")
  if(ARG_AS_ONE_BUT)
    set(others "${ARG_AS_ONE_BUT}")
    add_test(NAME ${name}.together COMMAND test_${name} "--gtest_filter=-${others}")
    set_tests_properties(${name}.together PROPERTIES TIMEOUT 2400 COST 100 ${environment})
  endif()
  if(ARG_LONG)
    list(JOIN ARG_LONG ":" long)
    set(others "-${long}")
    gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST TEST_FILTER "${long}"
                         PROPERTIES TIMEOUT 2400 COST 100 ${environment})
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST TEST_FILTER "${others}"
                       PROPERTIES TIMEOUT 2400 ${environment})
endfunction()
