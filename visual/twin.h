// Two runs side by side in one view, with what differs between them in numbers: naive and fixed, two settings
// of a slider.
//
//   Scene scene = twin(*find_view("address-map"), context, {"stride 2", a}, {"stride 1", b});
//
// Both halves have the same size and are laid out by the view itself, so that lengths compare; the caller
// moves both cursors together. Ids carry the side in front: "a.lane.5", "b.lane.5".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visual/view.h"

namespace warplens::visual {

// What a side is called, already in the user's language: "stride 2".
struct SideName {
  std::string name;    // alone, and where a sentence begins: "Your code"
  std::string within;  // inside a sentence, where that is another: "your code"
  SideName(std::string alone = {}, std::string inside = {})
      : name(std::move(alone)), within(std::move(inside)) {}
  SideName(const char* alone) : name(alone) {}
  const std::string& inside() const { return within.empty() ? name : within; }
};

struct TwinSide {
  SideName name;
  ViewInput input;
};

Scene twin(const View& view, const ViewContext& context, const TwinSide& a, const TwinSide& b);

// A figure of two reports that is not the same.
struct Difference {
  std::string key;  // message key of its name: "view.twin.sectors"
  double a = 0, b = 0;
  bool less_is_better = true;
};
// Those that differ: of the access that each side is about (analysis::Focus), then of the whole launches; of
// either the greatest relative change first.
std::vector<Difference> differences(const analysis::Report& a, const analysis::Report& b);
// "stride 8 has 4× the sectors of stride 2." The names are those of the sides.
std::string difference_words(const Difference& difference, const SideName& a, const SideName& b,
                             const Catalogue& text);

}  // namespace warplens::visual
