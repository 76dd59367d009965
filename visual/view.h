// The contract of every view: a pure function of data, selection, time and size.
//
//   Scene scene = address_map(context, input);
//
// Same arguments, same Scene: nothing is remembered between frames, so a frame is a function of trace and
// cursor. docs/ARCHITECTURE.md says what a new view needs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/report.h"
#include "engine/base/measured_on.h"
#include "engine/base/message.h"
#include "engine/trace/trace.h"
#include "visual/scene.h"

namespace warplens::analysis {
struct ExchangeNetwork;  // engine/analysis/exchanges.h
struct Modelled;         // engine/analysis/modelled.h
}  // namespace warplens::analysis

namespace warplens::visual {

class TraceIndex;         // visual/trace_index.h
struct OccupancyLab;      // visual/occupancy_lab.h
struct HardwareCounters;  // visual/hardware.h
struct TransferRates;
struct WarpTotals;    // visual/warp_totals.h
struct MatrixShapes;  // visual/matrix_shapes.h

// Where time stands: on a step of the trace, and how far into its animation (0 start to 1 end; 1 is the
// still).
struct Cursor {
  std::size_t step = 0;
  float phase = 1.0f;
};

// The one selection that all views share; hover has the same form.
using Selection = Target;

// What grid and source views colour by. Each has a value and, where there is one, an ideal beside it.
enum class Measure : std::uint8_t {
  Automatic,     // the one that loses most in this run
  Sectors,       // global and local memory
  Wavefronts,    // shared memory
  Constants,     // constant memory: one address after another
  IdleLanes,     // lane-slots of executed accesses and branches without an active lane
  Instructions,  // executed accesses and branches
};

// The text of a kernel, as it stands in the editor, and the PTX it became.
struct SourceText {
  std::string file;
  std::vector<std::string> lines;      // line 1 first
  std::vector<std::string> ptx_lines;  // empty when not at hand
};

// What each traced warp cost; made once a run by collect_grid_costs (visual/grid_costs.h), off the frame.
struct WarpCost {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint64_t sectors = 0, sectors_ideal = 0, wavefronts = 0, wavefronts_ideal = 0;
  std::uint64_t constants = 0, constants_ideal = 0;  // passes of constant memory, and one a request
  std::uint64_t executions = 0, lanes = 0;  // executed accesses and branches, active lanes summed over them
  std::size_t first_step = 0;               // of this warp in the trace
};
struct GridCosts {
  std::vector<WarpCost> warps;  // by block, then warp
  std::uint64_t blocks_total = 0;
};

// Runs of one kernel while one value changes. y of the first series is on the left axis, of the second on the
// right.
struct SweepPoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  // spread (5th and 95th percentile); equal when there is none
};
struct SweepSeries {
  std::string name;  // "time", "sectors a request"
  std::string unit;  // "ms" (whatever the size: the view picks what reads well), "GB/s", or none
  Evidence evidence = Evidence::Measured;
  std::vector<SweepPoint> points;  // ascending x
};
// Many runs of one launch of which only this was kept. Milliseconds.
struct RunSpread {
  double median = 0, p5 = 0, p25 = 0, p75 = 0, p95 = 0;
  int runs = 0;
  std::vector<double> outliers;  // the slowest first
};
struct Sweep {
  std::string x_name;  // of the slider, already in the user's language
  double x_now = 0;    // where the slider stands
  std::vector<SweepSeries> series;
  std::vector<std::string> warnings;  // "N is too small: the launch itself takes most of the time"
  bool log_x = false, log_y = false;  // for values that double from point to point: sizes, bandwidths
  std::string note = {};  // said beside the evidence: "on NVIDIA H200, recorded on 2026-11-20"; empty: none
  MeasuredOn on = {};     // of the times
  // Times of the single runs at x_now, in milliseconds and in the order they ran; empty: no clock at hand.
  std::vector<double> runs = {};
  std::optional<RunSpread> spread = {};  // instead of runs: of a recording
  // What the vendor's library takes for the same work, milliseconds: a line to be held against.
  std::optional<SweepSeries> library = {};
  // Of a choice: what its values 0, 1, ... are called. Drawn as bars; empty: a number, drawn as a curve.
  std::vector<std::string> x_names = {};
};

// Copies and kernels over streams as they really ran, milliseconds since the first of them began.
enum class StreamWork : std::uint8_t { CopyIn, Compute, CopyOut };
struct StreamSpan {
  StreamWork work = StreamWork::Compute;
  int stream = 0, chunk = 0;  // from 0
  double begin_ms = 0, end_ms = 0;
};
struct StreamTimeline {
  int streams = 1, chunks = 1;
  std::uint64_t bytes = 0;        // copied in altogether, and as many out
  std::vector<StreamSpan> spans;  // by begin
  double total_ms = 0;            // from the first begin to the last end
  double one_stream_ms = 0;       // the same work in one stream and one piece; 0: not measured
  Evidence evidence = Evidence::Measured;
  std::string note = {};  // as in Sweep
  MeasuredOn on = {};
};

// Where kernels stand on the roofline; the last point is the present state, the others its trail. Made by
// model::roofline_chart (app/model/study/roofline_chart.h).
struct RooflineLevel {  // the same run, its bytes taken at one level of the memory
  analysis::Roof level = analysis::Roof::L2;
  double flop_per_byte = 0;
  Evidence evidence = Evidence::Counted;  // of the bytes
};
struct RooflinePoint {
  std::string name;
  double flop_per_byte = 0;  // at the level that allows least; 0: no floating-point arithmetic
  double gflops = 0;
  Evidence evidence =
      Evidence::Modelled;  // of gflops: Measured by a clock; Modelled: the most that is possible
  double roof = 0;         // GFLOP/s that the ceilings allow; 0: as the chart's ceilings say
  std::optional<analysis::Roof> bound_by = {};  // the ceiling that allows least
  std::vector<RooflineLevel> levels = {};       // nearest memory first; empty: only flop_per_byte is known
  std::string note = {};                        // where the height comes from: "recorded on 2026-11-20"
  std::string device = {};                      // whose roof, bound and modelled bytes these are
};
struct RooflineCeiling {
  std::vector<analysis::Roof> roofs;  // L1 and shared memory may be one; of a library's rate none
  double gbps = 0;                    // a slanted ceiling when set
  double gflops = 0;                  // a flat one when set
  std::string source = {};            // who says so
  bool of_kernel = true;              // false: of units or levels that this kernel does not use
  std::string library = {};           // "cuBLAS 13.1.0", where it is what a library reaches
};
// A time of this launch on another GPU: it has no place under these roofs.
struct TimeElsewhere {
  double milliseconds = 0;
  MeasuredOn on;
};
struct RooflineChart {
  std::string device;
  std::vector<RooflineCeiling> ceilings;
  std::vector<RooflinePoint> points;  // all of this device
  std::optional<TimeElsewhere> elsewhere = {};
  std::optional<RooflineCeiling> library = {};  // what the vendor's library reaches at the same work
  // Other runs under the same roofs: the kernel's other choices, the other side of a comparison, the other
  // state of L2. Each with a name; `others_at` says at which size choices were timed, where that is another.
  std::vector<RooflinePoint> others = {};
  std::string others_at = {};
};

// Traffic between the levels of the memory hierarchy, in bytes of this launch. What nobody knows is unset.
// Rates and sums are not kept but follow from the bytes, so that no two numbers of a view can contradict each
// other: what asks a level is what hits there and what misses.
struct LevelTraffic {
  Evidence evidence = Evidence::Modelled;  // of what caches make of it; what lanes move is counted
  double loaded = 0;                       // by the lanes: asks L1
  double passed_on = 0;                    // stores, atomics, reductions: go through L1 to L2
  std::optional<double> l1_missed;         // of what was loaded: goes on to L2
  std::optional<double> l2_read_least;     // of l1_missed: what L2 reads if SMs that ask at once share it
  std::optional<double> dram_read;         // what missed in L2
  std::optional<double> dram_written;      // changed in L2 and written back, at the latest afterwards
  std::optional<double> host_bytes;        // of all buffers, once: what a program copies to the device
  std::uint64_t blocks_modelled = 0, blocks_total = 0;  // the caches saw these of the launch's blocks
  // Blocks that were not modelled find in L2 what the others brought: as much hits there at least.
  bool l2_hits_at_least = false;

  // 0 to 1: of the loads. Unset where nothing is loaded.
  std::optional<double> l1_hit_rate() const {
    return l1_missed && loaded > 0 ? std::optional(1 - *l1_missed / loaded) : std::nullopt;
  }
  // Between L1 and L2.
  std::optional<double> l2_bytes() const {
    return l1_missed ? std::optional(*l1_missed + passed_on) : std::nullopt;
  }
  // 0 to 1: of all that asks L2, stores included, as the profiler's lts__t_sector_hit_rate has it; a store
  // makes its own place and hits.
  std::optional<double> l2_hit_rate() const {
    const auto asks = l2_bytes();
    return asks && *asks > 0 && dram_read ? std::optional(1 - *dram_read / *asks) : std::nullopt;
  }
  // Between L2 and DRAM, both ways.
  std::optional<double> dram_bytes() const {
    return dram_read && dram_written ? std::optional(*dram_read + *dram_written) : std::nullopt;
  }
};

// An array as the kernel declares it. Made once a run, off the frame.
struct DeclaredArray {
  std::string name;  // "tile"
  std::string type;  // of an element, as declared: "float"
  int element_bytes = 4;
  std::uint64_t offset = 0, bytes = 0;  // in the block's shared memory, or in constant memory
  std::vector<int> extents;             // {32, 33}: the last one is the row; at least one
  int line = 0;                         // of the declaration; 0 unknown
};

// One in shared memory, as its traced accesses use it: the layout of the tile in memory.
struct SharedArray : DeclaredArray {
  // Elements of a row that the traced accesses use; fewer than the extent when a row is padded.
  int columns_used = 0;
  // An XOR swizzle: element (row, col) lies at column col ^ ((row & mask) << shift). mask 0: none was found.
  std::uint32_t swizzle_mask = 0;
  int swizzle_shift = 0;
};

// What somebody changes about the model of the SM, to see what it is worth.
struct SmModel {
  bool hide_latency = true;   // false: a scheduler waits for its warp instead of issuing another
  double memory_latency = 1;  // memory answers in so many times its cycles
  int blocks = 0;             // resident at once; 0: as many as fit and the grid fills
  bool operator==(const SmModel&) const = default;
};

// What a clock says of this launch, beside what is modelled of it.
struct LaunchTime {
  double milliseconds = 0;
  std::string note = {};  // where from: "recorded on 2026-11-20"
  MeasuredOn on = {};
};

struct ViewInput {
  const analysis::Report* report = nullptr;  // null: nothing has run yet
  const trace::Trace* trace = nullptr;       // null or empty: nothing was traced
  const analysis::Device* device = nullptr;
  const analysis::ComputeCapability* capability = nullptr;
  Cursor cursor;
  Selection selection, hover;
  // What only some views need; null: those views say so or do with less.
  const SourceText* source = nullptr;
  const GridCosts* grid = nullptr;
  const Sweep* sweep = nullptr;
  const StreamTimeline* streams = nullptr;
  const RooflineChart* roofline = nullptr;
  const LevelTraffic* traffic = nullptr;
  const HardwareCounters* counters = nullptr;
  const TransferRates* transfers = nullptr;
  // What models say of the launch. Null: nothing yet, or it is not known.
  const analysis::Modelled* modelled = nullptr;
  const LaunchTime* time = nullptr;   // null: no clock has measured this launch
  const OccupancyLab* lab = nullptr;  // null: nothing has been tried out
  SmModel sm;
  Measure measure = Measure::Automatic;
  std::optional<bool> show_ptx = {};  // source view: PTX beside the code; unset: where there is room
  // Where things are in `trace`. Null: a view indexes the trace itself, in time linear in its length.
  const TraceIndex* index = nullptr;
  const std::vector<SharedArray>* shared = nullptr;       // null: no array of shared memory is known by name
  const std::vector<DeclaredArray>* constants = nullptr;  // likewise of constant memory
  const WarpTotals* warp_totals = nullptr;  // of every warp of the launch; null: of the traced ones
  const std::vector<analysis::ExchangeNetwork>* exchanges = nullptr;  // null: the code is not at hand
  const MatrixShapes* matrices = nullptr;  // null: no buffer is known to be a matrix
  bool overlay = true;  // address map: also what this warp's other accesses use of the same sectors
  // What is asked for is not what this is of: says in the user's language what it belongs to, and why. Drawn
  // over the view, which is then dim. Empty: it is of what is asked for.
  std::string earlier = {};
};

struct ViewContext {
  Size size;
  const Catalogue& text;
  const TextMeasure& measure;
  bool as_executed = true;  // false: show accesses as written in the PTX
  bool reduce_motion = false;
};

// Where an animation rests, and what has just happened there: the transport pauses at each, in order.
struct Stop {
  float phase = 1;
  std::string_view key;  // message key of one or two words: "view.stop.coalesce"
};

// What a view draws: it belongs to an earlier state when that does.
enum class Basis : std::uint8_t {
  Run,       // counts and trace of one launch
  Curve,     // many launches over one slider
  Hardware,  // counters of the launch
  Machine,   // neither kernel nor launch
  Model,     // what models say of one launch: comes a moment after its counts
};

// The memories whose accesses a view shows; a view of everything else stands at any.
enum class Shows : std::uint8_t { Any, Global, GlobalAndLocal, Shared, Constant };

// What is tried out for a view, beside the run, while it is looked at (app/model/study).
enum class Tries : std::uint8_t { Nothing, OtherBlocks, OtherChoices, OtherDevices };

// What can be chosen for a view: the bar below it in the window (app/window/panels/view_bar.cpp) offers it.
enum class Choices : std::uint8_t {
  None,
  SmModel,         // latencies and blocks of the model of an SM
  Measure,         // what cells and lines are coloured by
  MeasureAndPtx,   // the same, and whether the PTX stands beside it
  Form,            // accesses as written or as executed
  FormAndOverlay,  // the same, and the warp's other accesses
  Timing,          // L2 cold or warm, another measurement
  Streams,         // how many
  Counters,        // another measurement
  Transfers,       // to the device or back
  Faults,          // whether they are looked for
  Matrix,          // how long the rows are
};

struct View {
  std::string_view id;         // "address-map"
  std::string_view title_key;  // message key of the question
  Scene (*layout)(const ViewContext& context, const ViewInput& input);
  // Does this view have something to say about this run? Used to choose what to show first.
  bool (*applies)(const ViewInput& input);
  std::span<const Stop> stops = {};  // empty: the view has no animation inside a step
  Basis basis = Basis::Run;
  bool of_measurements = false;  // shows what clocks and hardware counters said, where there is a recording
  Shows shows = Shows::Any;
  Tries tries = Tries::Nothing;
  bool modelled_otherwise = false;  // where hardware has counted nothing, it shows what models say
  Choices choices = Choices::None;
  bool of_lanes = false;        // about branches; that no lane waits is a picture too
  bool of_many_blocks = false;  // what it shows comes of several traced blocks
  bool of_own_size = false;     // has no use for a time that another size of the same launch took
  bool gives_away = true;       // could tell what a lesson asks, which covers it till then

  bool shows_models() const { return basis == Basis::Model || modelled_otherwise; }
  Basis basis_where(bool counted, bool modelled) const {
    return modelled_otherwise && !counted && modelled ? Basis::Model : basis;
  }
};

std::span<const View> all_views();
const View* find_view(std::string_view id);
// Whether there is a view of this name that belongs to such a thing.
bool is_view_of(std::string_view id, Basis basis);

// The step that a view wants to show when the cursor stands on a step it cannot draw (a bank view on a global
// load): the nearest earlier one that fits, else the nearest later one; trace.size() when there is none.
std::size_t nearest_step(const trace::Trace& trace, std::size_t step, std::span<const trace::Space> spaces);
// The same with the index of the input where it has one: does not depend on the length of the trace.
std::size_t nearest_step(const ViewInput& input, std::size_t step, std::span<const trace::Space> spaces);

}  // namespace warplens::visual
