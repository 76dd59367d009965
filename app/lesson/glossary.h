// The terms of the interface: assets/glossary.toml. A lesson links to one as [[id]] or [[id|shown]].
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "engine/base/message.h"

namespace warplens::lesson {

struct Term {
  std::string id;
  std::map<std::string, std::string> name, plain,
      text;                                // language -> what it is called, a plain word, meaning
  std::string counter;                     // the profiler's name for it; mostly empty
  std::string kernel, view;                // where it can be seen
  std::map<std::string, std::string> set;  // of that kernel: slider -> number or name of a choice
  std::vector<std::string> also;           // other words for it in the interface, of any language
  bool linked = true;  // false: its names mean something else as well, so that only `also` are links
};
// The sliders of its kernel where the term is seen: those of `set`, the others at their defaults.
model::SliderValues seen_at(const Term& term, const model::GalleryKernel& kernel);

// A term where it stands in a text, in bytes.
struct Mention {
  const Term* term = nullptr;
  std::size_t begin = 0, length = 0;
};

struct Glossary {
  std::vector<Term> terms;  // in the order of the file
  std::vector<Error> problems;
  // By id, or by one of its names, whatever its capitals.
  const Term* find(std::string_view id) const;
  // Every term that a text of the interface names, from left to right, the longest where several begin; whole
  // words of English, also in the plural.
  std::vector<Mention> named_in(std::string_view text) const;
};
// Stall reasons are terms, too: what the messages say of each, `counter.stall` and `counter.stall_means`.
Glossary load_glossary();
Glossary load_glossary(const std::filesystem::path& file);

}  // namespace warplens::lesson
