// The table a person reads in a terminal. Labels come from the catalogue; columns are aligned by display
// width, in which a Chinese character takes two cells.

#include <fmt/format.h>

#include <algorithm>

#include "engine/analysis/fault_text.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/report.h"
#include "engine/base/told_name.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {
namespace {

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u) continue;  // inside a character
    width += byte >= 0xe2u ? 2 : 1;         // U+2000 and above: CJK and its punctuation
  }
  return width;
}

using Cells = std::vector<std::string>;

// Rows of cells as lines: the first columns to the left, the others (numbers) to the right.
std::string table(const std::vector<Cells>& rows, std::size_t left_columns = 1) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const Cells& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - display_width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < left_columns ? row[i] + pad : pad + row[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

class TextReport {
 public:
  TextReport(const Report& report, const Catalogue& catalogue)
      : r_(report), c_(catalogue), known_(known_counts(report)) {}

  std::string text() {
    head();
    memory();
    execution();
    sites();
    buffers();
    faults();
    explanations();
    return std::move(out_);
  }

 private:
  std::string label(std::string_view key) const { return c_.text("report." + std::string(key)); }
  std::string label(std::string_view key, std::vector<std::pair<std::string, MessageValue>> values) const {
    return c_.text(Message{"report." + std::string(key), std::move(values)});
  }
  void section(std::string_view key) { out_ += "\n" + label(key) + "\n"; }

  // "by.": a sentence of the whole launch; "known.": a word beside a number.
  std::string known_word(Known known, std::string_view form) const {
    return label(std::string(form) + std::string(name(known)));
  }
  std::string known_word(const KnownCounts::Part& part) const {
    return known_word(known_.of(part), "known.");
  }

  std::string lanes_word() const {
    const std::string word = known_word(known_.average_lanes, "known.");
    return known_.lanes_evidence() == Evidence::Modelled ? word + ", " + label("evidence.modelled") : word;
  }

  // What people run is nvcc's code: registers and the widths of shared loads of another may differ.
  std::string compiler() const {
    const bool other = r_.compiled_by.origin == CompiledBy::Origin::OtherCompiler;
    return fmt::format("{} ({}){}", in_words(r_.compiled_by, c_), r_.arch,
                       other ? "; " + label("not_nvcc") : "");
  }

  // Where ptxas said how many registers there are, it is its machine code that is not read.
  std::string executed_by() const {
    if (r_.as_executed == Known::Rule && r_.registers_evidence == Evidence::Counted)
      return label("by.rules_unread", {{"arch", value_of(r_.arch)}});
    return known_word(r_.as_executed, "by.");
  }

  void head() {
    const auto dim = [](Dim3 d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); };
    out_ += r_.kernel + "\n";
    out_ += table({{label("source"), r_.source},
                   {label("compiler"), compiler()},
                   {label("backend"), fmt::format("{}, {}", trace::name(r_.backend), r_.device)},
                   {label("grid"), dim(r_.launch.grid)},
                   {label("block"), dim(r_.launch.block)},
                   {label("dynamic_shared"), fmt::format("{}", r_.launch.dynamic_shared_bytes)},
                   {label("as_executed"), executed_by()},
                   {label("coverage"), fmt::format("{} / {}", r_.blocks_run, r_.blocks_total)},
                   {label("ending"), label("endings." + std::string(name(r_.ending)))}},
                  2);
  }

  void global_row(std::vector<Cells>& rows, std::string_view key, const GlobalCounts& c,
                  const KnownCounts::Part& known) const {
    if (c.requests == 0) return;
    const double efficiency =
        c.sectors == 0 ? 0 : static_cast<double>(c.bytes_unique) / (32.0 * static_cast<double>(c.sectors));
    rows.push_back({label(key), fmt::format("{}", c.requests), fmt::format("{}", c.sectors),
                    fmt::format("{}", c.sectors_ideal), fmt::format("{}", c.lines),
                    fmt::format("{:.2f}", static_cast<double>(c.sectors) / static_cast<double>(c.requests)),
                    fmt::format("{:.1f} %", 100 * efficiency), known_word(known)});
  }
  void shared_row(std::vector<Cells>& rows, std::string_view key, const SharedCounts& c,
                  const KnownCounts::Part& known) const {
    if (c.requests != 0)
      rows.push_back({label(key), fmt::format("{}", c.requests), fmt::format("{}", c.wavefronts),
                      fmt::format("{}", c.wavefronts_ideal), fmt::format("{}", c.bank_conflicts),
                      known_word(known)});
  }

  void memory() {
    const Totals& t = r_.totals;
    std::vector<Cells> rows{{"", label("requests"), label("sectors"), label("sectors_ideal"), label("lines"),
                             label("sectors_per_request"), label("used"), label("known_by")}};
    global_row(rows, "global_load", t.global_load, known_.global_load);
    global_row(rows, "global_store", t.global_store, known_.global_store);
    global_row(rows, "global_atomic", t.global_atomic, known_.global_atomic);
    global_row(rows, "global_reduction", t.global_reduction, known_.global_reduction);
    global_row(rows, "local_load", t.local_load, known_.local_load);
    global_row(rows, "local_store", t.local_store, known_.local_store);
    if (rows.size() > 1) section("global_memory"), out_ += table(rows);
    rows = {{"", label("requests"), label("wavefronts"), label("wavefronts_ideal"), label("bank_conflicts"),
             label("known_by")}};
    shared_row(rows, "shared_load", t.shared_load, known_.shared_load);
    shared_row(rows, "shared_store", t.shared_store, known_.shared_store);
    shared_row(rows, "shared_atomic", t.shared_atomic, known_.shared_atomic);
    shared_row(rows, "shared_async", t.shared_async, known_.shared_async);
    if (rows.size() > 1) section("shared_memory"), out_ += table(rows);
    if (t.constant.requests == 0) return;
    section("constant_memory");
    out_ += table({{label("requests"), fmt::format("{}", t.constant.requests)},
                   {label("distinct_addresses"), fmt::format("{}", t.constant.addresses)},
                   {label("known_by"), known_word(known_.constant_load)}});
  }

  void execution() {
    const ExecutionCounts& e = r_.execution;
    const Occupancy& o = r_.occupancy;
    section("execution");
    std::string limiters;
    for (const SmResource limiter : o.limiters)
      limiters += (limiters.empty() ? "" : ", ") + label("limiters." + std::string(name(limiter)));
    // A run on the GPU records accesses and branches only.
    const auto counted = [&](std::string text) { return e.warp_instructions == 0 ? std::string("-") : text; };
    out_ += table(
        {{label("warp_instructions"), counted(fmt::format("{}", e.warp_instructions))},
         {label("thread_instructions"), counted(fmt::format("{}", e.thread_instructions))},
         {label("average_active_lanes"),
          counted(fmt::format("{:.2f} ({})", e.average_active_lanes(), lanes_word()))},
         {label("branches"), fmt::format("{} ({})", e.branches, known_word(known_.branches))},
         {label("divergent_branches"), fmt::format("{}", e.divergent_branches)},
         {label("registers"), fmt::format("{} ({})", r_.registers_per_thread,
                                          label("evidence." + std::string(name(r_.registers_evidence))))},
         {label("occupancy"), fmt::format("{:.1f} % ({}), {}", 100 * o.theoretical,
                                          label("occupancy_value", {{"blocks", value_of(o.blocks_per_sm)},
                                                                    {"warps", value_of(o.warps_per_sm)}}),
                                          label("evidence.modelled"))},
         {label("limited_by"), limiters}});
  }

  // What the machine makes of an instruction, where that is something else: " -> 16 B".
  std::string becomes(const trace::Site& site) const {
    switch (executed_as(site)) {
      case trace::ExecutedAs::Merged:
        return "";
      case trace::ExecutedAs::NoBranch:
        return label("becomes.no_branch");
      case trace::ExecutedAs::Operand:
        return label("becomes.operand");
      case trace::ExecutedAs::Register:
        return label("becomes.register");
      case trace::ExecutedAs::Widened:
      case trace::ExecutedAs::Narrowed:
        return label("becomes.widened", {{"bytes", value_of(site.executed_bytes)}});
      case trace::ExecutedAs::OneLane:
        return label("becomes.one_lane");
      default:
        return site.kind == trace::SiteKind::Atomic && site.reduction ? label("becomes.reduction") : "";
    }
  }

  void sites() {
    std::vector<Cells> rows{{label("line"), label("op"), label("executions"), label("requests"),
                             label("sectors"), label("wavefronts"), label("bank_conflicts"), label("lanes"),
                             label("known_by")}};
    for (std::size_t i = 0; i < r_.sites.size() && i < r_.totals.sites.size(); ++i) {
      const trace::Site& site = r_.sites[i];
      const SiteTotals& t = r_.totals.sites[i];
      if (t.executions == 0 || site.space == trace::Space::Parameter) continue;
      const bool merged = is_merged(site);
      const auto count = [&](std::uint64_t n, bool shown) {
        return merged ? std::string("^") : shown ? fmt::format("{}", n) : std::string("-");
      };
      const bool global = t.global.requests != 0, shared = t.shared.requests != 0;
      rows.push_back({site.line != 0 ? fmt::format("{}", site.line) : fmt::format("ptx {}", site.ptx_line),
                      site.op + becomes(site), fmt::format("{}", t.executions),
                      count(t.global.requests + t.shared.requests + t.constant.requests,
                            global || shared || t.constant.requests != 0),
                      count(t.global.sectors, global), count(t.shared.wavefronts, shared),
                      count(t.shared.bank_conflicts, shared),
                      fmt::format("{:.1f}", static_cast<double>(t.lanes) / static_cast<double>(t.executions)),
                      known_word(site.known, "known.")});
    }
    if (rows.size() > 1) section("sites"), out_ += table(rows, 2);
  }

  void buffers() {
    if (r_.buffers.empty()) return;
    section("buffers");
    std::vector<Cells> rows{{label("buffer"), label("elements"), label("checksum")}};
    for (const BufferReport& b : r_.buffers)
      rows.push_back({b.name.empty() ? fmt::format("{}", b.argument)
                                     : c_.text({"place.itself", {{"place", told_name(b.name)}}}),
                      fmt::format("{} {}", b.count, name(b.type)), fmt::format("{:.17g}", b.checksum)});
    out_ += table(rows, 2);
    if (const auto sentence = data_sentence(r_)) out_ += "  " + c_.text(*sentence) + "\n";
  }

  void faults() {
    if (!r_.faults.empty()) section("faults");
    for (const trace::Fault& fault : r_.faults)
      out_ += fmt::format("  {}: {}\n", name(fault.kind), c_.text(fault_message(fault)));
    if (r_.faults_total > r_.faults.size())
      out_ +=
          "  " + label("further_faults", {{"count", value_of(r_.faults_total - r_.faults.size())}}) + "\n";
    if (!r_.output.empty()) section("output"), out_ += r_.output + (r_.output.back() == '\n' ? "" : "\n");
    for (const Message& note : r_.notes) out_ += "\n" + c_.text(note) + "\n";
  }

  void explanations() {
    if (r_.explanations.empty()) return;
    section("explanations");
    for (const Message& message : r_.explanations) out_ += "  - " + c_.text(message) + "\n";
  }

  const Report& r_;
  const Catalogue& c_;
  const KnownCounts known_;
  std::string out_;
};

}  // namespace

std::string to_text(const Report& report, const Catalogue& catalogue) {
  return TextReport(report, catalogue).text();
}

}  // namespace warplens::analysis
