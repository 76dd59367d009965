#include "visual/code_rows.h"

#include <algorithm>

#include "engine/base/typography.h"

namespace warplens::visual {
namespace {

constexpr std::string_view kEllipsis = "…";

std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string first_letters(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (; most > 0 && end < text.size(); --most) end += character_length(text.substr(end));
  return std::string(text.substr(0, end));
}

// Of a piece without blanks that is too wide: as far as it fits, to behind an operator if there is one.
std::size_t broken_piece(std::string_view piece, float room, const CodeRoom& pane) {
  std::size_t fits = 0, behind_operator = 0;
  for (std::size_t at = 0; at < piece.size();) {
    at += character_length(piece.substr(at));
    if (pane.measure(piece.substr(0, at)) > room) break;
    fits = at;
    if (std::string_view(",(+-*/=&|?:;<>").find(piece[at - 1]) != std::string_view::npos)
      behind_operator = at;
  }
  if (behind_operator > 0) return behind_operator;
  return std::max(fits, character_length(piece));
}

// Behind the comma that ends the grid, of "f<<<dim3(2, 3), 64>>>(" whose <<< is at `open`.
std::size_t behind_grid(std::string_view head, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < head.size(); ++at) {
    depth += head[at] == '(' ? 1 : head[at] == ')' ? -1 : 0;
    if (head[at] == ',' && depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// What goes on stands so far in.
float continued_left(std::string_view line, float width, const CodeRoom& pane) {
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const bool comment = line.substr(indent).starts_with("//");
  const std::string before = std::string(line.substr(0, indent)) + (comment ? "// " : "    ");
  return std::min(pane.measure(before), width / 3);
}

void add_rows(std::string_view line, int number, const CodeRoom& pane, std::vector<CodeRow>& out) {
  const float taken = pane.taken ? pane.taken(number) : 0;
  const auto end_with = [&](float used) {
    if (taken > 0 && used > pane.width - taken && !line.empty())
      out.push_back({number, line.size(), line.size(), 0});
  };
  float room = pane.width;
  if (pane.measure(line) <= room) {
    out.push_back({number, 0, line.size(), 0});
    return end_with(pane.measure(line));
  }
  const float continued = continued_left(line, pane.width, pane);
  float left = 0;
  std::size_t begin = 0, end = 0;  // of the row in hand
  const auto finish = [&] {
    out.push_back({number, begin, end, left});
    begin = end;
    left = continued;
    room = pane.width - continued;
  };
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  end = indent;
  for (std::string_view piece : line_pieces(line.substr(indent))) {
    while (!piece.empty()) {
      std::string_view shown = line.substr(begin, end - begin + piece.size());
      shown.remove_suffix(shown.size() - std::min(shown.find_last_not_of(' ') + 1, shown.size()));
      if (pane.measure(shown) <= room) {
        end += piece.size();
        break;
      }
      if (end > begin && !(begin == 0 && end == indent)) {
        finish();
        continue;
      }
      const float before = pane.measure(line.substr(begin, end - begin));
      const std::size_t part = broken_piece(piece, room - before, pane);
      end += part;
      piece.remove_prefix(part);
      if (!piece.empty()) finish();
    }
  }
  const float used = left + pane.measure(line.substr(begin, end - begin));
  finish();
  end_with(used);
}

}  // namespace

std::vector<CodeRow> code_rows(const std::vector<std::string_view>& lines, const CodeRoom& room) {
  std::vector<CodeRow> out;
  out.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) add_rows(lines[i], static_cast<int>(i) + 1, room, out);
  return out;
}

std::size_t row_of_line(const std::vector<CodeRow>& rows, int line) {
  return static_cast<std::size_t>(std::ranges::lower_bound(rows, line, {}, &CodeRow::line) - rows.begin());
}

std::size_t line_begins_from(const std::vector<CodeRow>& rows, std::size_t row) {
  while (row < rows.size() && row > 0 && rows[row].line == rows[row - 1].line) ++row;
  return std::min(row, rows.size());
}

std::vector<std::string> launch_rows(const std::string& launch, std::size_t letters, std::size_t rows) {
  constexpr std::string_view kClose = ">>>(";
  const std::size_t close = launch.rfind(kClose), open = launch.rfind("<<<", close);
  if (letters_of(launch) <= letters || close == std::string::npos || open == std::string::npos)
    return {launch};
  std::string head = launch.substr(0, close + kClose.size());
  const std::string indent = "    ";
  std::vector<std::string> out;
  // Grid and block stand under each other, or the name gives way to both.
  const std::size_t least = letters_of(head) + (rows > 1 ? 0 : letters_of("…);"));
  if (const std::size_t between = behind_grid(head, open);
      least > letters && rows > 1 && between != std::string::npos &&
      letters_of(head.substr(0, between)) <= letters &&
      letters_of(indent + head.substr(between + 1) + "…);") <= letters) {
    out.push_back(head.substr(0, between));
    head = indent + head.substr(between + 1);
  } else if (least > letters) {
    const std::string grid = head.substr(open);
    const std::size_t rest = letters_of(grid) + letters_of("…);") + 1;
    const std::size_t name = letters > rest ? letters - rest : 1;
    if (letters_of(head.substr(0, open)) > name)
      head = first_letters(head.substr(0, open), name) + std::string(kEllipsis) + grid;
  }
  std::vector<std::string> arguments;
  for (std::string_view rest = std::string_view(launch).substr(close + kClose.size()); !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  // Into the first row what fits of them, and where there is a second one the rest.
  out.push_back(head);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool last = i + 1 == arguments.size(), last_row = out.size() >= rows;
    const std::string next = arguments[i] + (last ? "" : ",");
    const std::string between = out.back().ends_with('(') || out.back() == indent ? "" : " ";
    // Behind what is written here something may have to stand for all that follows.
    const std::size_t reserve = last_row && !last ? letters_of(" …);") : 0;
    if (letters_of(out.back() + between + next) + reserve <= letters) {
      out.back() += between + next;
    } else if (last_row) {
      out.back() += between + "…);";
      break;
    } else {
      out.push_back(indent);
      --i;
    }
  }
  return out;
}

}  // namespace warplens::visual
