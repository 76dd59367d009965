// The parts of <cooperative_groups.h> that fit in a block: thread_block, tiled_partition and coalesced_threads.
// Grid and cluster groups need the toolkit's own header.
#pragma once

#ifndef WARPLENS_MEMBER
#define WARPLENS_MEMBER __device__ __inline__ __attribute__((always_inline))
#endif

namespace cooperative_groups {

class thread_block {
 public:
  WARPLENS_MEMBER void sync() const { __syncthreads(); }
  WARPLENS_MEMBER unsigned int thread_rank() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  WARPLENS_MEMBER unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  WARPLENS_MEMBER unsigned int num_threads() const { return size(); }
  WARPLENS_MEMBER dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  WARPLENS_MEMBER dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  WARPLENS_MEMBER dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
WARPLENS_MEMBER thread_block this_thread_block() { return {}; }

template <unsigned int Size>
class thread_block_tile {
 public:
  WARPLENS_MEMBER unsigned int thread_rank() const { return this_thread_block().thread_rank() % Size; }
  WARPLENS_MEMBER unsigned int meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
  WARPLENS_MEMBER unsigned int meta_group_size() const {
    return (this_thread_block().size() + Size - 1) / Size;
  }
  WARPLENS_MEMBER static constexpr unsigned int size() { return Size; }
  WARPLENS_MEMBER static constexpr unsigned int num_threads() { return Size; }
  WARPLENS_MEMBER void sync() const { __syncwarp(mask()); }
  template <class T> WARPLENS_MEMBER T shfl(T v, int lane) const { return __shfl_sync(mask(), v, lane, Size); }
  template <class T> WARPLENS_MEMBER T shfl_down(T v, unsigned int by) const {
    return __shfl_down_sync(mask(), v, by, Size);
  }
  template <class T> WARPLENS_MEMBER T shfl_up(T v, unsigned int by) const {
    return __shfl_up_sync(mask(), v, by, Size);
  }
  template <class T> WARPLENS_MEMBER T shfl_xor(T v, unsigned int by) const {
    return __shfl_xor_sync(mask(), v, by, Size);
  }
  WARPLENS_MEMBER int any(int p) const { return (ballot(p)) != 0; }
  WARPLENS_MEMBER int all(int p) const { return __all_sync(mask(), p); }
  WARPLENS_MEMBER unsigned int ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }

 private:
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile holds 1, 2, 4, 8, 16 or 32 threads");
  WARPLENS_MEMBER unsigned int first() const { return this_thread_block().thread_rank() % 32 / Size * Size; }
  WARPLENS_MEMBER unsigned int mask() const { return (0xffffffffu >> (32 - Size)) << first(); }
};
template <unsigned int Size, class Group>
WARPLENS_MEMBER thread_block_tile<Size> tiled_partition(const Group&) {
  return {};
}

class coalesced_group {
 public:
  WARPLENS_MEMBER explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  WARPLENS_MEMBER unsigned int size() const { return __popc(mask_); }
  WARPLENS_MEMBER unsigned int num_threads() const { return size(); }
  WARPLENS_MEMBER unsigned int thread_rank() const {
    unsigned int below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(mask_ & below);
  }
  WARPLENS_MEMBER void sync() const { __syncwarp(mask_); }
  template <class T> WARPLENS_MEMBER T shfl(T v, int rank) const {
    unsigned int left = mask_;
    for (int i = 0; i < rank; ++i) left &= left - 1;
    return __shfl_sync(mask_, v, __ffs(left) - 1);
  }

 private:
  unsigned int mask_;
};
WARPLENS_MEMBER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
WARPLENS_MEMBER void sync(const Group& group) {
  group.sync();
}

template <class T> struct plus { WARPLENS_MEMBER T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { WARPLENS_MEMBER T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { WARPLENS_MEMBER T operator()(T a, T b) const { return a < b ? b : a; } };
template <unsigned int Size, class T, class Op>
WARPLENS_MEMBER T reduce(const thread_block_tile<Size>& tile, T v, Op op) {
  for (unsigned int by = Size / 2; by > 0; by /= 2) v = op(v, tile.shfl_xor(v, by));
  return v;
}

}  // namespace cooperative_groups
