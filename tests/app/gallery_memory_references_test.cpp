// References of the kernels about memory: threads, global and shared memory, tiling.
#include <algorithm>
#include <cmath>

#include "engine/trace/half.h"
#include "tests/app/gallery_references.h"

namespace warplens::model {
namespace {

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
    const I at = b.i32(1, i);
    b.set(2, i, b.f(0, b["variant"] == 1 ? i + at % 32 : at));
  }
}

void structures(Buffers& b) {
  const I n = b["n"], fields = b["fields"];
  const I used = b["used"] == 0 ? 1 : b["used"] == 1 ? std::max<I>(1, fields / 2) : fields;
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

// Sums of words that are small whole numbers, or halves: exact in any order.
void shared_stride(Buffers& b) {
  for (I i = 0; i < b.blocks() * b.threads(); ++i) {
    float sum = 0;
    for (I turn = 0; turn < b["turns"]; ++turn) sum += b.f(0, i % 32 * b["stride"] + turn % 32);
    b.set(1, i, sum);
  }
}

void shared_random(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    const I word = b.i32(b["words"] == 0 ? 0 : 1, i);
    float sum = 0;
    for (I turn = 0; turn < b["turns"]; ++turn) sum += 0.5f * static_cast<float>((word + turn) % 1024);
    b.set(2, i, sum);
  }
}

void shared_wide(Buffers& b) {
  const I width = I{1} << b["type"];
  for (I i = 0; i < b.blocks() * 128; ++i) {
    float sum = 0;
    for (I turn = 0; turn < b["turns"]; ++turn)
      for (I part = 0; part < width; ++part)
        sum += b.f(0, (i % 32 / b["sharing"] * b["stride"] + turn % 8) * width + part);
    b.set(1, i, sum);
  }
}

void shared_bytes(Buffers& b) {
  const I width = I{1} << b["type"];
  for (I i = 0; i < b.blocks() * 128; ++i) {
    std::uint32_t sum = 0;
    for (I turn = 0; turn < b["turns"]; ++turn)
      for (I part = 0; part < width; ++part)
        sum += std::uint32_t{b.get<std::uint8_t>(0, (i % 32 * b["stride"] + turn % 32) * width + part)}
               << (8 * part);
    b.set(1, i, sum);
  }
}

void histogram(Buffers& b) {
  for (I i = 0; i < b["n"]; ++i) {
    const std::uint32_t value = b.get<std::uint32_t>(0, i);
    const I bin = value % 64;
    b.set(1, bin, b.get<std::uint32_t>(1, bin) + (b["add"] == 1 ? value + 1 : 1));
  }
}

// ---- tiling

void product(Buffers& b, I rows, I columns, I depth) {
  for (I row = 0; row < rows; ++row)
    for (I col = 0; col < columns; ++col) {
      double sum = 0;
      for (I k = 0; k < depth; ++k)
        sum += double{b.f(0, row * depth + k)} * double{b.f(1, k * columns + col)};
      b.set(2, row * columns + col, static_cast<float>(sum));
    }
}

void matmul(Buffers& b) {
  product(b, b["n"], b["n"], b["n"]);
}

void stencil(Buffers& b) {
  const I n = b["n"], radius = b["radius"];
  for (I i = 0; i < n; ++i) {
    double sum = 0;
    for (I j = std::max<I>(i - radius, 0); j <= std::min(i + radius, n - 1); ++j) sum += double{b.f(0, j)};
    b.set(1, i, static_cast<float>(sum / static_cast<double>(2 * radius + 1)));
  }
}

// Halves times halves in any order of the sums; B lies column after column where b_depth is 1.
void half_product(Buffers& b, I rows, I columns, I depth, I b_depth, I b_column) {
  const auto half = [&](std::size_t argument, I i) {
    return trace::from_half(b.get<std::uint16_t>(argument, i));
  };
  for (I row = 0; row < rows; ++row)
    for (I col = 0; col < columns; ++col) {
      double sum = 0;
      for (I k = 0; k < depth; ++k) sum += half(0, row * depth + k) * half(1, k * b_depth + col * b_column);
      b.set(2, row * columns + col, static_cast<float>(sum));
    }
}

}  // namespace

std::map<std::string, Reference> memory_references() {
  return {
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
        {{{"layout", 1}, {"used", 1}},
         {{"layout", 2}, {"used", 2}, {"n", 32}},
         {{"fields", 16}, {"used", 2}},
         {{"fields", 1}, {"used", 1}}},
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
       {shared_stride,
        {{{"stride", 0}},
         {{"stride", 33}, {"block", 1024}, {"turns", 64}},
         {{"stride", 32}, {"block", 32}}}}},
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
        {{{"counters", 0}, {"add", 1}},
         {{"counters", 2}},
         {{"spread", 1}, {"add", 1}},
         {{"counters", 2}, {"block", 1024}}}}},
      {"dynamic_shared",
       {[](Buffers& b) {
          const I t = b.threads();
          move_floats(b, 0, 1, b["n"], [t](I i) { return i / t * t + t - 1 - i % t; });
        },
        {{{"kind", 0}}, {{"kilobytes", 227}}, {{"kind", 2}, {"block", 1024}}}}},
      {"matmul_naive", {matmul, {{{"lanes", 1}}, {{"n", 33}, {"block_x", 32}, {"block_y", 4}}}, 1e-4}},
      {"matmul_tiled",
       {[](Buffers& b) { product(b, b["m"], b["n"], b["k"]); },
        {{{"tile", 4}, {"n", 33}}, {{"tile", 8}, {"m", 20}, {"k", 5}}, {{"tile", 32}, {"n", 70}, {"m", 160}}},
        1e-4}},
      {"wmma_product",
       {[](Buffers& b) {
          const I n = b["n"], columns = b["b_lies"];
          half_product(b, n, n, n, columns ? 1 : n, columns ? n : 1);
        },
        {{{"b_lies", 1}}, {{"n", 16}}, {{"b_lies", 1}, {"n", 48}}},
        1e-4}},
      {"ldmatrix_tile",
       {[](Buffers& b) { half_product(b, b["m"], b["n"], b["k"], 1, b["k"]); },
        {{{"tile", 1}},
         {{"pad", 8}, {"k", 192}},
         {{"pad", 24}, {"m", 16}},
         {{"tile", 1}, {"n", 8}, {"k", 128}}},
        1e-4}},
      {"matmul_swizzle", {matmul, {{{"layout", 0}}, {{"layout", 1}}, {{"layout", 2}, {"n", 16}}}, 1e-4}},
      {"matmul_unroll", {matmul, {{{"unroll", 4}}, {{"unroll", 16}, {"n", 16}}}, 1e-4}},
      {"matmul_ladder",
       {matmul,
        {{{"step", 1}}, {{"step", 2}}, {{"step", 3}}, {{"step", 4}}, {{"step", 5}}, {{"step", 5}, {"n", 64}}},
        1e-4}},
      {"matmul_registers",
       {matmul, {{{"work", 1}, {"n", 40}}, {{"work", 2}, {"n", 50}}, {{"work", 8}}}, 1e-4}},
      {"stencil",
       {stencil,
        {{{"memory", 0}}, {{"radius", 16}, {"block", 32}}, {{"memory", 0}, {"radius", 1}, {"n", 1000}}},
        1e-5}},
      {"matmul_steps",
       {matmul,
        {{{"step", 1}}, {{"step", 2}}, {{"step", 3}}, {{"step", 4}}, {{"step", 5}}, {{"step", 5}, {"n", 16}}},
        1e-4}},
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
        {{{"count", 1}}, {{"how", 1}, {"count", 1024}, {"step", 32}}, {{"how", 2}}}}},
  };
}

}  // namespace warplens::model
