// The vendor's functions that measuring needs, from whichever libraries this machine has.
#pragma once

#include <cublasLt.h>
#include <cuda.h>

#include <stdexcept>
#include <string>

namespace mfushim::peak {

// What this machine lacks or refuses, in one line.
struct PeakError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Libraries {
  decltype(&::cuInit) init;
  decltype(&::cuDeviceGet) device_get;
  decltype(&::cuDeviceGetName) device_name;
  decltype(&::cuDeviceGetUuid) device_uuid;
  decltype(&::cuDevicePrimaryCtxRetain) retain;
  decltype(&::cuCtxSetCurrent) set_current;
  decltype(&::cuMemAlloc) allocate;
  decltype(&::cuMemFree) free;
  decltype(&::cuMemcpyHtoD) copy_in;
  decltype(&::cuStreamCreate) stream_create;
  decltype(&::cuEventCreate) event_create;
  decltype(&::cuEventRecord) event_record;
  decltype(&::cuEventSynchronize) event_wait;
  decltype(&::cuEventElapsedTime) event_elapsed;

  decltype(&::cublasLtCreate) lt_create;
  decltype(&::cublasLtGetVersion) lt_version;
  decltype(&::cublasLtMatmulDescCreate) desc_create;
  decltype(&::cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&::cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&::cublasLtMatrixLayoutCreate) layout_create;
  decltype(&::cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&::cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&::cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&::cublasLtMatmul) matmul;
};

// Throws PeakError where a library or a function is missing.
Libraries open_libraries();

// Throws PeakError that names `what` when the driver did not succeed.
void check(CUresult result, const char* what);

}  // namespace mfushim::peak
