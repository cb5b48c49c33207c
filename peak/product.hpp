// A matrix product that is repeated for a while, and how fast it went.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "libraries.hpp"

namespace mfushim::peak {

struct ElementType {
  std::string_view name;  // as the reports of mfushim name it
  cudaDataType_t in;
  cudaDataType_t out;
  cudaDataType_t scale;
  cublasComputeType_t compute;
  unsigned in_bits;
  unsigned exponent_bits;
  unsigned mantissa_bits;
};

// Null when unknown.
const ElementType* find_type(std::string_view name);

struct Shape {
  std::int64_t m, n, k;
};

struct Speed {
  std::uint64_t products = 0;
  double seconds = 0;  // of the device, between events around the products
};

struct Device {
  Libraries libraries;
  cublasLtHandle_t handle;
  CUstream stream;
};

// First GPU that the process sees. Throws PeakError.
Device open_device();

// Repeats A^T B for about this long, after a warm-up; `tick` is called every few dozen
// milliseconds. Absent when the GPU or the library has no such product. Throws PeakError.
std::optional<Speed> measure(const Device& device, const ElementType& type, const Shape& shape,
                             double seconds, const std::function<void()>& tick);

}  // namespace mfushim::peak
