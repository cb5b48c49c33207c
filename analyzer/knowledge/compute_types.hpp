// cublasComputeType_t of cublas_api.h: the type in which a product of cuBLAS is computed.
#pragma once

#include <cstdint>

namespace mfushim::knowledge {

enum ComputeType : std::int32_t {
  kComputeImplied = -1,  // by the function, and the handle's math mode
  kCompute16F = 64,
  kCompute16FPedantic = 65,
  kCompute32F = 68,
  kCompute32FPedantic = 69,
  kCompute64F = 70,
  kCompute64FPedantic = 71,
  kCompute32I = 72,
  kCompute32IPedantic = 73,
  kCompute32FFast16F = 74,
  kCompute32FFast16BF = 75,
  kCompute32FFastTF32 = 77,
  kCompute32FEmulated16BFX9 = 78,
  kCompute64FEmulatedFixedpoint = 79,
};

}  // namespace mfushim::knowledge
