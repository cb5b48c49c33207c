// The one handle behind the functions of cublas.h, which take none.
#pragma once

#include "handle.hpp"

namespace mfusim::blas {

cublasHandle_t legacy_handle();

}  // namespace mfusim::blas
