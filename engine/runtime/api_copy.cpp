// Copies and fills, between memory of every kind, symbols and arrays.
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/runtime/array.h"
#include "engine/runtime/calling_line.h"
#include "engine/runtime/misuse.h"
#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

namespace warplens::runtime {

bool may_copy(Context& all, const Region& region, const Size& size, bool device) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return true;
  if (region.at == nullptr) return false;
  const auto first = reinterpret_cast<std::uint64_t>(region.at);
  const Allocation* const found = all.arena.find(first);
  if (found == nullptr) return !device && !Arena::covers(region.at);
  const std::uint64_t bytes = (size.depth - 1) * region.plane + (size.height - 1) * region.pitch + size.width;
  return bytes <= found->end() - first;
}

void copy(const Region& to, const Region& from, const Size& size) {
  for (std::size_t z = 0; z < size.depth; ++z)
    for (std::size_t y = 0; y < size.height; ++y)
      std::memmove(to.at + z * to.plane + y * to.pitch, from.at + z * from.plane + y * from.pitch,
                   size.width);
}

std::optional<Region> region_of(const cudaArray& array, std::size_t x, std::size_t y, std::size_t z,
                                const Size& size) {
  const bool fits = x + size.width <= array.row_bytes() && y + size.height <= array.rows() &&
                    z + size.depth <= array.planes();
  if (!fits) return std::nullopt;
  const std::size_t plane = array.row_bytes() * array.rows();
  return Region{reinterpret_cast<std::uint8_t*>(array.address) + z * plane + y * array.row_bytes() + x,
                array.row_bytes(), plane};
}

}  // namespace warplens::runtime

namespace {

std::uint8_t* bytes(const void* pointer) {
  return static_cast<std::uint8_t*>(const_cast<void*>(pointer));
}

// `from` of nothing: of the host.
void note_copied(Arena& arena, const Region& to, const Region& from, const Size& size) {
  if (arena.places().written == nullptr) return;
  for (std::size_t z = 0; z < size.depth; ++z)
    for (std::size_t y = 0; y < size.height; ++y)
      arena.copied(to.at + z * to.plane + y * to.pitch,
                   from.at == nullptr ? nullptr : from.at + z * from.plane + y * from.pitch, size.width);
}

// Not what is on the host and may be touched by kernels.
bool is_on_device(Context& all, const void* pointer) {
  const Allocation* const found = all.arena.find(pointer);
  return found != nullptr && found->kind != Kind::Pinned && found->kind != Kind::Registered;
}

// Of memory of the device a copy reads and writes as many bytes; to and from the host it is the link's.
void add_copy_time(Context& all, const Region& to, const Region& from, const Size& size) {
  if (!all.clock.runs()) return;
  const double bytes = static_cast<double>(size.width * size.height * size.depth);
  const bool in = is_on_device(all, to.at), out = is_on_device(all, from.at);
  if (in && out)
    all.clock.add_bytes(2 * bytes, all.device().dram_gbps);
  else if (in || out)
    all.clock.add_bytes(bytes, all.device().host_gbps);
}

bool to_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}
bool from_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

// From its first byte behind its last.
std::uint64_t reach_of(const Region& region, const Size& size) {
  return (size.depth - 1) * region.plane + (size.height - 1) * region.pitch + size.width;
}

// Memory that a graph allocates is not there while the graph is made.
bool is_of_graph(Context& all, cudaStream_t handle, const Region& region) {
  const CUstream_st* const stream = stream_of(handle);
  return stream != nullptr && stream->capture && all.arena.is_reserved(region.at);
}

// In which it is done now. The stream in which a node of a graph was captured may be gone.
std::uint64_t number_of(const Context& all, cudaStream_t stream) {
  const CUstream_st* const in = all.graph_in ? nullptr : stream_of(stream);
  return all.graph_in ? *all.graph_in : in == nullptr ? 0 : in->id;
}

// What the report says of a copy or a fill.
nlohmann::ordered_json facts_of(const Context& all, cudaStream_t stream, const Size& size, const char* kind) {
  return {
      {"stream", number_of(all, stream)}, {"bytes", size.width * size.height * size.depth}, {"kind", kind}};
}

// Of memory that launches and other copies may touch meanwhile: the device's, and the host's that is pinned.
ByteRanges bytes_of(Context& all, const Region& region, const Size& size) {
  ByteRanges out;
  if (size.width == 0 || all.arena.find(region.at) == nullptr) return out;
  for (std::size_t z = 0; z < size.depth; ++z)
    for (std::size_t y = 0; y < size.height; ++y) {
      const auto begin = reinterpret_cast<std::uint64_t>(region.at + z * region.plane + y * region.pitch);
      if (!out.empty() && out.back().end == begin)
        out.back().end = begin + size.width;
      else
        out.push_back({begin, begin + size.width});
    }
  std::ranges::sort(out, {}, &ByteRange::begin);
  return out;
}

// A copy, or with `from` of nothing a fill, while the order of streams is followed.
class InStream {
 public:
  InStream(Context& all, cudaStream_t stream, const Region& to, const Region& from, const Size& size)
      : all_(all) {
    if (!all.follows_order()) return;
    const bool copies = from.at != nullptr;
    operation_.kind = copies ? "copy" : "fill";
    operation_.what = {copies ? "run.order.copy" : "run.order.fill",
                       {{"bytes", value_of(size.width * size.height * size.depth)}}};
    operation_.touched.writes = bytes_of(all, to, size);
    if (copies) operation_.touched.reads = bytes_of(all, from, size);
    operation_.place = calling_place();
    begun_ = all.order->begin(number_of(all, stream), &operation_.touched.writes);
    // Of the device's memory into the host's that is not pinned a call comes back when all is there.
    waited_for_ = copies && operation_.touched.writes.empty();
  }
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;
  ~InStream() {
    if (!begun_) return;
    const std::uint64_t stream = begun_->stream;
    all_.order->end(*begun_, std::move(operation_));
    if (waited_for_) all_.host_waited_for(stream);
  }

 private:
  Context& all_;
  StreamOrder::Operation operation_;
  std::optional<StreamOrder::Begun> begun_;
  bool waited_for_ = false;
};

// A fill in the legacy stream, for which the host waits where it can look.
cudaError_t filled(cudaError_t done, const void* pointer) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  const Allocation* const found = all.arena.find(pointer);
  if (done == cudaSuccess && found != nullptr && found->kind != Kind::Device)
    all.host_waited_for(StreamOrder::kLegacy);
  return done;
}

// Behind a copy in the legacy stream for which the host waits; inside of the device's memory it does not.
cudaError_t waited(cudaError_t done, cudaMemcpyKind kind) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  if (done == cudaSuccess && kind != cudaMemcpyDeviceToDevice) all.host_waited_for(StreamOrder::kLegacy);
  return done;
}
const char* direction(const Region& to, const Region& from) {
  static constexpr const char* kNames[2][2] = {{"host to host", "host to device"},
                                               {"device to host", "device to device"}};
  return kNames[Arena::covers(from.at) ? 1 : 0][Arena::covers(to.at) ? 1 : 0];
}

}  // namespace

namespace warplens::runtime {

cudaError_t copy_in(Context& all, cudaStream_t stream, const Region& to, const Region& from, const Size& size,
                    cudaMemcpyKind kind, CUgraphNode_st** node) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  const auto fits = [=](Context& now) {
    return may_copy(now, to, size, to_device(kind)) && may_copy(now, from, size, from_device(kind));
  };
  if (!fits(all) && !is_of_graph(all, stream, to) && !is_of_graph(all, stream, from)) {
    const bool of_to = !may_copy(all, to, size, to_device(kind));
    const Region& wrong = of_to ? to : from;
    return refuse_range(all, "cudaMemcpy", wrong.at, reach_of(wrong, size),
                        of_to ? to_device(kind) : from_device(kind));
  }
  return enqueue(
      all, stream, cudaGraphNodeTypeMemcpy,
      [=](Context& now) {
        if (!fits(now)) return cudaErrorInvalidValue;
        const InStream in_stream(now, stream, to, from, size);
        const Noted noted(now.log, "copy", facts_of(now, stream, size, direction(to, from)));
        copy(to, from, size);
        note_copied(now.arena, to, from, size);
        add_copy_time(now, to, from, size);
        return cudaSuccess;
      },
      node);
}

}  // namespace warplens::runtime

namespace {

cudaError_t copy_line(Context& all, cudaStream_t stream, void* to, const void* from, std::size_t count,
                      cudaMemcpyKind kind) {
  return copy_in(all, stream, {bytes(to), 0, 0}, {bytes(from), 0, 0}, {count, 1, 1}, kind);
}

cudaError_t fill(Context& all, cudaStream_t stream, void* pointer, std::size_t pitch, std::size_t plane,
                 int value, const Size& size) {
  const Region region{bytes(pointer), pitch, plane};
  if (!may_copy(all, region, size, true) && !is_of_graph(all, stream, region))
    return refuse_range(all, "cudaMemset", pointer, reach_of(region, size), true);
  return enqueue(all, stream, cudaGraphNodeTypeMemset, [=](Context& now) {
    if (!may_copy(now, region, size, true)) return cudaErrorInvalidValue;
    const InStream in_stream(now, stream, region, Region{nullptr, 0, 0}, size);
    const Noted noted(now.log, "fill", facts_of(now, stream, size, "fill"));
    for (std::size_t z = 0; z < size.depth; ++z)
      for (std::size_t y = 0; y < size.height; ++y)
        std::memset(region.at + z * plane + y * pitch, value, size.width);
    note_copied(now.arena, region, Region{nullptr, 0, 0}, size);
    if (now.clock.runs())
      now.clock.add_bytes(static_cast<double>(size.width * size.height * size.depth), now.device().dram_gbps);
    return cudaSuccess;
  });
}

// Where a variable of the device is; cudaErrorInvalidSymbol, or cudaErrorInvalidValue outside of it.
cudaError_t symbol_place(Context& all, const void* symbol, std::size_t count, std::size_t offset, void*& at) {
  if (const cudaError_t error = cudaGetSymbolAddress(&at, symbol); error != cudaSuccess) return error;
  if (const std::uint64_t has = all.modules.variable(symbol)->bytes; offset + count > has)
    return refuse_symbol_size(all, all.modules.variable(symbol)->name, offset + count, has);
  at = bytes(at) + offset;
  return cudaSuccess;
}

cudaError_t copy_array(Context& all, cudaStream_t stream, cudaArray_const_t array, std::size_t x,
                       std::size_t y, Region outside, const Size& size, cudaMemcpyKind kind, bool into) {
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const auto inside = region_of(*array, x, y, 0, size);
  if (!inside) return cudaErrorInvalidValue;
  return into ? copy_in(all, stream, *inside, outside, size, kind)
              : copy_in(all, stream, outside, *inside, size, kind);
}

// `count` bytes that begin at row y and may run over several rows: in an array they lie one behind the other.
cudaError_t copy_run(Context& all, cudaStream_t stream, cudaArray_const_t array, std::size_t x, std::size_t y,
                     const void* outside, std::size_t count, cudaMemcpyKind kind, bool into) {
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const std::size_t at = y * array->row_bytes() + x;
  if (at + count > array->row_bytes() * array->rows()) return cudaErrorInvalidValue;
  void* const inside = reinterpret_cast<void*>(array->address + at);
  return into ? copy_line(all, stream, inside, outside, count, kind)
              : copy_line(all, stream, const_cast<void*>(outside), inside, count, kind);
}

// One side of cudaMemcpy3D: an array (positions and widths in texels) or pitched memory (in bytes).
struct Side {
  Region region;
  bool fits = false;
};
Side side_of(cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at, const Size& size) {
  if (array != nullptr) {
    const auto inside = region_of(*array, at.x * array->texel_bytes(), at.y, at.z, size);
    return {inside.value_or(Region{}), inside.has_value()};
  }
  const std::size_t plane = pointer.pitch * pointer.ysize;
  return {{bytes(pointer.ptr) + at.z * plane + at.y * pointer.pitch + at.x, pointer.pitch, plane},
          pointer.ptr != nullptr};
}

cudaError_t copy_3d(Context& all, cudaStream_t stream, const cudaMemcpy3DParms& p) {
  const cudaArray_t any = p.srcArray != nullptr ? p.srcArray : p.dstArray;
  const Size size{p.extent.width * (any != nullptr ? any->texel_bytes() : 1), p.extent.height,
                  p.extent.depth};
  if (size.width == 0 || size.height == 0 || size.depth == 0) return cudaSuccess;
  const Side to = side_of(p.dstArray, p.dstPtr, p.dstPos, size),
             from = side_of(p.srcArray, p.srcPtr, p.srcPos, size);
  if (!to.fits || !from.fits) return cudaErrorInvalidValue;
  CUgraphNode_st* node = nullptr;
  const cudaError_t error = copy_in(all, stream, to.region, from.region, size, p.kind, &node);
  if (node != nullptr) node->copy = p;
  return error;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&](Context& all) { return copy_line(all, stream, to, from, count, kind); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  return waited(cudaMemcpyAsync(to, from, count, kind, nullptr), kind);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t count,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t count) {
  return call([&](Context& all) {
    all.host_waited_for_all();  // all work of both devices lies before it or behind it
    return waited(cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, nullptr), cudaMemcpyDefault);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return call([&](Context& all) -> cudaError_t {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    return copy_in(all, stream, {bytes(to), to_pitch, 0}, {bytes(from), from_pitch, 0}, {width, height, 1},
                   kind);
  });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return waited(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr), kind);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return call([&](Context& all) {
    return parameters == nullptr ? cudaErrorInvalidValue : copy_3d(all, stream, *parameters);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return waited(cudaMemcpy3DAsync(parameters, nullptr),
                parameters == nullptr ? cudaMemcpyDefault : parameters->kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t count,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) {
    void* at = nullptr;
    const cudaError_t error = symbol_place(all, symbol, count, offset, at);
    return error != cudaSuccess ? error : copy_line(all, stream, at, from, count, kind);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind) {
  return waited(cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, nullptr), kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) {
    void* at = nullptr;
    const cudaError_t error = symbol_place(all, symbol, count, offset, at);
    return error != cudaSuccess ? error : copy_line(all, stream, to, at, count, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return waited(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, nullptr), kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) {
    return copy_array(all, stream, array, x, y, {bytes(from), pitch, 0}, {width, height, 1}, kind, true);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return waited(cudaMemcpy2DToArrayAsync(array, x, y, from, pitch, width, height, kind, nullptr), kind);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t array, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) {
    return copy_array(all, stream, array, x, y, {bytes(to), pitch, 0}, {width, height, 1}, kind, false);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t array, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return waited(cudaMemcpy2DFromArrayAsync(to, pitch, array, x, y, width, height, kind, nullptr), kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return call([&](Context& all) -> cudaError_t {
    if (from == nullptr) return cudaErrorInvalidResourceHandle;
    const Size size{width, height, 1};
    const auto source = region_of(*from, from_x, from_y, 0, size);
    if (!source) return cudaErrorInvalidValue;
    return copy_array(all, nullptr, to, to_x, to_y, *source, size, kind, true);
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return call([&](Context& all) {
    if (p == nullptr) return cudaErrorInvalidValue;
    return copy_3d(all, stream,
                   {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent,
                    cudaMemcpyDeviceToDevice});
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return call([&](Context& all) {
    all.host_waited_for_all();
    return waited(cudaMemcpy3DPeerAsync(p, nullptr), cudaMemcpyDefault);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                                   std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) { return copy_run(all, stream, array, x, y, from, count, kind, true); });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t array, std::size_t x, std::size_t y,
                                     std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Context& all) { return copy_run(all, stream, array, x, y, to, count, kind, false); });
}

cudaError_t cudaMemcpyToArray(cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                              std::size_t count, cudaMemcpyKind kind) {
  return call([&](Context& all) {
    return waited(copy_run(all, nullptr, array, x, y, from, count, kind, true), kind);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t array, std::size_t x, std::size_t y,
                                std::size_t count, cudaMemcpyKind kind) {
  return call([&](Context& all) {
    return waited(copy_run(all, nullptr, array, x, y, to, count, kind, false), kind);
  });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t count, cudaStream_t stream) {
  return call([&](Context& all) { return fill(all, stream, pointer, 0, 0, value, {count, 1, 1}); });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t count) {
  return filled(cudaMemsetAsync(pointer, value, count, nullptr), pointer);
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return call([&](Context& all) { return fill(all, stream, pointer, pitch, 0, value, {width, height, 1}); });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return filled(cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr), pointer);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return call([&](Context& all) {
    return fill(all, stream, pointer.ptr, pointer.pitch, pointer.pitch * pointer.ysize, value,
                {extent.width, extent.height, extent.depth});
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return filled(cudaMemset3DAsync(pointer, value, extent, nullptr), pointer.ptr);
}

}  // extern "C"
#pragma GCC visibility pop
