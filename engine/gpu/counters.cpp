#include "engine/gpu/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#if WARPLENS_CUPTI
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <nlohmann/json.hpp>

#include "engine/gpu/counters_library.h"
#endif

#include "engine/base/message.h"

namespace warplens::gpu {
namespace {

// Names of CUPTI 13's database for compute capability 7.0 and later.
constexpr const char* kNames[] = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
    "idc__requests.sum",
    "l1tex__t_sector_hit_rate.pct",
    // The hit rate of L2 by its parts: the rate itself has hits of one pass over sectors of another, and is
    // above 100 % for kernels of a few microseconds.
    "lts__t_sectors_lookup_hit.sum",
    "lts__t_sectors_lookup_miss.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__cycles_elapsed.max",
    "gpu__time_duration.sum",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
};

// CUptiResult of cupti_result.h.
constexpr int kNotSupported = 27;
constexpr int kVirtualNotSupported = 33;
constexpr int kNoPrivilege = 35;
constexpr int kVirtualNoPrivilege = 40;

}  // namespace

std::span<const char* const> counter_names() {
  return kNames;
}

double CounterReading::value(std::string_view name, double otherwise) const {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
  return found == values.end() ? otherwise : found->second;
}

bool CounterReading::has(std::string_view name) const {
  return std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
}

Error counters_error(int code, const char* doing) {
  switch (code) {
    case kNoPrivilege:
    case kVirtualNoPrivilege:
      return told(ErrorKind::System, {"gpu.counters.no_permission", {}});
    case kNotSupported:
    case kVirtualNotSupported:
      return told(ErrorKind::System, {"gpu.counters.none", {}});
    default:
      return told(ErrorKind::System,
                  {"gpu.counters.failed",
                   {{"doing", value_of(Key{std::string("gpu.doing.") + doing})}, {"code", value_of(code)}}});
  }
}

nlohmann::json to_json(const CounterReading& reading) {
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [name, value] : reading.values) values.push_back({name, value});
  return {{"values", std::move(values)}, {"passes", reading.passes}};
}

CounterReading counters_from(const nlohmann::json& json) {
  CounterReading out;
  out.passes = json.at("passes");
  for (const auto& row : json.at("values"))
    out.values.emplace_back(row.at(0).get<std::string>(), row.at(1).get<double>());
  return out;
}

#if !WARPLENS_CUPTI

Result<CounterReading> read_counters(void*, int, const std::function<Status()>&,
                                     const std::function<Status()>&, const std::function<bool(double)>&) {
  return told(ErrorKind::System, {"gpu.counters.not_built", {}});
}

#else
namespace {

// CUPTI's functions take one struct each, that says its own size first.
template <typename Parameters>
Parameters sized(std::size_t bytes) {
  Parameters out{};
  out.structSize = bytes;
  return out;
}

class Cupti {
 public:
  explicit Cupti(const CountersLibrary& library) : library_(library) {}

  template <typename Parameters>
  Status call(const char* function, Parameters& parameters, const char* doing) const {
    using Call = CUptiResult (*)(Parameters*);
    const Call address = library_.symbol<Call>(function);
    if (address == nullptr)
      return told(ErrorKind::System, {"gpu.counters.too_old", {{"function", value_of(function)}}});
    const CUptiResult code = address(&parameters);
    if (code != CUPTI_SUCCESS) return counters_error(code, doing);
    return Done{};
  }

 private:
  const CountersLibrary& library_;
};

// Which counters, and how many passes they take: the part that needs no GPU.
class Plan {
 public:
  explicit Plan(const Cupti& cupti) : cupti_(cupti) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { close(); }

  Status make(const char* chip, const std::vector<std::uint8_t>& availability) {
    if (const Status s = open(chip, availability); !s) return s;
    names_.assign(counter_names().begin(), counter_names().end());
    // All at once shares passes; one by one only to find out which this chip does not have.
    if (!add(names_)) {
      std::erase_if(names_, [&](const char* name) { return !add({name}); });
      if (const Status s = open(chip, availability); !s) return s;
      if (const Status s = add(names_); !s) return s;
    }
    auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = host_;
    if (const Status s = cupti_.call("cuptiProfilerHostGetConfigImageSize", size, "plan_counters"); !s)
      return s;
    image_.resize(size.configImageSize);
    auto get = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
        CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    get.pHostObject = host_;
    get.configImageSize = image_.size();
    get.pConfigImage = image_.data();
    if (const Status s = cupti_.call("cuptiProfilerHostGetConfigImage", get, "plan_counters"); !s) return s;
    // Only for the progress: an estimate that does not come is no reason to give up.
    auto passes = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
        CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
    passes.configImageSize = image_.size();
    passes.pConfigImage = image_.data();
    if (cupti_.call("cuptiProfilerHostGetNumOfPasses", passes, "plan_counters"))
      passes_ = static_cast<double>(passes.numOfPasses);
    return Done{};
  }

  Result<std::vector<double>> evaluate(const std::vector<std::uint8_t>& data) {
    std::vector<double> values(names_.size());
    auto p = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    p.pHostObject = host_;
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = 0;
    p.ppMetricNames = names_.data();
    p.numMetrics = names_.size();
    p.pMetricValues = values.data();
    if (const Status s = cupti_.call("cuptiProfilerHostEvaluateToGpuValues", p, "read_counters"); !s)
      return s.error();
    return values;
  }

  std::vector<const char*>& names() { return names_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  double passes() const { return passes_; }  // 0: unknown

 private:
  Status open(const char* chip, const std::vector<std::uint8_t>& availability) {
    close();
    auto p = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip;
    p.pCounterAvailabilityImage = availability.data();
    const Status s = cupti_.call("cuptiProfilerHostInitialize", p, "find_counters");
    if (s) host_ = p.pHostObject;
    return s;
  }
  void close() {
    if (host_ == nullptr) return;
    auto p =
        sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    p.pHostObject = host_;
    (void)cupti_.call("cuptiProfilerHostDeinitialize", p, "close_counters");
    host_ = nullptr;
  }
  Status add(std::vector<const char*> names) {
    auto p = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    p.pHostObject = host_;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    return cupti_.call("cuptiProfilerHostConfigAddMetrics", p, "choose_counters");
  }

  const Cupti& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> image_;
  double passes_ = 0;
};

// The range profiler on a context, enabled for its life.
class RangeProfiler {
 public:
  explicit RangeProfiler(const Cupti& cupti) : cupti_(cupti) {}
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler() {
    if (object_ == nullptr) return;
    auto p = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    p.pRangeProfilerObject = object_;
    (void)cupti_.call("cuptiRangeProfilerDisable", p, "end_counters");
  }

  Status enable(void* context) {
    auto p = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    p.ctx = static_cast<CUcontext>(context);
    const Status s = cupti_.call("cuptiRangeProfilerEnable", p, "start_counters");
    if (s) object_ = p.pRangeProfilerObject;
    return s;
  }

  Status configure(Plan& plan) {
    auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = plan.names().data();
    size.numMetrics = plan.names().size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    if (const Status s = cupti_.call("cuptiRangeProfilerGetCounterDataSize", size, "set_up_counters"); !s)
      return s;
    data_.resize(size.counterDataSize);
    auto init = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    init.pRangeProfilerObject = object_;
    init.counterDataSize = data_.size();
    init.pCounterData = data_.data();
    if (const Status s = cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", init, "set_up_counters");
        !s)
      return s;
    auto p = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    p.pRangeProfilerObject = object_;
    p.pConfig = plan.image().data();
    p.configSize = plan.image().size();
    p.pCounterDataImage = data_.data();
    p.counterDataImageSize = data_.size();
    // A range around the kernel alone, which CUPTI puts there: one of ours would hold the time from the call
    // to the first block as well, and the way back. The launch is replayed by us, so that each pass finds
    // the same input and an empty L2.
    p.range = CUPTI_AutoRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = 1;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = 1;
    return cupti_.call("cuptiRangeProfilerSetConfig", p, "set_up_counters");
  }

  // One pass; true when it was the last. `launch` launches one kernel and nothing else.
  Result<bool> pass(const std::function<Status()>& launch) {
    auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = object_;
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = object_;
    if (const Status s = cupti_.call("cuptiRangeProfilerStart", start, "start_pass"); !s) return s.error();
    if (const Status s = launch(); !s) return s.error();
    if (const Status s = cupti_.call("cuptiRangeProfilerStop", stop, "end_pass"); !s) return s.error();
    return stop.isAllPassSubmitted != 0;
  }

  Status decode() {
    auto p = sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    p.pRangeProfilerObject = object_;
    return cupti_.call("cuptiRangeProfilerDecodeData", p, "read_counters");
  }
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
};

Result<std::vector<std::uint8_t>> availability_of(const Cupti& cupti, void* context) {
  auto p = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  p.ctx = static_cast<CUcontext>(context);
  if (const Status s = cupti.call("cuptiProfilerGetCounterAvailability", p, "ask_counters"); !s)
    return s.error();
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  if (const Status s = cupti.call("cuptiProfilerGetCounterAvailability", p, "ask_counters"); !s)
    return s.error();
  return image;
}

}  // namespace

Result<CounterReading> read_counters(void* context, int ordinal, const std::function<Status()>& before,
                                     const std::function<Status()>& launch_and_wait,
                                     const std::function<bool(double)>& progress) {
  const CountersLibrary* library = CountersLibrary::open();
  if (library == nullptr) return told(ErrorKind::System, {"gpu.counters.no_library", {}});
  const Cupti cupti(*library);
  auto begin = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  if (const Status s = cupti.call("cuptiProfilerInitialize", begin, "start_cupti"); !s) return s.error();
  auto chip = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  if (const Status s = cupti.call("cuptiDeviceGetChipName", chip, "name_chip"); !s) return s.error();
  const auto availability = availability_of(cupti, context);
  if (!availability) return availability.error();
  Plan plan(cupti);
  if (const Status s = plan.make(chip.pChipName, *availability); !s) return s.error();
  RangeProfiler profiler(cupti);
  if (const Status s = profiler.enable(context); !s) return s.error();
  if (const Status s = profiler.configure(plan); !s) return s.error();

  CounterReading out;
  constexpr int kMostPasses = 200;  // an end even if CUPTI never says that it is done
  for (bool last = false; !last && out.passes < kMostPasses; ++out.passes) {
    if (const Status s = before(); !s) return s.error();
    const auto passed = profiler.pass(launch_and_wait);
    if (!passed) return passed.error();
    last = *passed;
    const double share = (out.passes + 1.0) / std::max<double>(out.passes + 1.0, plan.passes());
    if (!last && !progress(share)) return told(ErrorKind::Cancelled, {"gpu.stopped", {}});
  }
  if (const Status s = profiler.decode(); !s) return s.error();
  const auto values = plan.evaluate(profiler.data());
  if (!values) return values.error();
  for (std::size_t i = 0; i < values->size(); ++i)
    if (std::isfinite((*values)[i])) out.values.emplace_back(plan.names()[i], (*values)[i]);
  return out;
}
#endif

}  // namespace warplens::gpu
