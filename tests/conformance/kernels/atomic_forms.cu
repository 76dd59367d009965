// How ptxas carries out atomics: the name of each kernel says what the machine code of nvcc 13.0 for sm_90 holds.
// FORM: each (every lane), one (one lane), full (one lane when the warp is full), count (ATOMS.POPC.INC).
// OP: red, atom (global), shared. The test compares the forms that Warplens derives from the PTX.
extern __shared__ int s[];
__device__ int total;
__constant__ int table[4];

__global__ void one_red_counter(int* t) { atomicAdd(t, 1); }
__global__ void one_red_constant(unsigned* t, int k) { atomicAdd(&t[k], 5u); }
__global__ void one_red_values(int* t, int* u) { atomicAdd(&t[3], u[threadIdx.x]); }
__global__ void one_red_sub(unsigned* t, int* u) { atomicSub(&t[blockIdx.x], u[threadIdx.x]); }
__global__ void one_red_max(unsigned* t, int* u) { atomicMax(&t[blockIdx.x], u[threadIdx.x]); }
__global__ void one_red_or(unsigned* t, int* u) { atomicOr(&t[blockIdx.x], u[threadIdx.x]); }
__global__ void one_red_xor(unsigned* t) { atomicXor(t, 5u); }
__global__ void one_red_loop(int* t, int n) {
  for (int i = 0; i < n; i++) atomicAdd(&t[i], 1);
}
__global__ void one_red_loop_in_branch(int* t, int* u, int n) {
  if (u[threadIdx.x])
    for (int j = 0; j < n; ++j) atomicAdd(&t[j], 1);
}
__global__ void one_red_loop_in_loop(int* t, int n) {
  for (int i = threadIdx.x; i < n; i += 32)
    for (int j = 0; j < n; ++j) atomicAdd(&t[j], 1);
}
__global__ void one_red_branches(int* t, int* u) {
  if (u[threadIdx.x] > 0)
    atomicAdd(&t[1], 1);
  else
    atomicAdd(&t[2], 1);
}
__global__ void one_red_symbol(int* u) {
  if (u[threadIdx.x] > 3) atomicAdd(&total, 1);
}
__global__ void one_red_uniform_load(int* t, int* u) { atomicAdd(&t[u[0]], 1); }
__global__ void one_red_constant_table(int* t, int k) { atomicAdd(&t[table[k]], 1); }
__global__ void one_red_shuffle(int* t, int* u) { atomicAdd(&t[__shfl_sync(~0u, u[threadIdx.x], 0)], 1); }
__global__ void one_red_ballot(int* t, int* u) { atomicAdd(&t[__popc(__ballot_sync(~0u, u[threadIdx.x]))], 1); }
__global__ void one_red_activemask(int* t) { atomicAdd(&t[__activemask() & 3], 1); }
__global__ void one_red_shared_index(int* t, int* u, int n) {
  s[threadIdx.x] = u[threadIdx.x];
  __syncthreads();
  atomicAdd(&t[s[n]], 1);
}
__global__ void one_red_wide_constant(unsigned long long* t, int k) { atomicAdd(t, (unsigned long long)k); }
__global__ void one_atom_ticket(int* t, int* u) { u[atomicAdd(t, 1)] = threadIdx.x; }
__global__ void one_atom_ticket_in_branch(int* t, int* u) {
  int i = threadIdx.x;
  if (u[i] > 0) u[atomicAdd(t, 1)] = i;
}
__global__ void one_atom_wide(unsigned long long* t, int* u) { u[threadIdx.x] = atomicAdd(t, 1ull); }
__global__ void full_atom_values(int* t, int* u) {
  int i = threadIdx.x;
  u[i] = atomicAdd(t, u[i]);
}
__global__ void each_atom_max_result(int* t, int* u) { u[threadIdx.x] = atomicMax(t, u[threadIdx.x]); }
__global__ void each_atom_or_result(unsigned* t, int* u, int n) { u[threadIdx.x] = atomicOr(t, n); }
__global__ void each_atom_exchange(unsigned* t, int* u) { atomicExch(&t[blockIdx.x], u[threadIdx.x]); }
__global__ void each_atom_fence_after(float* t, float v) {
  atomicAdd(&t[threadIdx.x], v);
  __threadfence();
}
__global__ void each_atom_fence_before(float* t, float v) {
  __threadfence();
  atomicAdd(&t[threadIdx.x], v);
}
__global__ void each_atom_fence_elsewhere(int* t, int* u, int n) {
  if (n > 3)
    __threadfence();
  else
    atomicAdd(&t[threadIdx.x], u[threadIdx.x]);
}
__global__ void each_atom_fence_block(int* t, int v) {
  atomicAdd(&t[threadIdx.x], v);
  __threadfence_block();
  t[0] = 1;
}
struct Queue {
  int* data;
  int* size;
};
__global__ void one_atom_generic(Queue* q, int v) { q->data[atomicAdd(q->size, 1)] = v; }
__global__ void each_atom_generic(int** rows, int v) { atomicAdd(&rows[blockIdx.x][threadIdx.x], v); }
__global__ void each_red_float(float* t, float* u) { atomicAdd(&t[3], u[threadIdx.x]); }
__global__ void each_red_double(double* t) { atomicAdd(t, 1.0); }
__global__ void each_red_wide_values(unsigned long long* t, int* u) {
  atomicAdd(&t[blockIdx.x], (unsigned long long)u[threadIdx.x]);
}
__global__ void each_red_wide_max(long long* t, int* u) { atomicMax(t, (long long)u[threadIdx.x]); }
__global__ void each_red_inc(unsigned* t) { atomicInc(&t[blockIdx.x], 7); }
// An inc that wraps where the word does is an addition of one; with another limit, and a dec, it is not.
__global__ void one_red_inc_all(unsigned* t) { atomicInc(t, 0xffffffffu); }
__global__ void one_atom_inc_all(unsigned* t, unsigned* u) { u[threadIdx.x] = atomicInc(t, 0xffffffffu); }
__global__ void one_atom_inc_all_in_branch(unsigned* t, unsigned* u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && u[i] > 3) u[atomicInc(t, 0xffffffffu)] = i;
}
__global__ void count_shared_inc_all(int* u) { atomicInc((unsigned*)&s[u[threadIdx.x]], 0xffffffffu); }
__global__ void each_atom_inc_limit(unsigned* t, unsigned* u) { u[threadIdx.x] = atomicInc(t, 1000); }
__global__ void each_atom_inc_given(unsigned* t, unsigned* u, unsigned n) { u[threadIdx.x] = atomicInc(t, n); }
__global__ void each_atom_dec_all(unsigned* t, unsigned* u) { u[threadIdx.x] = atomicDec(t, 0xffffffffu); }
__global__ void each_red_warp_index(int* t) { atomicAdd(&t[threadIdx.x >> 5], 1); }
__global__ void each_red_row(int* t) { atomicAdd(&t[threadIdx.y], 1); }
__global__ void each_red_trip_count(int* t, int k) {
  int j = 0;
  for (int i = threadIdx.x; i < k; i += 7) j++;
  atomicAdd(&t[j], 1);
}
__global__ void each_red_selected(int* t, int* u) { atomicAdd(&t[u[threadIdx.x] > 0 ? 1 : 2], 1); }
__global__ void each_red_changed(int* t, int* u, int n) {
  int k = n;
  if (u[threadIdx.x]) k = n + 1;
  atomicAdd(&t[k], 1);
}
__global__ void count_shared_own(int k) { atomicAdd(&s[threadIdx.x], 1); }
__global__ void count_shared_fenced(int k) {
  atomicAdd(&s[threadIdx.x], 1);
  __threadfence();
}
__global__ void count_shared_loaded(int* u) { atomicAdd((unsigned*)&s[u[threadIdx.x]], 1u); }
__global__ void each_shared_five(int k) { atomicAdd(&s[threadIdx.x], 5); }
__global__ void each_shared_minus(int* u) { atomicSub(&s[threadIdx.x & 3], 1); }
__global__ void each_shared_result(int* u) { u[threadIdx.x] = atomicAdd(&s[u[threadIdx.x]], 1); }
__global__ void each_shared_exchange(int* u) { atomicExch(&s[0], u[threadIdx.x]); }
__global__ void each_shared_float(float* u) { atomicAdd((float*)&s[0], 1.0f); }
__global__ void one_shared_constant(int k) { atomicAdd(&s[k], 5); }
__global__ void one_shared_values(int* u) { atomicAdd(&s[0], u[threadIdx.x]); }
__global__ void one_shared_max(int* u) { atomicMax(&s[0], u[threadIdx.x]); }
__global__ void one_shared_and(int* u) { atomicAnd(&s[0], u[threadIdx.x]); }
__global__ void one_shared_ticket(int* u) { u[threadIdx.x] = atomicAdd(&s[0], 1); }
__global__ void one_shared_wide(int* u) { atomicAdd((unsigned long long*)&s[0], 1ull); }
__global__ void full_shared_values(int* u) { u[threadIdx.x] = atomicAdd(&s[0], u[threadIdx.x]); }
