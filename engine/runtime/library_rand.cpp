// cuRAND's host calls, computed on the CPU. The numbers have the distribution that is asked for and depend on
// the seed alone, but they are not those of cuRAND's generators.
#if __has_include(<curand.h>)
#include <curand.h>
#include <dlfcn.h>

#include <cmath>
#include <random>

#include "engine/runtime/host_library.h"
#include "engine/runtime/refuse.h"

struct curandGenerator_st {
  std::uint64_t seed = 0;
  unsigned long long offset = 0;
  std::mt19937_64 engine;
  bool seeded = false;
};

namespace {

using namespace warplens::runtime;

// In (0, 1], as cuRAND has it.
template <typename T>
T uniform(std::mt19937_64& engine) {
  constexpr int kBits = std::is_same_v<T, float> ? 24 : 53;
  return std::ldexp(static_cast<T>((engine() >> (64 - kBits)) + 1), -kBits);
}

template <typename T>
T normal(std::mt19937_64& engine) {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(uniform<double>(engine)));
  return static_cast<T>(radius * std::cos(kTwoPi * uniform<double>(engine)));
}

template <typename T, typename Make>
curandStatus_t fill(const char* function, curandGenerator_t generator, T* out, std::size_t count,
                    Make&& make) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return on_host<curandStatus_t>(function, CURAND_STATUS_LAUNCH_FAILURE, [&] {
    if (out == nullptr && count > 0) return CURAND_STATUS_OUT_OF_RANGE;
    if (!generator->seeded) {
      generator->engine.seed(generator->seed);
      generator->engine.discard(generator->offset);
      generator->seeded = true;
    }
    for (std::size_t i = 0; i < count; ++i) out[i] = make(generator->engine);
    return CURAND_STATUS_SUCCESS;
  });
}

// A function of the vendor's library where it is installed; nullptr otherwise. By its name alone the loader
// may find ours.
template <typename Function>
Function* vendors(const char* name, Function* ours) {
  for (const char* file : {"libcurand.so.10", "/usr/local/cuda/lib64/libcurand.so.10"}) {
    void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    auto* const found = library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
    if (found != nullptr && found != ours) return found;
  }
  return nullptr;
}

curandStatus_t refused(const char* function) {
  return static_cast<curandStatus_t>(refuse(function, CURAND_STATUS_OUT_OF_RANGE));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  if (type >= CURAND_RNG_QUASI_DEFAULT) {
    context().not_supported("curandCreateGenerator of a quasi-random generator");
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  generator->seed = seed;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->offset = offset;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) {
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t) {
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, std::size_t count) {
  return fill("curandGenerate", generator, out, count,
              [](auto& engine) { return static_cast<unsigned>(engine() >> 32); });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out,
                                      std::size_t count) {
  return fill("curandGenerateLongLong", generator, out, count, [](auto& engine) { return engine(); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t count) {
  return fill("curandGenerateUniform", generator, out, count, uniform<float>);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, std::size_t count) {
  return fill("curandGenerateUniformDouble", generator, out, count, uniform<double>);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t count, float mean,
                                    float deviation) {
  return fill("curandGenerateNormal", generator, out, count,
              [=](auto& engine) { return mean + deviation * normal<float>(engine); });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, std::size_t count,
                                          double mean, double deviation) {
  return fill("curandGenerateNormalDouble", generator, out, count,
              [=](auto& engine) { return mean + deviation * normal<double>(engine); });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, std::size_t count, float mean,
                                       float deviation) {
  return fill("curandGenerateLogNormal", generator, out, count,
              [=](auto& engine) { return std::exp(mean + deviation * normal<float>(engine)); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, std::size_t count,
                                             double mean, double deviation) {
  return fill("curandGenerateLogNormalDouble", generator, out, count,
              [=](auto& engine) { return std::exp(mean + deviation * normal<double>(engine)); });
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, std::size_t count,
                                     double lambda) {
  if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  return fill(
      "curandGeneratePoisson", generator, out, count,
      [made = std::poisson_distribution<unsigned>(lambda)](auto& engine) mutable { return made(engine); });
}

// Tables that only the vendor's library has, which needs no GPU for them.
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** out, curandDirectionVectorSet_t set) {
  const auto theirs = vendors("curandGetDirectionVectors32", &curandGetDirectionVectors32);
  return theirs == nullptr ? refused("curandGetDirectionVectors32") : theirs(out, set);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** out, curandDirectionVectorSet_t set) {
  const auto theirs = vendors("curandGetDirectionVectors64", &curandGetDirectionVectors64);
  return theirs == nullptr ? refused("curandGetDirectionVectors64") : theirs(out, set);
}
curandStatus_t curandGetScrambleConstants32(unsigned** out) {
  const auto theirs = vendors("curandGetScrambleConstants32", &curandGetScrambleConstants32);
  return theirs == nullptr ? refused("curandGetScrambleConstants32") : theirs(out);
}
curandStatus_t curandGetScrambleConstants64(unsigned long long** out) {
  const auto theirs = vendors("curandGetScrambleConstants64", &curandGetScrambleConstants64);
  return theirs == nullptr ? refused("curandGetScrambleConstants64") : theirs(out);
}

}  // extern "C"
#pragma GCC visibility pop
#endif
