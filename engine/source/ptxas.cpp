// What ptxas says of a module (-v) and the machine code that it makes.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/source/cache.h"
#include "engine/source/cache_lock.h"
#include "engine/source/compile.h"
#include "engine/source/cubin.h"
#include "engine/source/register_bounds.h"
#include "engine/source/toolchain.h"
#include "engine/source/workroom.h"

namespace warplens::source {
namespace {

// Beyond this many bytes of PTX, ptxas takes minutes and gigabytes for one number that can be estimated.
constexpr std::size_t kMostPtx = std::size_t{4} << 20;
constexpr double kPatience = 30;  // seconds

// "Used 10 registers": 10, in front of "registers". 0 where there is none.
int number_before(std::string_view line, std::string_view words) {
  for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
    if (at < 2 || line[at - 1] != ' ') continue;
    std::size_t begin = at - 1;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
    int value = 0;
    const std::errc failed = std::from_chars(line.data() + begin, line.data() + at - 1, value).ec;
    if (failed == std::errc{}) return value;  // not one that no kernel can have
  }
  return 0;
}

// What stands behind `words`, to the first of `ends`; nothing where they do not stand there.
std::string_view behind(std::string_view line, std::string_view words, std::string_view ends) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + words.size());
  return line.substr(0, line.find_first_of(ends));
}

// ptxas : info : Compiling entry function '_Z1fPf' for 'sm_90'
// ptxas : info : Function properties for _Z1fPf
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas : info : Used 10 registers, used 1 barriers, 4096 bytes smem
std::vector<PtxasInfo> parse_report(const std::string& report) {
  std::vector<PtxasInfo> kernels;
  std::string properties_of;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view entry = behind(line, "Compiling entry function '", "'");
    const std::string_view function = behind(line, "Function properties for ", " \t\r");
    if (!entry.empty()) {
      kernels.push_back({std::string(entry)});
    } else if (!function.empty()) {
      properties_of = function;
    } else if (kernels.empty()) {
      continue;
    } else if (line.find("bytes stack frame") != std::string::npos &&
               properties_of == kernels.back().kernel) {
      kernels.back().stack = number_before(line, "bytes stack frame");
      kernels.back().spill_stores = number_before(line, "bytes spill stores");
      kernels.back().spill_loads = number_before(line, "bytes spill loads");
    } else if (line.find("Used ") != std::string::npos) {
      kernels.back().registers = number_before(line, "registers");
      kernels.back().static_shared = number_before(line, "bytes smem");
    }
  }
  return kernels;
}

// Kept as PTX is: the report, a line with this alone, the printed listing.
constexpr std::string_view kListingFollows = "\n-- machine code\n";

Assembled from_kept(const std::string& text) {
  const std::size_t end = text.find(kListingFollows);
  Assembled out;
  out.kernels = parse_report(text.substr(0, end));
  if (end == std::string::npos) return out;
  if (auto listing = ptx::parse_listing(std::string_view(text).substr(end + kListingFollows.size())))
    out.machine = std::move(*listing);
  return out;
}

// Code that cannot be read is no failure: the rules say what ptxas would do.
ptx::MachineListing read_machine_code(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return {};
  auto listing = read_cubin({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
  return listing ? std::move(*listing) : ptx::MachineListing();
}

// Options besides the usual, as they stand in the key of what is kept.
Result<Assembled> ask(const std::string& ptx, const std::string& arch,
                      const std::vector<std::string>& options, bool machine_code, const CompileLimits& limits,
                      Progress* progress) {
  const Toolchain tools = find_toolchain(SearchPlaces::from_environment());
  if (tools.ptxas.path.empty())
    return told(ErrorKind::System, {"compile.tool.not_available",
                                    {{"tool", value_of("ptxas")}, {"reason", value_of(tools.ptxas.reason)}}});
  if (ptx.size() > kMostPtx) return told(ErrorKind::System, {"compile.ptxas_too_long", {}});
  Hash hash;
  hash.add(machine_code ? "ptxas with machine code of 8.0 to 9.0, IMAD.WIDE apart, sizes of sections, yields"
                        : "ptxas alone")
      .add(tools.ptxas.version)
      .add(arch);
  for (const std::string& option : options) hash.add(option);
  const std::string key = hash.add(ptx).text();
  if (const auto cached = load_cached(key)) return from_kept(cached->text);
  const CacheLock lock(key, std::min(limits.seconds, kPatience), progress);
  if (const auto cached = load_cached(key)) return from_kept(cached->text);

  const auto room = Workroom::open();
  if (!room) return room.error();
  if (auto written = write_text((*room)->folder() / "kernel.ptx", ptx); !written) return written.error();
  // -lineinfo changes no instruction; it tells which line of the PTX each was made of.
  std::vector<std::string> command{tools.ptxas.path, "-v", "-lineinfo", "-arch=" + arch};
  command.insert(command.end(), options.begin(), options.end());
  for (const char* word : {"kernel.ptx", "-o", "kernel.cubin"}) command.emplace_back(word);
  auto process = (*room)->run(
      command, {.limits = {std::min(limits.seconds, kPatience), limits.memory_mib}, .progress = progress});
  if (!process) return process.error();
  const std::string report = process->err + process->out;
  if (process->status != 0) {
    Error error = told(ErrorKind::Compile,
                       {"compile.ptxas_refused", {{"why", value_of(report.substr(0, report.find('\n')))}}});
    error.notes = {report};
    return error;
  }
  Assembled out{parse_report(report), {}};
  if (machine_code) out.machine = read_machine_code((*room)->folder() / "kernel.cubin");
  Ptx kept;
  kept.text = report + std::string(kListingFollows) + print(out.machine);
  store_cached(key, kept);
  return out;
}

// What stands between the parameters of an entry and its body, where its bounds are.
struct EntryHead {
  std::size_t begin = 0, end = 0;
};
std::optional<EntryHead> head_of(std::string_view ptx, std::string_view entry) {
  for (std::size_t at = ptx.find(".entry "); at != std::string_view::npos; at = ptx.find(".entry ", at + 1)) {
    std::size_t name = at + 7;
    while (name < ptx.size() && ptx[name] == ' ') ++name;
    if (ptx.substr(name, entry.size()) != entry) continue;
    std::size_t from = name + entry.size();
    if (from < ptx.size() && ptx[from] != '(' && ptx[from] != '{' &&
        std::isspace(static_cast<unsigned char>(ptx[from])) == 0)
      continue;  // only begins like it
    const std::size_t body = ptx.find('{', from), open = ptx.find('(', from);
    if (body == std::string_view::npos) return std::nullopt;
    if (open < body) from = ptx.find(')', open) + 1;
    return from <= body ? std::optional(EntryHead{from, body}) : std::nullopt;
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> kBounds{".maxntid", ".minnctapersm", ".maxnreg"};

}  // namespace

std::string with_launch_bounds(const std::string& ptx, const std::string& entry, int threads, int blocks) {
  const auto head = head_of(ptx, entry);
  if (!head) return {};
  std::string kept;
  std::istringstream lines(ptx.substr(head->begin, head->end - head->begin));
  for (std::string line; std::getline(lines, line);) {
    const auto stands = [&](std::string_view word) { return line.find(word) != std::string::npos; };
    if (std::none_of(kBounds.begin(), kBounds.end(), stands)) kept += line + "\n";
  }
  // .reqntid says how large a block is, and may not stand beside .maxntid.
  if (threads > 0 && kept.find(".reqntid") == std::string::npos)
    kept += ".maxntid " + std::to_string(threads) + "\n";
  if (blocks > 0) kept += ".minnctapersm " + std::to_string(blocks) + "\n";
  return ptx.substr(0, head->begin) + kept + ptx.substr(head->end);
}

Result<std::vector<PtxasInfo>> assemble_under(const std::string& ptx, const std::string& arch,
                                              int most_registers, const CompileLimits& limits,
                                              Progress* progress) {
  std::vector<std::string> options;
  if (most_registers > 0) options.push_back("--maxrregcount=" + std::to_string(most_registers));
  auto found = ask(ptx, arch, options, false, limits, progress);
  if (!found) return found.error();
  return std::move(found->kernels);
}

Result<Assembled> assemble(const std::string& ptx, const std::string& arch, const CompileLimits& limits,
                           Progress* progress) {
  return ask(ptx, arch, {}, true, limits, progress);
}

}  // namespace warplens::source
