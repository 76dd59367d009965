// The words of a lesson's text, as lines are made of them.
#pragma once

#include <string>
#include <vector>

#include "app/lesson/markdown.h"

namespace warplens::window {

struct Word {
  std::string text;
  const lesson::Span* span = nullptr;
  bool space_before = false, breaks = false;
  float width = 0;
};

// Words between blanks; each Chinese character is one of its own, with the signs that close it.
std::vector<Word> words_of(const std::vector<lesson::Span>& spans);
// Whether no line ends between two neighbours: a bracket and what it holds may be of two styles, one of them
// code.
bool stay_together(const Word& word, const Word& next);

}  // namespace warplens::window
