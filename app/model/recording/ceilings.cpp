#include "app/model/recording/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/base/assets.h"
#include "engine/gpu/execution.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::model {
namespace {

constexpr int kThreads = 256;
// What a turn of a thread does: four loads of 16 bytes; 64 fused products and sums.
constexpr double kTurnBytes = 64, kTurnFlops = 128;
constexpr std::uint64_t kPiece = 16, kL1Bytes = 16384;

struct Kind {
  const char *name, *kernel, *element;
  double a_turn;
  int fewer_turns;  // so many times: all of them then take about a millisecond on a large GPU
};
constexpr Kind kKinds[] = {{"l2", "l2_read", "f32", kTurnBytes, 4},
                           {"l1", "l1_read", "f32", kTurnBytes, 1},
                           {"shared", "shared_read", "f32", kTurnBytes, 1},
                           {"fp32", "fp32", "f32", kTurnFlops, 1},
                           {"fp64", "fp64", "f64", kTurnFlops, 1}};

// A part of L2 that both its halves hold with ease, and more than any L1.
std::uint64_t bytes_of(const Kind& kind, const CeilingSize& size) {
  if (std::string_view(kind.name) != "l2") return kL1Bytes;
  return std::bit_floor(std::clamp<std::uint64_t>(size.l2_bytes / 4, 1u << 20, 1u << 26));
}

Result<trace::Argument> buffer(const char* element, std::uint64_t count) {
  return trace::parse_argument(fmt::format("buf:{}:{}:zero", element, count));
}

}  // namespace

std::filesystem::path ceilings_file() {
  return assets_folder() / "ceilings" / "ceilings.ptx";
}

std::vector<CeilingLaunch> ceiling_launches(const CeilingSize& size) {
  std::vector<CeilingLaunch> out;
  for (const Kind& kind : kKinds) {
    const int turns = std::max(1, size.turns / kind.fewer_turns), blocks = size.sms * size.blocks_per_sm;
    const std::uint64_t threads = static_cast<std::uint64_t>(blocks) * kThreads, bytes = bytes_of(kind, size);
    CeilingLaunch made{kind.name, {}, kind.a_turn * turns * static_cast<double>(threads)};
    made.launch.kernel = kind.kernel;
    made.launch.grid.x = static_cast<std::uint32_t>(blocks);
    made.launch.block.x = kThreads;
    for (auto argument : {buffer("f32", bytes / 4), buffer(kind.element, threads),
                          trace::parse_argument(fmt::format("i32:{}", turns)),
                          trace::parse_argument(fmt::format("i32:{}", bytes / kPiece - 1))})
      made.launch.arguments.push_back(std::move(argument).value());
    out.push_back(std::move(made));
  }
  return out;
}

Result<analysis::Reached> ceilings_on_gpu(int device, Progress* progress) {
  const auto text = read_text(ceilings_file());
  if (!text) return text.error();
  auto parsed = ptx::parse(*text, {.file = ceilings_file().string()});
  if (!parsed) return parsed.error();
  auto session = gpu::Session::open(std::make_shared<const ptx::Module>(std::move(*parsed)), device);
  if (!session) return session.error();
  const gpu::DeviceInfo& info = (*session)->device();
  gpu::TimingOptions options;
  options.warmup = 2;
  options.runs = 20;
  options.max_seconds = 0.4;
  analysis::Reached out;
  for (const CeilingLaunch& one : ceiling_launches({info.sms, info.l2_bytes})) {
    const auto timing = (*session)->time(one.launch, options, progress);
    if (!timing) return timing.error();
    const auto fastest = std::ranges::min_element(timing->milliseconds);
    if (fastest == timing->milliseconds.end() || !(*fastest > 0)) continue;
    out[one.name] = one.work / (*fastest * 1e-3);
    out["dram"] = std::max(out["dram"], timing->peak_bytes_per_second);
  }
  return out;
}

}  // namespace warplens::model
