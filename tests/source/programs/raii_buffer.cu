//= axpby grid 20 1 1 | block 256 1 1 | shared 0 | 20000B | 20000B | 5000
#include <vector>
#include <stdexcept>
template <typename T> class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    if (cudaMalloc(&data_, count * sizeof(T)) != cudaSuccess) throw std::runtime_error("out of memory");
  }
  ~DeviceBuffer() { cudaFree(data_); }
  T* get() { return data_; }
  const T* get() const { return data_; }
  size_t size() const { return count_; }
 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};
__global__ void axpby(float* x, const float* y, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] += y[i]; }
int main() {
  DeviceBuffer<float> x(5000), y(5000);
  const unsigned block = 256;
  const unsigned grid = static_cast<unsigned>((x.size() + block - 1) / block);
  axpby<<<grid, block>>>(x.get(), y.get(), x.size());
}
