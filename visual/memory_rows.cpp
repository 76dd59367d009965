#include "visual/memory_rows.h"

#include <algorithm>
#include <array>

namespace warplens::visual {
namespace {

constexpr std::uint64_t kRowSectorBytes = 32, kLineBytes = 128;
// Distances in an ample row; a row of many lines scales all three down.
struct Gaps {
  float sector = 3, line = 10, jump = 26;
};

Gaps gaps_for(std::size_t lines, float width) {
  const float scale = std::clamp(width / (static_cast<float>(lines) * 64.0f), 0.15f, 1.0f);
  return {std::max(1.0f, 3 * scale), 10 * scale, 26 * scale};
}

struct Line {
  std::uint64_t address = 0;
  std::array<const analysis::Sector*, 4> sectors{};
  int fetched = 0;
  bool after_gap = false;
};

std::vector<Line> group(const analysis::CoalescingDetail& detail) {
  std::vector<Line> lines;
  for (const analysis::Sector& sector : detail.sectors) {
    const std::uint64_t address = sector.address / kLineBytes * kLineBytes;
    if (lines.empty() || lines.back().address != address) {
      Line& line = lines.emplace_back();
      line.address = address;
      line.after_gap = lines.size() > 1 && lines[lines.size() - 2].address + kLineBytes != address;
    }
    lines.back().sectors[(sector.address - address) / kRowSectorBytes] = &sector;
    ++lines.back().fetched;
  }
  return lines;
}

float gap_before(const Line& line, bool first, const Gaps& gaps) {
  return first ? 0 : line.after_gap ? gaps.jump : gaps.line;
}

// How the width of one fetched sector follows from a row of lines; `idle` is the share of it that a sector
// nobody asked for gets.
float sector_width(std::span<const Line> row, float width, float idle, const Gaps& gaps) {
  float between = 0, units = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    between += gap_before(row[i], i == 0, gaps) + 3 * gaps.sector;
    units += static_cast<float>(row[i].fetched) + static_cast<float>(4 - row[i].fetched) * idle;
  }
  return std::max(1.0f, (width - between) / std::max(units, 1.0f));
}

struct Choice {
  std::size_t lines_per_row = 1;
  float unit = 0, idle = 1;
  Gaps gaps;
};

Choice try_rows(std::span<const Line> lines, float width, int rows, float idle) {
  Choice choice;
  choice.lines_per_row = (lines.size() + static_cast<std::size_t>(rows) - 1) / static_cast<std::size_t>(rows);
  choice.unit = 1e9f;
  choice.idle = idle;
  choice.gaps = gaps_for(choice.lines_per_row, width);
  for (std::size_t i = 0; i < lines.size(); i += choice.lines_per_row) {
    const auto row = lines.subspan(i, std::min(choice.lines_per_row, lines.size() - i));
    choice.unit = std::min(choice.unit, sector_width(row, width, idle, choice.gaps));
  }
  return choice;
}

Choice choose(std::span<const Line> lines, float width, float wanted, int max_rows) {
  constexpr float shrunk = 0.22f;
  Choice best;
  for (int rows = 1; rows <= std::max(1, max_rows); ++rows)
    for (const float idle : {1.0f, shrunk}) {
      const Choice choice = try_rows(lines, width, rows, idle);
      if (choice.unit > best.unit) best = choice;
      if (choice.unit >= wanted) return choice;
    }
  return best;
}

}  // namespace

MemoryRows arrange_memory(const analysis::CoalescingDetail& detail, float x, float width, float wanted,
                          int max_rows) {
  MemoryRows out;
  const std::vector<Line> lines = group(detail);
  if (lines.empty()) return out;
  const Choice choice = choose(lines, width, wanted, max_rows);
  out.sector_width = choice.unit;
  float at = x;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool first = i % choice.lines_per_row == 0;
    const int row = static_cast<int>(i / choice.lines_per_row);
    at = first ? x : at + gap_before(lines[i], false, choice.gaps);
    LinePlace& place = out.lines.emplace_back(LinePlace{lines[i].address, at, at, row, lines[i].after_gap});
    for (std::uint64_t k = 0; k < 4; ++k) {
      const analysis::Sector* sector = lines[i].sectors[k];
      const float wide = sector ? choice.unit : choice.unit * choice.idle;
      out.sectors.push_back({lines[i].address + k * kRowSectorBytes, sector, {at, 0, wide, 0}, row});
      at += wide + (k < 3 ? choice.gaps.sector : 0);
    }
    place.right = at;
    out.rows = row + 1;
  }
  return out;
}

}  // namespace warplens::visual
