//= jacobi grid 32 32 1 | block 16 16 1 | shared 0 | 1048576B | 1048576B | 512 | 512
#include <utility>
__global__ void jacobi(const float* in, float* out, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) out[y * nx + x] = 0.25f * in[y * nx + x - 1];
}
class Solver {
 public:
  Solver(int nx, int ny) : nx_(nx), ny_(ny) {
    cudaMalloc(&a_, bytes());
    cudaMalloc(&b_, bytes());
  }
  ~Solver() { cudaFree(a_); cudaFree(b_); }
  void run(int steps) {
    dim3 block(16, 16);
    dim3 grid((nx_ + block.x - 1) / block.x, (ny_ + block.y - 1) / block.y);
    for (int s = 0; s < steps; ++s) {
      jacobi<<<grid, block>>>(a_, b_, nx_, ny_);
      std::swap(a_, b_);
    }
  }
 private:
  size_t bytes() const { return sizeof(float) * nx_ * ny_; }
  int nx_, ny_;
  float *a_ = nullptr, *b_ = nullptr;
};
int main() {
  Solver solver(512, 512);
  solver.run(1000);
}
