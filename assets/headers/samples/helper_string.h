// Options of the toolkit's samples: -name, --name, -name=value.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#include <strings.h>
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define SPRINTF sprintf
#define SSCANF sscanf
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) ((result) == nullptr)
#endif

static inline int stringRemoveDelimiter(char delimiter, const char* text) {
  int begin = 0;
  while (text[begin] == delimiter) ++begin;
  return begin >= static_cast<int>(std::strlen(text)) - 1 ? 0 : begin;
}
// What stands behind the name of an option; nothing: it was not given.
static inline const char* warplens_option(int argc, const char** argv, const char* name) {
  const std::size_t length = std::strlen(name) - (name[0] != 0 && name[std::strlen(name) - 1] == '=' ? 1 : 0);
  for (int i = 1; i < argc; ++i) {
    const char* text = argv[i] + stringRemoveDelimiter('-', argv[i]);
    if (STRNCASECMP(text, name, length) != 0 || (text[length] != 0 && text[length] != '=')) continue;
    return text[length] == '=' ? text + length + 1 : text + length;
  }
  return nullptr;
}
static inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) {
  return warplens_option(argc, argv, name) != nullptr;
}
static inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
  const char* value = warplens_option(argc, argv, name);
  return value != nullptr ? std::atoi(value) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
  const char* value = warplens_option(argc, argv, name);
  return value != nullptr ? static_cast<float>(std::atof(value)) : 0.0f;
}
template <typename T>
static bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* to) {
  const char* value = warplens_option(argc, argv, name);
  if (value != nullptr) *to = static_cast<T>(std::atof(value));
  return value != nullptr;
}
static inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** to) {
  const char* value = warplens_option(argc, argv, name);
  *to = const_cast<char*>(value);
  return value != nullptr;
}
// A data file of a sample: where its name says, beside the program, or in data/. The caller frees the name.
static inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"", "./", "./data/", "../data/", "../", "../../data/"}) {
    const std::string path = std::string(folder) + name;
    if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
      std::fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
