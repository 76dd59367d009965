// Copies that land later, barriers with phases, clusters that talk by messages, surfaces.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

//! run 1 64 buf:f32:256:iota buf:f32:64:zero
//! expect uninitialised_read
__global__ void waits_for_the_wrong_stage(const float* in, float* out) {
  __shared__ float tile[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][t], &in[64 + t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  out[t] = tile[0][t] + tile[1][t];  //! here
  __pipeline_wait_prior(0);
}
//! run 1 64 buf:f32:256:iota buf:f32:64:zero
__global__ void waits_for_both_stages(const float* in, float* out) {
  __shared__ float tile[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][t], &in[64 + t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[0][t] + tile[1][t];
}
//! run 1 64 buf:f32:256:iota buf:f32:64:zero
//! expect race
__global__ void tile_overwritten_under_a_copy(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 4);  //! there
  __pipeline_commit();
  tile[63 - t] = 0;  //! here
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[t];
}
//! run 1 64 buf:f32:260:iota buf:f32:64:zero
//! expect misaligned
__global__ void copy_of_16_from_anywhere(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t * 4], &in[t * 4 + 1], 16);  //! here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[t];
}
//! run 1 64 buf:f32:256:iota buf:f32:64:zero
__global__ void copy_of_16(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t * 4], &in[t * 4], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[t];
}
//! run 1 64 buf:f32:250:iota buf:f32:64:zero
//! expect out_of_bounds
__global__ void copy_beyond_the_end(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t * 4], &in[t * 4], 16);  //! here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[t];
}

// ---- barriers with phases ----
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect deadlock
__global__ void arrives_by_one_thread_only(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) ready.arrive_and_wait();  //! here
  else __syncwarp(__activemask());
  out[threadIdx.x] = tile[threadIdx.x];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void expects_too_few(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, 32);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];  //! there
  ready.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void producers_and_consumers(const float* in, float* out) {
  __shared__ float tile[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x < 32) {
      tile[threadIdx.x] = in[k * 32 + threadIdx.x];
      (void)full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      out[k * 32 + threadIdx.x - 32] = tile[63 - threadIdx.x];
      (void)empty.arrive();
    }
  }
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void producers_do_not_wait(const float* in, float* out) {
  __shared__ float tile[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = in[threadIdx.x];
    (void)full.arrive();
    tile[threadIdx.x] = in[32 + threadIdx.x];  //! here
  } else {
    full.arrive_and_wait();
    out[threadIdx.x - 32] = tile[63 - threadIdx.x];  //! there
  }
}
// Waits for the phase that is over already, by hand.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void wrong_parity(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ alignas(8) unsigned long long bar;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];  //! there
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  out[threadIdx.x] = tile[63 - threadIdx.x];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void right_parity(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ alignas(8) unsigned long long bar;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect uninitialised_read
__global__ void barrier_never_initialised(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ alignas(8) unsigned long long bar;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  tile[threadIdx.x] = in[threadIdx.x];
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");  //! here
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void barrier_used_while_initialised(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  tile[threadIdx.x] = in[threadIdx.x];
  ready.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// ---- clusters ----
//! run 4 32 buf:i32:128:iota buf:i32:128:zero
//! expect race
__global__ void __cluster_dims__(2, 1, 1) writes_into_the_neighbour(const int* in, int* out) {
  __shared__ int box[32];
  cg::cluster_group cluster = cg::this_cluster();
  int* other = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);
  cluster.sync();
  other[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];  //! there
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = box[threadIdx.x];  //! here
  cluster.sync();
}
//! run 4 32 buf:i32:128:iota buf:i32:128:zero
__global__ void __cluster_dims__(2, 1, 1) writes_into_the_neighbour_and_syncs(const int* in, int* out) {
  __shared__ int box[32];
  cg::cluster_group cluster = cg::this_cluster();
  int* other = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);
  cluster.sync();
  other[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = box[threadIdx.x];
}
// Rank 0 adds up what the others write into it; who is done says so on an mbarrier of rank 0.
__device__ void remote_arrive(cg::cluster_group cluster, unsigned long long* bar, int rank) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(bar)), there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
__device__ void wait_for(unsigned long long* bar, int parity) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(bar)), done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at), "r"(parity)
        : "memory");
}
//! run 4 32 buf:i32:128:iota buf:i32:4:zero
__global__ void __cluster_dims__(4, 1, 1) boxes_and_a_message(const int* in, int* out) {
  __shared__ int box[4][32];
  __shared__ alignas(8) unsigned long long bar;
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&bar))));
  cluster.sync();
  *cluster.map_shared_rank(&box[rank][threadIdx.x], 0) = in[blockIdx.x * 32 + threadIdx.x];
  remote_arrive(cluster, &bar, 0);
  if (rank == 0) {
    wait_for(&bar, 0);
    int s = 0;
    for (int k = 0; k < 4; ++k) s += box[k][31 - threadIdx.x];
    atomicAdd(&out[0], s);
  }
  cluster.sync();
}
//! run 4 32 buf:i32:128:iota buf:i32:4:zero
//! expect race
__global__ void __cluster_dims__(4, 1, 1) message_before_the_box(const int* in, int* out) {
  __shared__ int box[4][32];
  __shared__ alignas(8) unsigned long long bar;
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&bar))));
  box[rank][threadIdx.x] = 0;
  for (int k = 0; k < 4; ++k) box[k][threadIdx.x] = 0;
  cluster.sync();
  remote_arrive(cluster, &bar, 0);
  *cluster.map_shared_rank(&box[rank][threadIdx.x], 0) = in[blockIdx.x * 32 + threadIdx.x];  //! there
  if (rank == 0) {
    wait_for(&bar, 0);
    int s = 0;
    for (int k = 0; k < 4; ++k) s += box[k][31 - threadIdx.x];  //! here
    atomicAdd(&out[0], s);
  }
  cluster.sync();
}
//! run 4 32 buf:i32:128:iota buf:i32:4:zero
//! expect race
__global__ void __cluster_dims__(4, 1, 1) nobody_waits_for_the_message(const int* in, int* out) {
  __shared__ int box[4][32];
  __shared__ alignas(8) unsigned long long bar;
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&bar))));
  for (int k = 0; k < 4; ++k) box[k][threadIdx.x] = 0;
  cluster.sync();
  *cluster.map_shared_rank(&box[rank][threadIdx.x], 0) = in[blockIdx.x * 32 + threadIdx.x];  //! there
  remote_arrive(cluster, &bar, 0);
  if (rank == 0) {
    int s = 0;
    for (int k = 0; k < 4; ++k) s += box[k][31 - threadIdx.x];  //! here
    atomicAdd(&out[0], s);
  }
  cluster.sync();
}
// A block that has ended is not waited for any more, which is why this one ends.
//! run 4 32 buf:i32:128:iota buf:i32:128:zero
__global__ void __cluster_dims__(2, 1, 1) one_block_leaves_early(const int* in, int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  if (cluster.block_rank() == 0) {
    cluster.sync();
    cluster.sync();
  } else {
    cluster.sync();
  }
}

// ---- textures and surfaces ----
//! run 1 32 surf:i32:16x4:iota
//! expect out_of_bounds "surface"
__global__ void surface_beyond_its_width(cudaSurfaceObject_t s) {
  surf2Dwrite<int>(1, s, threadIdx.x * 4, 0);  //! here
}
//! run 1 16 surf:i32:16x4:iota
__global__ void surface_inside(cudaSurfaceObject_t s) {
  surf2Dwrite<int>(1, s, threadIdx.x * 4, 3);
}
//! run 1 16 surf:i32:16x4:iota
//! expect misaligned "byte coordinate"
__global__ void surface_x_in_elements(cudaSurfaceObject_t s) {
  surf2Dwrite<int>(1, s, threadIdx.x, 3);  //! here
}
//! run 1 64 tex:f32:32x1:iota buf:f32:64:zero
__global__ void texture_clamps(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
