// Graph nodes whose parameters differ between runtime and driver.
#include "registration.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

bool driver_params(CUDA_KERNEL_NODE_PARAMS& out, const cudaKernelNodeParams* p) {
  const CUkernel kernel = p ? kernel_of(p->func) : nullptr;
  if (!kernel) return false;
  out = {};
  out.func = reinterpret_cast<CUfunction>(kernel);
  out.gridDimX = p->gridDim.x;
  out.gridDimY = p->gridDim.y;
  out.gridDimZ = p->gridDim.z;
  out.blockDimX = p->blockDim.x;
  out.blockDimY = p->blockDim.y;
  out.blockDimZ = p->blockDim.z;
  out.sharedMemBytes = p->sharedMemBytes;
  out.kernelParams = p->kernelParams;
  out.extra = p->extra;
  return true;
}

CUDA_MEMCPY3D flat(void* to, const void* from, size_t bytes) {
  CUDA_MEMCPY3D p{};
  p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  p.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  p.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  p.WidthInBytes = bytes;
  p.Height = p.Depth = 1;
  return p;
}

CUDA_MEMSET_NODE_PARAMS driver_params(const cudaMemsetParams& p) {
  CUDA_MEMSET_NODE_PARAMS out{};
  out.dst = reinterpret_cast<CUdeviceptr>(p.dst);
  out.pitch = p.pitch;
  out.value = p.value;
  out.elementSize = p.elementSize;
  out.width = p.width;
  out.height = p.height;
  return out;
}

CUcontext context() {
  CUcontext current = nullptr;
  driver().cuCtxGetCurrent(&current);
  return current;
}

}  // namespace

cudaError_t impl_cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t n,
                                        const struct cudaKernelNodeParams* p) {
  MFUSIM_NEED_CONTEXT();
  CUDA_KERNEL_NODE_PARAMS params;
  if (!driver_params(params, p)) return cudaErrorInvalidDeviceFunction;
  return as_error(driver().cuGraphAddKernelNode_v2(out, graph, after, n, &params));
}
cudaError_t impl_cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaKernelNodeParams* p) {
  MFUSIM_NEED_CONTEXT();
  CUDA_KERNEL_NODE_PARAMS params;
  if (!driver_params(params, p)) return cudaErrorInvalidDeviceFunction;
  return as_error(driver().cuGraphKernelNodeSetParams_v2(node, &params));
}
cudaError_t impl_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const struct cudaKernelNodeParams* p) {
  MFUSIM_NEED_CONTEXT();
  CUDA_KERNEL_NODE_PARAMS params;
  if (!driver_params(params, p)) return cudaErrorInvalidDeviceFunction;
  return as_error(driver().cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
}
cudaError_t impl_cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                              struct cudaKernelNodeParams* out) {
  MFUSIM_NEED_CONTEXT();
  CUDA_KERNEL_NODE_PARAMS p{};
  const CUresult result = driver().cuGraphKernelNodeGetParams_v2(node, &p);
  out->func = reinterpret_cast<void*>(p.func);
  out->gridDim = dim3(p.gridDimX, p.gridDimY, p.gridDimZ);
  out->blockDim = dim3(p.blockDimX, p.blockDimY, p.blockDimZ);
  out->sharedMemBytes = p.sharedMemBytes;
  out->kernelParams = p.kernelParams;
  out->extra = p.extra;
  return as_error(result);
}

cudaError_t impl_cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t n, void* to,
                                          const void* from, size_t bytes, enum cudaMemcpyKind) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMCPY3D p = flat(to, from, bytes);
  return as_error(driver().cuGraphAddMemcpyNode(out, graph, after, n, &p, context()));
}
cudaError_t impl_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                                size_t bytes, enum cudaMemcpyKind) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMCPY3D p = flat(to, from, bytes);
  return as_error(driver().cuGraphMemcpyNodeSetParams(node, &p));
}
cudaError_t impl_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    void* to, const void* from, size_t bytes,
                                                    enum cudaMemcpyKind) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMCPY3D p = flat(to, from, bytes);
  return as_error(driver().cuGraphExecMemcpyNodeSetParams(exec, node, &p, context()));
}
cudaError_t impl_cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t n,
                                        const struct cudaMemsetParams* p) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMSET_NODE_PARAMS params = driver_params(*p);
  return as_error(driver().cuGraphAddMemsetNode(out, graph, after, n, &params, context()));
}
cudaError_t impl_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const struct cudaMemsetParams* p) {
  MFUSIM_NEED_CONTEXT();
  const CUDA_MEMSET_NODE_PARAMS params = driver_params(*p);
  return as_error(driver().cuGraphExecMemsetNodeSetParams(exec, node, &params, context()));
}

}  // namespace mfusim::runtime
