// Inside the worker: copy in, compute, copy out over several streams, with the time of every operation
// (catalogue K4).
//
// The work: `bytes` of floats in pinned memory are copied to the GPU, a kernel goes over them, and they are
// copied back. It is cut into `chunks` pieces; piece i runs in stream i mod `streams`. With one stream
// nothing overlaps; with more, one piece is computed while another is copied.
//
// Where the times come from: CUPTI's record of each operation when CUPTI is there (clock "cupti"), else
// events around it (clock "events"). An event tells when an operation ended and when its stream had reached
// it; that a copy begins when its stream has reached it and the copy before it in the same direction has
// ended is then an inference, and a kernel that waits for room looks longer than it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/gpu/driver.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

enum class StreamWork : std::uint8_t { CopyIn, Compute, CopyOut };

// Milliseconds since the first operation began.
struct StreamOperation {
  StreamWork work = StreamWork::Compute;
  int stream = 0, chunk = 0;
  double begin = 0, end = 0;
};

struct StreamOptions {
  int streams = 1, chunks = 1;
  std::uint64_t bytes = 64u << 20;
  int runs = 15;
};

struct StreamTimes {
  std::uint64_t bytes = 0;
  std::vector<double> totals;               // milliseconds of each run, first begin to last end, by events
  std::vector<StreamOperation> operations;  // of the run whose total is the median, by begin
  std::string clock;
};

// What can be said of operations whatever GPU they ran on: each stream runs in order, each piece once each
// way. Empty when all is well (for tests and for reading recordings).
std::string check_operations(const std::vector<StreamOperation>& operations, int streams, int chunks);

// From the events of each piece, [stream reached it, copied in, computed, copied out], milliseconds: the
// operations by the rule above, relative to the first begin (exposed for tests).
std::vector<StreamOperation> operations_of_events(const std::vector<std::array<double, 4>>& pieces,
                                                  int streams);

// `piece` names the kernel and its block; its arguments are a buffer of floats, the number of elements of a
// piece, and scalars that are passed on.
Result<StreamTimes> measure_streams(const Driver& driver, ContextHandle context, FunctionHandle function,
                                    const trace::Launch& piece, const StreamOptions& options,
                                    const std::function<bool(double)>& progress);

nlohmann::json to_json(const StreamOptions& options);
StreamOptions stream_options_from(const nlohmann::json& json);
nlohmann::json to_json(const StreamTimes& times);
StreamTimes stream_times_from(const nlohmann::json& json);

}  // namespace warplens::gpu
