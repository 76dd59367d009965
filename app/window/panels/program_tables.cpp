// The two lists of a program's run: its kernels, by what loses most, and its launches, each of which opens.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model/program/run_timeline.h"
#include "app/window/panels/program_panels.h"
#include "visual/layout.h"

namespace warplens::window {
namespace {

using visual::Align;
using visual::Face;
using visual::Rect;
using visual::Role;
using By = ProgramSession::Column;

constexpr float kTableTitle = 34, kTableHead = 24, kTableRow = 26, kTablePad = 16, kTableGap = 14;

std::string extent(Dim3 d) {
  if (d.y == 1 && d.z == 1) return std::to_string(d.x);
  return d.z == 1 ? fmt::format("{}×{}", d.x, d.y) : fmt::format("{}×{}×{}", d.x, d.y, d.z);
}

// A column: its name, and how wide its values are.
struct Head {
  const char* key;
  float width;
  By sorts = By::Worst;
};

// Where the columns stand, the first taking what the others leave. Those at the end go first where room is
// scarce.
std::vector<Rect> places(const std::vector<Head>& heads, std::size_t stretched, float width) {
  std::vector<float> widths;
  float rest = width - 2 * kTablePad;
  for (std::size_t i = 0; i < heads.size(); ++i) rest -= i == stretched ? 0 : heads[i].width + kTableGap;
  for (std::size_t i = 0; i < heads.size(); ++i)
    widths.push_back(i == stretched ? std::max(rest, 110.0f) : heads[i].width);
  std::vector<Rect> out;
  float x = kTablePad;
  for (const float w : widths) {
    const bool fits = x + w <= width - kTablePad + 1;
    out.push_back({x, 0, fits ? w : 0, 0});
    x += w + kTableGap;
  }
  return out;
}

void title(const ProgramUi& p, Pen& pen, const std::string& words, const std::string& about) {
  const float x = kTablePad + pen.text({kTablePad, 0, 400, kTableTitle}, words,
                                       {.size = 11, .face = Face::SansBold, .role = Role::Dim});
  pen.text({x + 10, 0, 500, kTableTitle}, about, {.size = 11, .role = Role::Dim});
  (void)p;
}

// What a GPU's clock says, where that is what there is.
const std::vector<Head>& kernel_heads(const ProgramUi& p) {
  static const std::vector<Head> times{{"kernel", 0, By::Kernel},       {"count", 62, By::Launches},
                                       {"share_of_time", 96, By::Time}, {"total", 84, By::Time},
                                       {"mean", 84, By::Mean},          {"shortest", 84, By::Shortest},
                                       {"longest", 84, By::Longest}};
  static const std::vector<Head> heads{
      {"kernel", 0, By::Kernel},        {"count", 62, By::Launches},        {"share", 96, By::Share},
      {"lost", 76, By::Lost},           {"sectors", 76, By::Sectors},       {"ratio", 58, By::Ratio},
      {"conflicts", 66, By::Conflicts}, {"divergence", 62, By::Divergence}, {"faults", 46, By::Faults}};
  return p.session.measured() ? times : heads;
}

void kernel_head(const ProgramUi& p, Pen& pen, const std::vector<Rect>& at) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i].width <= 0) continue;
    const Head& head = kernel_heads(p)[i];
    const Rect box{at[i].x, kTableTitle, at[i].width, kTableHead};
    const std::string key = std::string("program.table.") + head.key;
    const Hit h = hit(pen, (std::string("head.") + head.key).c_str(), box);
    const bool sorted = p.session.sorted_by() == head.sorts;
    pen.text(box, p.ui.say(key),
             {.size = 11,
              .face = sorted ? Face::SansBold : Face::Sans,
              .role = sorted || h.hovered ? Role::Text : Role::Dim,
              .align = i == 0 ? Align::Left : Align::Right});
    if (h.hovered) tooltip(p.ui, p.ui.say(key + "_means"));
    if (h.clicked) p.session.sort(sorted && p.session.reversed() ? By::Worst : head.sorts);
  }
}

void share_bar(Pen& pen, const Rect& box, double share) {
  const float most = 34;
  const Rect bar{box.x, box.y + box.height / 2 - 3, most, 6};
  pen.fill(bar, Role::Line, 2);
  pen.fill({bar.x, bar.y, std::max(1.5f, most * static_cast<float>(share)), bar.height}, Role::Accent, 2);
  pen.text({box.x + most + 2, box.y, box.width - most - 2, box.height}, fmt::format("{:.1f} %", 100 * share),
           {.align = Align::Right});
}

void kernel_row(const ProgramUi& p, Pen& pen, const model::KernelSum& k, const Rect& row,
                const std::vector<Rect>& at) {
  const bool chosen = p.session.chosen_kernel() == k.name;
  const Rect box{8, row.y, row.width - 16, row.height};
  const Hit h = hit(pen, ("kernel." + k.name).c_str(), box);
  if (chosen || h.hovered) pen.fill(box, Role::Raised, 5, chosen ? 1.0f : 0.6f);
  if (chosen) pen.fill({box.x, box.y, 3, box.height}, Role::Accent, 1.5f);
  const auto cell = [&](std::size_t i, const std::string& text, Role role = Role::Text) {
    if (at[i].width > 0)
      pen.text({at[i].x, row.y, at[i].width, row.height}, text, {.role = role, .align = Align::Right});
  };
  p.ui.fonts.need(k.name);
  pen.text({at[0].x, row.y, at[0].width, row.height}, plain_kernel(k.name), {.face = Face::Mono});
  cell(1, visual::group_digits(k.launches));
  if (h.hovered) tooltip(p.ui, k.name + "\n" + p.ui.say("program.table.kernel_means"));
  if (h.clicked) {
    p.session.choose_kernel(k.name);
    p.state.row = 0;
  }
  if (p.session.measured()) {
    double all = 0;
    for (const model::KernelSum& one : p.session.kernels()) all += one.seconds;
    if (at[2].width > 0)
      share_bar(pen, {at[2].x, row.y, at[2].width, row.height}, all > 0 ? k.seconds / all : 0);
    const double runs = static_cast<double>(std::max<std::uint64_t>(k.measured, 1));
    const double values[] = {k.seconds, k.seconds / runs, k.shortest, k.longest};
    for (std::size_t i = 0; i < std::size(values); ++i)
      cell(3 + i, k.measured == 0 ? "–" : model::precise_seconds_text(values[i]));
    return;
  }
  const std::uint64_t all = std::max<std::uint64_t>(1, p.session.instructions());
  if (at[2].width > 0)
    share_bar(pen, {at[2].x, row.y, at[2].width, row.height},
              static_cast<double>(k.instructions) / static_cast<double>(all));
  cell(3, visual::group_digits(k.lost()), k.lost() > 0 ? Role::Warn : Role::Text);
  cell(4, visual::group_digits(k.sectors));
  cell(5, k.over_ideal(), k.sectors > k.sectors_ideal ? Role::Warn : Role::Text);
  cell(6, visual::group_digits(k.conflicts), k.conflicts > 0 ? Role::Warn : Role::Text);
  cell(7, k.divergent_share());
  cell(8, visual::group_digits(k.faults), k.faults > 0 ? Role::Bad : Role::Dim);
}

const std::vector<Head>& launch_heads(const ProgramUi& p) {
  static const std::vector<Head> times{{"number", 44}, {"kernel", 0}, {"of_kernel_number", 40},
                                       {"grid", 84},   {"block", 70}, {"registers", 70},
                                       {"time", 84},   {"state", 84}};
  static const std::vector<Head> heads{{"number", 44}, {"kernel", 0}, {"of_kernel_number", 40},
                                       {"grid", 84},   {"block", 70}, {"instructions", 84},
                                       {"lost", 70},   {"faults", 64}};
  return p.session.measured() ? times : heads;
}

// Its faults, or what became of it.
std::pair<std::string, Role> verdict(const ProgramUi& p, const ProgramLaunch& launch) {
  if (launch.counts.faults > 0) return {visual::group_digits(launch.counts.faults), Role::Bad};
  if (launch.ending == "skipped") return {p.ui.say("program.table.skipped"), Role::Dim};
  if (launch.ending == "refused") return {p.ui.say("program.table.refused"), Role::Bad};
  if (launch.ending == "not_measured") return {p.ui.say("program.table.not_measured"), Role::Warn};
  if (p.session.measured()) return {"", Role::Dim};
  if (launch.ending == "cancelled" || launch.ending == "budget")
    return {p.ui.say("program.table.cut"), Role::Warn};
  return {"0", Role::Dim};
}

std::string launch_tip(const ProgramUi& p, std::size_t at) {
  const ProgramLaunch& launch = p.session.launches()[at];
  std::string tip = launch.kernel();
  if (!launch.trouble.empty()) tip += "\n" + launch.trouble;
  if (!launch.not_kept.empty()) tip += "\n" + launch.not_kept;
  const bool skipped = launch.ending == "skipped", gpu = p.session.measured().has_value();
  return tip + "\n" +
         p.ui.say(p.session.is_kept(at) ? gpu ? "program.table.kept_gpu_tip" : "program.table.kept_tip"
                  : skipped             ? "program.table.skipped_tip"
                  : gpu                 ? "program.table.open_gpu_tip"
                                        : "program.table.open_tip");
}

void launch_row(const ProgramUi& p, Pen& pen, std::size_t place, const Rect& row,
                const std::vector<Rect>& columns) {
  const std::size_t at = p.session.listed()[place];
  const ProgramLaunch& launch = p.session.launches()[at];
  const bool marked = p.state.row == place, awaited = p.session.awaited() == at;
  const Rect box{8, row.y, row.width - 16 - 30, row.height}, side{row.width - 36, row.y, 26, row.height};
  const Hit h = hit(pen, fmt::format("launch.{}", at).c_str(), box);
  const Hit take = hit(pen, fmt::format("take.{}", at).c_str(), side);
  const bool over = h.hovered || take.hovered;
  if (marked || over || awaited)
    pen.fill({8, row.y, row.width - 16, row.height}, Role::Raised, 5, marked ? 1.0f : 0.6f);
  if (marked) pen.fill({8, row.y, 3, row.height}, Role::Accent, 1.5f);
  const auto cell = [&](std::size_t i, const std::string& text, Role role = Role::Text, bool left = false) {
    if (columns[i].width > 0)
      pen.text(
          {columns[i].x, row.y, columns[i].width, row.height}, text,
          {.face = left ? Face::Mono : Face::Sans, .role = role, .align = left ? Align::Left : Align::Right});
  };
  cell(0, std::to_string(launch.index), Role::Dim);
  p.ui.fonts.need(launch.kernel());
  cell(1, plain_kernel(launch.kernel()), Role::Text, true);
  cell(2, std::to_string(launch.number));
  cell(3, extent(launch.grid));
  cell(4, extent(launch.block));
  if (p.session.measured()) {
    const bool known = launch.counts.measured > 0;
    cell(5, known ? visual::group_digits(launch.registers) : "–", Role::Dim);
    cell(6, known ? model::precise_seconds_text(launch.seconds) : "–");
  } else {
    cell(5, visual::group_digits(launch.counts.instructions));
    cell(6, visual::group_digits(launch.counts.lost()), launch.counts.lost() > 0 ? Role::Warn : Role::Dim);
  }
  const auto [words, role] = verdict(p, launch);
  cell(7, words, role);
  // Full: it is kept and opens at once.
  const visual::Point dot{row.width - 22, row.y + row.height / 2};
  if (over)
    pen.icon(Icon::Save, dot, 13, take.hovered ? Role::Text : Role::Dim);
  else if (awaited)
    pen.disc(dot, 4, Role::Warn);
  else if (p.session.is_kept(at))
    pen.disc(dot, 4, Role::Accent);
  if (take.hovered)
    tooltip(p.ui, p.ui.say("program.table.take_tip"));
  else if (h.hovered)
    tooltip(p.ui, launch_tip(p, at));
  if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (take.clicked) ask_where_to_take(p, at);
  if (!h.clicked) return;
  p.state.row = place;
  p.session.open_launch(at);
}

void launch_list(const ProgramUi& p, const Rect& area, const std::vector<Rect>& columns) {
  const Area child(p.ui, "program.launches", area, true);
  Pen pen = p.ui.pen();
  const float s = p.ui.scale();
  const auto& listed = p.session.listed();
  if (p.state.row >= listed.size()) p.state.row = 0;
  if (std::exchange(p.state.follow_row, false)) {
    const float y = kTableRow * static_cast<float>(p.state.row) * s;
    const float from = ImGui::GetScrollY(), height = area.height * s;
    if (y < from) ImGui::SetScrollY(y);
    if (y + kTableRow * s > from + height) ImGui::SetScrollY(y + kTableRow * s - height);
  }
  if (listed.empty())
    pen.text({kTablePad, 0, area.width - kTablePad, kTableRow}, p.ui.say("program.table.empty"),
             {.role = Role::Dim});
  const auto first = static_cast<std::size_t>(std::max(0.0f, ImGui::GetScrollY() / s / kTableRow));
  const auto behind = std::min(listed.size(), first + static_cast<std::size_t>(area.height / kTableRow) + 2);
  for (std::size_t i = first; i < behind; ++i)
    launch_row(p, pen, i, {0, kTableRow * static_cast<float>(i), area.width, kTableRow}, columns);
  ImGui::SetCursorScreenPos(pen.at(0, 0));
  ImGui::Dummy({1, (kTableRow * static_cast<float>(listed.size()) + 8) * s});
  draw_take_popup(p);
}

}  // namespace

float program_kernels_height(const ProgramSession& session) {
  const auto rows = static_cast<float>(session.kernels().size());
  return rows == 0 ? 0 : kTableTitle + kTableHead + kTableRow * rows + 8;
}

void draw_program_kernels(const ProgramUi& p, const Rect& area) {
  if (area.height < kTableTitle + kTableHead + kTableRow) return;
  const std::vector<Rect> at = places(kernel_heads(p), 0, area.width);
  {
    const Area child(p.ui, "program.kernels.head", {area.x, area.y, area.width, kTableTitle + kTableHead});
    Pen pen = p.ui.pen();
    const bool worst = p.session.sorted_by() == By::Worst;
    const char* order =
        p.session.measured() ? "program.table.kernels_longest" : "program.table.kernels_worst";
    title(p, pen, p.ui.say("program.table.kernels"), worst ? p.ui.say(order) : "");
    kernel_head(p, pen, at);
  }
  const Rect list{area.x, area.y + kTableTitle + kTableHead, area.width,
                  area.height - kTableTitle - kTableHead};
  const Area child(p.ui, "program.kernels", list, true);
  Pen pen = p.ui.pen();
  float y = 0;
  for (const model::KernelSum& kernel : p.session.kernels()) {
    kernel_row(p, pen, kernel, {0, y, area.width, kTableRow}, at);
    y += kTableRow;
  }
  ImGui::SetCursorScreenPos(pen.at(0, 0));
  ImGui::Dummy({1, y * pen.scale()});
}

void draw_program_launches(const ProgramUi& p, const Rect& area) {
  if (area.height < kTableTitle + kTableHead) return;
  // A launch's sign stands at the end of its row.
  std::vector<Rect> columns = places(launch_heads(p), 1, area.width - 24);
  {
    const Area child(p.ui, "program.launches.head", {area.x, area.y, area.width, kTableTitle + kTableHead});
    Pen pen = p.ui.pen();
    const std::string& chosen = p.session.chosen_kernel();
    title(p, pen, p.ui.say("program.table.launches") + "  " + visual::group_digits(p.session.listed().size()),
          chosen.empty()
              ? ""
              : p.ui.say({"program.table.of_kernel", {{"kernel", value_of(plain_kernel(chosen))}}}));
    if (!chosen.empty()) {
      const std::string all = p.ui.say("program.table.all");
      const float width = pen.width(all) + 20;
      if (text_button(p.ui, pen, "launches.all", all,
                      {area.width - kTablePad - width, 5, width, kTableTitle - 10}, false))
        p.session.choose_kernel(chosen);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].width <= 0) continue;
      const std::string key = std::string("program.table.") + launch_heads(p)[i].key;
      const Rect box{columns[i].x, kTableTitle, columns[i].width, kTableHead};
      pen.text(box, p.ui.say(key),
               {.size = 11, .role = Role::Dim, .align = i == 1 ? Align::Left : Align::Right});
      if (p.ui.catalogue.has(key + "_means") && i != 1 && hit(pen, key.c_str(), box).hovered)
        tooltip(p.ui, p.ui.say(key + "_means"));
    }
  }
  launch_list(p,
              {area.x, area.y + kTableTitle + kTableHead, area.width, area.height - kTableTitle - kTableHead},
              columns);
}

}  // namespace warplens::window
