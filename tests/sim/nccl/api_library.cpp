// libnccl: version, names of errors, reductions of one's own, memory and registration.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "communicator.hpp"
#include "exports.hpp"

namespace {

double scalar_of(const void* scalar, ncclDataType_t type) {
  switch (type) {
    case ncclFloat16:
      return __half2float(*static_cast<const __half*>(scalar));
    case ncclBfloat16:
      return __bfloat162float(*static_cast<const __nv_bfloat16*>(scalar));
    case ncclFloat64:
      return *static_cast<const double*>(scalar);
    case ncclFloat32:
      return static_cast<double>(*static_cast<const float*>(scalar));
    case ncclInt64:
    case ncclUint64:
      return static_cast<double>(*static_cast<const int64_t*>(scalar));
    case ncclInt32:
    case ncclUint32:
      return *static_cast<const int32_t*>(scalar);
    default:
      return *static_cast<const int8_t*>(scalar);
  }
}

}  // namespace

extern "C" {

ncclResult_t pncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* pncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* pncclGetLastError(ncclComm_t) {
  return "";
}

// The scalar is read here whether it lives on the host or, being simulated, on the device.
ncclResult_t pncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                       ncclScalarResidence_t, ncclComm_t communicator) {
  if (op == nullptr || scalar == nullptr || communicator == nullptr) return ncclInvalidArgument;
  const std::lock_guard<std::mutex> lock(communicator->mutex);
  *op = static_cast<ncclRedOp_t>(ncclNumOps + static_cast<int>(communicator->scales.size()));
  communicator->scales.push_back(scalar_of(scalar, type));
  return ncclSuccess;
}

ncclResult_t pncclRedOpDestroy(ncclRedOp_t op, ncclComm_t communicator) {
  return op >= ncclNumOps && communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t pncclMemAlloc(void** memory, size_t bytes) {
  return cudaMalloc(memory, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t pncclMemFree(void* memory) {
  return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// Registration changes nothing here: the handle is the buffer itself.
ncclResult_t pncclCommRegister(const ncclComm_t communicator, void* buffer, size_t, void** handle) {
  if (communicator == nullptr || handle == nullptr) return ncclInvalidArgument;
  *handle = buffer;
  return ncclSuccess;
}

ncclResult_t pncclCommDeregister(const ncclComm_t communicator, void*) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}

#if NCCL_VERSION_CODE >= 22700
ncclResult_t pncclCommWindowRegister(ncclComm_t communicator, void* buffer, size_t,
                                     ncclWindow_t* window, int) {
  if (communicator == nullptr || window == nullptr) return ncclInvalidArgument;
  *window = static_cast<ncclWindow_t>(buffer);
  return ncclSuccess;
}

ncclResult_t pncclCommWindowDeregister(ncclComm_t communicator, ncclWindow_t) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}
#endif

// Of nccl_device/host.h, which not every header package has. PyTorch ends what it kept of a
// communicator on the device, and complains where that fails; here nobody can have made one.
ncclResult_t pncclDevCommDestroy(ncclComm_t communicator, const void*) {
  return communicator != nullptr ? ncclSuccess : ncclInvalidArgument;
}

}  // extern "C"

MFUSIM_WEAK_TWIN(ncclGetVersion);
MFUSIM_WEAK_TWIN(ncclGetErrorString);
MFUSIM_WEAK_TWIN(ncclGetLastError);
MFUSIM_WEAK_TWIN(ncclRedOpCreatePreMulSum);
MFUSIM_WEAK_TWIN(ncclRedOpDestroy);
MFUSIM_WEAK_TWIN(ncclMemAlloc);
MFUSIM_WEAK_TWIN(ncclMemFree);
MFUSIM_WEAK_TWIN(ncclCommRegister);
MFUSIM_WEAK_TWIN(ncclCommDeregister);
#if NCCL_VERSION_CODE >= 22700
MFUSIM_WEAK_TWIN(ncclCommWindowRegister);
MFUSIM_WEAK_TWIN(ncclCommWindowDeregister);
#endif
MFUSIM_WEAK_TWIN(ncclDevCommDestroy);
