// The parts of <cooperative_groups.h> that people use most: thread_block, tiled_partition, thread_group,
// coalesced_threads and this_grid. Cluster groups need the toolkit's own header.
#pragma once

#ifndef WARPLENS_MEMBER
#define WARPLENS_MEMBER __device__ __inline__ __attribute__((always_inline))
#endif

namespace cooperative_groups {

class thread_block {
 public:
  WARPLENS_MEMBER static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
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

// The whole grid. Its barrier counts arrivals where the driver (or the emulator) keeps the workspace of a
// cooperative launch; the highest bit of the counter tells one turn from the next.
class grid_group {
 public:
  WARPLENS_MEMBER unsigned long long thread_rank() const {
    return block_rank() * this_thread_block().size() + this_thread_block().thread_rank();
  }
  WARPLENS_MEMBER unsigned long long block_rank() const {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  WARPLENS_MEMBER unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  WARPLENS_MEMBER unsigned long long size() const { return num_blocks() * this_thread_block().size(); }
  WARPLENS_MEMBER unsigned long long num_threads() const { return size(); }
  WARPLENS_MEMBER bool is_valid() const { return counter() != nullptr; }
  WARPLENS_MEMBER void sync() const {
    __syncthreads();
    if (this_thread_block().thread_rank() == 0) {
      unsigned int* const arrived = counter();
      if (arrived == nullptr) __builtin_trap();
      const unsigned int others = (unsigned int)num_blocks() - 1;
      __threadfence();
      const unsigned int before = atomicAdd(arrived, block_rank() == 0 ? 0x80000000u - others : 1u);
      while (((before ^ *(volatile unsigned int*)arrived) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  WARPLENS_MEMBER static unsigned int* counter() {
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    const unsigned long long workspace = (unsigned long long)high << 32 | low;
    return workspace == 0 ? nullptr : (unsigned int*)workspace + 1;
  }
};
WARPLENS_MEMBER grid_group this_grid() { return {}; }

// A tile whose size only the run knows; thread_group takes any group of a block.
class thread_group {
 public:
  WARPLENS_MEMBER thread_group(const thread_block& block)
      : rank_(block.thread_rank()), size_(block.size()), mask_(0) {}
  template <unsigned int Size>
  WARPLENS_MEMBER thread_group(const thread_block_tile<Size>& tile)
      : rank_(tile.thread_rank()), size_(Size),
        mask_((0xffffffffu >> (32 - Size)) << (this_thread_block().thread_rank() % 32 / Size * Size)) {}
  WARPLENS_MEMBER thread_group(unsigned int rank, unsigned int size, unsigned int mask)
      : rank_(rank), size_(size), mask_(mask) {}
  WARPLENS_MEMBER unsigned int thread_rank() const { return rank_; }
  WARPLENS_MEMBER unsigned int size() const { return size_; }
  WARPLENS_MEMBER unsigned int num_threads() const { return size_; }
  WARPLENS_MEMBER void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }

 private:
  unsigned int rank_, size_, mask_;  // no mask: the block
};
template <class Group>
WARPLENS_MEMBER thread_group tiled_partition(const Group& group, unsigned int size) {
  const unsigned int first = this_thread_block().thread_rank() % 32 / size * size;
  return {group.thread_rank() % size, size, (0xffffffffu >> (32 - size)) << first};
}

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
