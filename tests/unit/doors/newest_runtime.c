/* A runtime with calls that the headers of the build lack, newer ones and one that is gone: each
 * succeeds. */
#define ENTRY(name) \
  int name(void) {  \
    return 0;       \
  }
ENTRY(cudaExecutionCtxSynchronize)
ENTRY(cudaLaunchCooperativeKernelMultiDevice)
ENTRY(cudaLaunchHostFunc_v2)
ENTRY(cudaMemcpy3DWithAttributesAsync)
ENTRY(cudaMemcpyWithAttributesAsync)
ENTRY(cudaStreamBeginRecaptureToGraph)
ENTRY(cudaStreamEndCapture)
ENTRY(cudaThreadSynchronize)
