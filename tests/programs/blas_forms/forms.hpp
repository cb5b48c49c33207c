// The parts of the program, one per interface of the library. Each prints how many products it
// asked for.
#pragma once

#include "fill.hpp"

namespace blas_forms {

void with_handle(const Memory& memory);     // cublas_api.h
void without_handle(const Memory& memory);  // cublas.h
void on_all_devices(const Memory& memory);  // cublasXt.h
void by_descriptors(const Memory& memory);  // cublasLt.h

}  // namespace blas_forms
