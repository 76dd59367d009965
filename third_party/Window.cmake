# What only the window needs: Dear ImGui (with its GLFW and OpenGL 3 back ends), the OpenGL loader that glad
# writes at build time from Khronos' registry, fontconfig for finding fonts.
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)

# Neither of the two is a CMake package; the switch that sends FetchContent past the system's packages holds for
# them as well.
if(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
  pkg_check_modules(IMGUI IMPORTED_TARGET imgui)
  find_program(GLAD_PROGRAM glad)
endif()

if(TARGET PkgConfig::IMGUI)
  add_library(warplens_imgui ALIAS PkgConfig::IMGUI)
else()
  FetchContent_Declare(imgui
    URL https://github.com/ocornut/imgui/archive/v1.86.tar.gz
    URL_HASH SHA256=6ba6ae8425a19bc52c5e067702c48b70e4403cd339cba02073a462730a63e825)
  FetchContent_MakeAvailable(imgui)
  add_library(warplens_imgui STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
  target_include_directories(warplens_imgui SYSTEM PUBLIC ${imgui_SOURCE_DIR})
  target_link_libraries(warplens_imgui PRIVATE glfw ${CMAKE_DL_LIBS})
endif()

if(GLAD_PROGRAM)
  set(glad_command ${GLAD_PROGRAM})
else()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import jinja2" RESULT_VARIABLE no_jinja OUTPUT_QUIET ERROR_QUIET)
  if(no_jinja)
    message(FATAL_ERROR "The OpenGL loader is written by glad, which needs Python's jinja2: install python3-jinja2 "
                        "(or python3-glad), or configure without the window: -DWARPLENS_GUI=OFF")
  endif()
  # Its own CMake project is not wanted: a folder that is not there keeps it out.
  FetchContent_Declare(glad
    URL https://github.com/Dav1dde/glad/archive/refs/tags/v2.0.8.tar.gz
    URL_HASH SHA256=44f06f9195427c7017f5028d0894f57eb216b0a8f7c4eda7ce883732aeb2d0fc
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(glad)
  set(glad_command ${CMAKE_COMMAND} -E env PYTHONPATH=${glad_SOURCE_DIR} ${Python3_EXECUTABLE} -m glad)
endif()

set(glad_folder ${CMAKE_BINARY_DIR}/third_party/glad)
set(glad_header ${glad_folder}/include/glad/gl.h)
# --reproducible: use the registry that the package brings, fetch nothing.
add_custom_command(
  OUTPUT ${glad_header}
  COMMAND ${glad_command} --api gl:core=3.3 --extensions "" --reproducible --quiet --out-path ${glad_folder} c
          --header-only
  COMMENT "Generating the OpenGL 3.3 loader"
  VERBATIM)
add_custom_target(warplens_glad_header DEPENDS ${glad_header})

add_library(warplens_glad INTERFACE)
add_dependencies(warplens_glad warplens_glad_header)
target_include_directories(warplens_glad SYSTEM INTERFACE ${glad_folder}/include)
