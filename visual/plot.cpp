#include "visual/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warplens::visual {
namespace {

double place(double value, double low, double high, bool logarithmic) {
  if (logarithmic) {
    value = std::log10(std::max(value, 1e-300));
    low = std::log10(std::max(low, 1e-300));
    high = std::log10(std::max(high, 1e-300));
  }
  return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.0;
}

std::vector<double> decade_ticks(double low, double high) {
  std::vector<double> out;
  for (double t = std::pow(10, std::ceil(std::log10(std::max(low, 1e-300)) - 1e-9)); t <= high * 1.0001;
       t *= 10)
    out.push_back(t);
  return out;
}

// Beside "10k" a thousand is "1k": all numbers of an axis are written alike.
std::string tick_text(double value, double largest) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e9) return plain_number(value / 1e9) + "G";
  if (size >= 1e6) return plain_number(value / 1e6) + "M";
  if (size >= 1e3 && largest >= 1e4) return plain_number(value / 1e3) + "k";
  return plain_number(value);
}

double largest_of(const std::vector<double>& ticks) {
  double out = 0;
  for (const double t : ticks) out = std::max(out, std::abs(t));
  return out;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int most) {
  std::vector<double> out;
  if (!(high > low) || most < 1) return out;
  double step = std::pow(10, std::floor(std::log10((high - low) / most)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0})
    if ((high - low) / (step * factor) <= most) {
      step *= factor;
      break;
    }
  for (double t = std::ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step)
    out.push_back(std::abs(t) < step * 1e-6 ? 0 : t);
  return out;
}

std::vector<double> binary_ticks(double low, double high, int most) {
  std::vector<double> out;
  if (!(high > low) || most < 1) return out;
  double step = 1;
  while ((high - low) / step > most) step *= 2;
  for (double t = std::ceil(low / step) * step; t <= high; t += step) out.push_back(t);
  return out;
}

Plot::Plot(Draft& draft, std::string id, const Rect& area, const PlotRange& range, const std::string& x_name,
           const std::string& y_name)
    : draft_(draft), id_(std::move(id)), area_(area), range_(range) {
  if (!(range_.x_max > range_.x_min)) range_.x_max = range_.x_min + 1;
  if (!(range_.y_max > range_.y_min)) range_.y_max = range_.y_min + 1;
  float left = 0;
  const std::vector<double> ticks_of_y = y_ticks();
  for (const double t : ticks_of_y)
    left = std::max(left, draft_.width(tick_text(t, largest_of(ticks_of_y)), kTiny, Face::Mono));
  left += 8;
  const float top = y_name.empty() ? 6.0f : 24.0f;
  inner_ = {area.x + left, area.y + top, std::max(8.0f, area.width - left - 8),
            std::max(8.0f, area.height - top - (x_name.empty() ? 18.0f : 34.0f))};
  axes(x_name, y_name);
  ticks();
}

std::vector<double> Plot::y_ticks() const {
  if (!range_.y_ticks.empty()) return range_.y_ticks;
  if (range_.log_y) return decade_ticks(range_.y_min, range_.y_max);
  return round_ticks(range_.y_min, range_.y_max, area_.height > 140 ? 5 : 3);
}

std::vector<std::pair<double, std::string>> Plot::x_ticks() const {
  if (!range_.x_ticks.empty()) return range_.x_ticks;
  const int most = static_cast<int>(std::clamp(inner_.width / 56, 2.0f, 9.0f));
  const std::vector<double> all =
      range_.log_x ? decade_ticks(range_.x_min, range_.x_max) : round_ticks(range_.x_min, range_.x_max, most);
  std::vector<std::pair<double, std::string>> out;
  for (const double t : all) out.emplace_back(t, tick_text(t, largest_of(all)));
  return out;
}

Point Plot::at(PlotPoint p) const {
  return {inner_.x + inner_.width * static_cast<float>(place(p.x, range_.x_min, range_.x_max, range_.log_x)),
          inner_.bottom() -
              inner_.height * static_cast<float>(place(p.y, range_.y_min, range_.y_max, range_.log_y))};
}

void Plot::axes(const std::string& x_name, const std::string& y_name) {
  draft_.line(id_ + ".axis", {{inner_.x, inner_.bottom()}, {inner_.right(), inner_.bottom()}},
              Ink::of(Role::Line), 1);
  if (!y_name.empty()) draft_.text(id_ + ".y_name", {area_.x, area_.y, area_.width, 16}, y_name, dim(kTiny));
  if (!x_name.empty())
    draft_.text(id_ + ".x_name", {inner_.x, inner_.bottom() + 18, inner_.width, 16}, x_name,
                dim(kTiny, Align::Right));
}

void Plot::ticks() {
  float last = 1e9f;
  const std::vector<double> ticks_of_y = y_ticks();
  for (const double t : ticks_of_y) {
    const Point p = at({range_.x_min, t});
    if (p.y > last - 14) continue;
    last = p.y;
    if (t > range_.y_min)
      draft_.line(fmt::format("{}.grid.{}", id_, t), {{inner_.x, p.y}, {inner_.right(), p.y}},
                  Ink::of(Role::Line, 0.6f), 1);
    draft_.text(fmt::format("{}.y.{}", id_, t), {area_.x, p.y - 7, inner_.x - area_.x - 6, 14},
                tick_text(t, largest_of(ticks_of_y)), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
  }
  float free_from = area_.x;
  for (const auto& [t, words] : x_ticks()) {
    const Point p = at({t, range_.y_min});
    const float wide = draft_.width(words, kTiny, Face::Mono) + 1;
    float x = std::clamp(p.x - wide / 2, area_.x, std::max(area_.x, area_.right() - wide));
    if (x < free_from) continue;
    free_from = x + wide + 8;
    draft_.text(fmt::format("{}.x.{}", id_, t), {x, inner_.bottom() + 3, wide, 14}, words,
                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
  }
}

namespace {

// Neighbours that fall into the same half pixel are not seen apart.
void thin(std::vector<Point>& points) {
  std::vector<Point> out;
  for (const Point p : points)
    if (out.empty() || std::abs(p.x - out.back().x) > 0.5f || std::abs(p.y - out.back().y) > 0.5f)
      out.push_back(p);
  points = std::move(out);
}

}  // namespace

void Plot::line(const std::vector<PlotPoint>& points, Ink ink, bool dashed, const std::string& name) {
  std::vector<Point> places;
  for (const PlotPoint& p : points)
    if (std::isfinite(p.x) && std::isfinite(p.y)) places.push_back(at(p));
  thin(places);
  if (places.size() < 2) return;
  Shape& s = draft_.line(fmt::format("{}.curve.{}", id_, curves_++), std::move(places), ink, 2);
  s.dashed = dashed;
  s.tooltip = name;
}

void Plot::steps(const std::vector<PlotPoint>& points, Ink ink, bool dashed, const std::string& name) {
  std::vector<PlotPoint> corners;
  for (const PlotPoint& p : points) {
    // A value holds from its own x back to the one before: resources are limits "up to".
    if (!corners.empty() && corners.back().y != p.y) corners.push_back({corners.back().x, p.y});
    corners.push_back(p);
  }
  line(corners, ink, dashed, name);
}

void Plot::band(const std::vector<PlotPoint>& low, const std::vector<PlotPoint>& high, Ink ink) {
  std::vector<Point> outline;
  for (const PlotPoint& p : low) outline.push_back(at(p));
  for (auto p = high.rbegin(); p != high.rend(); ++p) outline.push_back(at(*p));
  if (outline.size() > 2) draft_.polygon(fmt::format("{}.band.{}", id_, curves_), std::move(outline), ink);
}

void Plot::dot(PlotPoint p, Ink ink, float radius, const std::string& tooltip) {
  draft_.disc(fmt::format("{}.dot.{}.{}", id_, p.x, p.y), at(p), radius, ink).tooltip = tooltip;
}

void Plot::mark(PlotPoint p, const std::string& tooltip) {
  const Point where = at(p);
  draft_.line(id_ + ".here", {{where.x, where.y}, {where.x, inner_.bottom()}}, Ink::of(Role::Text, 0.5f), 1)
      .dashed = true;
  Shape& s = draft_.disc(id_ + ".mark", where, 5, Ink::of(Role::Ground));
  s.stroke = Ink::of(Role::Text);
  s.stroke_width = 2.5f;
  s.tooltip = tooltip;
}

}  // namespace warplens::visual
