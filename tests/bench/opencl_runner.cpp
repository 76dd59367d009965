// Runs one OpenCL kernel and prints the seconds of its best run: what `warplens bench` compares itself with,
// under PoCL as it is and under Oclgrind through its launcher. OpenCL is opened at run time and its few
// functions are declared here, so that nothing has to be installed to build this.
//
//   warplens-opencl-bench kernels.cl copy 1048576,1 256,1 5 buf:f32:1048576:hash buf:f32:1048576:zero
//   i32:1048576
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/assets.h"
#include "engine/trace/launch.h"

namespace {

using Handle = void*;
constexpr std::uint64_t kAllDevices = 0xFFFFFFFFu;
constexpr std::uint64_t kReadWriteCopyHost = 1u | 32u;

template <typename Function>
Function find(const char* name) {
  // From the default scope: Oclgrind puts its own functions in front of the loader's.
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "no OpenCL: %s is missing\n", name);
    std::exit(2);
  }
  return reinterpret_cast<Function>(symbol);
}

void check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "OpenCL error %d: %s\n", code, what);
  std::exit(3);
}

std::vector<std::size_t> extent(const std::string& text) {
  const auto comma = text.find(',');
  return {std::stoul(text.substr(0, comma)), std::stoul(text.substr(comma + 1))};
}

struct OpenCl {
  Handle context = nullptr, queue = nullptr, kernel = nullptr;
};

OpenCl build(const std::string& source, const char* name) {
  Handle platform = nullptr, device = nullptr;
  check(find<int (*)(unsigned, Handle*, unsigned*)>("clGetPlatformIDs")(1, &platform, nullptr),
        "no platform");
  check(find<int (*)(Handle, std::uint64_t, unsigned, Handle*, unsigned*)>("clGetDeviceIDs")(
            platform, kAllDevices, 1, &device, nullptr),
        "no device");
  OpenCl cl;
  int code = 0;
  cl.context = find<Handle (*)(const void*, unsigned, const Handle*, void*, void*, int*)>("clCreateContext")(
      nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "context");
  cl.queue = find<Handle (*)(Handle, Handle, std::uint64_t, int*)>("clCreateCommandQueue")(cl.context, device,
                                                                                           0, &code);
  check(code, "queue");
  const char* text = source.c_str();
  Handle program = find<Handle (*)(Handle, unsigned, const char**, const std::size_t*, int*)>(
      "clCreateProgramWithSource")(cl.context, 1, &text, nullptr, &code);
  check(code, "program");
  check(find<int (*)(Handle, unsigned, const Handle*, const char*, void*, void*)>("clBuildProgram")(
            program, 1, &device, "", nullptr, nullptr),
        "build");
  cl.kernel = find<Handle (*)(Handle, const char*, int*)>("clCreateKernel")(program, name, &code);
  check(code, "kernel");
  return cl;
}

void set_arguments(const OpenCl& cl, char** texts, int count) {
  const auto set = find<int (*)(Handle, unsigned, std::size_t, const void*)>("clSetKernelArg");
  const auto buffer = find<Handle (*)(Handle, std::uint64_t, std::size_t, void*, int*)>("clCreateBuffer");
  for (int i = 0; i < count; ++i) {
    const auto argument = warplens::trace::parse_argument(texts[i]);
    if (!argument) {
      std::fprintf(stderr, "%s\n", argument.error().text().c_str());
      std::exit(2);
    }
    if (!argument->is_buffer) {
      check(set(cl.kernel, static_cast<unsigned>(i), static_cast<std::size_t>(size_of(argument->type)),
                &argument->bits),
            "argument");
      continue;
    }
    auto bytes = *warplens::trace::initial_bytes(*argument);
    int code = 0;
    Handle memory = buffer(cl.context, kReadWriteCopyHost, bytes.size(), bytes.data(), &code);
    check(code, "buffer");
    check(set(cl.kernel, static_cast<unsigned>(i), sizeof memory, &memory), "argument");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: %s FILE.cl KERNEL GX,GY LX,LY RUNS ARGUMENT...\n", argv[0]);
    return 2;
  }
  dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
  const auto source = warplens::read_text(argv[1]);
  if (!source) return 2;
  const OpenCl cl = build(*source, argv[2]);
  set_arguments(cl, argv + 6, argc - 6);
  const auto global = extent(argv[3]), local = extent(argv[4]);
  const auto enqueue =
      find<int (*)(Handle, Handle, unsigned, const std::size_t*, const std::size_t*, const std::size_t*,
                   unsigned, const Handle*, Handle*)>("clEnqueueNDRangeKernel");
  const auto finish = find<int (*)(Handle)>("clFinish");
  double best = 0;
  for (int run = 0; run < std::stoi(argv[5]); ++run) {
    const auto start = std::chrono::steady_clock::now();
    check(enqueue(cl.queue, cl.kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
          "enqueue");
    check(finish(cl.queue), "finish");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  std::printf("%.9f\n", best);
  return 0;
}
