// Pictures and comparisons of the toolkit's samples.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

// PGM (P5) and PPM (P6), eight bits a channel.
static inline bool __loadPPM(const char* name, unsigned char** data, unsigned int* width, unsigned int* height,
                             unsigned int* channels) {
  std::FILE* file = std::fopen(name, "rb");
  if (file == nullptr) return false;
  char magic[3] = {};
  unsigned int numbers[3] = {};
  bool fine = std::fscanf(file, "%2s", magic) == 1;
  for (int i = 0; fine && i < 3;) {
    int c = std::fgetc(file);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') c = std::fgetc(file);
    if (c == '#') {
      while (c != '\n' && c != EOF) c = std::fgetc(file);
      continue;
    }
    std::ungetc(c, file);
    fine = std::fscanf(file, "%u", &numbers[i++]) == 1;
  }
  std::fgetc(file);
  *channels = std::strcmp(magic, "P5") == 0 ? 1 : std::strcmp(magic, "P6") == 0 ? 3 : 0;
  fine = fine && *channels > 0 && numbers[0] < 65536 && numbers[1] < 65536;
  const std::size_t bytes = fine ? std::size_t{numbers[0]} * numbers[1] * *channels : 0;
  if (fine && *data != nullptr) fine = *width == numbers[0] && *height == numbers[1];
  if (fine && *data == nullptr) *data = static_cast<unsigned char*>(std::malloc(bytes));
  if (fine) {
    *width = numbers[0];
    *height = numbers[1];
    fine = std::fread(*data, 1, bytes, file) == bytes;
  }
  std::fclose(file);
  return fine;
}
static inline bool __savePPM(const char* name, unsigned char* data, unsigned int width, unsigned int height,
                             unsigned int channels) {
  std::FILE* file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P%d\n%u\n%u\n255\n", channels == 1 ? 5 : 6, width, height);
  const std::size_t bytes = std::size_t{width} * height * channels;
  const bool fine = std::fwrite(data, 1, bytes, file) == bytes;
  return std::fclose(file) == 0 && fine;
}
template <typename T>
static bool sdkLoadPGM(const char* name, T** data, unsigned int* width, unsigned int* height) {
  unsigned char* bytes = nullptr;
  unsigned int channels = 0;
  if (!__loadPPM(name, &bytes, width, height, &channels)) return false;
  const std::size_t count = std::size_t{*width} * *height;
  if (*data == nullptr) *data = static_cast<T*>(std::malloc(count * sizeof(T)));
  for (std::size_t i = 0; i < count; ++i)
    (*data)[i] = sizeof(T) == 1 ? static_cast<T>(bytes[i * channels]) : static_cast<T>(bytes[i * channels] / 255.0f);
  std::free(bytes);
  return true;
}
template <typename T>
static bool sdkSavePGM(const char* name, T* data, unsigned int width, unsigned int height) {
  std::vector<unsigned char> bytes(std::size_t{width} * height);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(sizeof(T) == 1 ? data[i] : data[i] * T(255));
  return __savePPM(name, bytes.data(), width, height, 1);
}
template <typename T>
static bool sdkLoadPPM4(const char* name, T** data, unsigned int* width, unsigned int* height) {
  unsigned char* bytes = nullptr;
  unsigned int channels = 0;
  if (!__loadPPM(name, &bytes, width, height, &channels)) return false;
  const std::size_t count = std::size_t{*width} * *height;
  auto* to = static_cast<unsigned char*>(std::malloc(count * 4));
  for (std::size_t i = 0; i < count; ++i) {
    for (unsigned int c = 0; c < 3; ++c) to[4 * i + c] = bytes[channels * i + (channels == 3 ? c : 0)];
    to[4 * i + 3] = 0;
  }
  std::free(bytes);
  *data = reinterpret_cast<T*>(to);
  return true;
}
static inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned int* width, unsigned int* height) {
  return sdkLoadPPM4(name, data, width, height);
}
static inline bool sdkSavePPMub(const char* name, unsigned char* data, unsigned int width, unsigned int height) {
  return __savePPM(name, data, width, height, 3);
}
static inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned int width, unsigned int height) {
  const std::size_t count = std::size_t{width} * height;
  std::vector<unsigned char> bytes(count * 3);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < 3; ++c) bytes[3 * i + c] = data[4 * i + c];
  return __savePPM(name, bytes.data(), width, height, 3);
}
template <typename T>
static bool sdkReadFile(const char* name, T** data, unsigned int* count, bool) {
  std::FILE* file = std::fopen(name, "r");
  if (file == nullptr) return false;
  std::vector<T> values;
  if (int first = std::fgetc(file); first == '#')
    while (first != '\n' && first != EOF) first = std::fgetc(file);
  else
    std::ungetc(first, file);
  for (double value = 0; std::fscanf(file, "%lf", &value) == 1;) values.push_back(static_cast<T>(value));
  std::fclose(file);
  if (*data == nullptr) *data = static_cast<T*>(std::malloc(values.size() * sizeof(T)));
  *count = static_cast<unsigned int>(values.size());
  std::memcpy(*data, values.data(), values.size() * sizeof(T));
  return true;
}
// One block of `size` values out of a file of them.
template <typename T>
static bool sdkReadFileBlocks(const char* name, T** data, unsigned int* count, unsigned int block, unsigned int size,
                              bool) {
  std::FILE* file = std::fopen(name, "rb");
  if (file == nullptr) return false;
  std::fseek(file, static_cast<long>(std::size_t{block} * size * sizeof(T)), SEEK_SET);
  *count = static_cast<unsigned int>(std::fread(data[block], sizeof(T), size, file));
  std::fclose(file);
  return true;
}
template <typename T, typename S>
static bool sdkWriteFile(const char* name, const T* data, unsigned int count, S epsilon, bool, bool append = false) {
  std::FILE* file = std::fopen(name, append ? "a" : "w");
  if (file == nullptr) return false;
  std::fprintf(file, "# %g\n", static_cast<double>(epsilon));
  for (unsigned int i = 0; i < count; ++i) std::fprintf(file, "%g ", static_cast<double>(data[i]));
  return std::fclose(file) == 0;
}
static inline void sdkDumpBin(void* data, unsigned int bytes, const char* name) {
  std::FILE* file = std::fopen(name, "wb");
  if (file == nullptr) return;
  std::fwrite(data, 1, bytes, file);
  std::fclose(file);
}
// Equal within `epsilon`; with a threshold, when at most that share of them is not.
template <typename T, typename S>
static bool compareData(const T* reference, const T* data, unsigned int count, S epsilon, float threshold) {
  std::size_t wrong = 0;
  for (unsigned int i = 0; i < count; ++i)
    wrong += std::fabs(static_cast<double>(reference[i]) - static_cast<double>(data[i])) > epsilon ? 1 : 0;
  return threshold == 0.0f ? wrong == 0 : static_cast<float>(wrong) <= threshold * static_cast<float>(count);
}
template <typename T>
static bool sdkCompareData(const T* reference, const T* data, unsigned int count, float epsilon, float threshold = 0) {
  return compareData(reference, data, count, epsilon, threshold);
}
template <typename T, typename S>
static bool compareDataAsFloatThreshold(const T* reference, const T* data, unsigned int count, S epsilon,
                                        float threshold) {
  return compareData(reference, data, count, epsilon, threshold);
}
// Two binary files of values, of which the second may lie beside the program.
template <typename T>
static bool warplens_compare_files(const char* name, const char* wanted, unsigned int count, float epsilon,
                                   float threshold, char* program) {
  const auto values = [count](const char* of) {
    std::vector<T> read(count);
    std::FILE* file = of == nullptr ? nullptr : std::fopen(of, "rb");
    const bool fine = file != nullptr && std::fread(read.data(), sizeof(T), count, file) == count;
    if (file != nullptr) std::fclose(file);
    if (!fine) read.clear();
    return read;
  };
  const std::vector<T> got = values(name), reference = values(sdkFindFilePath(wanted, program));
  return !got.empty() && got.size() == reference.size() &&
         compareData(reference.data(), got.data(), count, epsilon, threshold);
}
static inline bool sdkCompareBin2BinUint(const char* name, const char* wanted, unsigned int count, float epsilon,
                                         float threshold, char* program) {
  return warplens_compare_files<unsigned int>(name, wanted, count, epsilon, threshold, program);
}
static inline bool sdkCompareBin2BinFloat(const char* name, const char* wanted, unsigned int count, float epsilon,
                                          float threshold, char* program) {
  return warplens_compare_files<float>(name, wanted, count, epsilon, threshold, program);
}
// Two pictures of the same size, grey or coloured.
static inline bool sdkComparePPM(const char* name, const char* wanted, float epsilon, float threshold, bool) {
  unsigned char *got = nullptr, *reference = nullptr;
  unsigned int width[2] = {}, height[2] = {}, channels[2] = {};
  const bool same = __loadPPM(name, &got, width, height, channels) &&
                    __loadPPM(wanted, &reference, width + 1, height + 1, channels + 1) && width[0] == width[1] &&
                    height[0] == height[1] && channels[0] == channels[1] &&
                    compareData(reference, got, width[0] * height[0] * channels[0], epsilon, threshold);
  std::free(got);
  std::free(reference);
  return same;
}
static inline bool sdkComparePGM(const char* name, const char* wanted, float epsilon, float threshold, bool) {
  return sdkComparePPM(name, wanted, epsilon, threshold, false);
}
static inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned int count, float epsilon) {
  double error = 0, norm = 0;
  for (unsigned int i = 0; i < count; ++i) {
    error += double(reference[i] - data[i]) * double(reference[i] - data[i]);
    norm += double(reference[i]) * double(reference[i]);
  }
  return norm > 0 && std::sqrt(error) / std::sqrt(norm) < epsilon;
}
