#include "app/model/program/run_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/model/opened/adopt.h"
#include "app/model/picture/embedded_picture.h"
#include "app/model/picture/picture.h"
#include "app/model/program/run_events.h"
#include "app/model/program/run_timeline.h"
#include "app/model/run/kept_launch.h"
#include "engine/base/markup.h"
#include "engine/base/number_text.h"

namespace warplens::model {
namespace {

using Json = RunEvents::Json;

constexpr std::size_t kMostPictured = 12, kMostListed = 200;
constexpr visual::Size kPicture{960, 480};

constexpr const char* kStyle = R"css(
:root{--ink:#1c2430;--dim:#5b6776;--line:#d9dfe7;--ground:#fff;--panel:#f4f6f9;--accent:#0b6bcb;--bad:#b3261e;
--k0:#0072b2;--k1:#d98200;--k2:#009e73;--k3:#b85c94;--k4:#4aa3d8;--k5:#8a94a3;--copy:#4d5968}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--dim:#9aa6b5;--line:#2f3946;--ground:#12161c;--panel:#1a2029;
--accent:#6db3f8;--bad:#ff8a80;--k0:#4aa3e0;--k1:#f0a83c;--k2:#3cc79b;--k3:#dd8fbd;--k4:#8fcdf2;--k5:#6d7888;--copy:#a3afbf}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:2rem 1.5rem 4rem;background:var(--ground);color:var(--ink);
font:16px/1.55 Inter,"Noto Sans CJK SC","Microsoft YaHei",system-ui,sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3em}
h2{font-size:1.3rem;margin:2.4em 0 .5em}
h3{font-size:1rem;margin:2em 0 .4em;overflow-wrap:anywhere}
p{max-width:46rem;margin:.5em 0}
.dim{color:var(--dim);font-size:.9rem}
code,.name{font:.88em/1.5 "JetBrains Mono",ui-monospace,monospace;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:.6rem 2.4rem;margin:1.4em 0}
.facts div{min-width:5rem}
.facts b{display:block;font-size:1.5rem;line-height:1.25;font-variant-numeric:tabular-nums}
.facts span{color:var(--dim);font-size:.85rem}
.facts .bad b{color:var(--bad)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th{color:var(--dim);font-weight:500;text-align:right;vertical-align:bottom;padding:.3em .7em;white-space:nowrap}
td{border-top:1px solid var(--line);padding:.45em .7em;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:14rem}
td.bad,.bad{color:var(--bad)}
.share{display:inline-block;width:3.4rem;height:.55rem;background:var(--line);border-radius:3px;margin-right:.5em;overflow:hidden}
.share+span{display:inline-block;min-width:3.6em}
.share i{display:block;height:100%;background:var(--accent)}
.time{display:grid;grid-template-columns:max-content 1fr;gap:.5rem .9rem;align-items:center}
.time svg{width:100%;height:34px;display:block;background:var(--panel);border-radius:4px}
.time svg.waits{height:14px}
.time .label{font-size:.85rem;color:var(--dim);white-space:nowrap}
.axis{display:flex;justify-content:space-between;font-size:.8rem;color:var(--dim);font-variant-numeric:tabular-nums}
.k0{fill:var(--k0)}.k1{fill:var(--k1)}.k2{fill:var(--k2)}.k3{fill:var(--k3)}.k4{fill:var(--k4)}.k5{fill:var(--k5)}
.copy{fill:var(--copy)}.faulted{fill:var(--bad)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin:.9rem 0 0;padding:0;list-style:none;font-size:.85rem}
.legend svg{width:.8rem;height:.8rem;vertical-align:-.08em;margin-right:.45em}
ul.plain{padding-left:1.2rem;margin:.4em 0}
img{display:block;width:100%;height:auto;margin:.8rem 0;border:1px solid var(--line);border-radius:8px}
@media (max-width:640px){body{padding:1.2rem 1rem 3rem}.time{grid-template-columns:1fr;gap:.15rem}.time .label{margin-top:.5rem}
th:first-child,td:first-child{min-width:9rem}}
@media print{h2{break-after:avoid}img,tr{break-inside:avoid}}
)css";

class Page {
 public:
  Page(const ProgramEnd& end, const Catalogue& text, Progress* progress)
      : end_(end),
        text_(text),
        progress_(progress),
        events_(events_of(end.log)),
        kernels_(kernels_of(events_.launches)) {}

  std::string write() {
    std::string body =
        end_.refused ? refusal() : head() + timeline() + kernels() + faults() + rest() + pictures();
    return fmt::format(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<style>{}</style></head>\n"
        "<body>\n{}</body></html>\n",
        text_.language() == "zh" ? "zh-Hans" : "en", escaped_markup(title()), kStyle, body);
  }

 private:
  std::string say(const char* key) const {
    return escaped_markup(text_.text(std::string("run.page.") + key));
  }
  std::string say(const char* key, std::vector<std::pair<std::string, MessageValue>> values) const {
    return escaped_markup(text_.text(Message{std::string("run.page.") + key, std::move(values)}));
  }
  std::string title() const {
    return text_.text(Message{"run.page.title", {{"program", value_of(end_.command)}}});
  }
  std::uint64_t count_faults() const {
    std::uint64_t all = 0;
    for (const KernelSum& k : kernels_) all += k.faults;
    return all;
  }

  std::string fact(const std::string& value, const std::string& name, bool bad = false) const {
    return fmt::format("<div{}><b>{}</b><span>{}</span></div>\n", bad ? " class=\"bad\"" : "", value, name);
  }
  // Nothing was run, so there is nothing to count, nor that all memory was freed.
  std::string refusal() const {
    return fmt::format("<h1>{}</h1>\n<p class=\"bad\">{}</p>\n", escaped_markup(title()),
                       escaped_markup(end_.refused->text()));
  }
  std::string head() const {
    std::uint64_t instructions = 0, bytes = 0;
    for (const KernelSum& k : kernels_) instructions += k.instructions;
    for (const Json& one : events_.transfers) bytes += one.value("bytes", std::uint64_t{0});
    std::string out = fmt::format("<h1>{}</h1>\n<p class=\"dim\">{}</p>\n<div class=\"facts\">\n",
                                  escaped_markup(title()), how());
    out += fact(group_digits(events_.launches.size()), say("launches"));
    out += fact(group_digits(kernels_.size()), say("kernels"));
    if (end_.measured)
      out += fact(seconds_text(measured_seconds()), say("on_device"));
    else
      out += fact(group_digits(instructions), say("warp_instructions"));
    out += fact(bytes_text(bytes), say("moved"));
    out += fact(seconds_text(end_.seconds), say("seconds"));
    const std::uint64_t found = end_.measured ? events_.errors.size() : count_faults();
    out += fact(group_digits(found), say("faults"), found > 0);
    out += fact(fmt::format("{}", end_.exit_code), say("exit_code"), end_.exit_code != 0);
    out += "</div>\n";
    if (end_.ending != "exited") out += fmt::format("<p class=\"bad\">{}</p>\n", say(end_.ending.c_str()));
    if (end_.every > 1)
      out += fmt::format("<p class=\"bad\">{}</p>\n", say("sampled", {{"every", value_of(end_.every)}}));
    return out;
  }

  // Where the numbers come from.
  std::string how() const {
    if (!end_.measured) return say("emulated");
    return say("measured", {{"device", value_of(end_.measured->device)},
                            {"driver", value_of(end_.measured->driver)},
                            {"date", value_of(end_.measured->date)},
                            {"overhead", value_of(seconds_text(end_.measured->overhead))}});
  }
  double measured_seconds() const {
    double all = 0;
    for (const KernelSum& k : kernels_) all += k.seconds;
    return all;
  }

  std::string timeline() const {
    if (events_.launches.empty() && events_.transfers.empty()) return {};
    std::vector<std::string> names;
    for (const KernelSum& k : kernels_) names.push_back(k.name);
    return fmt::format(
        "<h2>{}</h2>\n<p class=\"dim\">{}</p>\n{}", say("timeline"),
        say(end_.measured ? "timeline.measured" : "timeline.note"),
        timeline_html(events_, names, end_.measured ? active_range(events_) : TimelineRange{0, end_.seconds},
                      text_));
  }

  static std::string share_cell(double share) {
    return fmt::format(
        "<td><span class=\"share\"><i style=\"width:{:.0f}%\"></i></span><span>{:.1f} %</span></td>", share,
        share);
  }
  // Nothing but times.
  std::string measured_kernels() const {
    const double all = measured_seconds();
    std::string out = fmt::format("<h2>{}</h2>\n<p class=\"dim\">{}</p>\n<div class=\"scroll\"><table>\n<tr>",
                                  say("kernels.measured_title"), say("kernels.measured_note"));
    for (const char* column : {"kernel", "launches", "share_of_time", "total", "mean", "shortest", "longest"})
      out += fmt::format("<th>{}</th>", say(fmt::format("column.{}", column).c_str()));
    out += "</tr>\n";
    const auto time = [](const KernelSum& k, double seconds) {
      return k.measured == 0 ? std::string("–") : precise_seconds_text(seconds);
    };
    for (const KernelSum& k : kernels_)
      out += fmt::format(
          "<tr><td class=\"name\">{}</td><td>{}</td>{}<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          escaped_markup(k.name), group_digits(k.launches), share_cell(all > 0 ? 100 * k.seconds / all : 0),
          time(k, k.seconds),
          time(k, k.seconds / static_cast<double>(std::max<std::uint64_t>(k.measured, 1))),
          time(k, k.shortest), time(k, k.longest));
    return out + "</table></div>\n";
  }
  std::string kernels() const {
    if (kernels_.empty()) return {};
    if (end_.measured) return measured_kernels();
    std::uint64_t all = 0;
    for (const KernelSum& k : kernels_) all += k.instructions;
    std::string out = fmt::format("<h2>{}</h2>\n<p class=\"dim\">{}</p>\n<div class=\"scroll\"><table>\n<tr>",
                                  say("kernels.title"), say("kernels.note"));
    for (const char* column :
         {"kernel", "launches", "share", "lost", "sectors", "over_ideal", "conflicts", "divergent", "faults"})
      out += fmt::format("<th>{}</th>", say(fmt::format("column.{}", column).c_str()));
    out += "</tr>\n";
    for (const KernelSum& k : kernels_) {
      const double share =
          all == 0 ? 0 : 100.0 * static_cast<double>(k.instructions) / static_cast<double>(all);
      out += fmt::format("<tr><td class=\"name\">{}</td><td>{}{}</td>", escaped_markup(k.name),
                         group_digits(k.launches),
                         k.skipped > 0 ? fmt::format(" <span class=\"dim\">({})</span>",
                                                     say("skipped", {{"count", value_of(k.skipped)}}))
                                       : "");
      out += share_cell(share);
      out += fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td{}>{}</td></tr>\n",
                         group_digits(k.lost()), group_digits(k.sectors), k.over_ideal(),
                         group_digits(k.conflicts), k.divergent_share(), k.faults > 0 ? " class=\"bad\"" : "",
                         group_digits(k.faults));
    }
    return out + "</table></div>\n";
  }

  std::string faults() const {
    std::string rows;
    std::size_t shown = 0;
    for (const Json& launch : events_.launches)
      for (const Json& fault : launch.value("faults", Json::array()))
        if (++shown <= kMostListed)
          rows += fmt::format("<li><span class=\"name\">{}</span> #{}: {}</li>\n",
                              escaped_markup(launch.value("kernel", "")), launch.value("index", 0),
                              escaped_markup(fault.value("message", "")));
    for (const Json& error : events_.errors)
      rows += fmt::format("<li>{}</li>\n", say("gpu_fault", {{"call", value_of(error.value("call", ""))},
                                                             {"error", value_of(error.value("error", ""))}}));
    if (rows.empty()) return {};
    std::string out = fmt::format("<h2>{}</h2>\n<ul class=\"plain\">\n{}</ul>\n", say("faults.title"), rows);
    if (shown > kMostListed)
      out +=
          fmt::format("<p class=\"dim\">{}</p>\n", say("more", {{"count", value_of(shown - kMostListed)}}));
    return out;
  }

  // Streams without an order, leaks, and what was not there.
  std::string rest() const {
    std::string out;
    if (!events_.unordered.empty()) {
      out += fmt::format("<h2>{}</h2>\n<ul class=\"plain\">\n", say("unordered"));
      for (const Json& one : events_.unordered)
        out += fmt::format("<li>{}</li>\n", escaped_markup(one.value("text", "")));
      out += "</ul>\n";
    }
    if (end_.checks == "all") {
      std::uint64_t bytes = 0;
      for (const Json& leak : events_.leaks) bytes += leak.value("bytes", std::uint64_t{0});
      const std::size_t count = events_.leaks.size();
      out += fmt::format("<h2>{}</h2>\n<p>{}</p>\n", say("leaks"),
                         count == 0 ? say("leaks.none")
                                    : say("leaks.some", {{"count", value_of(count)},
                                                         {"bytes", value_of(bytes_text(bytes))}}));
    }
    if (events_.not_supported.empty()) return out;
    out += fmt::format("<h2>{}</h2>\n<ul class=\"plain\">\n", say("not_supported"));
    for (const std::string& name : events_.not_supported)
      out += fmt::format("<li class=\"name\">{}</li>\n", escaped_markup(name));
    return out + "</ul>\n";
  }

  std::string pictures() const {
    std::string out;
    std::size_t shown = 0;
    for (const Json& launch : events_.launches) {
      if (launch.contains("not_kept"))
        out += fmt::format("<p><span class=\"name\">{}</span> #{}: {}</p>\n",
                           escaped_markup(launch.value("kernel", "")), launch.value("index", 0),
                           say("not_kept", {{"reason", value_of(launch.value("not_kept", ""))}}));
      if (!launch.contains("kept") || ++shown > kMostPictured) continue;
      if (progress_ != nullptr && progress_->cancelled()) break;
      out += picture(launch);
    }
    if (shown > kMostPictured)
      out +=
          fmt::format("<p class=\"dim\">{}</p>\n", say("more", {{"count", value_of(shown - kMostPictured)}}));
    return out.empty()
               ? out
               : fmt::format("<h2>{}</h2>\n<p class=\"dim\">{}</p>\n{}", say("kept"), say("kept.note"), out);
  }

  std::string picture(const Json& launch) const {
    const std::filesystem::path folder = end_.folder / launch.value("kept", "");
    const auto size = [&](const char* key) {
      const Json& d = launch[key];
      return fmt::format("{} × {} × {}", d.at(0).get<int>(), d.at(1).get<int>(), d.at(2).get<int>());
    };
    std::string out = fmt::format(
        "<h3 class=\"name\">{} #{}</h3>\n<p class=\"dim\">{}<br><code>warplens app {}</code></p>\n",
        escaped_markup(launch.value("kernel", "")), launch.value("index", 0),
        say("launched", {{"grid", value_of(size("grid"))}, {"block", value_of(size("block"))}}),
        escaped_markup(folder.string()));
    const auto run = run_again(folder);
    const auto pictures = Pictures::make(text_);
    if (!run || !pictures)
      return out + fmt::format("<p class=\"bad\">{}</p>\n",
                               escaped_markup(text_.text(!run ? run.error() : pictures.error())));
    for (const Message& message : (*run)->report.explanations)
      out += fmt::format("<p>{}</p>\n", escaped_markup(text_.text(message)));
    for (const char* view : views_of((*run)->report)) {
      PictureOptions options;
      options.view = view;
      options.size = kPicture;
      const auto scene = pictures->draw(**run, options);
      const auto html =
          scene ? embedded_picture(*scene, visual::Theme::light()) : Result<std::string>(scene.error());
      out +=
          html ? *html : fmt::format("<p class=\"bad\">{}</p>\n", escaped_markup(text_.text(html.error())));
    }
    return out;
  }

  static std::vector<const char*> views_of(const analysis::Report& report) {
    std::vector<const char*> out;
    if (!report.faults.empty()) out.push_back("faults");
    const analysis::Totals& t = report.totals;
    if (t.global_load.requests + t.global_store.requests > 0) out.push_back("address-map");
    if (t.shared_load.bank_conflicts + t.shared_store.bank_conflicts > 0) out.push_back("bank-view");
    if (t.constant.addresses > t.constant.requests) out.push_back("constants");
    return out;
  }

  Result<std::shared_ptr<const Run>> run_again(const std::filesystem::path& folder) const {
    ProgramRequest request;
    request.file = folder.string();
    const auto program = load_program(request, progress_);
    if (!program) return program.error();
    const auto adopted = adopt(**program, {});
    if (!adopted) return adopted.error();
    const auto bound = launch_of(adopted->kernel, default_values(adopted->kernel));
    if (!bound) return bound.error();
    RunRequest run;
    run.program = *program;
    run.launch = bound->launch;
    return execute(run, progress_);
  }

  const ProgramEnd& end_;
  const Catalogue& text_;
  Progress* progress_;
  RunEvents events_;
  std::vector<KernelSum> kernels_;
};

}  // namespace

std::string run_page(const ProgramEnd& end, const Catalogue& text, Progress* progress) {
  return Page(end, text, progress).write();
}

}  // namespace warplens::model
