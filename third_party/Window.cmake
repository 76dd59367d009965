# What only the window needs: Dear ImGui (with its GLFW and OpenGL 3 back ends), the OpenGL loader that glad
# writes at build time from Khronos' registry, fontconfig for finding fonts, stb for writing a PNG.
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
find_path(WARPLENS_STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb REQUIRED)
find_program(GLAD_PROGRAM glad REQUIRED)

set(glad_folder ${CMAKE_BINARY_DIR}/third_party/glad)
set(glad_header ${glad_folder}/include/glad/gl.h)
# --reproducible: use the registry that the package brings, fetch nothing.
add_custom_command(
  OUTPUT ${glad_header}
  COMMAND ${GLAD_PROGRAM} --api gl:core=3.3 --extensions "" --reproducible --quiet --out-path ${glad_folder} c
          --header-only
  COMMENT "Generating the OpenGL 3.3 loader"
  VERBATIM)
add_custom_target(warplens_glad_header DEPENDS ${glad_header})

add_library(warplens_glad INTERFACE)
add_dependencies(warplens_glad warplens_glad_header)
target_include_directories(warplens_glad SYSTEM INTERFACE ${glad_folder}/include)
