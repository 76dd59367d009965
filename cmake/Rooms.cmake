# Rooms compiled together: the files of one folder in one translation unit or a few, so that what they all include is
# read once and what they all instantiate is made once. A first build takes half the time. Names in anonymous
# namespaces are unique within such a folder (tools/check-names), which also shows what was written twice.
#
# For who changes one file after another, WARPLENS_TOGETHER=OFF (the dev presets) compiles each on its own; it also
# finds the file that does not include what it uses.

# warplens_unit(OUT NAME file...)
# Sets OUT to a translation unit that includes these files, named from the top folder.
function(warplens_unit out name)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" text)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/rooms/${name}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${text}\n" @ONLY) # written only when it changes
  # A local name of one file may be a file's own name in another; a class that is declared in a header may hold
  # what is its file's own, which the compiler allows in the main file only.
  set(not_here -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND not_here -Wno-subobject-linkage)
  endif()
  set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${not_here}")
  set(${out} ${unit} PARENT_SCOPE)
endfunction()

# warplens_rooms(OUT "folder;..." file...)
# Sets OUT to what is compiled in place of these .cpp files: those of the given folders (of the calling one: ".")
# together, the others each on its own.
function(warplens_rooms out together)
  if(NOT WARPLENS_TOGETHER)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(at_once 20) # files: what they share is read twice at most, and several are left for the other cores
  if(DEFINED files_at_once)
    set(at_once ${files_at_once})
  endif()
  set(folders "")
  set(units "")
  set(alone "") # last, for they are short: at the end of a build no core waits for another's long one
  foreach(file ${ARGN})
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT folder IN_LIST together)
      list(APPEND alone ${file})
      continue()
    endif()
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" key)
    list(APPEND folders ${key})
    list(APPEND files_${key} ${path})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(key ${folders})
    list(LENGTH files_${key} count)
    math(EXPR parts "(${count} + ${at_once} - 1) / ${at_once}")
    math(EXPR each "(${count} + ${parts} - 1) / ${parts}")
    foreach(part RANGE 1 ${parts})
      math(EXPR from "(${part} - 1) * ${each}")
      list(SUBLIST files_${key} ${from} ${each} some)
      warplens_unit(unit ${key}_${part} ${some})
      list(APPEND units ${unit})
    endforeach()
  endforeach()
  set(${out} ${units} ${alone} PARENT_SCOPE)
endfunction()
