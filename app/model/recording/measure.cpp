#include "app/model/recording/measure.h"

#include <algorithm>
#include <map>
#include <set>

namespace warplens::model {
namespace {

// A kernel that has not ended after this is stuck: its entry is left out.
constexpr double kFirstRunSeconds = 5.0;
// Choices times sizes; a kernel with more is recorded in its first ones.
constexpr std::size_t kMostBases = 16;
constexpr std::size_t kFewSteps = 17;   // of a slider with more values than that
constexpr std::size_t kOtherSteps = 7;  // of every slider but the first

struct Group {
  BoundLaunch bound;  // of its first point: what is compiled
  std::vector<std::pair<SliderValues, trace::Launch>> points;
};

std::string program_key(const BoundLaunch& bound) {
  std::string key = bound.launch.kernel.find('<') == std::string::npos ? "" : bound.launch.kernel;
  for (const auto& [name, value] : bound.defines) key += "\n" + name + "=" + value;
  return key;
}

// Points of one program together, programs in the order of their first point.
std::vector<Group> groups_of(const MeasureRequest& request, std::vector<Error>& problems) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (const SliderValues& values : request.points) {
    auto bound = launch_of(*request.kernel, values);
    if (!bound) {
      problems.push_back(bound.error());
      continue;
    }
    const auto [entry, added] = known.try_emplace(program_key(*bound), groups.size());
    if (added) groups.push_back({*bound, {}});
    groups[entry->second].points.emplace_back(values, bound->launch);
  }
  return groups;
}

// One program on the GPU.
class GroupRun {
 public:
  GroupRun(const MeasureRequest& request, std::vector<Error>& problems)
      : request_(request), problems_(problems) {}

  Status open(const Group& group) {
    ProgramRequest wanted = program_request(*request_.kernel, group.bound);
    wanted.text = request_.text;
    const auto& devices = gpu::discover().devices;
    if (request_.device >= 0 && static_cast<std::size_t>(request_.device) < devices.size())
      wanted.arch = devices[static_cast<std::size_t>(request_.device)].target();
    wanted.or_near = true;
    const auto program = load_program(wanted);
    if (!program) return program.error();
    module_ = (*program)->module;
    compiler_version_ = (*program)->ptx.compiler_version;
    auto session = gpu::Session::open(module_, request_.device);
    if (!session) return session.error();
    session_ = std::move(*session);
    return Done{};
  }

  // Nothing: the point is left out.
  std::optional<MeasuredPoint> measure(const SliderValues& values, const trace::Launch& described) {
    const auto entry = module_->find_entry(described.kernel);
    if (!entry) return problem(entry.error());
    MeasuredPoint out{values, described, {}, compiler_version_, {}, {}};
    trace::Launch launch = described;
    launch.kernel = (*entry)->name;
    if (stuck_.contains(launch.kernel)) return std::nullopt;
    if (tried_.insert(launch.kernel).second) {
      if (const auto first = session_->run(launch, {kFirstRunSeconds, false}); !first) {
        stuck_.insert(launch.kernel);
        return problem(first.error());
      }
    }
    if (request_.counters && wants_counters(values)) {
      auto counters = session_->counters(launch, nullptr);
      if (counters)
        out.counters = std::move(*counters);
      else
        out.counters_error = counters.error();
    }
    if (!request_.times) return out;
    auto timing = session_->time(launch, request_.timing, nullptr);
    if (!timing) return problem(timing.error());
    out.timing = std::move(*timing);
    return out;
  }

 private:
  bool wants_counters(const SliderValues& values) const {
    return request_.counters_at.empty() || std::find(request_.counters_at.begin(), request_.counters_at.end(),
                                                     values) != request_.counters_at.end();
  }
  std::optional<MeasuredPoint> problem(const Error& error) {
    problems_.push_back(error);
    return std::nullopt;
  }
  const MeasureRequest& request_;
  std::vector<Error>& problems_;
  std::shared_ptr<const ptx::Module> module_;
  std::unique_ptr<gpu::Session> session_;
  std::string compiler_version_;
  std::set<std::string> tried_, stuck_;
};

// The slider that says how large the problem is: the first that gives the grid its size.
const Slider* size_slider(const GalleryKernel& kernel) {
  for (const char* name : {"n", "width", "blocks"})
    for (const Slider& slider : kernel.sliders)
      if (slider.name == name && slider.choices.empty() && slider.max > slider.value) return &slider;
  return nullptr;
}

visual::StreamSpan span_of(const gpu::StreamOperation& o) {
  return {static_cast<visual::StreamWork>(o.work), o.stream, o.chunk, o.begin, o.end};
}

Result<std::unique_ptr<gpu::Session>> session_for(const GalleryKernel& kernel, const BoundLaunch& bound,
                                                  int device, std::string& entry) {
  const auto program = load_program(program_request(kernel, bound));
  if (!program) return program.error();
  const auto found = (*program)->module->find_entry(bound.launch.kernel);
  if (!found) return found.error();
  entry = (*found)->name;
  return gpu::Session::open((*program)->module, device);
}

// For what is measured of the GPU itself: some kernel must be loaded.
Result<std::unique_ptr<gpu::Session>> any_session(const GalleryKernel& kernel, int device) {
  const auto bound = launch_of(kernel, default_values(kernel));
  if (!bound) return bound.error();
  std::string entry;
  return session_for(kernel, *bound, device, entry);
}

}  // namespace

std::vector<SliderValues> sweep_points(const GalleryKernel& kernel, const SliderValues& values,
                                       const std::string& slider, std::size_t most, Steps steps) {
  std::vector<SliderValues> out;
  for (const Slider& s : kernel.sliders) {
    if (s.name != slider) continue;
    const auto stands = values.find(slider);
    const auto now = stands == values.end() ? std::optional<std::int64_t>() : stands->second;
    std::vector<std::int64_t> along = slider_steps(s, most, steps, now);
    if (const auto measured = kernel.measure.find(slider);
        measured != kernel.measure.end() && measured->second > s.max && along.back() != measured->second)
      along.push_back(measured->second);
    for (const std::int64_t value : along) {
      out.push_back(values);
      out.back()[slider] = value;
    }
  }
  return out;
}

std::vector<SliderValues> choice_points(const GalleryKernel& kernel) {
  std::vector<SliderValues> out{measured_values(kernel, default_values(kernel))};
  for (const Slider& slider : kernel.sliders) {
    if (slider.choices.empty()) continue;
    std::vector<SliderValues> wider;
    for (const SliderValues& values : out)
      for (std::int64_t choice = 0; choice < static_cast<std::int64_t>(slider.choices.size()); ++choice) {
        wider.push_back(values);
        wider.back()[slider.name] = choice;
      }
    out = std::move(wider);
  }
  if (out.size() > kMostBases) out.resize(kMostBases);
  return out;
}

std::vector<SliderValues> counter_points(const GalleryKernel& kernel, bool quick) {
  if (quick) return {measured_values(kernel, default_values(kernel))};
  std::vector<SliderValues> out = choice_points(kernel);
  // Who says at which size the effect is seen needs no other one.
  const Slider* size = kernel.measure.empty() ? size_slider(kernel) : nullptr;
  for (std::size_t i = 0, plain = out.size(); size != nullptr && i < plain; ++i) {
    out.push_back(out[i]);
    out.back()[size->name] = size->max;
  }
  return out;
}

std::vector<SliderValues> recorded_points(const GalleryKernel& kernel, bool quick) {
  const std::vector<SliderValues> bases = counter_points(kernel, quick);
  std::vector<SliderValues> out = bases;
  for (const SliderValues& base : bases) {
    bool first = true;  // what the kernel is about; the others are for whoever asks
    for (const Slider& slider : kernel.sliders) {
      if (!slider.choices.empty()) continue;
      if (!first && (quick || &base != &bases.front())) break;
      const auto values = static_cast<std::uint64_t>(slider.max - slider.min);
      const bool few = slider.powers_of_two || !slider.values.empty() || values < kEveryValue;
      const std::size_t most = quick ? 9 : !first ? kOtherSteps : few ? kEveryValue : kFewSteps;
      const auto points = sweep_points(kernel, base, slider.name, most);
      out.insert(out.end(), points.begin(), points.end());
      first = false;
    }
  }
  std::vector<SliderValues> once;
  std::set<SliderValues> seen;
  for (SliderValues& values : out)
    if (seen.insert(values).second) once.push_back(std::move(values));
  return once;
}

std::vector<Error> measure_points(const MeasureRequest& request,
                                  const std::function<bool(const MeasuredPoint&)>& on_point,
                                  Progress* progress) {
  std::vector<Error> problems;
  std::size_t done = 0;
  for (const Group& group : groups_of(request, problems)) {
    GroupRun run(request, problems);
    if (const Status opened = run.open(group); !opened) {
      problems.push_back(opened.error());
      done += group.points.size();
      continue;
    }
    for (const auto& [values, launch] : group.points) {
      if (progress != nullptr && progress->cancelled()) return problems;
      const auto point = run.measure(values, launch);
      if (point && !on_point(*point)) return problems;
      if (progress != nullptr)
        progress->report(static_cast<double>(++done) / static_cast<double>(request.points.size()));
    }
  }
  return problems;
}

Result<gpu::StreamTimes> streams_on_gpu(const GalleryKernel& kernel, const SliderValues& values, int device,
                                        Progress* progress) {
  const auto bound = launch_of(kernel, values);
  if (!bound) return bound.error();
  std::string entry;
  auto session = session_for(kernel, *bound, device, entry);
  if (!session) return session.error();
  trace::Launch piece = bound->launch;
  piece.kernel = entry;
  gpu::StreamOptions options;
  if (const auto streams = values.find("streams"); streams != values.end())
    options.streams = static_cast<int>(streams->second);
  if (const auto chunks = values.find("chunks"); chunks != values.end())
    options.chunks = static_cast<int>(chunks->second);
  return (*session)->streams(piece, options, progress);
}

Result<std::vector<gpu::TransferRow>> transfers_on_gpu(const GalleryKernel& kernel,
                                                       const gpu::TransferOptions& options, int device,
                                                       Progress* progress) {
  auto session = any_session(kernel, device);
  if (!session) return session.error();
  return (*session)->transfers(options, progress);
}

Result<RecordedProduct> product_on_gpu(const GalleryKernel& kernel, const gpu::ProductSize& size, int device,
                                       Progress* progress) {
  auto session = any_session(kernel, device);
  if (!session) return session.error();
  constexpr int kRuns = 30;
  constexpr double kSeconds = 0.5;
  const auto times = (*session)->library_product(size, kRuns, kSeconds, progress);
  if (!times) return times.error();
  return RecordedProduct{size, spread_of(times->milliseconds), times->version, {}};
}

visual::StreamTimeline timeline_of(const gpu::StreamTimes& times, int streams, int chunks) {
  visual::StreamTimeline out;
  out.streams = streams;
  out.chunks = chunks;
  out.bytes = times.bytes;
  for (const gpu::StreamOperation& o : times.operations) {
    out.spans.push_back(span_of(o));
    out.total_ms = std::max(out.total_ms, o.end);
  }
  return out;
}

RecordedStreams recorded_streams(const gpu::StreamTimes& times, int streams, int chunks) {
  RecordedStreams out{streams, chunks, times.bytes, spread_of(times.totals), {}, times.clock};
  for (const gpu::StreamOperation& o : times.operations) out.spans.push_back(span_of(o));
  return out;
}

RecordedTransfer recorded_transfer(const gpu::TransferRow& row) {
  return {row.bytes, row.count, row.pinned, row.to_device, spread_of(row.milliseconds)};
}

}  // namespace warplens::model
