// References of the kernels about the rest: divergence, warps, synchronisation, other memories, latency,
// copies.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/app/gallery_references.h"

namespace warplens::model {
namespace {

// ---- divergence

void even_odd(Buffers& b) {
  const I split = b["split"];
  const int turns = static_cast<int>(b["turns"]);
  map_floats(b, 0, 0, b["n"], [=](float v, I i) {
    const bool one = split == 0 ? i % 2 == 0 : split == 1 ? i % 32 == 0 : i / 32 % 2 == 0;
    return one ? repeated(v, turns, 0.5f, 1.0f) : repeated(v, turns, -0.25f, 3.0f);
  });
}

void switch_ways(Buffers& b) {
  static constexpr float kFactor[] = {0.5f, 0.25f, 0.125f, -0.5f, -0.25f, -0.125f, 0.75f, -0.75f};
  static constexpr float kTerm[] = {1.0f, 2.0f, -1.0f, 2.0f, 0.5f, -0.5f, 0.125f, 1.5f};
  const I ways = b["ways"];
  const int turns = static_cast<int>(b["turns"]);
  map_floats(b, 0, 0, b["n"],
             [=](float v, I i) { return repeated(v, turns, kFactor[i % ways], kTerm[i % ways]); });
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
  const auto rounds = static_cast<std::int32_t>(b["rounds"]);
  for (I first = 0; first < b["n"]; first += 32) {
    std::int32_t sum = 16 * rounds * (rounds - 1);  // round k adds k to each of the 32 values
    for (I i = first; i < std::min(first + 32, b["n"]); ++i) sum += rounds * b.i32(0, i);
    for (I i = first; i < std::min(first + 32, b["n"]); ++i) b.set(1, i, sum);
  }
}

void votes(Buffers& b) {
  const I question = b["question"];
  for (I first = 0; first < b["n"]; first += 32) {
    std::array<std::int32_t, 32> value{};
    for (I lane = 0; lane < 32; ++lane)
      value[static_cast<std::size_t>(lane)] = first + lane < b["n"] ? b.i32(0, first + lane) : -1;
    const auto reach =
        static_cast<std::int32_t>(std::ranges::count_if(value, [&](auto v) { return v >= b["limit"]; }));
    for (I i = first; i < std::min(first + 32, b["n"]); ++i) {
      const auto same = static_cast<std::int32_t>(std::ranges::count(value, b.i32(0, i)));
      b.set(1, i,
            std::int32_t{question == 0   ? reach > 0
                         : question == 1 ? reach == 32
                         : question == 2 ? reach
                                         : same});
    }
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
  for (I i = 0; i < b["n"]; ++i) {
    float sum = 0;
    for (I turn = 0; turn < b["turns"]; ++turn) sum += b.f(0, (b.i32(1, i) + turn) % 32);
    b.set(2, i, sum);
  }
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
  const int turns = static_cast<int>(b["turns"]);
  const I n = b["n"], order = b["order"];
  map_floats(b, 2, 2, n, [&](float v, I i) {
    const bool smooth = order == 0 ? b.i32(0, i) % 2 == 0 : order == 1 ? i < n / 2 - 16 : i % 2 == 0;
    return smooth ? repeated(v, turns, 0.5f, 0.25f) : repeated(v, turns, 0.75f, -0.125f);
  });
}

void scan(Buffers& b) {
  for (I block = 0; block < b.blocks(); ++block) {
    std::int32_t sum = 0;
    for (I i = block * 512; i < (block + 1) * 512; sum += b.i32(0, i++)) b.set(1, i, sum);
  }
}

void independent_work(Buffers& b) {
  const I chains = b["chains"];
  for (I i = 0; i < b.blocks() * b.threads(); ++i) {
    float sum = 0;
    for (I c = 0; c < chains; ++c)
      sum += repeated(0.001f * static_cast<float>(i + c), static_cast<int>(b["turns"] * (12 / chains)), 0.5f,
                      1.0f);
    b.set(0, i, sum);
  }
}

void loads_in_flight(Buffers& b) {
  const I threads = b.blocks() * b.threads();
  for (I i = 0; i < threads; ++i) {
    float sum = 0;  // small whole numbers: exact in any order
    for (I at = i; at < b["n"]; at += threads) sum += b.f(0, at);
    b.set(1, i, sum);
  }
}

void block_size(Buffers& b) {
  const I n = b["n"];
  for (I i = 0; i < n; ++i) {
    double sum = 0, weight = 1;
    for (I k = 0; k < 16; ++k, weight = weight * 0.75 + 0.125)
      sum += weight * double{b.f(0, (i + 32 * k) % n)};
    b.set(1, i, static_cast<float>(sum));
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
    float sum = level == 1 ? b.f(0, i) : 0.0f;
    for (I round = 0; round < b["rounds"]; ++round)
      for (I k = 0; k < 16; ++k) {
        const I piece = 256 * (k + 16 * round);
        const float operand = level == 0   ? b.f(0, i)
                              : level == 1 ? static_cast<float>((k + round) % 16 + 1)
                              : level == 2 ? b.f(0, i / 256 * 256 + (i + k + round) % 256)
                              : level == 3 ? b.f(0, (i + piece) % n)
                                           : b.f(0, (33 * i + piece) % n);
        sum = sum * 0.5f + operand;
      }
    b.set(1, i, sum);
  }
}

void working_set(Buffers& b) {
  const I part = b["words"] / b.blocks();
  for (I i = 0; i < b.blocks() * 256; ++i) {
    float sum = 0;  // small whole numbers: exact
    for (I k = i % 256; k < part; k += 256) sum += b.f(0, i / 256 * part + k);
    b.set(1, i, sum * static_cast<float>(b["rounds"]));
  }
}

void read_only(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    float sum = 0;
    for (I k = 0; k < 8; ++k) sum += b.f(0, b.i32(1, i) + 37 * k);
    b.set(2, i, sum);
  }
}

void threshold(Buffers& b) {
  const I form = b["form"];
  const int turns = static_cast<int>(b["turns"]);
  map_floats(b, 0, 1, b["n"], [=](float v, I i) {
    if (form < 5) return std::max(v, 0.0f);
    return i / 32 % 2 == 0 ? repeated(v, turns, 0.5f, 0.25f) : repeated(v, turns, 0.75f, -0.125f);
  });
}

// What a thread leaves when it has waited; the values say only that it did its work.
void stall_reasons(Buffers& b) {
  const I threads = b.blocks() * b.threads(), turns = b["turns"], reason = b["reason"];
  for (I i = 0; i < threads; ++i) {
    const I t = i % b.threads();
    float left = 0;
    if (reason == 0) {
      I at = i;
      for (I k = 0; k < turns; ++k) at = b.i32(0, at);
      left = static_cast<float>(at);
    } else if (reason == 1) {
      I at = t;
      for (I k = 0; k < 16 * turns; ++k) at = (at * 5 + 1) % 1024;
      left = static_cast<float>(at);
    } else if (reason == 8) {
      left = static_cast<float>(turns - 1);
    } else if (reason == 10) {
      left = 0;  // set below
    } else if (reason == 11) {
      left = static_cast<float>(turns);
    }
    if (reason != 10) b.set(1, i, left);
  }
  for (I i = 0; reason == 10 && i < threads; ++i)
    b.set(1, i % 32 * (threads / 32) + i / 32, static_cast<float>(i));
}

}  // namespace

std::map<std::string, Reference> work_references() {
  return {
      {"even_odd", {even_odd, {{{"split", 1}}, {{"split", 2}}, {{"n", 45}}}, 1e-6}},
      {"trip_count",
       {[](Buffers& b) {
          const I spread = b["spread"], t = b.threads(), length = b["length"];
          map_floats(b, 0, 0, b["n"], [=](float v, I i) {
            return repeated(v, static_cast<int>((i % t % spread + 1) * length), 0.5f, 1.0f);
          });
        },
        {{{"spread", 1}}, {{"spread", 64}, {"n", 1000}}},
        1e-6}},
      {"early_return",
       {[](Buffers& b) {
          const I keep = b["keep"];
          const int turns = static_cast<int>(b["turns"]);
          map_floats(b, 0, 0, b["n"],
                     [=](float v, I i) { return i % 64 >= keep ? v : repeated(v, turns, 0.5f, 1.0f); });
        },
        {{{"keep", 0}}, {{"keep", 33}}, {{"keep", 64}}},
        1e-6}},
      {"switch_ways",
       {switch_ways, {{{"ways", 1}}, {{"ways", 8}, {"form", 1}}, {{"ways", 7}, {"n", 333}}}, 1e-5}},
      {"collatz", {collatz, {{{"n", 33}, {"block", 32}}}}},
      {"threshold",
       {threshold,
        {{{"form", 1}}, {{"form", 2}}, {{"form", 3}}, {{"form", 4}}, {{"form", 5}}, {{"form", 6}}},
        1e-6}},
      {"block_reduction",
       {block_reduction,
        {{{"form", 1}}, {{"form", 2}}, {{"form", 3}}, {{"form", 3}, {"block", 32}, {"n", 1000}}}}},
      {"warp_sum", {warp_sum, {{{"way", 0}}, {{"way", 2}}, {{"way", 3}}, {{"way", 1}, {"n", 77}}}}},
      {"votes",
       {votes,
        {{{"question", 0}, {"values", 2}, {"limit", 1}},
         {{"question", 1}, {"limit", 0}},
         {{"question", 2}, {"n", 77}},
         {{"question", 3}, {"n", 77}, {"values", 3}}}}},
      {"compaction",
       {compaction,
        {{{"atomics", 0}, {"limit", 0}},
         {{"atomics", 2}, {"limit", 0}, {"n", 99}},
         {{"atomics", 3}},
         {{"limit", 100}}},
        0,
        true}},
      {"async_copy",
       {[](Buffers& b) {
          for (I i = 0; i < b.blocks() * b["pieces"] * 256; ++i)
            b.set(1, i, 0.5f * (b.f(0, i) + b.f(0, i / 256 * 256 + (i + 1) % 256)));
        },
        {{{"copy", 0}},
         {{"stages", 1}},
         {{"stages", 4}, {"pieces", 2}},
         {{"copy", 2}, {"stages", 3}, {"pieces", 32}}}}},
      {"bulk_copy",
       {[](Buffers& b) {
          const I tile = b["tile"];
          for (I i = 0; i < b.blocks() * b["tiles"] * tile; ++i)
            b.set(1, i, 0.5f * (b.f(0, i) + b.f(0, i / tile * tile + (i + 1) % tile)));
        },
        {{{"copy", 0}},
         {{"copy", 0}, {"tile", 256}, {"blocks", 3}},
         {{"tile", 256}, {"tiles", 1}},
         {{"tile", 4096}, {"tiles", 7}, {"blocks", 2}}}}},
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
        {{{"level", 0}},
         {{"level", 1}, {"rounds", 4}},
         {{"level", 2}},
         {{"level", 4}},
         {{"level", 2}, {"n", 256}}},
        1e-5}},
      {"working_set", {working_set, {{{"words", 4096}, {"blocks", 16}}, {{"rounds", 1}, {"blocks", 1}}}}},
      {"waves",
       {[](Buffers& b) {
          for (I i = 0; i < b.blocks() * b.threads(); ++i)
            b.set(0, i, repeated(0.001f * static_cast<float>(i), static_cast<int>(b["turns"]), 0.5f, 1.0f));
        },
        {{{"blocks", 1}, {"block", 32}}},
        1e-6}},
      {"padded_float4", {padded_float4, {{{"padding", 2}}}}},
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
        {{{"block", 1}}, {{"block", 70}, {"times", 3}}, {{"form", 1}}}}},
      {"constant_memory",
       {[](Buffers& b) {
          const I words = b["words"], turns = b["turns"];
          map_floats(b, 0, 1, b["n"], [=](float v, I i) {
            float sum = 0;
            for (I turn = 0; turn < turns; ++turn)
              sum = std::fma(v, static_cast<float>((i % words + turn) % 64 + 1), sum);
            return sum;
          });
        },
        {{{"words", 64}}, {{"words", 8}, {"turns", 64}}},
        1e-5}},
      {"read_only", {read_only, {{{"way", 1}}, {{"way", 2}}}, 1e-6}},
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
      {"two_kernels", {two_kernels, {{{"order", 1}}, {{"order", 2}}, {{"order", 2}, {"n", 512}}}, 1e-6}},
      {"scan", {scan, {{{"form", 0}}, {{"form", 2}}, {{"form", 3}}, {{"blocks", 1}}}}},
      {"independent_work", {independent_work, {{{"chains", 1}}, {{"chains", 4}, {"turns", 16}}}, 1e-5}},
      {"loads_in_flight", {loads_in_flight, {{{"loads", 16}}, {{"loads", 4}, {"n", 4096}, {"block", 1024}}}}},
      {"block_size", {block_size, {{{"block", 1024}}, {{"block", 96}, {"n", 1024}}}, 1e-5}},
      {"stall_reasons",
       {stall_reasons, {{{"reason", 1}}, {{"reason", 8}}, {{"reason", 10}}, {{"reason", 11}, {"turns", 1}}}}},
  };
}

}  // namespace warplens::model
