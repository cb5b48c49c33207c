// User objects, whose destructors run when the last graph that retains them is gone; and graphs
// drawn as text.
#include <algorithm>
#include <cstdio>

#include "driver_impl.hpp"
#include "graphs.hpp"

namespace mfusim {
namespace {

Handles<UserObject, CUuserObject>& objects() {
  static auto* table = new Handles<UserObject, CUuserObject>;
  return *table;
}

CUresult drop(CUuserObject handle, unsigned count) {
  UserObject* object = objects().find(handle);
  if (!object || object->references < count) return CUDA_ERROR_INVALID_VALUE;
  object->references -= count;
  if (object->references == 0) objects().erase(handle);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult impl_cuUserObjectCreate(CUuserObject* out, void* data, CUhostFn destroy,
                                 unsigned int count, unsigned int) {
  if (!out || !destroy || count == 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock;
  auto object = std::make_shared<UserObject>();
  object->destroy = destroy;
  object->data = data;
  object->references = count;
  *out = objects().insert(std::move(object));
  return CUDA_SUCCESS;
}
CUresult impl_cuUserObjectRetain(CUuserObject handle, unsigned int count) {
  Lock lock;
  UserObject* object = objects().find(handle);
  if (!object) return CUDA_ERROR_INVALID_VALUE;
  object->references += count;
  return CUDA_SUCCESS;
}
CUresult impl_cuUserObjectRelease(CUuserObject handle, unsigned int count) {
  Lock lock;
  return drop(handle, count);
}
CUresult impl_cuGraphRetainUserObject(CUgraph graph_handle, CUuserObject handle, unsigned int count,
                                      unsigned int flags) {
  Lock lock;
  Graph* graph = graphs().find(graph_handle);
  const auto object = objects().share(handle);
  if (!graph || !object) return CUDA_ERROR_INVALID_VALUE;
  graph->retained.insert(graph->retained.end(), count, object);
  return flags & CU_GRAPH_USER_OBJECT_MOVE ? drop(handle, count) : CUDA_SUCCESS;
}
CUresult impl_cuGraphReleaseUserObject(CUgraph graph_handle, CUuserObject handle,
                                       unsigned int count) {
  Lock lock;
  Graph* graph = graphs().find(graph_handle);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  for (; count > 0; --count) {
    const auto it = std::find_if(
        graph->retained.begin(), graph->retained.end(),
        [&](const auto& object) { return objects().handle_of(object.get()) == handle; });
    if (it == graph->retained.end()) return CUDA_ERROR_INVALID_VALUE;
    graph->retained.erase(it);
  }
  return CUDA_SUCCESS;
}

CUresult impl_cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned int) {
  Lock lock;
  const Graph* graph = graphs().find(handle);
  FILE* out = graph && path ? fopen(path, "we") : nullptr;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  fprintf(out, "digraph graph_%u {\n", graph->id);
  for (const auto& node : graph->nodes) {
    const auto* kernel = std::get_if<KernelOp>(node->operation.get());
    fprintf(out, "  n%llu [label=\"%s\"];\n", (unsigned long long)node->id,
            kernel ? kernel->name : "");
    for (const Node* before : node->dependencies) {
      fprintf(out, "  n%llu -> n%llu;\n", (unsigned long long)before->id,
              (unsigned long long)node->id);
    }
  }
  fprintf(out, "}\n");
  fclose(out);
  return CUDA_SUCCESS;
}

}  // namespace mfusim
