// The kernels of kernels.cu in OpenCL C, for PoCL and Oclgrind.

kernel void copy(global const float* in, global float* out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = in[i];
}

kernel void strided(global const float* in, global float* out, int n, int stride) {
  int i = get_global_id(0);
  if (i < n) out[i] = in[(int)(((long)i * stride) % n)];
}

kernel void transpose(global const float* in, global float* out, int width) {
  local float tile[32][33];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 32 + tx;
  int y = get_group_id(1) * 32 + ty;
  for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  for (int j = 0; j < 32; j += 8) out[(y + j) * width + x] = tile[tx][ty + j];
}

kernel void matmul(global const float* a, global const float* b, global float* c, int n) {
  local float tile_a[16][16], tile_b[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int column = get_group_id(0) * 16 + tx;
  int row = get_group_id(1) * 16 + ty;
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    tile_a[ty][tx] = a[row * n + k + tx];
    tile_b[ty][tx] = b[(k + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

kernel void gather(global const float* table, global const int* index, global float* out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = table[index[i]];
}

kernel void histogram(global const uint* values, global uint* bins, int n) {
  local uint mine[256];
  int t = get_local_id(0);
  mine[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[values[i] & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], mine[t]);
}

kernel void mandelbrot(global int* steps, int width, int height, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  if (px >= width || py >= height) return;
  float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (i < limit && x * x + y * y < 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++i;
  }
  steps[py * width + px] = i;
}
