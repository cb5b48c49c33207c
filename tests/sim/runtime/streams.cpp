// Streams and events made without flags.
#include "driver.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {

cudaError_t impl_cudaStreamCreate(cudaStream_t* stream) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuStreamCreate(stream, CU_STREAM_DEFAULT));
}
cudaError_t impl_cudaEventCreate(cudaEvent_t* event) {
  MFUSIM_NEED_CONTEXT();
  return as_error(driver().cuEventCreate(event, CU_EVENT_DEFAULT));
}

}  // namespace mfusim::runtime
