#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
__constant__ float cc[4] = {1, 2, 3, 4};
__device__ __attribute__((noinline)) float fn(float* p, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  return s;
}
template <class T, int N>
__global__ void k(T* x, int n) {
  __shared__ T s[256];
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  s[__nvvm_read_ptx_sreg_tid_x()] = x[i];
  __nvvm_bar_sync(0);
  float l[8];
  for (int j = 0; j < 8; j++) l[j] = x[j];
  if (i < n) x[i] = s[i & 255] + fn(x, n) + cc[i & 3] + l[i & 7];
  switch (n) {
    case 0:
      x[1] = 3;
      break;
    case 1:
      x[2] = fn(x, 2);
      break;
    case 2:
      x[3] = 5;
      break;
    case 3:
      x[4] = fn(x, 3);
      break;
    case 4:
      x[1] = x[9];
      break;
    case 5:
      x[8] = 1;
      break;
    case 6:
      x[3] = fn(x, 9);
      break;
    default:
      x[0] = 0;
  }
}
template __global__ void k<float, 4>(float*, int);
