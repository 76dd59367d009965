// What ptxas says of a module (-v) and the machine code that it makes.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

#include "engine/base/assets.h"
#include "engine/source/cache.h"
#include "engine/source/compile.h"
#include "engine/source/cubin.h"
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

bool is_followed(const std::string& arch) {
  return arch == "sm_90" || arch == "sm_90a";
}

// Code that cannot be read is no failure: the rules say what ptxas would do.
ptx::MachineListing read_machine_code(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return {};
  auto listing = read_cubin({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
  return listing ? std::move(*listing) : ptx::MachineListing();
}

}  // namespace

Result<Assembled> assemble(const std::string& ptx, const std::string& arch, const CompileLimits& limits,
                           Progress* progress) {
  const Toolchain tools = find_toolchain(SearchPlaces::from_environment());
  if (tools.ptxas.path.empty())
    return Error{ErrorKind::System, "ptxas is not available: " + tools.ptxas.reason, {}, {}};
  if (ptx.size() > kMostPtx)
    return Error{ErrorKind::System, "the PTX is too long to ask ptxas for its registers", {}, {}};
  const std::string key =
      Hash().add("ptxas with machine code").add(tools.ptxas.version).add(arch).add(ptx).text();
  if (const auto cached = load_cached(key)) return from_kept(cached->text);

  const auto room = Workroom::open();
  if (!room) return room.error();
  if (auto written = write_text((*room)->folder() / "kernel.ptx", ptx); !written) return written.error();
  // -lineinfo changes no instruction; it tells which line of the PTX each was made of.
  auto process = (*room)->run(
      {tools.ptxas.path, "-v", "-lineinfo", "-arch=" + arch, "kernel.ptx", "-o", "kernel.cubin"},
      {.limits = {std::min(limits.seconds, kPatience), limits.memory_mib}, .progress = progress});
  if (!process) return process.error();
  const std::string report = process->err + process->out;
  if (process->status != 0)
    return Error{
        ErrorKind::Compile, "ptxas refused the PTX: " + report.substr(0, report.find('\n')), {}, {report}};
  Assembled out{parse_report(report), {}};
  if (is_followed(arch)) out.machine = read_machine_code((*room)->folder() / "kernel.cubin");
  Ptx kept;
  kept.text = report + std::string(kListingFollows) + print(out.machine);
  store_cached(key, kept);
  return out;
}

}  // namespace warplens::source
