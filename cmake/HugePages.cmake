# A compiler's time goes to a large part into memory that it touches for the first time, and into finding out where
# that lies: with pages of 2 MiB GCC takes a tenth to a quarter less of it. Its own memory it takes by mmap(), which a
# small library does in its place; the rest, and the linker's, is malloc's.
#
# Sets warplens_huge_pages to the command that starts a program so: none where there is nothing to gain.
set(warplens_huge_pages "")
find_program(WARPLENS_ENV env)
if(CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" AND WARPLENS_ENV AND NOT DEFINED ENV{LD_PRELOAD})
  set(warplens_huge_pages ${WARPLENS_ENV} GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
  if(NOT DEFINED CMAKE_CXX_LINKER_LAUNCHER)
    set(CMAKE_CXX_LINKER_LAUNCHER ${warplens_huge_pages})
  endif()
  set(library ${CMAKE_BINARY_DIR}/libwarplens_huge_pages.so)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -O2 -fPIC -shared ${CMAKE_CURRENT_LIST_DIR}/huge_pages.cpp -o ${library}
                    RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      list(APPEND warplens_huge_pages LD_PRELOAD=${library})
    endif()
  endif()
endif()
