// Products through cuBLASLt: with the algorithm that its heuristic prefers, as frameworks do.
#include "product.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "data.hpp"

namespace mfushim::peak {

namespace {

constexpr std::size_t kWorkspace = 64 << 20;
constexpr int kWarmup = 3;
// Products between two events: long enough that events cost nothing, short enough to look around.
constexpr double kChunkSeconds = 0.05;

constexpr ElementType kTypes[] = {
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 16, 8, 7},
    {"f16", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 16, 5, 10},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 32, 8, 23},
    {"f32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 32, 8, 23},
    {"f64", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 64, 11, 52},
    {"f8e4m3", CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 8, 4, 3},
};

class Buffer {
 public:
  Buffer(const Libraries& libraries, std::size_t bytes) : libraries_(libraries) {
    check(libraries.allocate(&address_, bytes), "allocating the matrices");
  }
  ~Buffer() { libraries_.free(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* get() const { return reinterpret_cast<void*>(address_); }
  CUdeviceptr address() const { return address_; }

 private:
  const Libraries& libraries_;
  CUdeviceptr address_ = 0;
};

std::size_t bytes_of(std::int64_t elements, unsigned bits) {
  return static_cast<std::size_t>(elements) * bits / 8;
}

unsigned out_bits(const ElementType& type) {
  return std::max(type.in_bits, 16U);
}

// Numbers as in training: on zeros a GPU draws less power and clocks higher than it ever will.
void fill(const Libraries& libraries, const Buffer& buffer, std::size_t bytes,
          const std::vector<unsigned char>& pattern) {
  for (std::size_t at = 0; at < bytes; at += pattern.size())
    check(libraries.copy_in(buffer.address() + at, pattern.data(),
                            std::min(pattern.size(), bytes - at)),
          "filling the matrices");
}

// Descriptors of D = A^T B, which every type has on every GPU that has the type.
class Description {
 public:
  Description(const Libraries& libraries, const ElementType& type, const Shape& shape)
      : libraries_(libraries) {
    const auto rows = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::size_t workspace = kWorkspace;
    good_ = libraries.desc_create(&operation, type.compute, type.scale) == CUBLAS_STATUS_SUCCESS &&
            libraries.desc_set(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                               sizeof transposed) == CUBLAS_STATUS_SUCCESS &&
            libraries.layout_create(&a, type.in, rows(shape.k), rows(shape.m), shape.k) ==
                CUBLAS_STATUS_SUCCESS &&
            libraries.layout_create(&b, type.in, rows(shape.k), rows(shape.n), shape.k) ==
                CUBLAS_STATUS_SUCCESS &&
            libraries.layout_create(&d, type.out, rows(shape.m), rows(shape.n), shape.m) ==
                CUBLAS_STATUS_SUCCESS &&
            libraries.preference_create(&preference) == CUBLAS_STATUS_SUCCESS &&
            libraries.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                     &workspace, sizeof workspace) == CUBLAS_STATUS_SUCCESS;
  }
  ~Description() {
    if (preference) libraries_.preference_destroy(preference);
    for (const cublasLtMatrixLayout_t layout : {a, b, d})
      if (layout) libraries_.layout_destroy(layout);
    if (operation) libraries_.desc_destroy(operation);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  bool is_good() const { return good_; }

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;

 private:
  const Libraries& libraries_;
  bool good_ = false;
};

// One product after the other on the device's stream.
class Repeater {
 public:
  Repeater(const Device& device, const ElementType& type, const Shape& shape)
      : device_(device),
        libraries_(device.libraries),
        description_(libraries_, type, shape),
        a_(libraries_, bytes_of(shape.k * shape.m, type.in_bits)),
        b_(libraries_, bytes_of(shape.k * shape.n, type.in_bits)),
        d_(libraries_, bytes_of(shape.m * shape.n, out_bits(type))),
        workspace_(libraries_, kWorkspace),
        in_f64_(type.scale == CUDA_R_64F) {
    const auto pattern = plausible_numbers(type.in_bits, type.exponent_bits, type.mantissa_bits);
    fill(libraries_, a_, bytes_of(shape.k * shape.m, type.in_bits), pattern);
    fill(libraries_, b_, bytes_of(shape.k * shape.n, type.in_bits), pattern);
    check(libraries_.event_create(&begin_, CU_EVENT_DEFAULT), "creating an event");
    check(libraries_.event_create(&end_, CU_EVENT_DEFAULT), "creating an event");
  }

  // False where there is no algorithm for it.
  bool choose_algorithm() {
    int found = 0;
    return description_.is_good() &&
           libraries_.heuristic(device_.handle, description_.operation, description_.a,
                                description_.b, description_.d, description_.d,
                                description_.preference, 1, &chosen_,
                                &found) == CUBLAS_STATUS_SUCCESS &&
           found > 0;
  }

  // Seconds of the device for so many products.
  double run(std::uint64_t products) {
    check(libraries_.event_record(begin_, device_.stream), "recording an event");
    for (std::uint64_t i = 0; i < products; ++i) multiply();
    check(libraries_.event_record(end_, device_.stream), "recording an event");
    check(libraries_.event_wait(end_), "the product");
    float milliseconds = 0;
    check(libraries_.event_elapsed(&milliseconds, begin_, end_), "reading an event");
    return static_cast<double>(milliseconds) / 1e3;
  }

 private:
  void multiply() {
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const void* const alpha = in_f64_ ? static_cast<const void*>(&one64) : &one;
    const void* const beta = in_f64_ ? static_cast<const void*>(&zero64) : &zero;
    const cublasStatus_t status = libraries_.matmul(
        device_.handle, description_.operation, alpha, a_.get(), description_.a, b_.get(),
        description_.b, beta, d_.get(), description_.d, d_.get(), description_.d, &chosen_.algo,
        workspace_.get(), kWorkspace, device_.stream);
    if (status != CUBLAS_STATUS_SUCCESS)
      throw PeakError("cublasLtMatmul failed with status " + std::to_string(status));
  }

  const Device& device_;
  const Libraries& libraries_;
  Description description_;
  Buffer a_, b_, d_, workspace_;
  cublasLtMatmulHeuristicResult_t chosen_{};
  CUevent begin_ = nullptr, end_ = nullptr;
  bool in_f64_;
};

}  // namespace

const ElementType* find_type(std::string_view name) {
  for (const ElementType& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

Device open_device() {
  Device device{.libraries = open_libraries(), .handle = nullptr, .stream = nullptr};
  const Libraries& l = device.libraries;
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  check(l.init(0), "cuInit");
  check(l.device_get(&gpu, 0), "finding a GPU");
  check(l.retain(&context, gpu), "starting the GPU");
  check(l.set_current(context), "starting the GPU");
  check(l.stream_create(&device.stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  if (l.lt_create(&device.handle) != CUBLAS_STATUS_SUCCESS)
    throw PeakError("cuBLASLt does not start");
  return device;
}

std::optional<Speed> measure(const Device& device, const ElementType& type, const Shape& shape,
                             double seconds, const std::function<void()>& tick) {
  Repeater repeater(device, type, shape);
  if (!repeater.choose_algorithm()) return std::nullopt;
  const double once = repeater.run(kWarmup) / kWarmup;
  // Without a time of its own (a clock that stands still) a product counts as one chunk.
  const double chunk = once > 0 ? std::max(1.0, std::floor(kChunkSeconds / once)) : 1;
  Speed speed;
  while (speed.seconds < seconds) {
    const auto products = static_cast<std::uint64_t>(chunk);
    const double took = repeater.run(products);
    if (took <= 0) throw PeakError("the GPU's events tell no time");
    speed.seconds += took;
    speed.products += products;
    tick();
  }
  return speed;
}

}  // namespace mfushim::peak
