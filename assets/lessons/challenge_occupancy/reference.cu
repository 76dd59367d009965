// What a thread alone uses belongs into its registers.
__global__ void smooth(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = in[i], b = in[n + i], c = in[2 * n + i], d = in[3 * n + i];
  int least = min(min(a, b), min(c, d)), most = max(max(a, b), max(c, d));
  out[i] = a + b + c + d - least - most;
}
