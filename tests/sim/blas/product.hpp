// One matrix product, whichever function asked for it: its checks, cost, kernels and line of truth.
#pragma once

#include <cublas_api.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels.hpp"
#include "sim_driver.hpp"

namespace mfusim::blas {

// What is computed from the sizes: `updates` have an n by n result of which half is computed.
enum class Kind {
  kGemm,
  kGemm3m,
  kSyrk,
  kHerk,
  kSyr2k,
  kHer2k,
  kSyrkx,
  kHerkx,
  kSymm,
  kHemm,
  kTrmm,
  kTrsm,
  kGemv,
};

struct Product {
  const char* api = "";
  Kind kind = Kind::kGemm;
  cublasOperation_t transa = CUBLAS_OP_N;
  cublasOperation_t transb = CUBLAS_OP_N;
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  cudaDataType_t a_type = CUDA_R_32F;
  cudaDataType_t b_type = CUDA_R_32F;
  cudaDataType_t d_type = CUDA_R_32F;
  int compute = CUBLAS_COMPUTE_32F;  // cublasComputeType_t, as asked
  bool tf32_allowed = false;         // by the handle's math mode
  bool pointer_array = false;        // batch given as an array of pointers
  bool bias = false;                 // changes the kernel's name only
  bool right = false;                // the symmetric or triangular factor is on the right
  bool grouped = false;              // one of several shapes in one call
  bool sizes_on_device = false;      // of the groups, where who only sees the call cannot read them
  int64_t repeat = 1;                // products of this shape in the group
  size_t shares = 1;                 // equal ones, on as many GPUs: a kernel does one
};

// Of the logical operations, without epilogue; complex ones count four times.
double flops_of(const Product& product);
double flops_of(std::span<const Product> products);

// The kernels cuBLAS would launch on this GPU, in order: none for an empty product, two for
// split-K.
struct ProductKernel {
  library::KernelWork work;
  bool made_at_run_time = false;  // as nvjet kernels are: launched by cuBLASLt's own look-ups
};
std::vector<ProductKernel> kernels_of(const Product& product, const library::DeviceFacts& device);
// All groups of a call are one kernel.
ProductKernel grouped_kernel_of(std::span<const Product> groups,
                                const library::DeviceFacts& device);

// fp8 needs compute capability 8.9.
bool is_supported(const Product& product, const library::DeviceFacts& device);

// Launches the kernels, each through the door that the real library uses for its kind. Several
// products are the groups of one call.
cublasStatus_t perform(std::span<const Product> products, cudaStream_t stream);

cublasStatus_t status_of(CUresult result);

}  // namespace mfusim::blas

// cuBLAS performs some products through cuBLASLt: only the outermost call is the program's, and it
// owns the launches below it. libcublasLt keeps the scope for both.
struct MfusimProductScope {
  int depth;
  int launches;
};
extern "C" MfusimProductScope* mfusim_product_scope();

namespace mfusim::blas {

// One public call that performs a product; nests. The outermost writes a line of truth, kind
// "gemm": the exported function's name, what was asked for, and how many launches it took; captured
// is 1 when they went into a graph and did not run; the graph's kernels have the line's `piece`,
// `kernels` of them for each time. A grouped call writes one line a group, its launches in the
// first.
class ProductCall {
 public:
  ProductCall(std::span<const Product> products, cudaStream_t stream);
  ~ProductCall();
  ProductCall(const ProductCall&) = delete;
  ProductCall& operator=(const ProductCall&) = delete;

  // Ends the call: its line of truth is written when it was the outermost and succeeded.
  cublasStatus_t finish(cublasStatus_t status);

 private:
  void write_truth(const Product& product, int launches) const;

  std::span<const Product> products_;
  cudaStream_t stream_;
  MfusimProductScope* scope_;
  int launches_before_;
  library::Piece piece_;
};

}  // namespace mfusim::blas
