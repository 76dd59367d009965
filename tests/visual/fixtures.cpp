#include "tests/visual/fixtures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/visual/fixture_context.h"
#include "visual/grid_costs.h"

namespace warplens::visual {
namespace {

constexpr std::uint64_t kIn = 0x10000, kOut = 0x900000;

trace::Site make_site(trace::SiteId index, trace::SiteKind kind, trace::Space space, int bytes, int line,
                      std::string text) {
  trace::Site site;
  site.index = index;
  site.instruction = 10 + index * 4;
  site.kind = kind;
  site.space = space;
  site.op = fmt::format("{}.{}.b{}", trace::name(kind), trace::name(space), bytes * 8);
  site.bytes = bytes;
  site.line = line;
  site.file = "kernel.cu";
  site.text = std::move(text);
  site.leader = index;
  site.executed_bytes = bytes;
  site.known = Known::MachineCode;
  return site;
}

analysis::Device h200() {
  analysis::Device d;
  d.name = "H200 SXM";
  d.cc = "9.0";
  d.sms = 132;
  d.boost_mhz = 1980;
  d.fp32_tflops = 67;
  d.dram_gbps = 4800;
  d.l2_mb = 50;
  d.unified_l1_kb = 256;
  d.shared_latency = 29;
  d.l1_latency = 33;
  d.l2_latency = 265;
  d.dram_latency = 600;
  return d;
}

analysis::ComputeCapability cc90() {
  analysis::ComputeCapability c;
  c.name = "9.0";
  c.shared_per_sm = 233472;
  c.shared_per_block_optin = 232448;
  c.carveouts = {0, 8192, 16384, 32768, 65536, 102400, 135168, 167936, 200704, 233472};
  return c;
}

Fixture base(std::string name) {
  Fixture f;
  f.name = std::move(name);
  f.device = h200();
  f.capability = cc90();
  f.report.kernel = f.name;
  f.report.source = "kernel.cu";
  f.report.arch = "sm_90";
  f.report.as_executed = Known::MachineCode;
  f.report.device = f.device.name;
  f.report.launch.kernel = f.name;
  f.report.launch.grid = {128, 1, 1};
  f.report.launch.block = {256, 1, 1};
  f.report.blocks_total = 128;
  f.report.blocks_run = 128;
  f.report.blocks_traced = 1;
  f.report.registers_per_thread = 42;
  f.report.registers_evidence = Evidence::Counted;
  return f;
}

void place_buffers(trace::Trace& t) {
  t.buffers.push_back({0, "in", kIn, 1 << 22, trace::ElementType::F32});
  t.buffers.push_back({1, "out", kOut, 1 << 20, trace::ElementType::F32});
}

class Script {
 public:
  explicit Script(const std::vector<trace::Site>& sites, trace::RecorderOptions options = {})
      : recorder_(options), counter_(sites) {}
  void block(std::uint64_t index) {
    block_ = index;
    recorder_.on_block_begin(index);
  }
  void end() { recorder_.on_block_end(block_); }
  void access(const trace::Site& site, std::uint32_t warp, LaneMask active, const Addresses& addresses) {
    std::array<std::uint64_t, 32> a{};
    for (int lane = 0; lane < 32; ++lane)
      if (active >> lane & 1u) a[static_cast<std::size_t>(lane)] = addresses(lane);
    trace::Access event;
    event.site = site.index;
    event.warp = {block_, warp};
    event.kind = site.kind;
    event.space = site.space;
    event.bytes = static_cast<std::uint8_t>(site.bytes);
    event.active = active;
    event.addresses = a.data();
    recorder_.on_access(event);
    counter_.on_access(event);
    count(active);
  }
  void mask(std::uint32_t warp, LaneMask active, LaneMask exited, std::uint32_t instruction,
            std::uint64_t time) {
    recorder_.on_mask({{block_, warp}, active, exited, instruction, time});
  }
  void branch(const trace::Site& site, std::uint32_t warp, LaneMask active, LaneMask taken) {
    const trace::Branch event{site.index, {block_, warp}, active, taken, 0, 0, 0};
    recorder_.on_branch(event);
    counter_.on_branch(event);
    count(active);
  }
  // Moves what was played into the fixture.
  void finish(Fixture& f, std::vector<trace::Site> sites) {
    f.trace = recorder_.take();
    f.trace.sites = sites;
    f.trace.launch = f.report.launch;
    f.trace.blocks_total = f.report.blocks_total;
    place_buffers(f.trace);
    f.report.sites = std::move(sites);
    f.report.totals = counter_.totals();
    f.report.execution = execution_;
    f.report.execution.branches = f.report.totals.branches;
    f.report.execution.divergent_branches = f.report.totals.divergent_branches;
    f.report.occupancy = analysis::occupancy(f.capability, {.threads_per_block = 256});
    f.grid = collect_grid_costs(f.trace);
    add_context(f);
  }

 private:
  void count(LaneMask active) {
    ++execution_.warp_instructions;
    execution_.thread_instructions += static_cast<std::uint64_t>(active_lanes(active));
  }
  trace::Recorder recorder_;
  analysis::TotalsCounter counter_;
  analysis::ExecutionCounts execution_;
  std::uint64_t block_ = 0;
};

}  // namespace

ViewInput Fixture::input() const {
  ViewInput in;
  if (name != "nothing") {
    in.report = &report;
    in.trace = &trace;
  }
  in.device = &device;
  in.capability = &capability;
  in.cursor = cursor;
  in.selection = selection;
  in.hover = hover;
  if (name != "nothing") {
    in.source = &source;
    in.grid = &grid;
    in.sweep = &sweep;
    in.roofline = &roofline;
    in.traffic = &traffic;
    in.streams = &streams;
    in.counters = &counters;
    in.transfers = &transfers;
    in.shared = &shared;
    in.constants = &constants;
    in.exchanges = &exchanges;
    in.modelled = &modelled;
    in.time = &time;
    in.lab = &lab;
  }
  return in;
}

Fixture one_access(std::string name, trace::SiteKind kind, trace::Space space, int bytes, LaneMask active,
                   const Addresses& addresses) {
  Fixture f = base(std::move(name));
  const trace::Site site = make_site(0, kind, space, bytes, 7, "out[i] = in[index[i]];");
  Script script({site});
  script.block(0);
  script.access(site, 3, active, addresses);
  script.end();
  script.finish(f, {site});
  return f;
}

Fixture strided_copy(int stride) {
  Fixture f = base(fmt::format("stride_{}", stride));
  const auto load =
      make_site(0, trace::SiteKind::Load, trace::Space::Global, 4, 7, "out[i] = in[i * stride];");
  const auto store =
      make_site(1, trace::SiteKind::Store, trace::Space::Global, 4, 7, "out[i] = in[i * stride];");
  Script script({load, store});
  script.block(0);
  for (std::uint32_t warp = 0; warp < 8; ++warp) {
    const auto thread = [warp](int lane) {
      return static_cast<std::uint64_t>(warp * 32 + static_cast<std::uint32_t>(lane));
    };
    script.access(load, warp, kFullMask,
                  [&](int lane) { return kIn + 4 * thread(lane) * static_cast<std::uint64_t>(stride); });
    script.access(store, warp, kFullMask, [&](int lane) { return kOut + 4 * thread(lane); });
  }
  script.end();
  script.finish(f, {load, store});
  f.cursor.step = 6;  // the load of warp 3
  return f;
}

Fixture gather() {
  return one_access("gather", trace::SiteKind::Load, trace::Space::Global, 4, kFullMask, [](int lane) {
    return kIn + 4 * std::uint64_t{trace::fmix32(static_cast<std::uint32_t>(lane) + 1) % (1u << 20)};
  });
}

Fixture fields() {
  Fixture f = base("fields");
  const auto x = make_site(0, trace::SiteKind::Load, trace::Space::Global, 4, 7, "sum += in[i].x;");
  const auto y = make_site(1, trace::SiteKind::Load, trace::Space::Global, 4, 8, "sum += in[i].y;");
  Script script({x, y});
  script.block(0);
  for (std::uint32_t warp = 0; warp < 4; ++warp)
    for (const trace::Site& site : {x, y})
      script.access(site, warp, kFullMask, [&](int lane) {
        return kIn + 4 * site.index + 8 * (std::uint64_t{warp} * 32 + static_cast<std::uint64_t>(lane));
      });
  script.end();
  script.finish(f, {x, y});
  return f;
}

Fixture partial_warp() {
  return one_access("partial_warp", trace::SiteKind::Load, trace::Space::Global, 4, 0x1fu,
                    [](int lane) { return kIn + 4 * static_cast<std::uint64_t>(lane); });
}

Fixture broadcast() {
  return one_access("broadcast", trace::SiteKind::Load, trace::Space::Global, 4, kFullMask,
                    [](int) { return kIn + 4 * 5; });
}

Fixture wide_loads() {
  return one_access("wide_loads", trace::SiteKind::Load, trace::Space::Global, 16, kFullMask,
                    [](int lane) { return kIn + 64 + 16 * static_cast<std::uint64_t>(lane); });
}

Fixture atomics() {
  return one_access("atomics", trace::SiteKind::Reduction, trace::Space::Global, 4, kFullMask,
                    [](int lane) { return kOut + 4 * static_cast<std::uint64_t>(lane % 4); });
}

Fixture local_array(int bytes) {
  return one_access(bytes == 4 ? "local" : "local_wide", trace::SiteKind::Load, trace::Space::Local, bytes,
                    kFullMask, [bytes](int lane) { return static_cast<std::uint64_t>(lane % 4 * bytes); });
}

Fixture bank_stride(int stride, int bytes) {
  Fixture f = base(fmt::format("bank_{}x{}", stride, bytes));
  const auto site = make_site(0, trace::SiteKind::Load, trace::Space::Shared, bytes, 12,
                              fmt::format("sum += tile[threadIdx.x * {}];", stride));
  Script script({site});
  script.block(0);
  script.access(site, 0, kFullMask,
                [&](int lane) { return static_cast<std::uint64_t>(lane * stride * bytes); });
  script.end();
  script.finish(f, {site});
  f.report.shared_bytes = 16384;
  return f;
}

Fixture bank_broadcast() {
  Fixture f = base("bank_broadcast");
  const auto site =
      make_site(0, trace::SiteKind::Load, trace::Space::Shared, 4, 12, "sum += tile[threadIdx.x / 8];");
  Script script({site});
  script.block(0);
  script.access(site, 0, kFullMask, [](int lane) { return static_cast<std::uint64_t>(lane / 8 * 4); });
  script.end();
  script.finish(f, {site});
  return f;
}

Fixture constant_words(int words, int bytes) {
  Fixture f = base(fmt::format("constant_words_{}_{}", words, bytes));
  const auto site = make_site(0, trace::SiteKind::Load, trace::Space::Constant, bytes, 12,
                              "sum += v * coefficients[(i % words + turn) % 64];");
  Script script({site}, {.constants = true});
  script.block(0);
  script.access(site, 0, kFullMask,
                [&](int lane) { return static_cast<std::uint64_t>(lane % words * bytes); });
  script.end();
  script.finish(f, {site});
  DeclaredArray array;
  array.name = "coefficients";
  array.type = bytes == 4 ? "float" : "double";
  array.element_bytes = bytes;
  array.bytes = static_cast<std::uint64_t>(64 * bytes);
  array.extents = {64};
  f.constants = {array};
  return f;
}

Fixture tile_column(int columns, std::uint32_t mask) {
  Fixture f = base(fmt::format("tile_{}_{}", columns, mask));
  const auto site = make_site(0, trace::SiteKind::Load, trace::Space::Shared, 4, 12,
                              "out[i] = tile[threadIdx.x][7 ^ threadIdx.x & MASK];");
  Script script({site});
  script.block(0);
  script.access(site, 0, kFullMask, [&](int lane) {
    const std::uint32_t column = 7u ^ (static_cast<std::uint32_t>(lane) & mask);
    return 4 *
           (std::uint64_t{static_cast<std::uint32_t>(lane)} * static_cast<std::uint64_t>(columns) + column);
  });
  script.end();
  script.finish(f, {site});
  SharedArray tile;
  tile.name = "tile";
  tile.type = "float";
  tile.bytes = static_cast<std::uint64_t>(32 * columns * 4);
  tile.extents = {32, columns};
  tile.columns_used = 32;
  tile.swizzle_mask = mask;
  f.shared = {tile};
  f.report.shared_bytes = tile.bytes;
  return f;
}

Fixture divergent() {
  Fixture f = base("divergent");
  const auto branch =
      make_site(0, trace::SiteKind::Branch, trace::Space::None, 0, 9, "if (threadIdx.x % 2 == 0)");
  const auto load = make_site(1, trace::SiteKind::Load, trace::Space::Global, 4, 10, "value = in[i] * 2.0f;");
  const auto loop =
      make_site(2, trace::SiteKind::Branch, trace::Space::None, 0, 14, "for (int k = 0; k < trips; ++k)");
  Script script({branch, load, loop});
  script.block(0);
  constexpr LaneMask even = 0x55555555u;
  script.mask(0, kFullMask, 0, 0, 0);
  script.branch(branch, 0, kFullMask, even);
  script.mask(0, even, 0, 12, 12);
  script.access(load, 0, even, [](int lane) { return kIn + 4 * static_cast<std::uint64_t>(lane); });
  script.mask(0, ~even, 0, 20, 30);
  script.mask(0, kFullMask, 0, 28, 41);
  LaneMask active = kFullMask;
  std::uint64_t time = 50;
  for (int turn = 0; turn < 8; ++turn) {
    script.branch(loop, 0, active, active << 4);
    active <<= 4;
    if (!active) break;
    script.mask(0, active, 0, 30, time);
    time += 9;
  }
  script.mask(0, kFullMask & ~0x80000000u, 0x80000000u, 40, time + 9);
  script.mask(0, 0, kFullMask, 48, time + 20);
  script.end();
  script.finish(f, {branch, load, loop});
  return f;
}

Fixture nothing() {
  return base("nothing");
}

Fixture huge() {
  Fixture f = base("huge");
  f.report.launch.grid = {65536, 1, 1};
  f.report.launch.block = {1024, 1, 1};
  f.report.blocks_total = 65536;
  const auto load =
      make_site(0, trace::SiteKind::Load, trace::Space::Global, 8, 7,
                "accumulator += weights[row * columns_of_the_padded_matrix + column_index] * in[index[i]];");
  const auto shared =
      make_site(1, trace::SiteKind::Load, trace::Space::Shared, 16, 12, "float4 v = tile[threadIdx.x][k];");
  const auto branch = make_site(2, trace::SiteKind::Branch, trace::Space::None, 0, 14,
                                "while (z.x * z.x + z.y * z.y < 4.0f)");
  trace::RecorderOptions options;
  options.blocks = 16;
  Script script({load, shared, branch}, options);
  std::uint32_t random = 1;
  for (std::uint64_t block = 0; block < 16; ++block) {
    script.block(block);
    for (std::uint32_t warp = 0; warp < 32; ++warp) {
      LaneMask active = kFullMask;
      for (std::uint64_t turn = 0; turn < 40; ++turn) {
        script.mask(warp, active, ~active, 30, turn * 24);
        script.access(load, warp, active,
                      [&](int) { return kIn + 8 * std::uint64_t{trace::fmix32(random++) % (1u << 19)} + 4; });
        script.access(shared, warp, active,
                      [&](int) { return 16 * std::uint64_t{trace::fmix32(random++) % 1024}; });
        script.branch(branch, warp, active, active & trace::fmix32(random));
        active &= trace::fmix32(random) | trace::fmix32(random + 1) | trace::fmix32(random + 2) | 1u;
        random += 3;
      }
    }
    script.end();
  }
  script.finish(f, {load, shared, branch});
  SharedArray tile;
  tile.name = "tile";
  tile.type = "float4";
  tile.element_bytes = 16;
  tile.bytes = 16 * 1024;
  tile.extents = {128, 8};
  tile.columns_used = 8;
  f.shared = {tile};
  f.cursor.step = 20000;
  return f;
}

Fixture long_run(std::uint64_t accesses) {
  Fixture f = base("long_run");
  f.report.launch.block = {1024, 1, 1};
  const auto load = make_site(0, trace::SiteKind::Load, trace::Space::Global, 4, 7, "sum += in[k * stride];");
  const auto shared =
      make_site(1, trace::SiteKind::Load, trace::Space::Shared, 4, 12, "sum += tile[k][lane];");
  const auto branch = make_site(2, trace::SiteKind::Branch, trace::Space::None, 0, 14, "while (sum < limit)");
  trace::RecorderOptions options;
  options.max_bytes = std::size_t{4} << 30;
  Script script({load, shared, branch}, options);
  script.block(0);
  const std::uint64_t turns = accesses / 64;
  for (std::uint64_t turn = 0; turn < turns; ++turn)
    for (std::uint32_t warp = 0; warp < 32; ++warp) {
      const std::uint32_t random = trace::fmix32(static_cast<std::uint32_t>(turn * 32 + warp));
      const LaneMask active = random | 1u;
      if (turn % 2 == 0) script.mask(warp, active, 0, 30 + random % 8, turn * 12);
      const std::uint64_t stride = random % 9, start = 4 * std::uint64_t{random >> 14};
      script.access(load, warp, active,
                    [&](int lane) { return kIn + start + 4 * stride * static_cast<std::uint64_t>(lane); });
      script.access(shared, warp, active, [&](int lane) {
        return 4 * ((turn + stride * static_cast<std::uint64_t>(lane)) % 1024);
      });
      if (turn % 4 == 0) script.branch(branch, warp, active, active & (random >> 7));
    }
  script.end();
  script.finish(f, {load, shared, branch});
  SharedArray tile;
  tile.name = "tile";
  tile.type = "float";
  tile.bytes = 4096;
  tile.extents = {32, 32};
  tile.columns_used = 32;
  f.shared = {tile};
  return f;
}

Fixture sum_of_a_warp() {
  Fixture f = strided_copy(1);
  f.name = "sum_of_a_warp";
  analysis::ExchangeNetwork network;
  std::array<LaneMask, kWarpSize> held{};
  for (std::size_t lane = 0; lane < held.size(); ++lane) held[lane] = LaneMask{1} << lane;
  for (const int distance : {16, 8, 4, 2, 1}) {
    analysis::Exchange one;
    one.op = "shfl.sync.down.b32";
    one.function = "__shfl_down_sync";
    one.distance = distance;
    one.line = 7;
    one.held = held;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int from = lane + distance < kWarpSize ? lane + distance : lane;
      one.source[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(from);
      one.holds[static_cast<std::size_t>(lane)] =
          held[static_cast<std::size_t>(lane)] | held[static_cast<std::size_t>(from)];
    }
    held = one.holds;
    network.exchanges.push_back(one);
  }
  f.exchanges = {network};
  return f;
}

std::vector<Fixture> all_fixtures() {
  std::vector<Fixture> out;
  out.push_back(nothing());
  out.push_back(strided_copy(1));
  out.push_back(strided_copy(2));
  out.push_back(strided_copy(9));
  out.push_back(fields());
  out.push_back(gather());
  out.push_back(partial_warp());
  out.push_back(broadcast());
  out.push_back(wide_loads());
  out.push_back(local_array());
  out.push_back(local_array(16));
  out.push_back(atomics());
  out.push_back(bank_stride(1));
  out.push_back(bank_stride(2));
  out.push_back(bank_stride(32));
  out.push_back(bank_stride(1, 16));
  out.push_back(bank_stride(5, 8));
  out.push_back(bank_broadcast());
  out.push_back(constant_words(1));
  out.push_back(constant_words(5));
  out.push_back(constant_words(32));
  out.push_back(tile_column(32));
  out.push_back(tile_column(33));
  out.push_back(tile_column(32, 31));
  out.push_back(divergent());
  out.push_back(sum_of_a_warp());
  out.push_back(huge());
  return out;
}

const Catalogue& catalogue(const std::string& language) {
  static const Catalogue en = Catalogue::load("en").value(), zh = Catalogue::load("zh").value();
  return language == "en" ? en : zh;
}

const Shape* shape(const Scene& scene, std::string_view id) {
  const auto found = std::ranges::find(scene.shapes, id, &Shape::id);
  return found == scene.shapes.end() ? nullptr : &*found;
}

}  // namespace warplens::visual
