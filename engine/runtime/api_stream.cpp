// Streams, events and what captures streams into graphs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

std::uint64_t next_stream() {
  static std::uint64_t number = 1;
  return ++number;
}

std::uint64_t next_capture() {
  static std::uint64_t number = 0;
  return ++number;
}

// A stream waits for an event of a stream that is being captured: it is captured from now on, too.
void join(CUstream_st& stream, const CUevent_st& event) {
  stream.capture = event.capture;
  if ((stream.flags & cudaStreamNonBlocking) == 0) stream.capture->with_legacy = true;
  for (CUgraphNode_st* node : event.tail)
    if (std::ranges::find(stream.tail, node) == stream.tail.end()) stream.tail.push_back(node);
}

cudaStreamCaptureStatus status_of(const CUstream_st& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

cudaError_t wait(Context& all, cudaStream_t handle) {
  const CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
  if (!stream->capture) {
    all.host_waited_for(stream->id);
    return refused_while_capturing();
  }
  stream->capture->broken = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t begin_capture(cudaStream_t handle, CUgraph_st* graph, std::vector<CUgraphNode_st*> tail,
                          cudaStreamCaptureMode mode) {
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr || handle == nullptr || handle == cudaStreamLegacy)
    return cudaErrorStreamCaptureUnsupported;
  if (stream->capture) return cudaErrorIllegalState;
  const bool with_legacy = (stream->flags & cudaStreamNonBlocking) == 0;
  stream->capture = std::make_shared<Capture>(
      Capture{graph, stream, next_capture(), mode, std::this_thread::get_id(), with_legacy});
  runtime::begin(stream->capture);
  stream->tail = std::move(tail);
  return cudaSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](Context& all) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = new CUstream_st{next_stream(), flags, std::clamp(priority, -5, 0), nullptr, {}, {}};
    if (all.order) all.order->made((*stream)->id, (flags & cudaStreamNonBlocking) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Context&) {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture && stream->capture->origin == stream) stream->capture->graph = nullptr;
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](Context& all) {
    const CUstream_st* const in = stream_of(stream);
    const Noted noted(all.log, "wait",
                      {{"call", "cudaStreamSynchronize"}, {"stream", in == nullptr ? 0 : in->id}});
    return wait(all, stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call([&](Context& all) { return wait(all, stream); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call([&](Context&) {
    *flags = stream_of(stream)->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call([&](Context&) {
    *priority = stream_of(stream)->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call([&](Context&) {
    *id = stream_of(stream)->id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  return cudaGetDevice(device);
}

// Wishes about caches and waiting change no result.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return call([&](Context&) {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    stream->attributes[attribute] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return call([&](Context&) {
    const CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const auto found = stream->attributes.find(attribute);
    *value = found == stream->attributes.end() ? cudaStreamAttrValue{} : found->second;
    if (attribute == cudaLaunchAttributePriority) value->priority = stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call([&](Context&) {
    if (stream_of(to) == nullptr || stream_of(from) == nullptr) return cudaErrorInvalidResourceHandle;
    stream_of(to)->attributes = stream_of(from)->attributes;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  return call([&](Context& all) {
    // No graph holds one: cudaLaunchHostFunc is what is captured.
    if (CUstream_st* const in = stream_of(stream); in != nullptr && in->capture) return wait(all, stream);
    return enqueue(all, stream, cudaGraphNodeTypeHost, [=](Context& now) {
      callback(stream, now.fault, data);
      if (now.order) now.order->host_waits_for_all();  // which may have told the host of it
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  return call([&](Context& all) {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
    if (const cudaError_t broken = broken_capture(*stream); broken != cudaSuccess) return broken;
    if (event->capture)
      join(*stream, *event);
    else if (all.follows_order())
      all.order->wait(stream->id, event->after);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Context&) {
    if (event == nullptr) return cudaErrorInvalidValue;
    *event = new CUevent_st{flags, false, 0, {}, nullptr, {}};
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Context&) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned) {
  return call([&](Context& all) {
    CUstream_st* const stream = stream_of(handle);
    if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
    if (const cudaError_t broken = broken_capture(*stream); broken != cudaSuccess) return broken;
    event->capture = stream->capture;
    event->tail = stream->capture ? stream->tail : std::vector<CUgraphNode_st*>{};
    event->recorded = true;
    if (!stream->capture && all.follows_order())
      event->after = all.order->moment(all.graph_in.value_or(stream->id));
    if ((event->flags & cudaEventDisableTiming) == 0) all.clock.start();
    event->at_us = all.clock.us();
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call_outside_of_captures([&](Context& all) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (all.follows_order()) all.order->host_waits(event->after);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}

// What the time model says of what was done between them: that is said, once.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call([&](Context& all) {
    if (milliseconds == nullptr || begin == nullptr || end == nullptr) return cudaErrorInvalidResourceHandle;
    const bool untimed = ((begin->flags | end->flags) & cudaEventDisableTiming) != 0;
    if (untimed || !begin->recorded || !end->recorded) return cudaErrorInvalidResourceHandle;
    if (!all.clock.knows())
      return all.not_supported("cudaEventElapsedTime",
                               "the time model has nothing to say of a launch before");
    *milliseconds = static_cast<float>((end->at_us - begin->at_us) / 1e3);
    all.note("cudaEventElapsedTime tells what is modelled for one " + all.device().name +
             ", nothing of it measured: launches and copies one after the other");
    if (all.clock.left_textures_out())
      all.note("what launches read through textures is left out of modelled times");
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&](Context&) {
    auto graph = std::make_unique<CUgraph_st>();
    const cudaError_t error = begin_capture(stream, graph.get(), {}, mode);
    if (error == cudaSuccess) graph.release();  // whoever ends the capture gets it
    return error;
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  return call([&](Context&) { return begin_capture(stream, graph, {after, after + count}, mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call([&](Context&) {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || !stream->capture) return cudaErrorIllegalState;
    if (stream->capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    const bool broken = stream->capture->broken;
    if (graph != nullptr) *graph = broken ? nullptr : stream->capture->graph;
    // Streams that have joined see that it is over by its graph.
    stream->capture->graph = nullptr;
    stream->capture.reset();
    stream->tail.clear();
    return broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call([&](Context&) {
    const CUstream_st* const stream = stream_of(handle);
    *status = stream == nullptr ? cudaStreamCaptureStatusNone : status_of(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** tail,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return call([&](Context&) {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    *status = status_of(*stream);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = stream->capture->id;
    if (graph != nullptr) *graph = stream->capture->graph;
    if (tail != nullptr) *tail = stream->tail.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = stream->tail.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, std::size_t count, unsigned flags) {
  return call([&](Context&) {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || !stream->capture) return cudaErrorIllegalState;
    if (const cudaError_t broken = broken_capture(*stream); broken != cudaSuccess) return broken;
    if (flags == cudaStreamSetCaptureDependencies) stream->tail.clear();
    stream->tail.insert(stream->tail.end(), nodes, nodes + count);
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&](Context&) {
    std::swap(*mode, capture_mode_of_thread());
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
