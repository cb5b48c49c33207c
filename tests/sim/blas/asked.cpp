// Reads products out of the names and arguments of libcublas's functions.
#include "asked.hpp"

#include <string_view>

#include "legacy.hpp"

namespace mfusim::blas {
namespace {

// By what a function's name contains; the first that fits.
constexpr struct {
  std::string_view part;
  Kind kind;
} kKinds[] = {{"gemm3m", Kind::kGemm3m}, {"gemm", Kind::kGemm},   {"Gemm", Kind::kGemm},
              {"gemv", Kind::kGemv},     {"syr2k", Kind::kSyr2k}, {"her2k", Kind::kHer2k},
              {"syrkx", Kind::kSyrkx},   {"herkx", Kind::kHerkx}, {"syrk", Kind::kSyrk},
              {"herk", Kind::kHerk},     {"symm", Kind::kSymm},   {"spmm", Kind::kSymm},
              {"hemm", Kind::kHemm},     {"trmm", Kind::kTrmm},   {"trsm", Kind::kTrsm}};

Kind kind_of(std::string_view function) {
  for (const auto& row : kKinds)
    if (function.find(row.part) != function.npos) return row.kind;
  return Kind::kGemm;
}

bool is_update(Kind kind) {
  return kind >= Kind::kSyrk && kind <= Kind::kHerkx;
}

cudaDataType_t type_of(char letter) {
  switch (letter) {
    case 'D':
      return CUDA_R_64F;
    case 'C':
      return CUDA_C_32F;
    case 'Z':
      return CUDA_C_64F;
    case 'H':
      return CUDA_R_16F;
    case 'T':
      return CUDA_R_16BF;
    case 'U':
      return CUDA_R_8U;
    default:
      return CUDA_R_32F;
  }
}

int compute_of(std::string_view letters) {
  switch (letters[letters[1] == 'S' ? 1 : 0]) {
    case 'D':
    case 'Z':
      return CUBLAS_COMPUTE_64F;
    case 'H':
      return CUBLAS_COMPUTE_16F;
    case 'U':
      return CUBLAS_COMPUTE_32I;
    default:
      return CUBLAS_COMPUTE_32F;
  }
}

cublasOperation_t operation_of(char letter) {
  return letter == 'N' || letter == 'n'   ? CUBLAS_OP_N
         : letter == 'T' || letter == 't' ? CUBLAS_OP_T
                                          : CUBLAS_OP_C;
}

template <class T>
T at(const std::vector<T>& list, size_t index) {
  return index < list.size() ? list[index] : T{};
}

}  // namespace

// Letters of cublas.h: the operations of a general product; fill mode and operation of an update;
// side, fill mode, operation and diagonal of the rest.
void Asked::set_letters(Product& product) const {
  if (product.kind == Kind::kGemm || product.kind == Kind::kGemv) {
    product.transa = operation_of(letters_[0]);
    if (product.kind == Kind::kGemm) product.transb = operation_of(letters_[1]);
  } else if (is_update(product.kind)) {
    product.transa = operation_of(letters_[1]);
  } else {
    product.right = letters_[0] == 'R' || letters_[0] == 'r';
    if (letters_.size() == 4) product.transa = operation_of(letters_[2]);
  }
}

void Asked::set_sizes(Product& product) const {
  if (is_update(product.kind)) {
    product.m = product.n = sizes_[0];
    product.k = sizes_[1];
  } else {
    product.m = sizes_[0];
    product.n = sizes_[1];
    if (product.kind == Kind::kGemm || product.kind == Kind::kGemm3m) product.k = sizes_[2];
  }
}

void Asked::set_types(Product& product) const {
  std::string_view letters = function_;
  letters.remove_prefix(letters.starts_with("cublasXt") ? 8 : 6);
  product.a_type = types_.empty() ? type_of(letters[0]) : types_.front();
  product.b_type = types_.size() == 3 ? types_[1] : product.a_type;
  product.d_type = types_.empty() ? product.a_type : types_.back();
  if (letters[1] == 'S') product.d_type = type_of(letters[2]);
  product.compute = compute_ >= 0 ? compute_ : compute_of(letters);
}

Product Asked::product() const {
  Product product;
  product.api = function_;
  product.kind = kind_of(function_);
  product.transa = at(operations_, 0);
  product.transb = at(operations_, 1);
  product.right = right_;
  if (!letters_.empty()) set_letters(product);
  set_sizes(product);
  set_types(product);
  const std::string_view name = function_;
  if (name.find("Batched") != name.npos) product.batch = sizes_.back();
  product.pointer_array = product.batch != 1 && strides_.empty();
  return product;
}

std::vector<Product> Asked::groups() const {
  std::vector<Product> groups;
  for (int64_t i = 0; i < sizes_.back(); ++i) {
    Product group;
    group.api = function_;
    group.grouped = true;
    group.transa = operation_groups_[0][i];
    group.transb = operation_groups_[1][i];
    group.m = size_groups_[0][i];
    group.n = size_groups_[1][i];
    group.k = size_groups_[2][i];
    group.repeat = size_groups_.back()[i];
    set_types(group);
    groups.push_back(group);
  }
  return groups;
}

Operands Asked::operands() const {
  return {at(operands_, 0), at(operands_, 1), at(sizes_, 3),
          at(strides_, 0),  at(operands_, 2), at(sizes_, 4),
          at(strides_, 1),  at(operands_, 3), const_cast<void*>(at(operands_, 4)),
          at(sizes_, 5),    at(strides_, 2)};
}

cublasStatus_t Asked::answer() const {
  if (!size_groups_.empty())
    return handle_ != nullptr ? multiply_groups(handle_, groups()) : CUBLAS_STATUS_NOT_INITIALIZED;
  if (!letters_.empty())
    return legacy_handle()->last_error = multiply(legacy_handle(), product(), operands());
  if (xt_ != nullptr) return multiply_on_all(xt_, product());
  return multiply(handle_, product(), operands());
}

}  // namespace mfusim::blas
