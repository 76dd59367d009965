#include "tests/app/gallery_references.h"

#include <algorithm>
#include <cmath>

namespace warplens::model {
namespace {

using I = std::int64_t;

// out[i] = in[from(i)] for the floats below n, where the source lies below `limit`.
void move_floats(Buffers& b, std::size_t in, std::size_t out, I n, const std::function<I(I)>& from) {
  std::vector<float> moved(static_cast<std::size_t>(n));
  for (I i = 0; i < n; ++i) moved[static_cast<std::size_t>(i)] = b.f(in, from(i));
  for (I i = 0; i < n; ++i) b.set(out, i, moved[static_cast<std::size_t>(i)]);
}

void map_floats(Buffers& b, std::size_t in, std::size_t out, I n,
                const std::function<float(float, I)>& function) {
  for (I i = 0; i < n; ++i) b.set(out, i, function(b.f(in, i), i));
}

float repeated(float v, int times, float factor, float term) {
  for (int k = 0; k < times; ++k) v = std::fma(v, factor, term);
  return v;
}

// ---- threads

void thread_mapping(Buffers& b) {
  const I width = b["width"], height = b["height"], bx = b["block_x"], by = b["block_y"];
  for (I z = 0; z < b["block_z"]; ++z)
    for (I y = 0; y < height; ++y)
      for (I x = 0; x < width; ++x) {
        const I number = x % bx + bx * (y % by + by * z), at = x + width * (y + height * z);
        b.set<std::int32_t>(0, at, static_cast<std::int32_t>(number / 32));
        b.set<std::int32_t>(1, at, static_cast<std::int32_t>(number % 32));
      }
}

// ---- global memory

void copy_permuted(Buffers& b) {
  const I n = b["n"], order = b["order"];
  move_floats(b, 0, 1, n, [order](I i) {
    const I lane = i % 32, base = i - lane;
    return base + (order == 0 ? 31 - lane : order == 1 ? (lane + 5) % 32 : lane * 13 % 32);
  });
}

void gather(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    const I near = b["variant"] == 1 ? i / b.threads() * 32 : 0;
    b.set(2, i, b.f(0, near + b.i32(1, i)));
  }
}

void structures(Buffers& b) {
  const I n = b["n"], fields = b["fields"], used = std::min(b["used"], fields);
  for (I i = 0; i < n; ++i) {
    float sum = 0;
    for (I k = 0; k < used; ++k)
      sum += b.f(0, b["layout"] == 0   ? i * fields + k
                    : b["layout"] == 1 ? k * n + i
                                       : i / 32 * 32 * fields + k * 32 + i % 32);
    b.set(1, i, sum);
  }
}

void element_width(Buffers& b) {
  const I bytes = b["n"] * (I{1} << b["type"]);
  for (I i = 0; i < bytes; ++i) b.set(1, i, b.get<std::uint8_t>(0, i));
}

void matrix_walk(Buffers& b) {
  const I n = b["n"];
  for (I k = 0; k < n; ++k) {
    float sum = 0;
    for (I j = 0; j < n; ++j) sum += b.f(0, b["walk"] == 0 ? k * n + j : j * n + k);
    b.set(1, k, sum);
  }
}

void transpose(Buffers& b, I width, I height) {
  for (I y = 0; y < height; ++y)
    for (I x = 0; x < width; ++x) b.set(1, x * height + y, b.f(0, y * width + x));
}

// ---- shared memory

void shared_random(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    const I word = b["words"] == 0 ? b.i32(0, i) : i % 256 * 11 % 32;
    b.set(1, i, 0.5f * static_cast<float>(word));
  }
}

void shared_wide(Buffers& b) {
  const I width = I{1} << b["type"];
  for (I i = 0; i < b.blocks() * 128; ++i)
    for (I part = 0; part < width; ++part)
      b.set(1, i * width + part, b.f(0, i % 32 / b["sharing"] * b["stride"] * width + part));
}

void shared_bytes(Buffers& b) {
  const I width = I{1} << b["type"];
  for (I i = 0; i < b.blocks() * 128; ++i)
    for (I part = 0; part < width; ++part)
      b.set(1, i * width + part, b.get<std::uint8_t>(0, i % 32 * b["stride"] * width + part));
}

void histogram(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    const I bin = b.get<std::uint32_t>(0, i) % 64;
    b.set(1, bin, b.get<std::uint32_t>(1, bin) + 1);
  }
}

// ---- tiling

void matmul(Buffers& b) {
  const I n = b["n"];
  for (I row = 0; row < n; ++row)
    for (I col = 0; col < n; ++col) {
      double sum = 0;
      for (I k = 0; k < n; ++k) sum += double{b.f(0, row * n + k)} * double{b.f(1, k * n + col)};
      b.set(2, row * n + col, static_cast<float>(sum));
    }
}

void stencil(Buffers& b) {
  const I n = b["n"], radius = b["radius"];
  for (I i = 0; i < n; ++i) {
    double sum = 0;
    for (I j = std::max<I>(i - radius, 0); j <= std::min(i + radius, n - 1); ++j) sum += double{b.f(0, j)};
    b.set(1, i, static_cast<float>(sum / static_cast<double>(2 * radius + 1)));
  }
}

// ---- divergence

void even_odd(Buffers& b) {
  const I split = b["split"];
  map_floats(b, 0, 0, b["n"], [split](float v, I i) {
    const bool one = split == 0 ? i % 2 == 0 : split == 1 ? i % 32 == 0 : i / 32 % 2 == 0;
    return one ? repeated(v, 8, 0.5f, 1.0f) : repeated(v, 8, -0.25f, 3.0f);
  });
}

void switch_ways(Buffers& b) {
  const I ways = b["ways"];
  map_floats(b, 0, 0, b["n"], [ways](float v, I i) {
    for (int k = 0; k < 4; ++k) {
      switch (i % ways) {
        case 0:
          v = v * 0.5f + 1.0f;
          break;
        case 1:
          v = v * 0.25f + 2.0f;
          break;
        case 2:
          v = v * 0.125f - 1.0f;
          break;
        case 3:
          v = 2.0f - v * 0.5f;
          break;
        case 4:
          v = v * v * 0.25f;
          break;
        case 5:
          v = v * v - 0.5f;
          break;
        case 6:
          v = v * 0.75f + 0.125f;
          break;
        default:
          v = 1.0f - v;
          break;
      }
    }
    return v;
  });
}

void collatz(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    std::uint32_t v = b.get<std::uint32_t>(0, i) + 1;
    std::int32_t steps = 0;
    for (; v != 1; ++steps) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    b.set(1, i, steps);
  }
}

// ---- warp level

void block_reduction(Buffers& b) {
  for (I block = 0; block < b.blocks(); ++block) {
    float sum = 0;  // whole numbers below 2^24: exact in any order
    for (I i = block * b.threads(); i < std::min((block + 1) * b.threads(), b["n"]); ++i) sum += b.f(0, i);
    b.set(1, block, sum);
  }
}

void warp_sum(Buffers& b) {
  for (I first = 0; first < b["n"]; first += 32) {
    std::int32_t sum = 0;
    for (I i = first; i < std::min(first + 32, b["n"]); ++i) sum += b.i32(0, i);
    for (I i = first; i < std::min(first + 32, b["n"]); ++i) b.set(1, i, sum);
  }
}

void compaction(Buffers& b) {
  std::int32_t kept = 0;
  for (I i = 0; i < b["n"]; ++i)
    if (b.i32(0, i) >= b["limit"]) b.set(1, kept++, b.i32(0, i));
  b.set(2, 0, kept);
}

// ---- synchronisation, memories, latency

void padded_float4(Buffers& b) {
  for (I e = 0; e < 1024; ++e) b.set(1, e, b.f(0, e % 32 * 32 + e / 32));
}

void tile_barriers(Buffers& b) {
  for (I i = 0; i < b.blocks() * 256; ++i) {
    float sum = 0;
    for (I piece = 0; piece < b["pieces"]; ++piece) sum += b.f(0, piece * 256 + (i + 97) % 256);
    b.set(1, i, sum);
  }
}

void divergent_barrier(Buffers& b) {
  const I t = b.threads();
  for (I block = 0; block < b.blocks(); ++block) {
    const float first = b.f(0, block * t);
    for (I i = block * t; i < (block + 1) * t; ++i) b.set(0, i, b.f(0, i) + first);
  }
}

void lookup_table(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) b.set(2, i, b.f(0, b.i32(1, i)));
}

// Steps are eighths: exact in single precision, and in the 8 bits that a texture unit keeps of a fraction.
void texture_fetch(Buffers& b) {
  const I size = b["size"], right = b["right"], down = b["down"];
  const auto texel = [&](I x, I y) {
    return b.f(1, std::clamp<I>(y, 0, size - 1) * size + std::clamp<I>(x, 0, size - 1));
  };
  for (I y = 0; y < size; ++y) {
    for (I x = 0; x < size; ++x) {
      const I u = x * right - y * down, v = x * down + y * right;
      const I i = u >> 3, j = v >> 3;
      const float a = static_cast<float>(u & 7) / 8, c = static_cast<float>(v & 7) / 8;
      const float top = (1 - a) * texel(i, j) + a * texel(i + 1, j);
      const float bottom = (1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1);
      b.set(2, y * size + x, (1 - c) * top + c * bottom);
    }
  }
}

void local_array(Buffers& b) {
  const I turn = b["turn"] * b["index"];
  map_floats(b, 0, 1, b["n"], [turn](float v, I) {
    double sum = 0;
    for (I k = 0; k < 8; ++k)
      sum += double{v} * static_cast<double>(k) * double{v} * static_cast<double>((7 - k + turn) % 8);
    return static_cast<float>(sum);
  });
}

void mandelbrot(Buffers& b) {
  const I width = b["width"], height = width * 2 / 3, limit = b["limit"];
  for (I y = 0; y < height; ++y)
    for (I x = 0; x < width; ++x) {
      const float cr = -2.0f + 3.0f * static_cast<float>(x) / static_cast<float>(width);
      const float ci = -1.0f + 2.0f * static_cast<float>(y) / static_cast<float>(height);
      float zr = 0, zi = 0;
      std::int32_t count = 0;
      for (; count < limit && zr * zr + zi * zi <= 4.0f; ++count) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
      }
      b.set(0, y * width + x, count);
    }
}

void two_kernels(Buffers& b) {
  const bool one = b["kernels"] == 0;
  map_floats(b, 2, 2, b["n"], [&](float v, I i) {
    if (one && b.i32(0, i) % 2 != 0) return repeated(v, 12, 0.75f, -0.125f);
    return one || i % 2 == 0 ? repeated(v, 12, 0.5f, 0.25f) : v;
  });
}

void scan(Buffers& b) {
  for (I block = 0; block < b.blocks(); ++block) {
    std::int32_t sum = 0;
    for (I i = block * 512; i < (block + 1) * 512; ++i) b.set(1, i, sum += b.i32(0, i));
  }
}

void independent_work(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    float sum = 0;
    for (I c = 0; c < b["chains"]; ++c)
      sum += repeated(0.001f * static_cast<float>(i + c), static_cast<int>(b["turns"]), 0.5f, 1.0f);
    b.set(0, i, sum);
  }
}

void launch_bounds(Buffers& b) {
  const I n = b["n"];
  for (I i = 0; i < n; ++i) {
    double sum = 0;
    for (I k = 0; k < 48; ++k)
      sum += double{b.f(0, (i + k) % n)} * double{b.f(0, (i + (k * 7 + 5) % 48) % n)};
    b.set(1, i, static_cast<float>(sum));
  }
}

void levels(Buffers& b) {
  const I n = b["n"], level = b["level"];
  for (I i = 0; i < n; ++i) {
    double sum = 0;
    for (I k = 0; k < 16; ++k) {
      const I from = level == 1   ? i / 256 * 256 + (i + k) % 256
                     : level == 3 ? (i + 256 * k) % n
                     : level == 4 ? (33 * i + 256 * k) % n
                                  : i;
      sum += double{b.f(0, from)} * static_cast<double>(k + 1);
    }
    b.set(1, i, static_cast<float>(sum));
  }
}

void working_set(Buffers& b) {
  for (I i = 0; i < b.blocks() * 256; ++i) {
    float sum = 0;  // small whole numbers: exact
    for (I k = i % 256; k < b["words"]; k += 256) sum += b.f(0, k);
    b.set(1, i, sum * static_cast<float>(b["rounds"]));
  }
}

const std::map<std::string, Reference> kReferences = {
    {"thread_mapping",
     {thread_mapping,
      {{{"block_x", 20}, {"block_y", 10}}, {{"block_x", 4}, {"block_y", 16}, {"block_z", 2}}}}},
    {"grid_stride",
     {[](Buffers& b) { map_floats(b, 0, 1, b["n"], [](float v, I) { return 2 * v; }); },
      {{{"variant", 1}}, {{"blocks", 1}, {"block", 32}}, {{"variant", 1}, {"blocks", 64}, {"n", 1024}}}}},
    {"copy",
     {[](Buffers& b) { move_floats(b, 0, 1, b["n"], [](I i) { return i; }); },
      {{{"n", 1}}, {{"n", 1001}, {"block", 33}}}}},
    {"copy_offset",
     {[](Buffers& b) { move_floats(b, 0, 1, b["n"], [o = b["offset"]](I i) { return i + o; }); },
      {{{"offset", 0}}, {{"offset", 32}}, {{"offset", 7}, {"n", 32}}}}},
    {"copy_strided",
     {[](Buffers& b) { move_floats(b, 0, 1, b["n"], [s = b["stride"]](I i) { return i * s; }); },
      {{{"stride", 1}}, {{"stride", 33}}, {{"stride", 64}, {"n", 32}}}}},
    {"copy_permuted", {copy_permuted, {{{"order", 1}}, {{"order", 2}}}}},
    {"gather", {gather, {{{"range", 8}}, {{"variant", 1}, {"range", 64}}, {{"range", 1048576}}}}},
    {"one_address",
     {[](Buffers& b) { move_floats(b, 0, 1, b["n"], [s = b["sharing"]](I i) { return i / s; }); },
      {{{"sharing", 1}}, {{"sharing", 64}}}}},
    {"element_width", {element_width, {{{"type", 0}}, {{"type", 1}}, {{"type", 3}}, {{"type", 4}}}}},
    {"structures",
     {structures,
      {{{"layout", 1}, {"used", 3}},
       {{"layout", 2}, {"used", 4}},
       {{"fields", 16}, {"used", 16}},
       {{"fields", 1}}},
      1e-6}},
    {"matrix_walk", {matrix_walk, {{{"walk", 1}}, {{"n", 33}}}, 1e-5}},
    {"transpose_naive",
     {[](Buffers& b) { transpose(b, b["width"], b["height"]); },
      {{{"variant", 1}},
       {{"width", 37}, {"height", 300}},
       {{"variant", 1}, {"width", 512}, {"height", 33}}}}},
    {"vector_copy",
     {[](Buffers& b) { move_floats(b, 0, 1, b["n"], [](I i) { return i; }); },
      {{{"width", 0}}, {{"width", 1}}, {{"n", 128}}, {{"n", 1027}, {"block", 32}}}}},
    {"shared_stride",
     {[](Buffers& b) {
        move_floats(b, 0, 1, b.blocks() * b.threads(), [s = b["stride"]](I i) { return i % 32 * s; });
      },
      {{{"stride", 0}}, {{"stride", 33}, {"block", 1024}}, {{"stride", 32}, {"block", 32}}}}},
    {"shared_random", {shared_random, {{{"words", 1}}, {{"range", 1}}}}},
    {"shared_wide",
     {shared_wide,
      {{{"type", 0}}, {{"type", 1}, {"stride", 3}}, {{"sharing", 2}}, {{"stride", 8}}, {{"stride", 0}}}}},
    {"shared_bytes",
     {shared_bytes, {{{"type", 1}, {"stride", 64}}, {{"type", 2}, {"stride", 132}}, {{"stride", 128}}}}},
    {"transpose_tile",
     {[](Buffers& b) { transpose(b, b["n"], b["n"]); },
      {{{"tile", 1}}, {{"tile", 2}}, {{"tile", 2}, {"n", 33}, {"rows", 32}}, {{"n", 100}, {"rows", 4}}}}},
    {"histogram",
     {histogram,
      {{{"counters", 0}}, {{"counters", 2}}, {{"spread", 1}}, {{"counters", 2}, {"block", 1024}}}}},
    {"dynamic_shared",
     {[](Buffers& b) {
        const I t = b.threads();
        move_floats(b, 0, 1, b["n"], [t](I i) { return i / t * t + t - 1 - i % t; });
      },
      {{{"kind", 0}}, {{"extra", 4}}, {{"kind", 0}, {"block", 1024}}}}},
    {"matmul_naive", {matmul, {{{"lanes", 1}}, {{"n", 33}, {"block_x", 32}, {"block_y", 4}}}, 1e-4}},
    {"matmul_tiled", {matmul, {{{"tile", 4}, {"n", 33}}, {{"tile", 8}}, {{"tile", 32}, {"n", 70}}}, 1e-4}},
    {"matmul_registers", {matmul, {{{"work", 1}, {"n", 40}}, {{"work", 2}, {"n", 50}}, {{"work", 8}}}, 1e-4}},
    {"stencil",
     {stencil,
      {{{"memory", 0}}, {{"radius", 16}, {"block", 32}}, {{"memory", 0}, {"radius", 1}, {"n", 1000}}},
      1e-5}},
    {"even_odd", {even_odd, {{{"split", 1}}, {{"split", 2}}, {{"n", 45}}}, 1e-6}},
    {"trip_count",
     {[](Buffers& b) {
        const I spread = b["spread"], t = b.threads();
        map_floats(b, 0, 0, b["n"], [=](float v, I i) {
          return repeated(v, static_cast<int>(i % t % spread) + 1, 0.5f, 1.0f);
        });
      },
      {{{"spread", 1}}, {{"spread", 64}, {"n", 1000}}},
      1e-6}},
    {"early_return",
     {[](Buffers& b) {
        const I keep = b["keep"];
        map_floats(b, 0, 0, b["n"],
                   [=](float v, I i) { return i % 64 >= keep ? v : repeated(v, 16, 0.5f, 1.0f); });
      },
      {{{"keep", 0}}, {{"keep", 33}}, {{"keep", 64}}},
      1e-6}},
    {"switch_ways", {switch_ways, {{{"ways", 1}}, {{"ways", 8}}, {{"ways", 7}, {"n", 333}}}, 1e-5}},
    {"collatz", {collatz, {{{"n", 33}, {"block", 32}}}}},
    {"threshold",
     {[](Buffers& b) { map_floats(b, 0, 1, b["n"], [](float v, I) { return std::max(v, 0.0f); }); },
      {{{"form", 1}}, {{"form", 2}}}}},
    {"block_reduction",
     {block_reduction,
      {{{"form", 1}}, {{"form", 2}}, {{"form", 3}}, {{"form", 3}, {"block", 32}, {"n", 1000}}}}},
    {"warp_sum", {warp_sum, {{{"way", 0}}, {{"way", 2}}, {{"way", 3}}, {{"way", 1}, {"n", 77}}}}},
    {"compaction", {compaction, {{{"atomics", 0}}, {{"limit", 100}}, {{"limit", 0}, {"n", 99}}}, 0, true}},
    {"matmul_steps",
     {matmul,
      {{{"step", 1}}, {{"step", 2}}, {{"step", 3}}, {{"step", 4}}, {{"step", 5}}, {{"step", 5}, {"n", 16}}},
      1e-4}},
    {"async_copy",
     {[](Buffers& b) {
        for (I i = 0; i < b.blocks() * b["pieces"] * 256; ++i)
          b.set(1, i, 0.5f * (b.f(0, i) + b.f(0, i / 256 * 256 + (i + 1) % 256)));
      },
      {{{"copy", 0}}, {{"stages", 1}}, {{"stages", 4}, {"pieces", 2}}, {{"stages", 3}, {"pieces", 32}}}}},
    {"host_transfer",
     {[](Buffers& b) {
        for (I i = 0; i < b["n"]; ++i) b.set(0, i, 2.0f * b.f(0, i));
      },
      {{{"n", 1024}, {"block", 32}}}}},
    {"streams",
     {[](Buffers& b) {
        for (I i = 0; i < b["n"] / b["chunks"]; ++i) {
          float x = b.f(0, i);
          for (I round = 0; round < b["rounds"]; ++round) x = 0.5f * (x + 2.0f / x);
          b.set(0, i, x);
        }
      },
      {{{"chunks", 16}}, {{"rounds", 1}, {"chunks", 1}, {"n", 4096}}},
      1e-6}},
    {"launch_bounds", {launch_bounds, {{{"blocks", 8}}, {{"blocks", 1}, {"n", 256}}}, 1e-5}},
    {"levels",
     {levels,
      {{{"level", 0}}, {{"level", 1}}, {{"level", 2}}, {{"level", 4}}, {{"level", 1}, {"n", 256}}},
      1e-5}},
    {"working_set", {working_set, {{{"words", 256}}, {{"rounds", 1}, {"blocks", 1}}}}},
    {"waves",
     {[](Buffers& b) {
        for (I i = 0; i < b.blocks() * b.threads(); ++i)
          b.set(0, i, repeated(0.001f * static_cast<float>(i), static_cast<int>(b["turns"]), 0.5f, 1.0f));
      },
      {{{"blocks", 1}, {"block", 32}}},
      1e-6}},
    {"padded_float4", {padded_float4, {{{"padding", 2}}}}},
    {"widened_loads",
     {[](Buffers& b) {
        for (I i = 0; i < b["n"]; ++i)
          b.set(1, i, b.f(0, 4 * i) + b.f(0, 4 * i + 1) + b.f(0, 4 * i + 2) + b.f(0, 4 * i + 3));
      },
      {{{"alignment", 1}}}}},
    {"global_atomics",
     {[](Buffers& b) {
        for (I i = 0; i < b["n"]; ++i) {
          const I at = i % b["count"] * b["step"];
          b.set(0, at, b.get<std::uint32_t>(0, at) + 1);
        }
      },
      {{{"count", 1}}, {{"count", 1024}, {"step", 32}}}}},
    {"tile_barriers", {tile_barriers, {{{"pieces", 1}}, {{"pieces", 32}, {"blocks", 1}}}}},
    {"divergent_barrier", {divergent_barrier, {{{"block", 256}}}}},
    {"warp_synchronous",
     {[](Buffers& b) {
        for (I first = 0; first < b.blocks() * 256; first += 32) {
          std::int32_t sum = 0;
          for (I i = first; i < first + 32; ++i) sum += b.i32(0, i);
          for (I i = first; i < first + 32; ++i) b.set(1, i, sum);
        }
      },
      {{{"blocks", 1}}}}},
    {"spin_lock",
     {[](Buffers& b) { b.set(1, 0, static_cast<std::int32_t>(b["block"] * b["times"])); },
      {{{"block", 1}}, {{"block", 70}, {"times", 3}}}}},
    {"constant_memory",
     {[](Buffers& b) {
        const I words = b["words"];
        map_floats(b, 0, 1, b["n"], [words](float v, I i) { return v * static_cast<float>(i % words + 1); });
      },
      {{{"words", 64}}, {{"words", 8}}}}},
    {"read_only",
     {[](Buffers& b) {
        const I n = b["n"];
        for (I i = 0; i < n; ++i) b.set(1, i, b.f(0, i) + b.f(0, n - 1 - i));
      },
      {{{"way", 1}}, {{"way", 2}}}}},
    {"lookup_table", {lookup_table, {{{"home", 0}}, {{"home", 1}}, {{"home", 3}}, {{"spread", 1}}}}},
    {"texture_fetch",
     {texture_fetch,
      {{{"way", 0}},
       {{"way", 0}, {"right", 5}, {"down", 3}, {"size", 100}},
       {{"way", 1}, {"right", 5}, {"down", 3}, {"size", 100}},
       {{"way", 0}, {"right", 0}, {"down", 8}}},
      1e-5}},
    {"local_array", {local_array, {{{"index", 0}}, {{"turn", 3}}}, 1e-5}},
    {"mandelbrot",
     {mandelbrot, {{{"limit", 8}}, {{"block_x", 4}, {"block_y", 8}, {"width", 100}}}, 0, false, 0.01}},
    {"two_kernels", {two_kernels, {{{"kernels", 1}}}, 1e-6}},
    {"scan", {scan, {{{"form", 0}}, {{"form", 2}}, {{"blocks", 1}}}}},
    {"independent_work", {independent_work, {{{"chains", 1}}, {{"chains", 4}, {"turns", 7}}}, 1e-5}},
};

}  // namespace

const std::map<std::string, Reference>& references() {
  return kReferences;
}

}  // namespace warplens::model
