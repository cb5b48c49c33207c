// Calls a cuBLAS function with arguments that its types ask for, so that a program can call every
// form of a product and name only the function and its sizes.
#pragma once

// All headers under the names that the library exports: cublas_v2.h would rename some.
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#include <cublas.h>
#define CUBLAS_V2_H_
#include <cublasXt.h>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../support/check.hpp"

namespace blas_forms {

// The same for all forms: functions tell the calls apart.
inline constexpr int kM = 48, kN = 32, kK = 64, kBatch = 3;
inline constexpr std::array kGeneral = {kM, kN, kK};
inline constexpr std::array kUpdate = {kN, kK};  // of an n by n result
inline constexpr std::array kTwoSizes = {kM, kN};
inline constexpr int kLeading = 512;

// The arrays of a grouped call in order: m, n, k of three groups, leading dimensions, and how many
// products each group has.
template <class Int>
inline constexpr Int kGroups[7][3] = {{48, 16, 64},    {32, 8, 64},     {64, 24, 64},
                                      {512, 512, 512}, {512, 512, 512}, {512, 512, 512},
                                      {2, 1, 3}};
inline constexpr cublasOperation_t kGroupOperations[2][3] = {
    {CUBLAS_OP_T, CUBLAS_OP_N, CUBLAS_OP_N}, {CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_T}};

// Memory that host and device reach, so that it serves as operand and as scale; and an array of
// pointers to it, one for each product of a batch or of all groups.
struct Memory {
  void* data = nullptr;
  void** pointers = nullptr;

  Memory() {
    constexpr size_t kBytes = 4 << 20, kPointers = 6;
    CHECK_CUDA(cudaMallocHost(&data, kBytes));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&pointers), kPointers * sizeof(void*)));
    for (size_t i = 0; i < kPointers; ++i) pointers[i] = data;
  }
  ~Memory() {
    cudaFreeHost(pointers);
    cudaFreeHost(data);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

// What types do not tell.
struct Options {
  cublasSideMode_t side = CUBLAS_SIDE_LEFT;
  cudaDataType type = CUDA_R_16BF;
  const char* letters = "";  // cublas.h's flags, in order
};

template <class T>
inline constexpr bool kIsInteger =
    std::is_same_v<T, int> || std::is_same_v<T, int64_t> || std::is_same_v<T, size_t>;
template <class T>
inline constexpr bool kIsArrayOfPointers = std::is_pointer_v<std::remove_pointer_t<T>>;

// Gives arguments out in the order of the parameters.
template <size_t sizes>
class Filler {
 public:
  Filler(const Memory& memory, const std::array<int, sizes>& size, const Options& options)
      : memory_(memory), size_(size), options_(options) {}

  // Of the last integer in a function of batches: their number.
  template <class T>
  T next(bool is_batch_count) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (kIsInteger<T>) {
      if (is_batch_count) return kBatch;
      return static_cast<T>(integers_ < sizes ? size_[integers_++] : kLeading);
    } else if constexpr (std::is_pointer_v<T>) {
      if constexpr (kIsInteger<Pointee>) {
        return kGroups<Pointee>[group_arrays_++];
      } else if constexpr (std::is_same_v<Pointee, cublasOperation_t>) {
        return kGroupOperations[operations_++];
      } else if constexpr (kIsArrayOfPointers<T>) {
        return reinterpret_cast<T>(memory_.pointers);
      } else {
        return static_cast<T>(memory_.data);
      }
    } else {
      return flag(T{});
    }
  }

 private:
  cublasOperation_t flag(cublasOperation_t) {
    return operations_++ == 0 && sizes == 3 ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
  cublasSideMode_t flag(cublasSideMode_t) { return options_.side; }
  cudaDataType flag(cudaDataType) { return options_.type; }
  cublasComputeType_t flag(cublasComputeType_t) { return CUBLAS_COMPUTE_32F; }
  cublasGemmAlgo_t flag(cublasGemmAlgo_t) { return CUBLAS_GEMM_DEFAULT; }
  char flag(char) { return options_.letters[letters_++]; }
  long long flag(long long) { return kLeading * 64; }  // a stride
  template <class Other>
  Other flag(Other other) {  // fill mode, diagonal, a scale by value
    return other;
  }

  const Memory& memory_;
  const std::array<int, sizes>& size_;
  const Options& options_;
  size_t integers_ = 0;
  int operations_ = 0, group_arrays_ = 0, letters_ = 0;
};

// The arguments of the types Parameters.
template <class... Parameters, size_t sizes>
std::tuple<Parameters...> fill(const Memory& memory, const std::array<int, sizes>& size,
                               const Options& options) {
  constexpr bool kBatches =
      ((std::is_same_v<Parameters, long long> || kIsArrayOfPointers<Parameters>) || ...);
  size_t integers_left = (size_t{0} + ... + kIsInteger<Parameters>);
  Filler<sizes> filler(memory, size, options);
  const auto next = [&]<class T>() {
    const bool last = kIsInteger<T> && --integers_left == 0;
    return filler.template next<T>(kBatches && last);
  };
  return {next.template operator()<Parameters>()...};
}

template <class Handle, class... Rest, size_t sizes>
void call(cublasStatus_t (*function)(Handle, Rest...), Handle handle, const Memory& memory,
          const std::array<int, sizes>& size, const Options& options = {}) {
  const auto arguments = fill<Rest...>(memory, size, options);
  CHECK_CUBLAS(std::apply(function, std::tuple_cat(std::tuple(handle), arguments)));
}

template <class... Parameters, size_t sizes>
void call(void (*function)(Parameters...), const Memory& memory, const std::array<int, sizes>& size,
          const Options& options) {
  std::apply(function, fill<Parameters...>(memory, size, options));
  CHECK_CUBLAS(cublasGetError());
}

}  // namespace blas_forms
