#include "engine/runtime/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/analysis/counts_json.h"
#include "engine/analysis/fault_text.h"
#include "engine/base/json_text.h"

namespace warplens::runtime {
namespace {

using Json = nlohmann::ordered_json;

using analysis::global_json;
using analysis::shared_json;
using analysis::triple;

void add_totals(const analysis::Totals& t, Json& out) {
  out["global"] = {{"load", global_json(t.global_load)},
                   {"store", global_json(t.global_store)},
                   {"atomic", global_json(t.global_atomic)},
                   {"reduction", global_json(t.global_reduction)}};
  out["shared"] = {{"load", shared_json(t.shared_load)},
                   {"store", shared_json(t.shared_store)},
                   {"atomic", shared_json(t.shared_atomic)}};
  out["branches"] = {{"executed", t.branches}, {"divergent", t.divergent_branches}};
}

Json fault_json(const trace::Fault& fault, const Catalogue& texts) {
  return {{"kind", trace::name(fault.kind)},
          {"line", fault.line},
          {"block", triple(fault.block)},
          {"thread", triple(fault.thread)},
          {"message", texts.text(analysis::fault_message(fault))}};
}

}  // namespace

RunLog::~RunLog() {
  if (file_ >= 0) ::close(file_);
}

void RunLog::open(const std::string& file) {
  if (!file.empty()) file_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

void RunLog::write(const Json& event) {
  if (file_ < 0) return;
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  // One write a line: processes of one program share the file.
  if (::write(file_, line.data(), line.size()) < 0) {
    ::close(file_);
    file_ = -1;
  }
}

double since_start() {
  static const auto begin = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Noted::Noted(RunLog& log, const char* what, Json facts)
    : log_(log), what_(what), facts_(log.is_open() ? facts.dump() : ""), begin_(since_start()) {}

Noted::~Noted() {
  if (facts_.empty()) return;
  Json facts = parse_ordered_json(facts_);
  facts["begin"] = begin_;
  facts["seconds"] = since_start() - begin_;
  log_.write({{what_, facts}});
}

Json to_json(const LaunchRecord& record, const Catalogue& texts) {
  const trace::Launch& launch = *record.launch;
  Json out{{"index", record.index},         {"kernel", record.kernel},
           {"number", record.number},       {"grid", triple(launch.grid)},
           {"block", triple(launch.block)}, {"shared_bytes", launch.dynamic_shared_bytes},
           {"ending", record.ending},       {"faults", Json::array()}};
  if (record.outcome != nullptr)
    for (const trace::Fault& fault : record.outcome->faults)
      (out["faults"].emplace_back(fault_json(fault, texts)))["let_pass"] = simt::was_let_pass(fault);
  if (record.totals != nullptr) add_totals(*record.totals, out);
  if (record.outcome != nullptr) {
    out["warp_instructions"] = record.outcome->warp_instructions;
    out["thread_instructions"] = record.outcome->thread_instructions;
  }
  if (!record.error.empty()) out["error"] = record.error;
  if (record.launched_by) out["launched_by"] = *record.launched_by;
  if (record.same_as) out["same_as"] = *record.same_as;
  if (!record.kept.empty()) out["kept"] = record.kept;
  if (!record.not_kept.empty()) out["not_kept"] = record.not_kept;
  if (record.modelled_us) out["modelled_us"] = *record.modelled_us;
  out["stream"] = record.stream;
  out["begin"] = record.begin;
  out["seconds"] = record.seconds;
  return out;
}

}  // namespace warplens::runtime
