// Memory that both sides follow: a managed list, structures with pointers, arrays of pointers, mapped host memory.
#include "check.h"

struct Node {
  int value;
  Node* next;
};
struct Matrix {
  int width, height;
  float* elements;
};

__global__ void double_all(Node* list) {
  for (Node* n = list; n != nullptr; n = n->next) n->value *= 2;
}
__global__ void scale(Matrix m, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m.width * m.height) m.elements[i] *= by;
}
__global__ void gather(float** rows, float* out) { out[threadIdx.x] = rows[threadIdx.x][threadIdx.x]; }
__global__ void build(Node** head) {
  for (int i = 0; i < 4; ++i) {
    Node* const n = new Node;
    n->value = i;
    n->next = *head;
    *head = n;
  }
}
__global__ void take_down(Node** head, int* sum) {
  while (*head != nullptr) {
    Node* const n = *head;
    *sum += n->value;
    *head = n->next;
    delete n;
  }
}

int main() {
  Node* list = nullptr;
  for (int i = 1; i <= 5; ++i) {
    Node* node;
    CHECK(cudaMallocManaged(&node, sizeof(Node)));
    *node = {i, list};
    list = node;
  }
  double_all<<<1, 1>>>(list);
  CHECK(cudaDeviceSynchronize());
  int sum = 0;
  for (Node* n = list; n != nullptr; n = n->next) sum += n->value;
  EXPECT(sum == 30);

  float host[12];
  for (int i = 0; i < 12; ++i) host[i] = i;
  Matrix m{4, 3, nullptr};
  CHECK(cudaMalloc(&m.elements, sizeof host));
  CHECK(cudaMemcpy(m.elements, host, sizeof host, cudaMemcpyHostToDevice));
  scale<<<1, 32>>>(m, 3.0f);
  float** rows;
  CHECK(cudaMalloc(&rows, 3 * sizeof(float*)));
  float* starts[3] = {m.elements, m.elements + 4, m.elements + 8};
  CHECK(cudaMemcpy(rows, starts, sizeof starts, cudaMemcpyHostToDevice));
  float *mapped, *seen;
  CHECK(cudaHostAlloc(&mapped, 3 * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&seen, mapped, 0));
  gather<<<1, 3>>>(rows, seen);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i) EXPECT(mapped[i] == 3.0f * (4 * i + i));
  cudaPointerAttributes about;
  CHECK(cudaPointerGetAttributes(&about, m.elements));
  EXPECT(about.type == cudaMemoryTypeDevice);
  CHECK(cudaPointerGetAttributes(&about, host));
  EXPECT(about.type == cudaMemoryTypeUnregistered);

  static float registered[64];
  CHECK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped));
  scale<<<1, 64>>>(Matrix{64, 1, registered}, 2.0f);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(registered));

  Node** head;
  int* total;
  CHECK(cudaMallocManaged(&head, sizeof(Node*)));
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  *head = nullptr, *total = 0;
  build<<<1, 1>>>(head);
  take_down<<<1, 1>>>(head, total);  // the heap outlives the launch
  CHECK(cudaDeviceSynchronize());
  EXPECT(*total == 6 && *head == nullptr);
  std::printf("pointers followed\n");
}
