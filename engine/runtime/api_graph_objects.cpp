// Objects of the program's that its graphs keep alive: counted, and destroyed by the program's own function
// when the last reference is gone.
#include "engine/runtime/stream.h"

using namespace warplens::runtime;

struct CUuserObject_st {
  void* value = nullptr;
  cudaHostFn_t destroy = nullptr;
  std::uint64_t references = 0;
};

namespace {

bool release(CUuserObject_st* object, std::uint64_t count) {
  if (count > object->references) return false;
  object->references -= count;
  if (object->references > 0) return true;
  object->destroy(object->value);
  delete object;
  return true;
}

}  // namespace

CUgraph_st::~CUgraph_st() {
  for (const auto& [object, count] : objects) release(object, count);
}

void CUgraph_st::keep_objects_of(const CUgraph_st& other) {
  for (const auto& [object, count] : other.objects) {
    objects[object] += count;
    object->references += count;
  }
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* value, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return call([&](Context&) {
    if (object == nullptr || destroy == nullptr || references == 0 || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *object = new CUuserObject_st{value, destroy, references};
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return call([&](Context&) {
    if (object == nullptr || count == 0) return cudaErrorInvalidValue;
    object->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call([&](Context&) {
    const bool fine = object != nullptr && count > 0 && release(object, count);
    return fine ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return call([&](Context&) {
    if (graph == nullptr || object == nullptr || count == 0) return cudaErrorInvalidValue;
    graph->objects[object] += count;
    if ((flags & cudaGraphUserObjectMove) == 0) object->references += count;  // else they were the caller's
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return call([&](Context&) {
    if (graph == nullptr || object == nullptr) return cudaErrorInvalidValue;
    const auto found = graph->objects.find(object);
    if (found == graph->objects.end() || count == 0 || count > found->second) return cudaErrorInvalidValue;
    found->second -= count;
    if (found->second == 0) graph->objects.erase(found);
    return release(object, count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
