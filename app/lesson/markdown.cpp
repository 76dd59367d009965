#include "app/lesson/markdown.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>

#include "engine/base/markup.h"

namespace warplens::lesson {
namespace {

class Builder {
 public:
  static int enter_block(MD_BLOCKTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->enter(type, detail);
  }
  static int leave_block(MD_BLOCKTYPE type, void*, void* self) {
    return static_cast<Builder*>(self)->leave(type);
  }
  static int enter_span(MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->style(type, detail, true);
  }
  static int leave_span(MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->style(type, detail, false);
  }
  static int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    return static_cast<Builder*>(self)->text(type, std::string_view(text, size));
  }
  std::vector<Block> take() { return std::move(blocks_); }

 private:
  Block& begin(Block::Kind kind) {
    blocks_.push_back({});
    blocks_.back().kind = kind;
    return blocks_.back();
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P:
        // The text of a list's item stands in the item.
        if (!fresh_item_) begin(quote_ > 0 ? Block::Kind::Quote : Block::Kind::Paragraph);
        fresh_item_ = false;
        break;
      case MD_BLOCK_H:
        begin(Block::Kind::Heading).level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_QUOTE:
        ++quote_;
        break;
      case MD_BLOCK_UL:
        numbers_.push_back(0);
        break;
      case MD_BLOCK_OL:
        numbers_.push_back(static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start));
        break;
      case MD_BLOCK_LI: {
        Block& item = begin(Block::Kind::Item);
        item.level = static_cast<int>(numbers_.size()) - 1;
        if (!numbers_.empty() && numbers_.back() > 0) item.number = numbers_.back()++;
        fresh_item_ = true;
        break;
      }
      case MD_BLOCK_CODE:
        begin(Block::Kind::Code);
        break;
      case MD_BLOCK_HR:
        begin(Block::Kind::Rule);
        break;
      case MD_BLOCK_THEAD:
        head_ = true;
        break;
      case MD_BLOCK_TR:
        begin(head_ ? Block::Kind::TableHead : Block::Kind::TableRow);
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        blocks_.back().cells.emplace_back();
        break;
      default:
        break;
    }
    return 0;
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_QUOTE) --quote_;
    if ((type == MD_BLOCK_UL || type == MD_BLOCK_OL) && !numbers_.empty()) numbers_.pop_back();
    if (type == MD_BLOCK_LI) fresh_item_ = false;
    if (type == MD_BLOCK_THEAD) head_ = false;
    return 0;
  }

  int style(MD_SPANTYPE type, void* detail, bool on) {
    const auto attribute = [](const MD_ATTRIBUTE& a) { return std::string(a.text, a.size); };
    if (type == MD_SPAN_STRONG) style_.bold = on;
    if (type == MD_SPAN_EM) style_.italic = on;
    if (type == MD_SPAN_CODE) style_.code = on;
    if (type == MD_SPAN_A) style_.link = on ? attribute(static_cast<MD_SPAN_A_DETAIL*>(detail)->href) : "";
    if (type == MD_SPAN_WIKILINK)
      style_.term = on ? attribute(static_cast<MD_SPAN_WIKILINK_DETAIL*>(detail)->target) : "";
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (blocks_.empty()) begin(Block::Kind::Paragraph);
    Block& block = blocks_.back();
    if (block.kind == Block::Kind::Code) {
      block.code += text;
      return 0;
    }
    std::vector<Span>& spans = block.cells.empty() ? block.spans : block.cells.back();
    Span span = style_;
    span.text = type == MD_TEXT_SOFTBR ? " " : type == MD_TEXT_BR ? "\n" : std::string(text);
    if (!spans.empty() && same_style(spans.back(), span))
      spans.back().text += span.text;
    else
      spans.push_back(std::move(span));
    return 0;
  }
  static bool same_style(const Span& a, const Span& b) {
    return a.bold == b.bold && a.italic == b.italic && a.code == b.code && a.term == b.term &&
           a.link == b.link;
  }

  std::vector<Block> blocks_;
  std::vector<int> numbers_;  // of the lists we are in; 0: bullets
  Span style_;
  int quote_ = 0;
  bool fresh_item_ = false, head_ = false;
};

std::string spans_html(const std::vector<Span>& spans, const Glossary* glossary) {
  std::string out;
  for (const Span& span : spans) {
    std::string text = escaped_markup(span.text);
    if (span.code) text = "<code>" + text + "</code>";
    if (span.bold) text = "<strong>" + text + "</strong>";
    if (span.italic) text = "<em>" + text + "</em>";
    if (!span.link.empty()) text = fmt::format("<a href=\"{}\">{}</a>", escaped_markup(span.link), text);
    if (const Term* term = glossary == nullptr || span.term.empty() ? nullptr : glossary->find(span.term))
      text =
          fmt::format("<a class=\"term\" href=\"glossary.html#{}\">{}</a>", escaped_markup(term->id), text);
    out += text;
  }
  return out;
}

// A run of items as nested lists, by their depth.
std::string list_html(const std::vector<Block>& blocks, std::size_t& at, int level,
                      const Glossary* glossary) {
  const bool numbered = blocks[at].number > 0;
  std::string out = numbered ? "<ol>" : "<ul>";
  while (at < blocks.size() && blocks[at].kind == Block::Kind::Item && blocks[at].level >= level) {
    if (blocks[at].level > level) {
      out += list_html(blocks, at, blocks[at].level, glossary);
      continue;
    }
    out += "<li>" + spans_html(blocks[at].spans, glossary) + "</li>";
    ++at;
  }
  return out + (numbered ? "</ol>\n" : "</ul>\n");
}

std::string table_html(const std::vector<Block>& blocks, std::size_t& at, const Glossary* glossary) {
  std::string out = "<table>";
  for (; at < blocks.size(); ++at) {
    const bool head = blocks[at].kind == Block::Kind::TableHead;
    if (!head && blocks[at].kind != Block::Kind::TableRow) break;
    out += "<tr>";
    for (const auto& cell : blocks[at].cells)
      out += fmt::format("<{0}>{1}</{0}>", head ? "th" : "td", spans_html(cell, glossary));
    out += "</tr>";
  }
  return out + "</table>\n";
}

}  // namespace

std::vector<Block> parse_markdown(std::string_view text) {
  Builder builder;
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_WIKILINKS | MD_FLAG_NOHTML | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = Builder::enter_block;
  parser.leave_block = Builder::leave_block;
  parser.enter_span = Builder::enter_span;
  parser.leave_span = Builder::leave_span;
  parser.text = Builder::add_text;
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &builder);
  return builder.take();
}

std::string markdown_html(std::string_view text, const Glossary* glossary) {
  const std::vector<Block> blocks = parse_markdown(text);
  std::string out;
  for (std::size_t i = 0; i < blocks.size();) {
    const Block& block = blocks[i];
    using BlockKind = Block::Kind;
    if (block.kind == BlockKind::Item) {
      out += list_html(blocks, i, block.level, glossary);
      continue;
    }
    if (block.kind == BlockKind::TableHead || block.kind == BlockKind::TableRow) {
      out += table_html(blocks, i, glossary);
      continue;
    }
    if (block.kind == BlockKind::Code) out += "<pre><code>" + escaped_markup(block.code) + "</code></pre>\n";
    if (block.kind == BlockKind::Rule) out += "<hr>\n";
    if (block.kind == BlockKind::Paragraph) out += "<p>" + spans_html(block.spans, glossary) + "</p>\n";
    if (block.kind == BlockKind::Quote)
      out += "<blockquote><p>" + spans_html(block.spans, glossary) + "</p></blockquote>\n";
    if (block.kind == BlockKind::Heading)
      out +=
          fmt::format("<h{0}>{1}</h{0}>\n", std::min(block.level + 2, 6), spans_html(block.spans, glossary));
    ++i;
  }
  return out;
}

}  // namespace warplens::lesson
