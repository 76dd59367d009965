// Graphs that decide: an if with its else, a loop that ends itself, a choice between bodies, one inside of another, and
// what a condition is at the start of a launch. A graph that is launched while a stream is captured is a part of what
// is captured.
#include <cstring>

#include "check.h"

__global__ void ask(cudaGraphConditionalHandle condition, const unsigned* value) {
  cudaGraphSetConditional(condition, *value);
}
__global__ void put(unsigned* to, unsigned value) {
  *to = value;
}
__global__ void add(unsigned* to, unsigned value) {
  *to += value;
}
__global__ void count_down(unsigned* left, cudaGraphConditionalHandle condition) {
  --*left;
  cudaGraphSetConditional(condition, *left != 0 ? 1 : 0);
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t* after, void* function, void** arguments) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = function;
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr ? 1 : 0, &p));
  return node;
}

static cudaGraph_t* branch(cudaGraph_t graph, const cudaGraphNode_t* after, cudaGraphConditionalHandle condition,
                           cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = condition;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr ? 1 : 0, &p));
  cudaGraphNodeType is = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphNodeGetType(node, &is));
  EXPECT(is == cudaGraphNodeTypeConditional);
  return p.conditional.phGraph_out;
}

static void launch(cudaGraphExec_t exec) {
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
}

// Which of `bodies` values a choice leaves behind for each value that it is asked with.
static void choices(cudaGraphConditionalNodeType type, unsigned size, unsigned* asked, unsigned* found) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle condition;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0));
  void* asks[] = {&condition, &asked};
  const cudaGraphNode_t first = kernel(graph, nullptr, reinterpret_cast<void*>(ask), asks);
  cudaGraph_t* bodies = branch(graph, &first, condition, type, size);
  for (unsigned i = 0; i < size; ++i) {
    unsigned value = 100 + i;
    void* puts[] = {&found, &value};
    kernel(bodies[i], nullptr, reinterpret_cast<void*>(put), puts);
  }
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (const unsigned value : {0u, 1u, 2u, 7u}) {
    *asked = value;
    *found = 9;
    launch(exec);
    unsigned expected = value < size ? 100 + value : 9;
    if (type == cudaGraphCondTypeIf) expected = value != 0 ? 100 : size == 2 ? 101 : 9;
    EXPECT(*found == expected);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  unsigned *asked, *found, *left;
  CHECK(cudaMallocManaged(&asked, sizeof *asked));
  CHECK(cudaMallocManaged(&found, sizeof *found));
  CHECK(cudaMallocManaged(&left, sizeof *left));
  choices(cudaGraphCondTypeIf, 1, asked, found);
  choices(cudaGraphCondTypeIf, 2, asked, found);
  choices(cudaGraphCondTypeSwitch, 3, asked, found);

  // A loop whose condition is set anew at each launch; its body is captured, and has an if of its own.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStream_t stream;
  cudaGraphConditionalHandle again, odd;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t body = branch(graph, nullptr, again, cudaGraphCondTypeWhile, 1)[0];
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(left, again);
  add<<<1, 1, 0, stream>>>(found, 1);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  CHECK(cudaGraphConditionalHandleCreate(&odd, body, 0, cudaGraphCondAssignDefault));
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(body, nullptr, &count));
  EXPECT(count == 2);
  cudaGraphNode_t nodes[2];
  CHECK(cudaGraphGetNodes(body, nodes, &count));
  void* asks[] = {&odd, &asked};
  const cudaGraphNode_t question = kernel(body, &nodes[1], reinterpret_cast<void*>(ask), asks);
  cudaGraph_t inner = branch(body, &question, odd, cudaGraphCondTypeIf, 1)[0];
  unsigned thousand = 1000;
  void* adds[] = {&found, &thousand};
  const cudaGraphNode_t inside = kernel(inner, nullptr, reinterpret_cast<void*>(add), adds);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (const unsigned with : {0u, 1u}) {
    *found = 0;
    *left = 5;
    *asked = with;
    launch(exec);
    EXPECT(*left == 0);
    EXPECT(*found == 5 * (1 + with * 1000));
  }
  // A node inside of a body, inside of a body, changes as any other.
  thousand = 7;
  cudaKernelNodeParams p{};
  p.func = reinterpret_cast<void*>(add);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = adds;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, inside, &p));
  *found = 0;
  *left = 2;
  launch(exec);
  EXPECT(*found == 2 * (1 + 7));

  // An executable is no part of another graph: what is captured breaks.
  cudaGraph_t whole = nullptr;
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, stream>>>(left, 3);
  EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusInvalidated);
  // Whatever is asked for in it then; an H200 (driver 580) answers so.
  const cudaError_t broken = cudaErrorStreamCaptureInvalidated;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  void* memory = nullptr;
  put<<<1, 1, 0, stream>>>(left, 3);
  EXPECT(cudaGetLastError() == broken);
  EXPECT(cudaMemsetAsync(left, 0, 4, stream) == broken);
  EXPECT(cudaMemcpyAsync(left, found, 4, cudaMemcpyDefault, stream) == broken);
  EXPECT(cudaEventRecord(event, stream) == broken && cudaStreamWaitEvent(stream, event, 0) == broken);
  EXPECT(cudaLaunchHostFunc(stream, [](void*) {}, nullptr) == broken);
  EXPECT(cudaMallocAsync(&memory, 16, stream) == broken && cudaFreeAsync(left, stream) == broken);
  EXPECT(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 0) == broken);
  EXPECT(cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0) ==
         cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &whole) == broken);
  EXPECT(whole == nullptr);
  cudaGetLastError();

  unsigned wrong = 0;
  cudaGraphNodeParams bad{};
  bad.type = cudaGraphNodeTypeConditional;
  bad.conditional.handle = again;
  bad.conditional.type = cudaGraphCondTypeWhile;
  bad.conditional.size = 2;
  cudaGraphNode_t none;
  wrong += cudaGraphAddNode(&none, graph, nullptr, nullptr, 0, &bad) == cudaErrorInvalidValue;
  bad.conditional.size = 1;
  bad.conditional.handle = 0;
  wrong += cudaGraphAddNode(&none, graph, nullptr, nullptr, 0, &bad) == cudaErrorInvalidValue;
  EXPECT(wrong == 2);

  // A loop that nothing ends.
  cudaGraph_t endless;
  cudaGraphConditionalHandle on;
  CHECK(cudaGraphCreate(&endless, 0));
  CHECK(cudaGraphConditionalHandleCreate(&on, endless, 1, cudaGraphCondAssignDefault));
  branch(endless, nullptr, on, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphInstantiate(&exec, endless, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorLaunchTimeout);
  std::printf("graphs decided\n");
}
