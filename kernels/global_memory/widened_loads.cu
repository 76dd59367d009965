// When may the compiler turn four loads into one?
//
// It must be sure that the address is a multiple of 16. Of a plain float pointer it knows only that it is
// a multiple of 4, so four neighbouring floats stay four loads. A structure with its alignment written
// down tells it.
struct Four {
  float x, y, z, w;
};

struct __align__(16) AlignedFour {
  float x, y, z, w;
};

__global__ void sum_of_four_unknown(const Four* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Four v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
  }
}

__global__ void sum_of_four_aligned(const AlignedFour* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    AlignedFour v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
  }
}
