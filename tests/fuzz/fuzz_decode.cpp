// Any bytes as the records that an instrumented run left in GPU memory, which a faulty kernel may have
// written over: an error, or a trace that can be read.
#include <cstring>

#include "engine/gpu/decode.h"
#include "engine/gpu/instrument.h"
#include "engine/trace/trace.h"
#include "tests/fuzz/target.h"

using namespace warplens;

namespace {

std::vector<trace::Site> sites() {
  std::vector<trace::Site> out(5);
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i].index = out[i].leader = i;
  out[0].kind = trace::SiteKind::Load;
  out[1].kind = trace::SiteKind::Branch;
  out[2].kind = trace::SiteKind::Barrier;
  out[3].kind = trace::SiteKind::AsyncCopy;
  out[4].kind = trace::SiteKind::Store;
  for (trace::Site& site : out) {
    site.space = trace::Space::Global;
    site.bytes = site.executed_bytes = 4;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trace::Recorder recorder({.blocks = 1000, .max_bytes = std::size_t{4} << 20});
  trace::Listener* const listener = &recorder;
  const auto result = gpu::decode({data, size}, sites(), {&listener, 1});
  const trace::Trace trace = recorder.take();
  for (std::size_t step = 0; step < trace.size(); ++step) {
    (void)trace.access(step);
    (void)trace.branch(step);
    (void)trace.barrier(step);
    (void)trace.block_of(step);
  }
  if (result && result->records < trace.size()) fuzz::complain("more steps than records", "");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::string all;  // in one chunk
  std::vector<std::string> out;
  const auto chunk_of = [](const std::string& records, std::size_t zeros) {
    const gpu::ChunkHead head{.bytes = static_cast<std::uint32_t>(sizeof head + records.size() + zeros)};
    std::string chunk(sizeof head, '\0');
    std::memcpy(chunk.data(), &head, sizeof head);
    return chunk + records + std::string(zeros, '\0');
  };
  for (std::uint32_t site = 0; site < 5; ++site)
    for (const std::uint32_t active : {0xffffffffu, 1u, 0x0f0fu}) {
      const bool names_addresses = site != 1 && site != 2;
      gpu::RecordHead head;
      head.site = site;
      head.active = active;
      head.clock = 1000 - site;
      head.block_low = active == 1 ? 3 : 0;
      if (names_addresses)
        head.addresses = static_cast<std::uint16_t>(active_lanes(active) * (site == 3 ? 2 : 1));
      std::string record(head.bytes(), '\0');
      std::memcpy(record.data(), &head, sizeof head);
      for (std::uint64_t i = 0; i < head.addresses; ++i) {
        const std::uint64_t address = 256 + 4 * i * (1 + site);
        std::memcpy(record.data() + sizeof head + 8 * i, &address, sizeof address);
      }
      out.push_back(chunk_of(record, 0));
      all += record;
    }
  out.push_back(chunk_of(all, 64));
  out.push_back(out[0] + chunk_of(all, 0) + out[1]);
  return out;
}
