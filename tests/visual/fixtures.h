// Runs made by hand for the tests of the views: small enough to check by eye, and big enough to hurt.
//
//   const Fixture f = strided_copy(2);
//   Scene scene = address_map(context, f.input());
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/exchanges.h"
#include "engine/analysis/modelled.h"
#include "engine/analysis/report.h"
#include "engine/base/message.h"
#include "engine/trace/trace.h"
#include "visual/hardware.h"
#include "visual/occupancy_lab.h"
#include "visual/scene.h"
#include "visual/view.h"

namespace warplens::visual {

struct Fixture {
  std::string name;
  analysis::Report report;
  trace::Trace trace;
  analysis::Device device;
  analysis::ComputeCapability capability;
  Cursor cursor;
  Selection selection, hover;
  SourceText source;
  GridCosts grid;
  Sweep sweep;
  RooflineChart roofline;
  LevelTraffic traffic;
  StreamTimeline streams;
  HardwareCounters counters;
  TransferRates transfers;
  std::vector<SharedArray> shared;
  std::vector<DeclaredArray> constants;
  std::vector<analysis::ExchangeNetwork> exchanges;
  analysis::Modelled modelled;
  LaunchTime time;
  OccupancyLab lab;
  ViewInput input() const;
};

using Addresses = std::function<std::uint64_t(int lane)>;

// One warp executes one access; `element` is the lane's element index in in[].
Fixture one_access(std::string name, trace::SiteKind kind, trace::Space space, int bytes, LaneMask active,
                   const Addresses& addresses);

Fixture strided_copy(int stride);    // loads and stores of 8 warps
Fixture fields();                    // x, then y of structures of two floats
Fixture gather();                    // 32 far apart elements
Fixture partial_warp();              // 5 lanes active
Fixture broadcast();                 // all lanes on one element
Fixture wide_loads();                // 16 bytes a lane, misaligned to the line
Fixture atomics();                   // lanes share 4 counters
Fixture local_array(int bytes = 4);  // each lane an index of its own in its own array
Fixture bank_stride(int stride, int bytes = 4);
Fixture bank_broadcast();
// 32 lanes read `words` different elements of float coefficients[64] (double with 8 bytes) in constant
// memory.
Fixture constant_words(int words, int bytes = 4);
// A warp reads column 7 of float tile[32][columns], whose elements lie at column ^ (row & mask).
Fixture tile_column(int columns, std::uint32_t mask = 0);
Fixture divergent();  // nested branches, a loop with trip count by lane
Fixture nothing();    // no run at all
Fixture huge();       // many blocks, many warps, a long trace
// One block of 32 warps with this many accesses, its lanes changing all the time; for benchmarks. 48 bytes an
// access.
Fixture long_run(std::uint64_t accesses);

// Every fixture, by name.
Fixture sum_of_a_warp();  // loads, and five shuffles down
std::vector<Fixture> all_fixtures();

// The program's own texts, "en" or "zh".
const Catalogue& catalogue(const std::string& language);
// The first with that id; nullptr: there is none.
const Shape* shape(const Scene& scene, std::string_view id);

}  // namespace warplens::visual
