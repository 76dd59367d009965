// Markdown as blocks of styled words: what the window lays out and the book writes.
//
//   for (const Block& block : parse_markdown("A **warp** of [[lane|lanes]].")) draw(block);
//
// CommonMark with tables; a [[term]] or [[term|shown]] is a span with its term.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/glossary.h"

namespace warplens::lesson {

struct Span {
  std::string text;
  bool bold = false, italic = false, code = false;
  std::string term;  // of the glossary
  std::string link;
};

struct Block {
  enum class Kind { Paragraph, Heading, Item, Code, TableHead, TableRow, Quote, Rule } kind = Kind::Paragraph;
  int level = 0;   // Heading: 1 to 6; Item: depth from 0
  int number = 0;  // Item: of a numbered list, from 1; 0: a bullet
  std::vector<Span> spans;
  std::vector<std::vector<Span>> cells;  // of a table's row
  std::string code;                      // Code, with its line ends
};

std::vector<Block> parse_markdown(std::string_view text);
// As HTML; terms that the glossary has become links into its page, "glossary.html#ID", others plain words.
std::string markdown_html(std::string_view text, const Glossary* glossary = nullptr);

}  // namespace warplens::lesson
