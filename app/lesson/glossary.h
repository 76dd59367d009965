// The terms of the interface: assets/glossary.toml. A lesson links to one as [[id]] or [[id|shown]].
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace warplens::lesson {

struct Term {
  std::string id;
  std::map<std::string, std::string> name, plain,
      text;                  // language -> what it is called, a plain word, meaning
  std::string counter;       // the profiler's name for it; mostly empty
  std::string kernel, view;  // where it can be seen
};

struct Glossary {
  std::vector<Term> terms;  // in the order of the file
  std::vector<Error> problems;
  // By id, or by one of its names, whatever its capitals.
  const Term* find(std::string_view id) const;
};
Glossary load_glossary();
Glossary load_glossary(const std::filesystem::path& file);

}  // namespace warplens::lesson
