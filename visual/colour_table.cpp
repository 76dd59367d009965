#include "visual/colour_table.h"

#include <algorithm>
#include <array>

namespace warplens::visual {
namespace {

constexpr std::size_t kMax = 256;
constexpr std::size_t kExact = 96;  // the commonest colours are kept as they are

struct Counted {
  std::uint32_t colour = 0;
  std::uint64_t count = 0;
};

int channel(std::uint32_t colour, int which) {
  return static_cast<int>((colour >> (16 - 8 * which)) & 0xff);
}

struct Spread {
  int which = 0, range = 0;
};

Spread widest(std::span<const Counted> box) {
  Spread best;
  for (int which = 0; which < 3; ++which) {
    const auto [low, high] =
        std::minmax_element(box.begin(), box.end(), [which](const Counted& a, const Counted& b) {
          return channel(a.colour, which) < channel(b.colour, which);
        });
    const int range = channel(high->colour, which) - channel(low->colour, which);
    if (range > best.range) best = {which, range};
  }
  return best;
}

std::uint32_t average(std::span<const Counted> box) {
  std::array<std::uint64_t, 3> sum{};
  std::uint64_t total = 0;
  for (const Counted& c : box) {
    for (int which = 0; which < 3; ++which)
      sum[static_cast<std::size_t>(which)] += c.count * static_cast<std::uint64_t>(channel(c.colour, which));
    total += c.count;
  }
  std::uint32_t out = 0;
  for (const std::uint64_t s : sum) out = out << 8 | static_cast<std::uint32_t>((s + total / 2) / total);
  return out;
}

void median_cut(std::span<Counted> all, std::size_t wanted, std::vector<std::uint32_t>& out) {
  std::vector<std::span<Counted>> boxes{all};
  while (boxes.size() < wanted) {
    std::size_t best = boxes.size();
    Spread spread;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (const Spread s = widest(boxes[i]); boxes[i].size() > 1 && s.range > spread.range) {
        best = i;
        spread = s;
      }
    if (best == boxes.size()) break;
    std::span<Counted> box = boxes[best];
    const auto middle = box.begin() + static_cast<std::ptrdiff_t>(box.size() / 2);
    std::nth_element(box.begin(), middle, box.end(), [&](const Counted& a, const Counted& b) {
      return channel(a.colour, spread.which) < channel(b.colour, spread.which);
    });
    boxes[best] = box.first(box.size() / 2);
    boxes.push_back(box.subspan(box.size() / 2));
  }
  for (const auto& box : boxes) out.push_back(average(box));
}

}  // namespace

void ColourTable::add(std::span<const std::uint32_t> pixels) {
  // Runs of one colour are long in flat pictures: one look-up a run.
  for (std::size_t i = 0; i < pixels.size();) {
    std::size_t end = i + 1;
    while (end < pixels.size() && pixels[end] == pixels[i]) ++end;
    counts_[pixels[i] & 0xffffff] += end - i;
    i = end;
  }
}

void ColourTable::build() {
  std::vector<Counted> all;
  all.reserve(counts_.size());
  for (const auto& [colour, count] : counts_) all.push_back({colour, count});
  std::sort(all.begin(), all.end(), [](const Counted& a, const Counted& b) {
    return a.count != b.count ? a.count > b.count : a.colour < b.colour;
  });
  colours_.clear();
  index_.clear();
  const std::size_t exact = all.size() <= kMax ? all.size() : kExact;
  for (std::size_t i = 0; i < exact; ++i) colours_.push_back(all[i].colour);
  if (exact < all.size()) median_cut(std::span(all).subspan(exact), kMax - exact, colours_);
  if (colours_.empty()) colours_.push_back(0);
}

std::uint8_t ColourTable::nearest(std::uint32_t colour) {
  colour &= 0xffffff;
  if (const auto known = index_.find(colour); known != index_.end()) return known->second;
  std::size_t best = 0;
  int smallest = 1 << 30;
  for (std::size_t i = 0; i < colours_.size() && smallest > 0; ++i) {
    int distance = 0;
    for (int which = 0; which < 3; ++which) {
      const int d = channel(colours_[i], which) - channel(colour, which);
      distance += d * d;
    }
    if (distance < smallest) {
      smallest = distance;
      best = i;
    }
  }
  return index_[colour] = static_cast<std::uint8_t>(best);
}

}  // namespace warplens::visual
