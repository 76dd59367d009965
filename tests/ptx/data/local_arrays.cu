// Small local arrays as people write them; local_arrays.ptx is what nvcc 13.0 makes of it (-arch=sm_90 -ptx).
#define K(name, n, body)                                 \
  __global__ void name(const int* in, int* out, int m) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;       \
    int a[n];                                            \
    body                                                 \
  }
K(l1, 4, for (int k = 0; k < 4; k++) a[k] = in[i * 4 + k]; out[i] = a[in[i + m] & 3];)
K(l2, 8, for (int k = 0; k < 8; k++) a[k] = in[i * 8 + k]; out[i] = a[in[i + m] & 7] + a[in[i + 2 * m] & 7];)
K(l3, 16, for (int k = 0; k < 16; k++) a[k] = in[i * 16 + k]; out[i] = a[in[i + m] & 15];)
K(l4, 32, for (int k = 0; k < 32; k++) a[k] = in[i * 32 + k];
  for (int k = 0; k < m; k++) a[(k * 7 + i) & 31] += k; for (int k = 0; k < 32; k++) out[i * 32 + k] = a[k];)
K(l5, 8, for (int k = 0; k < 8; k++) a[k] = 0; for (int k = 0; k < m; k++) a[in[k * m + i] & 7]++;
  for (int k = 0; k < 8; k++) out[i * 8 + k] = a[k];)
K(l6, 4, for (int k = 0; k < 4; k++) a[k] = 0; for (int k = 0; k < m; k++) a[in[k * m + i] & 3]++;
  for (int k = 0; k < 4; k++) out[i * 4 + k] = a[k];)
K(l7, 64, for (int k = 0; k < 64; k++) a[k] = in[k * m + i]; int s = 0;
  for (int k = 0; k < m; k++) s += a[(k * i) & 63]; out[i] = s;)
K(
    l8, 10, for (int k = 0; k < 10; k++) a[k] = in[k * m + i];
    for (int x = 0; x < 10; x++) for (int y = x + 1; y < 10; y++) if (a[x] > a[y]) {
      int t = a[x];
      a[x] = a[y];
      a[y] = t;
    } out[i] = a[m % 10];)
K(l9, 6, for (int k = 0; k < 6; k++) a[k] = k * i; a[m % 6] = 9; out[i] = a[(m + 1) % 6];)
K(
    l10, 16, int n = 0; for (int k = 0; k < m; k++) {
      if (in[k] > i) a[n++ & 15] = in[k];
    } int s = 0;
    for (int k = 0; k < n && k < 16; k++) s += a[k]; out[i] = s;)
__global__ void l11(const float* in, float* out, int m) {
  int i = threadIdx.x;
  float w[5] = {.1f, .2f, .4f, .2f, .1f};
  float s = 0;
  for (int k = 0; k < m; k++) s += in[i + k] * w[k % 5];
  out[i] = s;
}
__global__ void l12(const float* in, float* out, int m) {
  int i = threadIdx.x;
  float st[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) st[a][b] = in[(a * 3 + b) * m + i];
  out[i] = st[m % 3][i % 3];
}
__global__ void l13(const float* in, float* out, int m) {
  int i = threadIdx.x;
  struct {
    int node, depth;
  } st[16];
  int sp = 0;
  st[sp].node = 0;
  st[sp++].depth = 0;
  float s = 0;
  while (sp > 0) {
    --sp;
    int n = st[sp].node, d = st[sp].depth;
    s += in[n];
    if (d < m && n < 1000) {
      st[sp].node = 2 * n + 1;
      st[sp++].depth = d + 1;
      st[sp].node = 2 * n + 2;
      st[sp++].depth = d + 1;
    }
  }
  out[i] = s;
}
__global__ void l14(const double* in, double* out, int m) {
  int i = threadIdx.x;
  double a[4];
  for (int k = 0; k < 4; k++) a[k] = in[k * m + i];
  out[i] = a[m & 3];
}
__global__ void l15(const unsigned char* in, unsigned char* out, int m) {
  int i = threadIdx.x;
  unsigned char a[8];
  for (int k = 0; k < 8; k++) a[k] = in[k * m + i];
  out[i] = a[m & 7];
}
__global__ void l16(const short* in, short* out, int m) {
  int i = threadIdx.x;
  short a[8];
  for (int k = 0; k < 8; k++) a[k] = in[k * m + i];
  out[i] = a[m & 7];
}
__device__ int sel(int* a, int k) {
  return a[k & 7] * 2;
}
K(l17, 8, for (int k = 0; k < 8; k++) a[k] = in[i * 8 + k]; out[i] = sel(a, m) + sel(a, i);)
K(l18, 12, for (int k = 0; k < 12; k++) a[k] = in[i * 12 + k]; int b = 0;
  for (int k = 1; k < 12; k++) if (a[k] > a[b]) b = k; out[i] = b;)
K(
    l19, 3, a[0] = in[i]; a[1] = in[i + m]; a[2] = in[i + 2 * m];
    for (int k = 0; k < m; k++) { a[k % 3] = a[(k + 1) % 3] + a[(k + 2) % 3]; } out[i] = a[0];)
K(
    l20, 20, for (int k = 0; k < 20; k++) a[k] = in[i * 20 + k]; for (int k = 0; k < 20; k++) {
      int j = in[k] % 20;
      int t = a[k];
      a[k] = a[j];
      a[j] = t;
    } for (int k = 0; k < 20; k++) out[i * 20 + k] = a[k];)
