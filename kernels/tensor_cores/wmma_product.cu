// A product of halves on the tensor cores: one warp, one 16 x 16 tile of C.
//
// A fragment is a matrix that a whole warp holds in its registers: 256 elements, a few in each lane. Which lane
// holds which is nobody's business but the machine's: wmma loads, multiplies and stores all of it, and every lane
// of the warp must take part. The inputs are halves, the sums are floats.
#include <mma.h>
using namespace nvcuda;

__global__ void product_by_rows(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> part_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(part_a, a + row * n + k, n);
    wmma::load_matrix_sync(part_b, b + k * n + column, n);
    wmma::mma_sync(sum, part_a, part_b, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// B lies column after column, as if it had been transposed.
__global__ void product_by_columns(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> part_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(part_a, a + row * n + k, n);
    wmma::load_matrix_sync(part_b, b + column * n + k, n);
    wmma::mma_sync(sum, part_a, part_b, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
