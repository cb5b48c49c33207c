// Error names, texts and the thread's last error.
#include <algorithm>
#include <iterator>

#include "driver.hpp"
#include "runtime_impl.hpp"

namespace mfusim::runtime {
namespace {

struct Named {
  cudaError_t value;
  const char* name;
};
constexpr Named kErrors[] = {
#include "runtime_errors.inc"
};

}  // namespace

const char* impl_cudaGetErrorName(cudaError_t error) {
  const auto* it = std::find_if(std::begin(kErrors), std::end(kErrors),
                                [&](const Named& n) { return n.value == error; });
  return it == std::end(kErrors) ? "unrecognized error code" : it->name;
}

// The driver knows the same numbers; the few of the runtime alone are told by their names.
const char* impl_cudaGetErrorString(cudaError_t error) {
  if (error == cudaSuccess) return "no error";
  const char* text = nullptr;
  if (initialize() != cudaErrorInsufficientDriver)
    driver().cuGetErrorString(CUresult(error), &text);
  return text ? text : impl_cudaGetErrorName(error);
}

cudaError_t impl_cudaGetLastError() {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  return error;
}
cudaError_t impl_cudaPeekAtLastError() {
  return last_error();
}

}  // namespace mfusim::runtime
