// How far the rows go beyond the headers of the build: read by the assembler too, so macros only.
#pragma once

// Rows of names newer than the first version have prototypes of the recorder's own where the
// headers lack them (declarations_*.hpp), so that one build serves libraries that are newer than
// its headers. Up to the second the driver's rows have every variant.
#define MFUSHIM_CUDA_OWN 13000
#define MFUSHIM_CUDA_KNOWN 13050
#define MFUSHIM_NCCL_OWN 22809
// cuDNN's prototypes are all the recorder's own, of this version.
#define MFUSHIM_CUDNN_VERSION 92801
#define MFUSHIM_CUDNN_OWN 0

// Whether a row has a prototype, and with it a thunk and a symbol, in a build with headers of
// `version`.
#define MFUSHIM_IS_DECLARED(version, own, since, until) \
  (((version) >= (since) || (since) > (own)) && ((until) == 0 || (version) < (until)))
