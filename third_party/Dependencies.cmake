# Every library Warplens uses, and how it is found: the system's package first, otherwise the project's official
# release, pinned by version and hash. Cairo, libpng, fontconfig, giflib and md4c come from the system (or vcpkg.json).
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  FIND_PACKAGE_ARGS)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
  URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
  FIND_PACKAGE_ARGS)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/v2.3.2.tar.gz
  URL_HASH SHA256=aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22
  FIND_PACKAGE_ARGS)
FetchContent_Declare(tomlplusplus
  URL https://github.com/marzer/tomlplusplus/archive/v3.0.1.tar.gz
  URL_HASH SHA256=e05b2814b891e223d7546aa2408d6cba0628164a84ac453205c7743cb667b9cf
  FIND_PACKAGE_ARGS)
FetchContent_MakeAvailable(fmt nlohmann_json CLI11 tomlplusplus)

find_package(PNG REQUIRED)
# Not find_package: md4c's configuration also wants its HTML library, which Debian puts into another package.
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft freetype2 fontconfig)

if(WARPLENS_TESTS)
  FetchContent_Declare(googletest
    URL https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
    URL_HASH SHA256=81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2
    FIND_PACKAGE_ARGS NAMES GTest)
  set(BENCHMARK_ENABLE_TESTING OFF)
  FetchContent_Declare(benchmark
    URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
    URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(googletest benchmark)
  include(GoogleTest)
endif()

if(WARPLENS_GUI)
  FetchContent_Declare(glfw3
    URL https://github.com/glfw/glfw/archive/refs/tags/3.3.8.tar.gz
    URL_HASH SHA256=f30f42e05f11e5fc62483e513b0488d5bceeab7d9c5da0ffe2252ad81816c713
    FIND_PACKAGE_ARGS 3.3)
  FetchContent_MakeAvailable(glfw3)
endif()

if(WARPLENS_CUDA)
  find_path(WARPLENS_CUDA_INCLUDE cuda.h
    PATHS /usr/local/cuda/include $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include)
  if(NOT WARPLENS_CUDA_INCLUDE)
    message(STATUS "CUDA toolkit not found: building without it")
    set(WARPLENS_CUDA OFF)
  endif()
endif()
