#include "engine/simt/buffers/texture.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/base/message.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/load/program.h"
#include "engine/trace/half.h"

namespace warplens::simt {

namespace {

using trace::ElementType;
using Edge = trace::Texture::Edge;

constexpr std::uint64_t kHandleStep = 32;
// Coordinates beyond this are far outside of any texture, and whole in single precision.
constexpr float kFar = 0x1p40f;

template <typename T>
T peek_texel(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint32_t bits(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// An integer element: as it is, or as a fraction of its largest value.
template <typename T>
std::uint32_t integer_bits(const std::uint8_t* at, bool unit) {
  const auto value = peek_texel<T>(at);
  if (!unit) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  return bits(
      std::max(-1.0, static_cast<double>(value) / static_cast<double>(std::numeric_limits<T>::max())));
}

std::uint32_t element_bits(ElementType type, bool unit, const std::uint8_t* at) {
  switch (type) {
    case ElementType::I8:
      return integer_bits<std::int8_t>(at, unit);
    case ElementType::U8:
      return integer_bits<std::uint8_t>(at, unit);
    case ElementType::I16:
      return integer_bits<std::int16_t>(at, unit);
    case ElementType::U16:
      return integer_bits<std::uint16_t>(at, unit);
    case ElementType::F16:
      return bits(trace::from_half(peek_texel<std::uint16_t>(at)));
    default:
      return peek_texel<std::uint32_t>(at);
  }
}

// Wrapping and mirroring exist only for normalised coordinates; without them CUDA clamps. Linear memory has
// no edges to repeat: outside of it is zero.
Edge edge_of(const trace::Texture& format) {
  if (format.linear_memory) return Edge::Border;
  const bool repeats = format.edge == Edge::Wrap || format.edge == Edge::Mirror;
  return repeats && !format.normalised ? Edge::Clamp : format.edge;
}

// The texel that an index along one axis means; -1: none, the border's zero.
std::int64_t place(std::int64_t index, std::int64_t size, Edge edge) {
  switch (edge) {
    case Edge::Clamp:
      return std::clamp<std::int64_t>(index, 0, size - 1);
    case Edge::Wrap:
      return ((index % size) + size) % size;
    case Edge::Mirror: {
      const std::int64_t period = 2 * size, within = ((index % period) + period) % period;
      return within < size ? within : period - 1 - within;
    }
    case Edge::Border:
      return index >= 0 && index < size ? index : -1;
  }
  return -1;
}

// Coordinate in texels. Not a number reads the first texel. A normalised coordinate keeps 21 bits behind the
// point, cut off, and is then multiplied without rounding (read from an H200:
// tests/simt/golden/textures.txt).
double scaled(const BoundTexture& texture, float x, int axis) {
  if (!(x == x)) return 0;
  const double at = std::clamp(x, -kFar, kFar);
  if (!texture.format.normalised) return at;
  constexpr double kSteps = 1 << 21;
  return std::clamp<double>(std::floor(at * kSteps) / kSteps * static_cast<double>(texture.extent(axis)),
                            -kFar, kFar);
}

std::uint64_t offset_of(const BoundTexture& texture, const TexelIndex& at, std::uint64_t layer) {
  std::uint64_t index = std::min(layer, texture.planes() - 1);
  for (int axis = 2; axis >= 0; --axis)
    index = index * texture.extent(axis) + static_cast<std::uint64_t>(at[static_cast<std::size_t>(axis)]);
  return index * texture.texel_bytes();
}

// The texel at these indexes after the edges' rule; false: it lies in the border.
bool resolve(const BoundTexture& texture, TexelIndex& at) {
  const Edge edge = edge_of(texture.format);
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    at[i] = axis < texture.format.dimensions()
                ? place(at[i], static_cast<std::int64_t>(texture.extent(axis)), edge)
                : 0;
    if (at[i] < 0) return false;
  }
  return true;
}

Texel read(const BoundTexture& texture, TexelIndex at, std::uint64_t layer = 0) {
  Texel out{};
  if (!resolve(texture, at)) return out;
  const std::uint8_t* from = texture.texels.data() + offset_of(texture, at, layer);
  const auto step = static_cast<std::size_t>(trace::size_of(texture.type));
  for (std::size_t c = 0; c < texture.format.channels; ++c)
    out[c] = element_bits(texture.type, texture.format.unit, from + c * step);
  return out;
}

// The lower texel of a blend and how much the upper one weighs, along one axis.
struct Footing {
  std::int64_t index = 0;
  int weight = 0;  // in 256ths
};

Footing footing(const BoundTexture& texture, float x, int axis) {
  const double fixed = std::floor((scaled(texture, x, axis) - 0.5) * 256 + 0.5);
  const double whole = std::floor(fixed / 256);
  return {static_cast<std::int64_t>(whole), static_cast<int>(fixed - whole * 256)};
}

TexelIndex nearest(const BoundTexture& texture, const Coordinates& at) {
  TexelIndex index{};
  for (int axis = 0; axis < texture.format.dimensions(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    index[i] = static_cast<std::int64_t>(std::floor(scaled(texture, at[i], axis)));
  }
  return index;
}

// What share of `whole` (in 256ths) goes to the upper side, rounded to the nearest; a half goes up, or down.
int share(int whole, int weight) {
  return (whole * weight + 128) / 256;
}
int share_down(int whole, int weight) {
  return (whole * weight + 127) / 256;
}

// Weights of the texels around a point in 256ths, which is all that the hardware keeps of them: bit i of a
// corner's number is its side on axis i. Along z the weight is divided first, then along x, then along y
// (read from an H200: tests/simt/golden/textures.txt).
std::array<int, 8> corner_weights(const std::array<Footing, 3>& foot) {
  const int x = foot[0].weight, y = foot[1].weight, z = foot[2].weight;
  std::array<int, 8> out{};
  for (const auto& [first, slice] : {std::pair{0u, 256 - z}, std::pair{4u, z}}) {
    const int upper = share(slice, x), lower = slice - upper;
    out[first + 3] = share(upper, y);
    out[first + 1] = upper - out[first + 3];
    out[first + 2] = share_down(lower, y);
    out[first] = lower - out[first + 2];
  }
  return out;
}

// Beyond the first and last texel of a clamped axis that texel alone counts.
Footing clamped(const BoundTexture& texture, Footing foot, int axis) {
  const auto last = static_cast<std::int64_t>(texture.extent(axis)) - 1;
  if (edge_of(texture.format) != Edge::Clamp) return foot;
  if (foot.index < 0) return {0, 0};
  return foot.index >= last ? Footing{last, 0} : foot;
}

Texel blend(const BoundTexture& texture, const Coordinates& at, std::uint64_t layer) {
  const int dimensions = texture.format.dimensions();
  std::array<Footing, 3> foot;
  for (int axis = 0; axis < dimensions; ++axis)
    foot[static_cast<std::size_t>(axis)] =
        clamped(texture, footing(texture, at[static_cast<std::size_t>(axis)], axis), axis);
  const std::array<int, 8> weights = corner_weights(foot);
  std::array<double, 4> sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    if (weights[corner] == 0) continue;
    TexelIndex index{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
      index[i] = foot[i].index + ((corner >> i) & 1u);
    const Texel texel = read(texture, index, layer);
    for (std::size_t c = 0; c < 4; ++c)
      sum[c] += weights[corner] / 256.0 * static_cast<double>(std::bit_cast<float>(texel[c]));
  }
  Texel out;
  for (std::size_t c = 0; c < 4; ++c) out[c] = bits(sum[c]);
  return out;
}

}  // namespace

std::uint64_t texture_handle(std::size_t index) {
  return kTextureWindow + (index + 1) * kHandleStep;
}

BoundTexture* find_texture(std::vector<BoundTexture>& textures, std::uint64_t handle) {
  const std::uint64_t from = handle - kTextureWindow;
  if (from % kHandleStep != 0 || from == 0 || from / kHandleStep > textures.size()) return nullptr;
  BoundTexture& found = textures[from / kHandleStep - 1];
  return found.lasting == nullptr && found.texels.empty() ? nullptr : &found;
}

void bind_lasting(const std::vector<LastingTexture>& lasting, std::vector<BoundTexture>& textures) {
  for (const LastingTexture& from : lasting) {
    BoundTexture& to = textures.emplace_back();
    if (from.texels == nullptr) continue;
    to.format = from.format;
    to.type = from.type;
    to.lasting = &from;
    to.filled = false;
  }
}

void fill_texture(BoundTexture& texture, std::mutex& filling) {
  const std::atomic_ref<bool> filled(texture.filled);
  if (filled.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(filling);
  if (filled.load(std::memory_order_relaxed)) return;
  const LastingTexture& from = *texture.lasting;
  const std::uint64_t row = texture.extent(0) * texture.texel_bytes(),
                      pitch = from.row_bytes != 0 ? from.row_bytes : row;
  const std::uint64_t rows = texture.extent(1) * texture.extent(2) * texture.planes();
  texture.texels.resize(rows * row);
  for (std::uint64_t y = 0; y < rows; ++y)
    std::memcpy(texture.texels.data() + y * row, from.texels + y * pitch, row);
  filled.store(true, std::memory_order_release);
}

void keep_surfaces(const std::vector<BoundTexture>& textures) {
  for (const BoundTexture& texture : textures)
    if (texture.format.surface && texture.filled && texture.lasting != nullptr)
      std::ranges::copy(texture.texels, texture.lasting->texels);
}

Status bind_textures(const trace::Launch& launch, std::uint64_t room, std::vector<BoundTexture>& textures) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    if (!argument.texture) continue;
    if (argument.bytes() > room)
      return told(ErrorKind::Usage,
                  {"launch.texture_beyond_cap",
                   {{"index", value_of(i)}, {"mebibytes", value_of(argument.bytes() >> 20)}}});
    room -= argument.bytes();
    auto texels = trace::initial_bytes(argument);
    if (!texels) return texels.error();
    textures.push_back({*argument.texture, argument.type, static_cast<std::uint32_t>(i), std::move(*texels)});
  }
  return Done{};
}

// Of equal magnitudes z goes before y and y before x. What is not a number counts as nothing, and beside an
// infinite component the others vanish (read from an H200: tests/simt/golden/cubemaps.txt).
CubePlace on_cube(const Coordinates& direction) {
  const bool endless = std::ranges::any_of(direction, [](float v) { return std::isinf(v); });
  const auto component = [&](std::size_t i) {
    if (!endless) return direction[i];
    return std::isinf(direction[i]) ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
  };
  const auto magnitude = [](float v) { return v == v ? std::fabs(v) : -1.0f; };
  const float x = component(0), y = component(1), z = component(2);
  const float ax = magnitude(x), ay = magnitude(y), az = magnitude(z);
  CubePlace out;
  float major = ax, s = x < 0 ? z : -z, t = -y;
  if (az >= ax && az >= ay) {
    out.face = z < 0 ? 5 : 4;
    major = az, s = z < 0 ? -x : x;
  } else if (ay >= ax) {
    out.face = y < 0 ? 3 : 2;
    major = ay, s = x, t = y < 0 ? -z : z;
  } else {
    out.face = x < 0 ? 1 : 0;
  }
  const auto on_face = [&](float v) {
    const float ratio = v / major;
    return ratio == ratio ? (ratio + 1) / 2 : 0.5f;
  };
  out.at = {on_face(s), on_face(t), 0};
  return out;
}

Texel sample(const BoundTexture& texture, const Coordinates& at, std::uint64_t layer) {
  return texture.format.filter == trace::Texture::Filter::Linear ? blend(texture, at, layer)
                                                                 : read(texture, nearest(texture, at), layer);
}

Texel fetch(const BoundTexture& texture, const TexelIndex& at) {
  for (int axis = 0; axis < texture.format.dimensions(); ++axis) {
    const std::int64_t x = at[static_cast<std::size_t>(axis)];
    if (x < 0 || x >= static_cast<std::int64_t>(texture.extent(axis))) return {};
  }
  return read(texture, at);
}

Texel gather(const BoundTexture& texture, const Coordinates& at, unsigned component) {
  const std::int64_t i = footing(texture, at[0], 0).index, j = footing(texture, at[1], 1).index;
  const TexelIndex corners[] = {{i, j + 1, 0}, {i + 1, j + 1, 0}, {i + 1, j, 0}, {i, j, 0}};
  Texel out{};
  for (std::size_t k = 0; k < 4; ++k) out[k] = read(texture, corners[k])[component & 3u];
  return out;
}

std::uint64_t texel_offset(const BoundTexture& texture, const Coordinates& at, std::uint64_t layer) {
  TexelIndex index = nearest(texture, at);
  if (texture.format.filter == trace::Texture::Filter::Linear) {
    for (int axis = 0; axis < texture.format.dimensions(); ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      index[i] = footing(texture, at[i], axis).index;
    }
  }
  return resolve(texture, index) ? offset_of(texture, index, layer) : 0;
}

std::uint64_t texel_offset(const BoundTexture& texture, const TexelIndex& at) {
  TexelIndex index = at;
  return resolve(texture, index) ? offset_of(texture, index, 0) : 0;
}

}  // namespace warplens::simt
