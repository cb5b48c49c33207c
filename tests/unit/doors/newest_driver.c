/* A driver of CUDA 13.5 as far as its calls are newer than the headers of the build: each succeeds.
 */
#define ENTRY(name) \
  int name(void) {  \
    return 0;       \
  }
ENTRY(cuFabricCpyBatchAsync)
ENTRY(cuGraphAddNode_v3)
ENTRY(cuLaunchHostFunc_v2)
ENTRY(cuLaunchHostFunc_v2_ptsz)
ENTRY(cuMemcpy3DWithAttributesAsync)
ENTRY(cuMemcpyWithAttributesAsync)
ENTRY(cuMemcpyWithAttributesAsync_ptsz)
ENTRY(cuMulticastBindMem_v2)
ENTRY(cuStreamBeginCaptureToCig)
ENTRY(cuStreamBeginRecaptureToGraph)
ENTRY(cuStreamEndCapture)
ENTRY(cuStreamEndCaptureToCig)
