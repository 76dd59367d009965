#include "app/window/session/belonging.h"

#include <utility>

namespace warplens::window {
namespace {

// Seconds. A picture that is no older than this follows the hand: what comes and goes faster would only
// flicker.
constexpr double kFollows = 0.25;

}  // namespace

Pending Belonging::pending() const {
  if (reads_.program.text_due()) return Pending::Typing;
  return reads_.runner.busy() || reads_.runner.sweeping() ? Pending::Running : reads_.newest.outcome();
}

visual::Basis Belonging::basis_of(const visual::View& view) const {
  return view.basis_where(!reads_.measuring.measurement().counters.empty(),
                          reads_.newest.picture().modelled != nullptr);
}

std::optional<Earlier> Belonging::earlier(visual::Basis basis) const {
  const auto unless = [&](Product product, const Inputs& of, const Inputs& now) {
    return holds(product, of, now) ? std::optional<Earlier>() : Earlier{inputs_of(product, of), pending()};
  };
  const Picture& shown = reads_.newest.picture();
  const Measurement& measured = reads_.measuring.measurement();
  Inputs now = reads_.measuring.inputs();
  switch (basis) {
    case visual::Basis::Run:
      return shown.run ? unless(Product::Picture, {shown.of}, now) : std::nullopt;
    case visual::Basis::Curve:
      if (const Swept* swept = reads_.newest.swept()) {
        now.slider = swept->slider;
        return unless(Product::Curve, reads_.newest.swept_of(), now);
      }
      [[fallthrough]];
    case visual::Basis::Hardware:
      return measured.on.empty() ? std::nullopt : unless(Product::Time, measured.of, now);
    case visual::Basis::Machine:
      return std::nullopt;
    case visual::Basis::Model:
      // Before anything was modelled the view says itself that it waits.
      return shown.modelled ? unless(Product::Picture, {shown.modelled_of}, now) : std::nullopt;
  }
  return std::nullopt;
}

bool Belonging::totals_are_earlier() const {
  const Picture* shown = reads_.newest.get();
  return shown && shown->totals_of != reads_.launch.asked();
}

bool Belonging::error_is_earlier() const {
  const Pending why = pending();
  return (why == Pending::Typing || why == Pending::Running) &&
         reads_.newest.error_is_of_other(reads_.launch.asked());
}

std::string Belonging::words(const Earlier& earlier, const Catalogue& text) const {
  return earlier_words(earlier, reads_.program.setup(), reads_.launch.device_name(), text,
                       reads_.settings.language);
}

std::string Belonging::line(visual::Basis basis, const Catalogue& text) const {
  const auto found = earlier(basis);
  return found ? words(*found, text) : std::string();
}

std::string Belonging::totals_line(const Catalogue& text) const {
  return totals_are_earlier() ? words({reads_.newest.picture().totals_of, pending()}, text) : std::string();
}

std::string Belonging::pinned_line(const Catalogue& text) const {
  const Pinned* side = reads_.comparison.pinned();
  if (!side || side->setup.values == side->picture.of.values) return {};
  return earlier_words({side->picture.of, pending()}, side->setup, side->picture.of.device, text,
                       reads_.settings.language);
}

// Another text looks earlier at once: its lines are no longer those of the numbers beside them.
bool Belonging::follow(double now, bool delivered) {
  const bool differs = earlier(visual::Basis::Run) || totals_are_earlier() || earlier(visual::Basis::Curve) ||
                       earlier(visual::Basis::Model) ||
                       (reads_.comparison.pinned() && reads_.comparison.pinned()->behind());
  if (!differs) {
    since_.reset();
    return std::exchange(looks_, false);
  }
  if (!since_ || delivered) since_ = now;
  const Picture& shown = reads_.newest.picture();
  const std::string& text = reads_.program.setup().text;
  const bool other_text = shown.of.text != text || shown.totals_of.text != text;
  const bool at_once = other_text || pending() != Pending::Running;
  const bool looks = at_once || now - *since_ >= kFollows;
  return std::exchange(looks_, looks) != looks;
}

std::optional<double> Belonging::due() const {
  return since_ && !looks_ ? std::optional(*since_ + kFollows) : std::nullopt;
}

}  // namespace warplens::window
