// Hardware counters of one launch, read by CUPTI's range profiler: what the GPU itself counted.
//
// The launch runs once a pass (about 15 for all of them) with the same input and an L2 that is empty and
// clean (clean_cache.h) each time, and what is counted begins and ends with the kernel, as Nsight Compute
// does it. CUPTI is opened at run time (counters_library.h); a build without the toolkit's headers, a machine
// without CUPTI, or a user without the permission gets an Error that says what to do.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace warplens::gpu {

struct Driver;
class DeviceLaunch;

struct CounterReading {
  std::vector<std::pair<std::string, double>> values;  // by CUPTI's name, in the order of counter_names()
  int passes = 0;
  double value(std::string_view name, double otherwise = 0) const;
  bool has(std::string_view name) const;
};

// What is asked for; a GPU that does not have one of them leaves it out.
std::span<const char* const> counter_names();

// What a refusal of CUPTI means to a user; `code` is a CUptiResult, `doing` a key of gpu.doing.
Error counters_error(int code, const char* doing);

// `before` is run before each pass, outside what is counted (flush, restore the input). `progress` hears how
// far it is after each pass and says whether to go on; when not, the reading ends as Cancelled.
Result<CounterReading> read_counters(void* context, int ordinal, const std::function<Status()>& before,
                                     const std::function<Status()>& launch_and_wait,
                                     const std::function<bool(double)>& progress);

nlohmann::json to_json(const CounterReading& reading);
CounterReading counters_from(const nlohmann::json& json);

}  // namespace warplens::gpu
