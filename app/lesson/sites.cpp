#include "app/lesson/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "app/lesson/complaint.h"

namespace warplens::lesson {
namespace {

using trace::Site;
using trace::SiteKind;

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
  return out;
}

bool of_kind(const Site& site, const std::string& kind) {
  if (kind.empty()) return true;
  if (site.reduction) return kind == "reduction";
  if (kind == "load") return trace::is_load(site.kind) || site.kind == SiteKind::Texture;
  if (kind == "store") return trace::is_store(site.kind);
  if (kind == "atomic") return site.kind == SiteKind::Atomic || site.kind == SiteKind::CompareAndSwap;
  return kind == trace::name(site.kind);
}

struct Sum {
  analysis::SiteTotals totals;
  double global_requests = 0, shared_requests = 0;
};

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

using Read = double (*)(const Sum&);
constexpr std::pair<std::string_view, Read> kFields[] = {
    {"requests",
     [](const Sum& s) {
       return s.global_requests + s.shared_requests + static_cast<double>(s.totals.constant.requests);
     }},
    {"sectors", [](const Sum& s) { return static_cast<double>(s.totals.global.sectors); }},
    {"sectors_ideal", [](const Sum& s) { return static_cast<double>(s.totals.global.sectors_ideal); }},
    {"sectors_per_request",
     [](const Sum& s) { return ratio(static_cast<double>(s.totals.global.sectors), s.global_requests); }},
    {"lines", [](const Sum& s) { return static_cast<double>(s.totals.global.lines); }},
    {"bytes_requested", [](const Sum& s) { return static_cast<double>(s.totals.global.bytes_requested); }},
    {"bytes_unique", [](const Sum& s) { return static_cast<double>(s.totals.global.bytes_unique); }},
    {"efficiency",
     [](const Sum& s) {
       return ratio(static_cast<double>(s.totals.global.bytes_unique),
                    32.0 * static_cast<double>(s.totals.global.sectors));
     }},
    {"wavefronts", [](const Sum& s) { return static_cast<double>(s.totals.shared.wavefronts); }},
    {"wavefronts_ideal", [](const Sum& s) { return static_cast<double>(s.totals.shared.wavefronts_ideal); }},
    {"wavefronts_per_request",
     [](const Sum& s) { return ratio(static_cast<double>(s.totals.shared.wavefronts), s.shared_requests); }},
    {"bank_conflicts", [](const Sum& s) { return static_cast<double>(s.totals.shared.bank_conflicts); }},
    {"executions", [](const Sum& s) { return static_cast<double>(s.totals.executions); }},
    {"average_active_lanes",
     [](const Sum& s) {
       return ratio(static_cast<double>(s.totals.lanes), static_cast<double>(s.totals.executions));
     }},
    {"divergent", [](const Sum& s) { return static_cast<double>(s.totals.divergent); }},
    {"distinct_addresses", [](const Sum& s) { return static_cast<double>(s.totals.constant.addresses); }},
};

void add(const analysis::SiteTotals& one, Sum& sum) {
  sum.totals.executions += one.executions;
  sum.totals.lanes += one.lanes;
  sum.totals.global += one.global;
  sum.totals.shared += one.shared;
  sum.totals.constant += one.constant;
  sum.totals.divergent += one.divergent;
  sum.global_requests += static_cast<double>(one.global.requests);
  sum.shared_requests += static_cast<double>(one.shared.requests);
}

}  // namespace

std::vector<std::string> site_kinds() {
  std::vector<std::string> out;
  for (const SiteKind kind :
       {SiteKind::Load, SiteKind::Store, SiteKind::Atomic, SiteKind::Reduction, SiteKind::Branch,
        SiteKind::AsyncCopy, SiteKind::BulkCopy, SiteKind::MatrixLoad, SiteKind::MatrixStore,
        SiteKind::Texture, SiteKind::CompareAndSwap, SiteKind::Barrier})
    out.emplace_back(trace::name(kind));
  return out;
}

std::vector<std::string> site_spaces() {
  std::vector<std::string> out;
  for (const trace::Space space : {trace::Space::Global, trace::Space::Shared, trace::Space::Local,
                                   trace::Space::Constant, trace::Space::Texture, trace::Space::Generic})
    out.emplace_back(trace::name(space));
  return out;
}

bool matches(const Site& site, const SiteQuery& query) {
  if (site.space == trace::Space::Parameter) return false;
  if (!query.space.empty() && query.space != trace::name(site.space)) return false;
  return of_kind(site, query.kind) &&
         without_blanks(site.text).find(without_blanks(query.text)) != std::string::npos;
}

namespace {

std::string kind_of(const Site& site) {
  return site.reduction ? "reduction" : std::string(trace::name(site.kind));
}

// What the lines with the text have, of any kind and space: "branch, reduction".
std::string kinds_there(const std::vector<Site>& sites, const std::string& text) {
  std::set<std::string> kinds;
  for (const Site& site : sites)
    if (matches(site, {text, "", ""})) kinds.insert(kind_of(site));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

}  // namespace

Error no_site(const std::vector<Site>& sites, const SiteQuery& query) {
  // The line is right and its kind another one: no need to tell of other lines.
  if (const std::string kinds = kinds_there(sites, query.text); !query.text.empty() && !kinds.empty())
    return told(ErrorKind::Usage,
                complaint("other_kind", "space", query.space.empty() ? "" : query.space + " ", "what",
                          query.kind, "text", query.text, "kinds", kinds));
  std::set<std::string> lines;
  for (const Site& site : sites)
    if (matches(site, {"", query.kind, query.space}) && !site.text.empty())
      lines.insert(fmt::format("{} in '{}'", kind_of(site), site.text));
  const MessageValue what =
      query.kind.empty() ? MessageValue(Key{"check.any_site"}) : warplens::value_of(query.kind);
  return told(ErrorKind::Usage, complaint(lines.empty() ? "no_site_at_all" : "no_site", "space",
                                          query.space.empty() ? "" : query.space + " ", "what", what, "text",
                                          query.text, "known", fmt::format("{}", fmt::join(lines, ", "))));
}

Result<double> site_value(const analysis::Report& report, const SiteQuery& query, const std::string& field) {
  const auto* const found =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const auto& f) { return f.first == field; });
  if (found == std::end(kFields)) {
    std::string known;
    for (const auto& one : kFields) known += (known.empty() ? "" : ", ") + std::string(one.first);
    return told(ErrorKind::Usage, complaint("no_field", "name", field, "known", known));
  }
  Sum sum;
  bool any = false;
  for (const Site& site : report.sites) {
    if (!matches(site, query)) continue;
    any = true;
    if (site.index < report.totals.sites.size()) add(report.totals.sites[site.index], sum);
  }
  if (!any) return no_site(report.sites, query);
  // Executions of an access and of the branch before it are nothing that can be added up.
  if (query.kind.empty() && (field == "executions" || field == "average_active_lanes"))
    if (const std::string kinds = kinds_there(report.sites, query.text); kinds.find(',') != std::string::npos)
      return told(ErrorKind::Usage,
                  complaint("several_kinds", "text", query.text, "field", field, "kinds", kinds));
  return found->second(sum);
}

}  // namespace warplens::lesson
