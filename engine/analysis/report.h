// The report: everything one run of a kernel says, as plain data with a JSON and a text form.
// The JSON is a contract ("schema": "warplens.report/1"); see docs/REPORT.md for every field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/analysis/occupancy.h"
#include "engine/analysis/roofline.h"
#include "engine/analysis/totals.h"
#include "engine/base/compiled_by.h"
#include "engine/base/known.h"
#include "engine/base/message.h"
#include "engine/trace/launch.h"

namespace warplens::analysis {

struct BufferReport {
  int argument = 0;
  std::string name;
  trace::ElementType type = trace::ElementType::F32;
  std::uint64_t count = 0;
  double checksum = 0;
};

// Arguments whose contents decide more than the results: which addresses are accessed, which way branches go.
// Every number that is counted is then one of these contents (engine/ptx/facts/data_dependence.h).
struct DataUse {
  std::vector<int> addresses, branches;  // ascending
  bool empty() const { return addresses.empty() && branches.empty(); }
};

// Which access of a kernel its numbers are about (access_costs.h).
struct About {
  std::string text;    // stands in the source line; blanks do not matter
  std::string op;      // "load", "store", "atomic", or how the PTX instruction begins; empty: any
  std::string memory;  // "global" (with local), "shared", or empty: either
  bool operator==(const About&) const = default;
};

enum class Ending : std::uint8_t { Completed, Faulted, Budget, Cancelled };
std::string_view name(Ending ending);  // "completed"

struct Report {
  std::string kernel, source, arch, device;
  CompiledBy compiled_by;
  trace::Backend backend = trace::Backend::Emulator;
  // Where "as executed" comes from: the machine code that ptxas makes, rules that say what it would do, or
  // the PTX as written, which is what was counted then. Single numbers may rest on less: known_counts.h.
  Known as_executed = Known::Rule;
  trace::Launch launch;
  Dim3 cluster;                    // blocks that run together; 1 x 1 x 1 without clusters
  std::uint64_t shared_bytes = 0;  // static and dynamic, a block
  std::uint64_t blocks_traced = 0, blocks_run = 0, blocks_total = 0;
  Totals totals;
  ExecutionCounts execution;
  std::optional<Work> flop;  // executed; unset where nobody counts instructions (a run on the GPU)
  double flop_guarded = 0;   // of these under a guard: counted as if it held for every active lane
  GlobalCounts spilled;      // of the local loads and stores: values for which there was no register
  int registers_per_thread = 0;
  Evidence registers_evidence = Evidence::Modelled;  // Counted when ptxas or the driver said it
  int barriers_per_block = 0;                        // named barriers that a block is given
  Occupancy occupancy;
  std::vector<trace::Site> sites;
  std::vector<About> about;  // empty: the access that wastes most
  std::vector<BufferReport> buffers;
  DataUse data;
  std::vector<trace::Fault> faults;
  std::uint64_t faults_total = 0;
  std::string output;  // printf
  std::vector<Message> notes;
  std::string device_error;   // what the driver said of a kernel that faulted on the GPU; empty otherwise
  bool records_lost = false;  // of a run on the GPU: accesses of the recorded blocks are missing
  std::vector<Message> explanations;
  Ending ending = Ending::Completed;
};

// "Addresses depend on what data holds, here pseudo-random numbers: with other contents ..."; nothing where
// no buffer decides anything, or all that do were read from files.
std::optional<Message> data_sentence(const Report& report);

std::string to_json(const Report& report, const Catalogue& catalogue);
std::string to_text(const Report& report, const Catalogue& catalogue);

}  // namespace warplens::analysis
