// cuDNN's way to cuBLASLt: dlopen and dlsym, as the real one does.
#include "lt_product.hpp"

#include <cublasLt.h>
#include <dlfcn.h>

#include "../blas/product.hpp"
#include "handle.hpp"

namespace mfusim::cudnn {
namespace {

#define MFUSIM_STRING(text) #text
#define MFUSIM_SONAME(major) "libcublasLt.so." MFUSIM_STRING(major)

// The library of this process' CUDA major: the one that is loaded, else the build's own.
void* open_lt() {
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
    if (void* loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return loaded;
  }
  return dlopen(MFUSIM_SONAME(CUBLAS_VER_MAJOR), RTLD_LAZY);
}

struct Lt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescInit_internal) init_desc = nullptr;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout = nullptr;
  decltype(&mfusim_product_scope) scope = nullptr;

  Lt() {
    void* const library = open_lt();
    if (library == nullptr) return;
    find(library, "cublasLtCreate", create);
    find(library, "cublasLtDestroy", destroy);
    find(library, "cublasLtMatmul", matmul);
    find(library, "cublasLtMatmulDescInit_internal", init_desc);
    find(library, "cublasLtMatrixLayoutInit_internal", init_layout);
    find(library, "cublasLtMatrixLayoutSetAttribute", set_layout);
    find(library, "mfusim_product_scope", scope);
  }
  bool whole() const {
    return create && destroy && matmul && init_desc && init_layout && set_layout && scope;
  }

 private:
  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }
};

const Lt& lt() {
  static const Lt* const found = new Lt;
  return *found;
}

void describe(cublasLtMatrixLayoutOpaque_t& layout, cudaDataType_t type, int64_t rows, int64_t cols,
              int64_t batch) {
  lt().init_layout(&layout, sizeof layout, type, static_cast<uint64_t>(rows),
                   static_cast<uint64_t>(cols), rows);
  const auto count = static_cast<int32_t>(batch);
  const int64_t stride = rows * cols;
  lt().set_layout(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  lt().set_layout(&layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
}

}  // namespace

bool product_by_lt(cudnnHandle_t handle, const Operation& operation) {
  if (!lt().whole()) return false;
  if (handle->lt == nullptr && lt().create(&handle->lt) != CUBLAS_STATUS_SUCCESS) return false;
  const auto type = static_cast<cudaDataType_t>(pipe_of(operation.type));
  cublasLtMatmulDescOpaque_t desc;
  cublasLtMatrixLayoutOpaque_t a, b, c;
  lt().init_desc(&desc, sizeof desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  // Row-major here is column-major there with the factors exchanged.
  describe(a, type, operation.n, operation.k, operation.batch);
  describe(b, type, operation.k, operation.m, operation.batch);
  describe(c, type, operation.n, operation.m, operation.batch);
  const float one = 1, zero = 0;
  int data = 0;  // the double computes nothing
  // The product is cuDNN's: it tells the truth about it.
  ++lt().scope()->depth;
  const cublasStatus_t status =
      lt().matmul(handle->lt, &desc, &one, &data, &a, &data, &b, &zero, &data, &c, &data, &c,
                  nullptr, nullptr, 0, handle->stream);
  --lt().scope()->depth;
  return status == CUBLAS_STATUS_SUCCESS;
}

void end_lt(cudnnHandle_t handle) {
  if (handle->lt != nullptr) lt().destroy(handle->lt);
}

}  // namespace mfusim::cudnn
