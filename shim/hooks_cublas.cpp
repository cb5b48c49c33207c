// cuBLAS's products. Their arguments say by type and order what is multiplied: flags, sizes, then
// operands; what kind of product it is, and of which types, is often said by the name alone.
#include "mfushim/format/api.hpp"
#include "thunk.hpp"

#define MFUSHIM_ROWS "mfushim/format/apis_cublas.def"
#define MFUSHIM_API(symbol, ...) struct symbol;
#include MFUSHIM_ROWS
#undef MFUSHIM_API

// cuBLAS before 13.1 leaves this to cublas_v2.h, which renames some of the functions.
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
// All of its headers, under the names that the library exports: cublas.h, the oldest, includes
// cublas_api.h, and cublasXt.h would include the renaming cublas_v2.h.
#include <cublas.h>
#define CUBLAS_V2_H_
#include <cublasXt.h>

#include "products.hpp"
#include "streams.hpp"

namespace mfushim::shim {

using format::Api;
using format::DType;
using format::ProductKind;

static_assert(element_type(CUDA_R_32F) == DType::kF32 && element_type(CUDA_C_64F) == DType::kC64 &&
              element_type(CUDA_R_16BF) == DType::kBf16 && element_type(CUDA_R_8I) == DType::kI8 &&
              element_type(CUDA_R_8F_E5M2) == DType::kF8E5M2);
static_assert(transpose(CUBLAS_OP_T) == format::Transpose::kTranspose &&
              transpose(CUBLAS_OP_C) == format::Transpose::kConjugate);

namespace {

consteval bool has(std::string_view name, std::string_view part) {
  return name.find(part) != name.npos;
}

consteval ProductKind product_kind(std::string_view name) {
  struct Part {
    std::string_view text;
    ProductKind kind;
  };
  constexpr Part kParts[] = {
      {"gemm3m", ProductKind::kGemm3m}, {"gemv", ProductKind::kGemv},
      {"syrkx", ProductKind::kSyrkx},   {"herkx", ProductKind::kHerkx},
      {"syr2k", ProductKind::kSyr2k},   {"her2k", ProductKind::kHer2k},
      {"syrk", ProductKind::kSyrk},     {"herk", ProductKind::kHerk},
      {"symm", ProductKind::kSymm},     {"spmm", ProductKind::kSymm},  // packed
      {"hemm", ProductKind::kHemm},     {"trmm", ProductKind::kTrmm},
      {"trsm", ProductKind::kTrsm}};
  for (const Part& part : kParts)
    if (has(name, part.text)) return part.kind;
  return ProductKind::kGemm;
}

consteval DType type_by_letter(char letter) {
  switch (letter) {
    case 'S':
      return DType::kF32;
    case 'D':
      return DType::kF64;
    case 'C':
      return DType::kC32;
    case 'Z':
      return DType::kC64;
    case 'H':
      return DType::kF16;
    case 'T':
      return DType::kBf16;
    case 'U':
      return DType::kU8;
    default:
      return DType::kUnknown;
  }
}

// The types in a name: one letter, or three (inputs, scaling, output) as in cublasTSSgemvBatched.
struct NamedTypes {
  DType in, out;
};
consteval NamedTypes types_by_name(std::string_view name) {
  name.remove_prefix(name.starts_with("cublasXt") ? 8 : 6);
  const bool three = type_by_letter(name[1]) != DType::kUnknown;
  return {type_by_letter(name[0]), type_by_letter(name[three ? 2 : 0])};
}

// What a function's name says of its products.
struct Form {
  ProductKind product;
  NamedTypes types;
  bool batched;
  bool three;  // a complex update by three real products
};
consteval Form form_of(std::string_view name) {
  return {product_kind(name), types_by_name(name), has(name, "Batched"), has(name, "k3mEx")};
}

// What is negative the library refuses.
constexpr std::uint64_t size_of(std::int64_t value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

// The arguments by what their types mean. Sizes have another type than strides in every function,
// and come first among those of their type; a batch count comes last.
struct Arguments {
  cublasHandle_t handle = nullptr;  // cublasXt's and cublas.h's functions have none
  std::uint64_t sizes[3] = {};
  unsigned size_count = 0;
  std::uint64_t last = 1;
  cublasOperation_t operations[2] = {};
  unsigned operation_count = 0;
  char letters[4] = {};  // what cublas.h has for side, fill mode and operations
  unsigned letter_count = 0;
  cublasSideMode_t side = CUBLAS_SIDE_LEFT;
  cudaDataType types[3] = {};
  unsigned type_count = 0;
  int compute = -1;

  void take_size(std::int64_t value) {
    last = size_of(value);
    if (size_count < 3) sizes[size_count++] = last;
  }
  void take(cublasHandle_t value) { handle = value; }
  void take(int value) { take_size(value); }
  void take(std::int64_t value) { take_size(value); }
  void take(std::size_t value) { take_size(static_cast<std::int64_t>(value)); }
  void take(cublasOperation_t operation) {
    if (operation_count < 2) operations[operation_count++] = operation;
  }
  void take(char letter) {
    if (letter_count < 4) letters[letter_count++] = letter;
  }
  void take(cublasSideMode_t value) { side = value; }
  void take(cudaDataType type) {
    if (type_count < 3) types[type_count++] = type;
  }
  void take(cublasComputeType_t type) { compute = type; }
  void take(auto) {}
};

constexpr cublasOperation_t operation_by_letter(char letter) {
  const char small = static_cast<char>(letter | 0x20);
  return small == 't' ? CUBLAS_OP_T : small == 'c' ? CUBLAS_OP_C : CUBLAS_OP_N;
}

// Turns the letters of cublas.h into what they stand for.
void read_letters(ProductKind kind, Arguments& a) {
  const auto operation = [&](unsigned letter) {
    a.operations[a.operation_count++] = operation_by_letter(a.letters[letter]);
  };
  switch (kind) {
    case ProductKind::kGemm:
      operation(0);
      operation(1);
      break;
    case ProductKind::kGemv:
      operation(0);
      break;
    case ProductKind::kTrmm:
    case ProductKind::kTrsm:
      operation(2);
      [[fallthrough]];
    case ProductKind::kSymm:
    case ProductKind::kHemm:
      a.side = (a.letters[0] | 0x20) == 'r' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
      break;
    default:  // updates: fill mode, operation
      operation(1);
  }
}

void set_sizes(format::GemmShape& shape, const Arguments& a) {
  switch (shape.product) {
    case ProductKind::kGemm:
    case ProductKind::kGemm3m:
      shape.k = a.sizes[2];
      [[fallthrough]];
    case ProductKind::kSymm:
    case ProductKind::kHemm:
    case ProductKind::kTrmm:
    case ProductKind::kTrsm:
    case ProductKind::kGemv:
      shape.m = a.sizes[0];
      shape.n = a.sizes[1];
      break;
    default:  // updates: the result is n by n
      shape.m = shape.n = a.sizes[0];
      shape.k = a.sizes[1];
  }
}

void set_types(format::GemmShape& shape, const Arguments& a, NamedTypes named) {
  shape.a = a.type_count > 0 ? element_type(a.types[0]) : named.in;
  shape.b = a.type_count == 3 ? element_type(a.types[1]) : shape.a;
  shape.c = a.type_count > 0 ? element_type(a.types[a.type_count - 1]) : named.out;
  shape.d = shape.c;
  shape.compute = a.compute;
}

// What the handle says: math mode and stream.
void read_handle(const Target& target, Details& d, format::GemmShape& shape,
                 cublasHandle_t handle) {
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  if (const auto get = MFUSHIM_REAL(target, cublasGetMathMode)) get(handle, &mode);
  shape.math_mode = static_cast<std::uint32_t>(mode);
  cudaStream_t stream = nullptr;
  if (const auto get = MFUSHIM_REAL(target, cublasGetStream_v2)) get(handle, &stream);
  set_stream(d, stream);
}

// Out of line: the thunks of all functions share it.
[[gnu::noinline]] void describe_product(const Target& target, Details& d, Form form,
                                        Arguments& arguments) {
  format::GemmShape shape;
  shape.product = form.product;
  if (arguments.letter_count != 0) read_letters(form.product, arguments);
  set_sizes(shape, arguments);
  set_types(shape, arguments, form.types);
  shape.trans_a = transpose(arguments.operations[0]);
  shape.trans_b = transpose(arguments.operations[1]);
  if (form.batched) shape.batch = arguments.last;
  if (form.three) shape.flags |= format::kShape3m;
  if (arguments.side == CUBLAS_SIDE_RIGHT) shape.flags |= format::kShapeSideRight;
  if (arguments.handle != nullptr) read_handle(target, d, shape, arguments.handle);
  d.subject = shape_id(shape);
  d.number = 1;
}

// A grouped product; its arrays are the host's. Size is int, or int64_t in the twins.
template <class Size>
struct Groups {
  const cublasOperation_t* trans_a;
  const cublasOperation_t* trans_b;
  const Size* m;
  const Size* n;
  const Size* k;
  const Size* products = nullptr;  // in each group: the last array of its type
  Arguments rest = {};             // the count of groups is the last size

  void take(const Size* array) { products = array; }
  void take(auto value) { rest.take(value); }

  bool has_group(std::uint32_t group) const {
    return group < rest.last && trans_a != nullptr && trans_b != nullptr && m != nullptr &&
           n != nullptr && k != nullptr && products != nullptr;
  }
};

}  // namespace

template <Api api>
constexpr std::string_view kName = format::api_row(api).name;
template <Api api>
constexpr bool kIsGrouped = has(kName<api>, "Grouped");
template <Api api>
constexpr bool kIsSingle = format::api_row(api).library == format::Library::kCublas &&
                           !kIsGrouped<api>;

template <Api api>
void describe(Tag<api>, const Target& target, Details& d, auto... taken) requires kIsSingle<api> {
  Arguments arguments;
  (arguments.take(taken), ...);
  describe_product(target, d, form_of(kName<api>), arguments);
}

template <Api api, class Size>
bool another(Tag<api>, const Target& target, Details& d, std::uint32_t group, cublasHandle_t handle,
             const cublasOperation_t* trans_a, const cublasOperation_t* trans_b, const Size* m,
             const Size* n, const Size* k, auto... rest) requires kIsGrouped<api> {
  Groups<Size> groups = {trans_a, trans_b, m, n, k};
  (groups.take(rest), ...);
  if (!groups.has_group(group)) return false;
  format::GemmShape shape;
  shape.m = size_of(m[group]);
  shape.n = size_of(n[group]);
  shape.k = size_of(k[group]);
  shape.trans_a = transpose(trans_a[group]);
  shape.trans_b = transpose(trans_b[group]);
  shape.flags = format::kShapeGrouped;
  set_types(shape, groups.rest, types_by_name(kName<api>));
  read_handle(target, d, shape, handle);
  d.subject = shape_id(shape);
  d.number = static_cast<std::uint32_t>(size_of(groups.products[group]));
  return true;
}

template <Api api>
void describe(Tag<api> tag, const Target& target, Details& d,
              auto... arguments) requires kIsGrouped<api> {
  another(tag, target, d, 0, arguments...);
}

// Functions that the header overloads for C++; which one is meant only its type says.
using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const void*, const void*, cudaDataType, int, const void*,
                              cudaDataType, int, const void*, void*, cudaDataType, int,
                              cublasComputeType_t, cublasGemmAlgo_t);
using GemmBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void*, const void* const[], cudaDataType, int,
                                     const void* const[], cudaDataType, int, const void*,
                                     void* const[], cudaDataType, int, int, cublasComputeType_t,
                                     cublasGemmAlgo_t);
using GemmStridedBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                            int, int, int, const void*, const void*, cudaDataType,
                                            int, long long, const void*, cudaDataType, int,
                                            long long, const void*, void*, cudaDataType, int,
                                            long long, int, cublasComputeType_t, cublasGemmAlgo_t);
template <GemmEx* function>
consteval auto pick() {
  return function;
}
template <GemmBatchedEx* function>
consteval auto pick() {
  return function;
}
template <GemmStridedBatchedEx* function>
consteval auto pick() {
  return function;
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_cublas[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDA_VERSION)
#include MFUSHIM_ROWS
#undef MFUSHIM_API
};
