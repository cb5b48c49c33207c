// What one call of libcublas's product functions asks for, read from its arguments by their types;
// the functions themselves are generated from the headers.
#pragma once

// All headers under the names that the library exports: cublas_v2.h would rename some.
#include <cublas.h>
#define CUBLAS_V2_H_
#include <cublasXt.h>

#include <type_traits>
#include <vector>

#include "multiply.hpp"
#include "xt.hpp"

namespace mfusim::blas {

// Arguments in order, sorted by type: all functions name flags, sizes and operands in one order.
class Asked {
 public:
  explicit Asked(const char* function) : function_(function) {}

  void take(cublasHandle_t handle) { handle_ = handle; }
  void take(cublasXtHandle_t handle) { xt_ = handle; }
  void take(cublasOperation_t operation) { operations_.push_back(operation); }
  void take(cublasSideMode_t side) { right_ = side == CUBLAS_SIDE_RIGHT; }
  void take(cublasFillMode_t) {}
  void take(cublasDiagType_t) {}
  void take(cublasGemmAlgo_t) {}
  void take(cublasComputeType_t compute) { compute_ = compute; }
  void take(cudaDataType_t type) { types_.push_back(type); }
  void take(char letter) { letters_.push_back(letter); }
  void take(int size) { sizes_.push_back(size); }
  void take(int64_t size) { sizes_.push_back(size); }
  void take(size_t size) { sizes_.push_back(static_cast<int64_t>(size)); }
  void take(long long stride) { strides_.push_back(stride); }
  void take(const cublasOperation_t* group) { operation_groups_.push_back(group); }
  void take(const int* group) { size_groups_.push_back({group, nullptr}); }
  void take(const int64_t* group) { size_groups_.push_back({nullptr, group}); }
  template <class Operand>
  requires(std::is_pointer_v<Operand>) void take(Operand operand) { operands_.push_back(operand); }
  // A scale by value, as cublas.h has it.
  template <class Scale>
  requires(!std::is_pointer_v<Scale>) void take(Scale) { operands_.push_back(this); }

  cublasStatus_t answer() const;

 private:
  struct SizeGroup {
    const int* narrow;
    const int64_t* wide;
    int64_t operator[](int64_t group) const { return narrow ? narrow[group] : wide[group]; }
  };

  Product product() const;
  std::vector<Product> groups() const;
  Operands operands() const;
  void set_letters(Product& product) const;
  void set_sizes(Product& product) const;
  void set_types(Product& product) const;

  const char* function_;
  cublasHandle_t handle_ = nullptr;
  cublasXtHandle_t xt_ = nullptr;
  std::vector<cublasOperation_t> operations_;
  std::vector<cudaDataType_t> types_;
  std::vector<char> letters_;
  std::vector<int64_t> sizes_;
  std::vector<long long> strides_;
  std::vector<const void*> operands_;
  std::vector<const cublasOperation_t*> operation_groups_;
  std::vector<SizeGroup> size_groups_;
  int compute_ = -1;
  bool right_ = false;
};

template <class... Arguments>
cublasStatus_t ask(const char* function, Arguments... arguments) {
  Asked asked(function);
  (asked.take(arguments), ...);
  return asked.answer();
}

}  // namespace mfusim::blas
