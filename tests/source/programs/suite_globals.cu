//= copy_kernel<double> grid 32768 1 1 | block 1024 1 1 | shared 0 | 268435456B | 268435456B
#include <vector>
#include <string>
#define TBSIZE 1024
int ARRAY_SIZE = 33554432;
unsigned int num_times = 100;
template <class T> struct Stream {
  int array_size;
  T *d_a, *d_c;
  Stream(const int ARRAY_SIZE) : array_size(ARRAY_SIZE) {
    size_t bytes = sizeof(T) * array_size;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_c, bytes);
  }
  void copy();
  void run();
};
template <typename T> __global__ void copy_kernel(const T* a, T* c) { const int i = blockDim.x * blockIdx.x + threadIdx.x; c[i] = a[i]; }
template <class T> void copy_arrays(Stream<T>& s) { copy_kernel<<<s.array_size / TBSIZE, TBSIZE>>>(s.d_a, s.d_c); }
int main() {
  Stream<double> stream(ARRAY_SIZE);
  for (unsigned int k = 0; k < num_times; k++) copy_arrays(stream);
}
