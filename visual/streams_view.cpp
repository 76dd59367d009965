// What runs while data is on its way? Copies and kernels over the streams of a program, as a clock saw them:
// a row a stream, below it the engines that did the work (copy in, kernels, copy out), where it shows whether
// any two were busy at once. A bar compares the whole with the same work in one stream and one piece.
//
// Small panes lose, in this order: the sentence, the rows of the engines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/plot.h"
#include "visual/run_times.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::size_t kMostSpans = 2000;
constexpr int kMostRows = 16;
constexpr float kNameHeight = 16;

class StreamsView {
 public:
  StreamsView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.streams || input_.streams->spans.empty()) return empty();
    measure();
    if (!(total_ > 0)) return empty();
    Rect rest = header();
    say_other_device(draft_, rest, input_, line().on);
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 2);
    if (rest.height - height > 190) draft_.sentence("why", take_bottom(rest, height, 12), why);
    place(rest);
    return draft_.finish(why);
  }

 private:
  const StreamTimeline& line() const { return *input_.streams; }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.streams.title")});
    draft_.empty(rest, draft_.say("view.streams.none"), draft_.say("view.streams.none_advice"));
    return draft_.finish(draft_.say("view.streams.none"));
  }

  // Time that each engine is busy, and the time in which two or three are busy at once.
  void measure() {
    total_ = line().total_ms;
    std::vector<std::pair<double, int>> edges;
    for (const StreamSpan& s : line().spans) {
      if (!(s.end_ms > s.begin_ms)) continue;
      total_ = std::max(total_, s.end_ms);
      streams_ = std::max(streams_, s.stream + 1);
      const int engine = static_cast<int>(s.work);
      edges.push_back({s.begin_ms, engine + 1});
      edges.push_back({s.end_ms, -(engine + 1)});
    }
    std::sort(edges.begin(), edges.end());
    streams_ = std::clamp(std::max(streams_, line().streams), 1, kMostRows);
    std::array<int, 3> open{};
    double before = 0;
    for (const auto& [time, change] : edges) {
      int engines = 0;
      for (std::size_t e = 0; e < open.size(); ++e) {
        if (open[e] > 0) busy_[e] += time - before;
        engines += open[e] > 0 ? 1 : 0;
      }
      if (engines > 1) overlap_ += time - before;
      before = time;
      open[static_cast<std::size_t>(std::abs(change) - 1)] += change > 0 ? 1 : -1;
    }
    one_ = line().one_stream_ms;
  }

  double gain() const { return one_ > 0 ? one_ / total_ : 0; }

  Rect header() {
    std::string about = draft_.say("view.streams.about", {{"streams", value_of(line().streams)},
                                                          {"chunks", value_of(line().chunks)},
                                                          {"bytes", bytes_text(line().bytes)}});
    if (!line().note.empty()) about += " · " + line().note;
    Heading heading{.title = draft_.say("view.streams.title"),
                    .about = about,
                    .about_in_full = true,
                    .answer = gain() > 0 ? draft_.say("view.streams.answer", {{"times", times(gain())}})
                                         : time_text(total_),
                    .sub = gain() > 0 ? draft_.say("view.streams.against",
                                                   {{"now", time_text(total_)}, {"one", time_text(one_)}})
                                      : draft_.say("view.streams.from_first_to_last"),
                    .worse = false,
                    .evidence = line().evidence,
                    .evidence_of = other_device(input_, line().on)};
    return draft_.header(heading);
  }

  static std::string times(double ratio) { return plain_number(std::round(ratio * 100) / 100); }

  // The engine that is busy longest is what no overlap can shorten.
  std::size_t longest() const {
    return static_cast<std::size_t>(std::max_element(busy_.begin(), busy_.end()) - busy_.begin());
  }

  std::string reason() const {
    const double sum = busy_[0] + busy_[1] + busy_[2];
    const std::string engine = draft_.say(engine_key(longest()));
    if (overlap_ < total_ * 0.02)
      return draft_.say("view.streams.reason_serial", {{"total", time_text(total_)}, {"engine", engine}});
    return draft_.say("view.streams.reason",
                      {{"share", percent_text(std::round(overlap_ / total_ * 100) / 100)},
                       {"sum", time_text(sum)},
                       {"total", time_text(total_)},
                       {"engine", engine},
                       {"least", time_text(busy_[longest()])}});
  }

  static std::string engine_key(std::size_t engine) {
    constexpr std::array keys{"view.streams.copy_in", "view.streams.compute", "view.streams.copy_out"};
    return keys[engine];
  }

  static Ink ink_of_engine(std::size_t engine) {
    return engine == 0 ? Ink::of_lane(6) : engine == 1 ? Ink::of(Role::Accent) : Ink::of_lane(26);
  }
  static Rect part_of_row(const Rect& row, std::size_t engine) {
    const float half = row.height * 0.55f;
    if (engine == 0) return {row.x, row.bottom() - half, row.width, half};
    return engine == 1 ? row : Rect{row.x, row.y, row.width, half};
  }

  void place(Rect rest) {
    legend(take_top(rest, 18, 8));
    const Rect axis = take_bottom(rest, 18, 2);
    const bool engines = rest.height > 34.0f * static_cast<float>(streams_) + 150;
    names_ = 0;
    for (int s = 0; s < streams_; ++s)
      names_ = std::max(names_, draft_.width(draft_.say("view.streams.stream", {{"n", value_of(s)}})) + 16);
    for (std::size_t e = 0; e < 3; ++e)
      names_ = std::max(names_, draft_.width(draft_.say(engine_key(e))) + 16);
    if (one_ > 0) names_ = std::max(names_, draft_.width(draft_.say("view.streams.one")) + 16);
    names_ = std::min(names_, rest.width * 0.3f);
    scale_ = std::max(total_, one_);
    field_ = {rest.x + names_, rest.y, rest.width - names_ - 8, rest.height};
    if (one_ > 0) ends(rest);
    const float one_row = one_ > 0 ? 44.0f : 0.0f;
    Rect compare = take_bottom(rest, one_row, one_ > 0 ? 12 : 0);
    if (engines) {
      Rect lower =
          take_bottom(rest, std::clamp(rest.height * (streams_ < 4 ? 0.46f : 0.36f), 96.0f, 420.0f), 16);
      draft_.caption("caption.engines", take_top(lower, 16, 4), draft_.say("view.streams.engines"));
      engine_rows(lower);
    }
    draft_.caption("caption.streams", take_top(rest, 16, 4), draft_.say("view.streams.streams"));
    stream_rows(rest);
    if (one_ > 0) comparison(compare);
    time_axis(axis);
  }

  float x_of(double ms) const { return field_.x + field_.width * static_cast<float>(ms / scale_); }

  // Where this timeline ends, through all rows.
  void ends(const Rect& r) {
    Shape& s =
        draft_.line("end", {{x_of(total_), r.y}, {x_of(total_), r.bottom()}}, Ink::of(Role::Text, 0.5f), 1);
    s.dashed = true;
    s.tooltip = draft_.say("view.streams.ends", {{"t", time_text(total_)}});
  }

  void row_name(const std::string& id, const Rect& row, const std::string& words) {
    draft_.text(id, {row.x, row.y + (row.height - kNameHeight) / 2, names_ - 8, kNameHeight}, words,
                {kSmall});
  }

  void stream_rows(const Rect& r) {
    const float pitch = std::min(120.0f, r.height / static_cast<float>(streams_));
    const int named = std::max(
        1, static_cast<int>(std::ceil(kNameHeight / pitch)));  // one of so many has room for its name
    for (int s = 0; s < streams_; ++s) {
      const Rect row{r.x, r.y + pitch * static_cast<float>(s), r.width, pitch - (pitch > 14 ? 6.0f : 1.0f)};
      if (s % named == 0)
        row_name(fmt::format("stream.{}", s), row, draft_.say("view.streams.stream", {{"n", value_of(s)}}));
      draft_.box(fmt::format("stream.{}.ground", s), {field_.x, row.y, field_.width, row.height},
                 Ink::of(Role::Panel), 3);
    }
    std::size_t drawn = 0;
    for (const StreamSpan& span : line().spans) {
      if (span.stream < 0 || span.stream >= streams_ || ++drawn > kMostSpans) continue;
      const Rect row{r.x, r.y + pitch * static_cast<float>(span.stream), r.width,
                     pitch - (pitch > 14 ? 6.0f : 1.0f)};
      piece(fmt::format("span.{}", drawn), span, row, true);
    }
  }

  // The same spans by the engine that did them: gaps here are what more pieces or streams could still fill.
  void engine_rows(const Rect& r) {
    const float pitch = r.height / 3;
    for (std::size_t e = 0; e < 3; ++e) {
      const Rect row{r.x, r.y + pitch * static_cast<float>(e), r.width, pitch - 6};
      row_name(fmt::format("engine.{}", e), row, draft_.say(engine_key(e)));
      Shape& ground = draft_.box(fmt::format("engine.{}.ground", e),
                                 {field_.x, row.y, field_.width, row.height}, Ink::of(Role::Panel), 3);
      ground.tooltip = draft_.say("view.streams.busy",
                                  {{"engine", draft_.say(engine_key(e))},
                                   {"t", time_text(busy_[e])},
                                   {"share", percent_text(std::round(busy_[e] / total_ * 100) / 100)}});
    }
    std::size_t drawn = 0;
    for (const StreamSpan& span : line().spans) {
      if (++drawn > kMostSpans) break;
      const auto e = static_cast<float>(span.work);
      piece(fmt::format("engine.span.{}", drawn), span, {r.x, r.y + pitch * e, r.width, pitch - 6}, false);
    }
  }

  void piece(const std::string& id, const StreamSpan& span, const Rect& row, bool named) {
    if (!(span.end_ms > span.begin_ms)) return;
    const auto engine = std::min<std::size_t>(2, static_cast<std::size_t>(span.work));
    const float x = x_of(span.begin_ms), wide = std::max(1.0f, x_of(span.end_ms) - x - 1);
    const Rect part = named ? part_of_row(row, engine) : row;
    const Rect box{x, part.y, std::min(wide, field_.right() - x), part.height};
    Shape& s = draft_.box(id, box, ink_of_engine(engine), 3);
    s.tooltip = draft_.say("view.streams.span", {{"work", draft_.say(engine_key(engine))},
                                                 {"chunk", value_of(span.chunk)},
                                                 {"stream", value_of(span.stream)},
                                                 {"t", time_text(span.end_ms - span.begin_ms)},
                                                 {"from", time_text(span.begin_ms)},
                                                 {"to", time_text(span.end_ms)}});
    const std::string number = std::to_string(span.chunk);
    if (!named || box.height < 15 || !draft_.fits(number, box.width - 6, kTiny, Face::MonoBold)) return;
    Ink ink = Ink::of(Role::OnAccent);
    if (engine != 1) ink = {Role::OnLane, 1.0f, static_cast<std::uint8_t>(engine == 0 ? 6 : 26)};
    draft_.text(id + ".chunk", {box.x, box.y + box.height / 2 - 8, box.width, 16}, number,
                {kTiny, Face::MonoBold, ink, Align::Centre});
  }

  // The whole, and the same work without overlap, on one scale.
  void comparison(Rect r) {
    const auto bar = [&](const char* id, const std::string& words, double ms, Ink ink, bool outline) {
      const Rect row = take_top(r, 20, 4);
      row_name(std::string(id) + ".name", row, words);
      const Rect box{field_.x, row.y + 3, std::max(1.0f, x_of(ms) - field_.x), row.height - 6};
      Shape& s = outline ? draft_.frame(id, box, ink, 1.5f, 3) : draft_.box(id, box, ink, 3);
      s.tooltip = words + "\n" + time_text(ms);
      const std::string number = time_text(ms);
      const float need = draft_.width(number, kTiny, Face::MonoBold) + 8;
      if (box.width > need + 8)
        draft_.text(std::string(id) + ".time", {box.x + 6, row.y, need, row.height}, number,
                    {kTiny, Face::MonoBold, Ink::of(outline ? Role::Text : Role::OnAccent), Align::Left});
    };
    bar("compare.now", draft_.say("view.streams.now", {{"streams", value_of(line().streams)}}), total_,
        Ink::of(Role::Accent), false);
    bar("compare.one", draft_.say("view.streams.one"), one_, Ink::of(Role::Dim), true);
  }

  void time_axis(const Rect& r) {
    float free_from = r.x;
    for (const double t : round_ticks(0, scale_, 8)) {
      const std::string words = t == 0 ? "0" : time_text(t);
      const float wide = draft_.width(words, kTiny, Face::Mono) + 2;
      const float x = std::clamp(x_of(t) - wide / 2, r.x, r.right() - wide);
      if (x < free_from) continue;
      free_from = x + wide + 10;
      draft_.text(fmt::format("time.{}", t), {x, r.y + 2, wide, 14}, words,
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
    }
  }

  void legend(Rect r) {
    for (std::size_t e = 0; e < 3; ++e) {
      const std::string words = draft_.say(engine_key(e));
      const float wide = draft_.width(words, kTiny) + 2;
      if (r.width < wide + 26) return;
      const Rect key = part_of_row(inset(take_left(r, 18, 6), 0, 2), e);
      draft_.box(fmt::format("legend.{}", e), key, ink_of_engine(e), 2);
      draft_.text(fmt::format("legend.{}.name", e), take_left(r, wide, 16), words, dim(kTiny));
    }
    const std::string words = draft_.say("view.streams.numbers");
    const float wide = draft_.width(words, kTiny) + 2;
    if (r.width > wide) draft_.text("legend.numbers", take_left(r, wide), words, dim(kTiny));
  }

  Draft draft_;
  const ViewInput& input_;
  double total_ = 0, one_ = 0, overlap_ = 0, scale_ = 1;  // milliseconds
  std::array<double, 3> busy_{};                          // by StreamWork
  int streams_ = 1;
  float names_ = 0;
  Rect field_;
};

}  // namespace

Scene streams_view(const ViewContext& context, const ViewInput& input) {
  return StreamsView(context, input).run();
}

bool streams_applies(const ViewInput& input) {
  return input.streams && !input.streams->spans.empty();
}

}  // namespace warplens::visual
