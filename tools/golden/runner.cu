// Launches the kernels of a plan once each and writes what they left behind; with RUNS how long they take instead.
//
//   runner PLAN RESULTS [FIRST COUNT [RUNS]]
//
// PLAN has one launch a line, fields separated by tabs:
//   id  cubin  mangled-name  gx gy gz  bx by bz  dynamic-shared-bytes  argument...
// RESULTS gets one line a launch, separated by tabs:
//   id  registers  static-shared  local-bytes  blocks-per-SM  checksum-of-each-buffer...
// or, with RUNS: id  median-microseconds-flushed  median-microseconds-warm; the first line is of an empty kernel. Each run
// starts with the same input; before a flushed one twice the L2 is written. Launches wait behind a kernel that holds the
// queue, as `warplens time` has them.
// Arguments are written as on Warplens' command line. Nothing but the launches of the plan runs on the GPU, so that a
// profiler's n-th kernel is the plan's n-th line.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "runner: %s\n", what.c_str());
  std::exit(1);
}

// Functions of the driver library, found at run time so that nothing needs to be linked.
template <typename F>
F* driver(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found) != cudaSuccess || !address)
    fail(std::string("the driver has no ") + name);
  return reinterpret_cast<F*>(address);
}
#define DRIVER(name) static auto* const name##_ = driver<decltype(name)>(#name)

void check(CUresult result, const std::string& what) {
  if (result != CUDA_SUCCESS) fail(what + ": driver error " + std::to_string(static_cast<int>(result)));
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

std::uint32_t fmix32(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

std::uint16_t half_from(double value) {  // round to nearest even; finite values of small magnitude
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = exponent - 1 < -14 ? -14 : exponent - 1;
  const double unit = std::ldexp(1.0, exponent - 10);
  const double steps = std::nearbyint(magnitude / unit);
  if (exponent > 15) return sign | 0x7c00;
  // Below 2^-14 the exponent field is 0 and the mantissa counts the steps themselves.
  const auto raw = static_cast<std::uint32_t>(steps) + (static_cast<std::uint32_t>(exponent + 14) << 10);
  return static_cast<std::uint16_t>(sign | (raw > 0x7c00 ? 0x7c00 : raw));
}

double half_value(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const double mantissa = h & 1023;
  const double value = exponent == 0    ? std::ldexp(mantissa, -24)
                       : exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                                        : std::ldexp(1024 + mantissa, exponent - 25);
  return h & 0x8000 ? -value : value;
}

struct Element {
  int size;
  bool floating;
  void (*store)(void*, double, std::int64_t);  // the double for floats, the integer for integers
  double (*load)(const void*);
};

template <typename T>
Element integer() {
  return {sizeof(T), false, [](void* p, double, std::int64_t v) { T t = static_cast<T>(v); std::memcpy(p, &t, sizeof t); },
          [](const void* p) { T t; std::memcpy(&t, p, sizeof t); return static_cast<double>(t); }};
}
template <typename T>
Element floating() {
  return {sizeof(T), true, [](void* p, double v, std::int64_t) { T t = static_cast<T>(v); std::memcpy(p, &t, sizeof t); },
          [](const void* p) { T t; std::memcpy(&t, p, sizeof t); return static_cast<double>(t); }};
}

const Element& element(const std::string& name) {
  static const std::map<std::string, Element> table = {
      {"i8", integer<std::int8_t>()},   {"u8", integer<std::uint8_t>()},   {"i16", integer<std::int16_t>()},
      {"u16", integer<std::uint16_t>()}, {"i32", integer<std::int32_t>()},  {"u32", integer<std::uint32_t>()},
      {"i64", integer<std::int64_t>()}, {"u64", integer<std::uint64_t>()}, {"f32", floating<float>()},
      {"f64", floating<double>()},
      {"f16", {2, true, [](void* p, double v, std::int64_t) { auto h = half_from(v); std::memcpy(p, &h, 2); },
               [](const void* p) { std::uint16_t h; std::memcpy(&h, p, 2); return half_value(h); }}}};
  const auto found = table.find(name);
  if (found == table.end()) fail("no element type " + name);
  return found->second;
}

struct Buffer {
  const Element* type;
  std::uint64_t count;
  std::vector<char> bytes;
  CUdeviceptr device = 0;
};

// buf:TYPE:COUNT:INIT[:PARAMETER]
Buffer make_buffer(const std::vector<std::string>& parts) {
  Buffer b{&element(parts.at(1)), std::stoull(parts.at(2)), {}};
  b.bytes.resize(b.count * b.type->size);
  const std::string& init = parts.at(3);
  if (init == "file") {
    std::ifstream in(parts.at(4), std::ios::binary);
    if (!in.read(b.bytes.data(), static_cast<std::streamsize>(b.bytes.size()))) fail("cannot read " + parts[4]);
    return b;
  }
  const std::string parameter = parts.size() > 4 ? parts[4] : "0";
  const double real = std::stod(parameter);
  const auto whole = static_cast<std::int64_t>(real);
  for (std::uint64_t i = 0; i < b.count; ++i) {
    const std::uint32_t h = fmix32(static_cast<std::uint32_t>(i));
    double value = 0;
    std::int64_t number = 0;
    if (init == "iota") value = static_cast<double>(number = static_cast<std::int64_t>(i));
    else if (init == "const") { value = real; number = whole; }
    else if (init == "hash") { value = h * 0x1p-31 - 1.0; number = h; }
    else if (init == "mod") value = static_cast<double>(number = static_cast<std::int64_t>(h % whole));
    else if (init == "perm") value = static_cast<double>(number = static_cast<std::int64_t>(i * whole % b.count));
    else if (init != "zero") fail("no initialiser " + init);
    b.type->store(b.bytes.data() + i * b.type->size, value, number);
  }
  return b;
}

double checksum(const Buffer& b) {
  double sum = 0;
  for (std::uint64_t i = 0; i < b.count; ++i)
    sum += b.type->load(b.bytes.data() + i * b.type->size) * static_cast<double>(1 + i % 7);
  return sum;
}

__global__ void hold(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}
__global__ void nothing() {}

void check(cudaError_t result, const std::string& what) {
  if (result != cudaSuccess) fail(what + ": " + cudaGetErrorString(result));
}

// Median microseconds of `launch`, each behind `before`.
template <typename Before, typename Launch>
double median_time(int runs, const Before& before, const Launch& launch) {
  std::vector<cudaEvent_t> events(static_cast<std::size_t>(2 * runs));
  for (cudaEvent_t& e : events) check(cudaEventCreate(&e), "event");
  hold<<<1, 1>>>(60000LL * runs);
  for (int i = 0; i < runs; ++i) {
    before();
    check(cudaEventRecord(events[2 * i]), "record");
    launch();
    check(cudaEventRecord(events[2 * i + 1]), "record");
  }
  check(cudaDeviceSynchronize(), "timed runs");
  std::vector<float> times(static_cast<std::size_t>(runs));
  for (int i = 0; i < runs; ++i) check(cudaEventElapsedTime(&times[i], events[2 * i], events[2 * i + 1]), "elapsed");
  for (cudaEvent_t e : events) cudaEventDestroy(e);
  std::sort(times.begin(), times.end());
  return 1000.0 * (times[static_cast<std::size_t>(runs - 1) / 2] + times[static_cast<std::size_t>(runs) / 2]) / 2;
}

void run(const std::string& line, FILE* out, int runs) {
  DRIVER(cuModuleLoad); DRIVER(cuModuleUnload); DRIVER(cuModuleGetFunction); DRIVER(cuMemAlloc); DRIVER(cuMemFree);
  DRIVER(cuMemcpyHtoD); DRIVER(cuMemcpyDtoH); DRIVER(cuFuncSetAttribute); DRIVER(cuFuncGetAttribute);
  DRIVER(cuLaunchKernel); DRIVER(cuCtxSynchronize); DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  const auto field = split(line, '\t');
  const std::string& id = field.at(0);
  CUmodule module;
  CUfunction function;
  check(cuModuleLoad_(&module, field.at(1).c_str()), id + " load");
  check(cuModuleGetFunction_(&function, module, field.at(2).c_str()), id + " function");
  unsigned dim[6];
  for (int k = 0; k < 6; ++k) dim[k] = static_cast<unsigned>(std::stoul(field.at(3 + k)));
  const int shared = std::stoi(field.at(9));
  if (shared > 48 * 1024 - 1024)
    check(cuFuncSetAttribute_(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared), id + " shared");
  std::vector<Buffer> buffers;
  std::vector<std::uint64_t> values(field.size());
  std::vector<void*> arguments;
  for (std::size_t k = 10; k < field.size(); ++k) {
    const auto part = split(field[k], ':');
    if (part.at(0) == "buf") {
      buffers.push_back(make_buffer(part));
      Buffer& b = buffers.back();
      check(cuMemAlloc_(&b.device, b.bytes.size()), id + " alloc");
      check(cuMemcpyHtoD_(b.device, b.bytes.data(), b.bytes.size()), id + " copy in");
      values[k] = b.device;
    } else {
      const Element& type = element(part[0]);
      type.store(&values[k], std::stod(part.at(1)), type.floating ? 0 : std::stoll(part.at(1)));
    }
    arguments.push_back(&values[k]);
  }
  const auto launch = [&] {
    check(cuLaunchKernel_(function, dim[0], dim[1], dim[2], dim[3], dim[4], dim[5], static_cast<unsigned>(shared), nullptr,
                          arguments.data(), nullptr),
          id + " launch");
  };
  if (runs > 0) {
    DRIVER(cuMemcpyDtoD);
    std::vector<CUdeviceptr> kept;
    for (const Buffer& b : buffers) {
      check(cuMemAlloc_(&kept.emplace_back(), b.bytes.size()), id + " alloc");
      check(cuMemcpyDtoD_(kept.back(), b.device, b.bytes.size()), id + " keep");
    }
    const auto restore = [&] {
      for (std::size_t i = 0; i < buffers.size(); ++i)
        check(cudaMemcpyAsync(reinterpret_cast<void*>(buffers[i].device), reinterpret_cast<void*>(kept[i]),
                              buffers[i].bytes.size(), cudaMemcpyDeviceToDevice),
              id + " restore");
    };
    static void* eviction = nullptr;
    static std::size_t evicted = 0;
    if (eviction == nullptr) {
      cudaDeviceProp device;
      check(cudaGetDeviceProperties(&device, 0), "properties");
      evicted = 2 * static_cast<std::size_t>(device.l2CacheSize);
      check(cudaMalloc(&eviction, evicted), "alloc");
    }
    median_time(2, restore, launch);
    const double flushed = median_time(runs, [&] { restore(); check(cudaMemsetAsync(eviction, 0, evicted), "flush"); }, launch);
    std::fprintf(out, "%s\t%.3f\t%.3f\n", id.c_str(), flushed, median_time(runs, restore, launch));
    for (const Buffer& b : buffers) cuMemFree_(b.device);
    for (const CUdeviceptr k : kept) cuMemFree_(k);
    cuModuleUnload_(module);
    return;
  }
  launch();
  check(cuCtxSynchronize_(), id + " run");
  int registers = 0, static_shared = 0, local = 0, blocks = 0;
  cuFuncGetAttribute_(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
  cuFuncGetAttribute_(&static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  cuFuncGetAttribute_(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
  cuOccupancyMaxActiveBlocksPerMultiprocessor_(&blocks, function, static_cast<int>(dim[3] * dim[4] * dim[5]),
                                               static_cast<std::size_t>(shared));
  std::fprintf(out, "%s\t%d\t%d\t%d\t%d", id.c_str(), registers, static_shared, local, blocks);
  for (Buffer& b : buffers) {
    check(cuMemcpyDtoH_(b.bytes.data(), b.device, b.bytes.size()), id + " copy out");
    std::fprintf(out, "\t%.17g", checksum(b));
    cuMemFree_(b.device);
  }
  std::fprintf(out, "\n");
  cuModuleUnload_(module);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage: runner PLAN RESULTS [FIRST COUNT [RUNS]]");
  if (cudaFree(nullptr) != cudaSuccess) fail("no CUDA device");
  std::ifstream plan(argv[1]);
  FILE* out = std::fopen(argv[2], "w");
  if (!plan || !out) fail("cannot open the plan or the results");
  const long first = argc > 3 ? std::atol(argv[3]) : 0;
  const long count = argc > 4 ? std::atol(argv[4]) : 1000000;
  const int runs = argc > 5 ? std::atoi(argv[5]) : 0;
  if (runs > 0) {
    const auto none = [] {};
    median_time(20, none, [] { nothing<<<1, 32>>>(); });
    const double empty = median_time(20, none, [] { nothing<<<1, 32>>>(); });
    std::fprintf(out, "(empty)\t%.3f\t%.3f\n", empty, empty);
  }
  long number = 0;
  for (std::string line; std::getline(plan, line); ++number)
    if (!line.empty() && number >= first && number < first + count) run(line, out, runs);
  std::fclose(out);
  return 0;
}
