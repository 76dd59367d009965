// Registers, stack and spills from `ptxas -v`.
#include <algorithm>
#include <regex>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/source/cache.h"
#include "engine/source/compile.h"
#include "engine/source/process.h"
#include "engine/source/temporary_folder.h"
#include "engine/source/toolchain.h"

namespace warplens::source {
namespace {

// Beyond this many bytes of PTX, ptxas takes minutes and gigabytes for one number that can be estimated.
constexpr std::size_t kMostPtx = std::size_t{4} << 20;
constexpr double kPatience = 30;  // seconds

int number_before(const std::string& line, const std::string& words) {
  std::smatch found;
  return std::regex_search(line, found, std::regex("(\\d+) " + words)) ? std::stoi(found[1].str()) : 0;
}

// ptxas : info : Compiling entry function '_Z1fPf' for 'sm_90'
// ptxas : info : Function properties for _Z1fPf
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas : info : Used 10 registers, used 1 barriers, 4096 bytes smem
std::vector<PtxasInfo> parse_report(const std::string& report) {
  std::vector<PtxasInfo> kernels;
  static const std::regex kEntry("Compiling entry function '([^']+)'");
  static const std::regex kProperties("Function properties for (\\S+)");
  std::string properties_of;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, kEntry)) {
      kernels.push_back({found[1].str()});
    } else if (std::regex_search(line, found, kProperties)) {
      properties_of = found[1].str();
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

}  // namespace

Result<std::vector<PtxasInfo>> ptxas_info(const std::string& ptx, const std::string& arch,
                                          const CompileLimits& limits, Progress* progress) {
  const Toolchain tools = find_toolchain(SearchPlaces::from_environment());
  if (tools.ptxas.path.empty())
    return Error{ErrorKind::System, "ptxas is not available: " + tools.ptxas.reason, {}, {}};
  if (ptx.size() > kMostPtx)
    return Error{ErrorKind::System, "the PTX is too long to ask ptxas for its registers", {}, {}};
  // The report is kept like PTX is: it depends on nothing else.
  const std::string key = Hash().add("ptxas").add(tools.ptxas.version).add(arch).add(ptx).text();
  if (const auto cached = load_cached(key)) return parse_report(cached->text);

  const TemporaryFolder folder;
  if (folder.path().empty()) return Error{ErrorKind::System, "cannot make a temporary folder", {}, {}};
  const auto input = folder.path() / "kernel.ptx";
  if (auto written = write_text(input, ptx); !written) return written.error();
  auto process =
      run_process({tools.ptxas.path, "-v", "-arch=" + arch, input.string(), "-o",
                   (folder.path() / "kernel.cubin").string()},
                  {.limits = {std::min(limits.seconds, kPatience), limits.memory_mib}, .progress = progress});
  if (!process) return process.error();
  const std::string report = process->err + process->out;
  if (process->status != 0)
    return Error{
        ErrorKind::Compile, "ptxas refused the PTX: " + report.substr(0, report.find('\n')), {}, {report}};
  Ptx kept;
  kept.text = report;
  store_cached(key, kept);
  return parse_report(report);
}

}  // namespace warplens::source
