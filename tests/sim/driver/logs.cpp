// The driver's log of errors: whoever asks to hear of them is never called, since none is ever
// logged.
#include "driver_impl.hpp"

namespace mfusim {

CUresult impl_cuLogsRegisterCallback(CUlogsCallback callback, void*, CUlogsCallbackHandle* out) {
  if (!callback) return CUDA_ERROR_INVALID_VALUE;
  if (out) *out = nullptr;
  return CUDA_SUCCESS;
}
CUresult impl_cuLogsUnregisterCallback(CUlogsCallbackHandle) {
  return CUDA_SUCCESS;
}

}  // namespace mfusim
