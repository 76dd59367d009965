// Any bytes into the trace reader: loading ends with a trace whose every step can be read, or with an error.
#include <unistd.h>

#include <array>
#include <sstream>

#include "engine/trace/trace.h"
#include "tests/fuzz/target.h"

using namespace warplens;
using namespace warplens::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(fuzz::text_of(data, size)));
  const auto loaded = Trace::load(in, size, "fuzz");
  if (!loaded) return 0;
  for (std::size_t step = 0; step < loaded->size(); ++step) {
    const auto access = loaded->access(step);
    (void)loaded->branch(step);
    (void)loaded->barrier(step);
    (void)loaded->mask(step);
    (void)loaded->block_of(step);
    (void)loaded->describe(Space::Global, access.addresses[0]);
  }
  return 0;
}

namespace {

// A trace of so many blocks with every kind of step in it; `form` chooses how addresses lie.
Trace sample(std::uint64_t blocks, std::uint64_t form) {
  Recorder recorder({.blocks = blocks});
  const Launch launch{.kernel = "k",
                      .grid = {1, 1, 1},
                      .block = {96, 1, 1},
                      .dynamic_shared_bytes = 0,
                      .arguments = {*parse_argument("buf:i32:4096:mod:1000"), *parse_argument("i32:7")}};
  const std::array<std::uint64_t, 2> bases{1024, 0};
  recorder.on_launch(launch, bases);
  std::array<std::uint64_t, 32> addresses{}, shared{};
  for (std::uint64_t block = 0; block < blocks; ++block) {
    recorder.on_block_begin(block);
    for (std::uint32_t i = 0; i < 40; ++i) {
      const WarpId warp{block, form == 3 ? 0 : i % 3};
      const std::uint64_t step = form == 0 || form == 3 ? 4
                                 : form == 1            ? 0x9e3779b97f4a7c15u * (i + 1) >> 40
                                                        : i % 5;
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        addresses[lane] = form == 2 && i % 4 == 0 ? (lane * lane * 37 + i) % 4096 * 4
                          : form == 3 && i % 3 == 1
                              ? 4 * (fmix32(static_cast<std::uint32_t>((i - 1) * 2 + lane)) % 1000)
                              : 1024 + i * 8 + lane * step;
        shared[lane] = lane * 16;
      }
      Access access;
      access.site = i % 3;
      access.warp = warp;
      access.kind = i % 3 == 0 ? SiteKind::Load : i % 3 == 1 ? SiteKind::Store : SiteKind::AsyncCopy;
      access.active = i % 7 == 0 ? 0x0000ff01u : kFullMask;
      access.addresses = addresses.data();
      access.affine = form == 3 && i % 3 == 0;
      access.stride = 4;
      if (i % 3 == 2) access.shared_addresses = shared.data();
      recorder.on_access(access);
      if (i % 5 == 0) recorder.on_branch({.site = 3, .warp = warp, .active = kFullMask, .taken = 0xffffu});
      if (i % 11 == 0) recorder.on_barrier({.site = 4, .warp = warp, .lanes = kFullMask});
      if (i % 13 == 0)
        recorder.on_mask({.warp = warp, .active = 0xffffu, .instruction = i, .warp_instruction = i});
    }
    recorder.on_block_end(block);
  }
  Trace out = recorder.take();
  out.sites.resize(5);
  for (std::uint32_t i = 0; i < 5; ++i) out.sites[i].index = out.sites[i].leader = i;
  out.sites[0].text = "ld.global.f32 %f1, [%rd4];";
  out.launch = launch;
  out.buffers = {{0, "data", 1024, 16384, ElementType::I32}};
  out.blocks_total = blocks;
  return out;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / ("warplens_seed_" + std::to_string(::getpid()));
  std::vector<std::string> out;
  for (const std::uint64_t blocks : {1, 3})
    for (const std::uint64_t form : {0, 1, 2, 3})
      if (sample(blocks, form).save(file))
        if (auto text = read_text(file)) out.push_back(std::move(*text));
  fs::remove(file);
  return out;
}
