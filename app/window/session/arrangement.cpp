#include "app/window/session/arrangement.h"

#include <algorithm>

namespace warplens::window {

constexpr float kWidestShelf = 300;
// The picture beside the speaker's column stays the larger part.
constexpr float kSpeakerShare = 0.4f, kLeastSpeaker = 300, kMostSpeaker = 520, kLeastBesideSpeaker = 420;

Arrangement arrange(const ArrangementInput& in) {
  Arrangement out;
  const float width = std::max(in.size.width, 320.0f), height = std::max(in.size.height, 240.0f);
  out.top = {0, 0, width, kTopBarHeight};
  out.shelf_folded = in.shelf_folded || in.presenting || width < 1360;
  // Where there is room the titles of the kernels are seen whole.
  const float open = std::clamp(0.135f * width, kShelfWidth, kWidestShelf);
  const float shelf = in.presenting ? 0 : out.shelf_folded ? kRailWidth : open;
  const float middle = height - kTopBarHeight - kTransportHeight;
  out.shelf = {0, kTopBarHeight, shelf, height - kTopBarHeight};
  out.transport = {shelf, height - kTransportHeight, width - shelf, kTransportHeight};

  const bool narrow = width < 1000 || in.presenting;
  out.bench_shown = !narrow || in.bench_wanted;
  const float most = std::max(0.0f, std::min(0.5f * (width - shelf), width - shelf - 320));
  const float share = std::clamp(0.28f * width, 380.0f, 720.0f);
  const float wanted = in.bench_width > 0 ? std::clamp(in.bench_width, 300.0f, 900.0f) : share;
  float bench = out.bench_shown ? std::min(wanted, most) : 0;
  out.speaker = in.presenting && !in.bench_wanted && !in.comparing && in.full_view < 0 &&
                width - kLeastSpeaker >= kLeastBesideSpeaker;
  if (out.speaker) bench = std::clamp(kSpeakerShare * width, kLeastSpeaker, kMostSpeaker);
  out.bench = {shelf, kTopBarHeight, bench, middle};

  visual::Rect stage{shelf + bench, kTopBarHeight, width - shelf - bench, middle};
  if (!out.bench_shown && in.has_sliders) {
    stage.height -= kSliderBarHeight;
    if (out.speaker) out.bench.height = stage.height;
    out.sliders = {shelf, stage.bottom(), width - shelf, kSliderBarHeight};
  }
  const bool two = in.two_views && in.full_view < 0 && height >= 820;
  out.view_count = two ? 2 : 1;
  out.views[0] = stage;
  if (two) {
    const float least = std::min(kLeastView, stage.height / 2);
    const float upper = std::clamp(stage.height * in.upper_view, least, stage.height - least);
    out.views[0].height = upper;
    out.views[1] = {stage.x, stage.y + upper, stage.width, stage.height - upper};
  }
  return out;
}

}  // namespace warplens::window
