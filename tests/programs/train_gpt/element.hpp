// What the libraries call the two types of train_gpt's tensors.
#pragma once

#include <cuda_bf16.h>
#include <library_types.h>
#include <nccl.h>

template <class Element>
inline constexpr cudaDataType_t kCudaType = CUDA_R_32F;
template <>
inline constexpr cudaDataType_t kCudaType<__nv_bfloat16> = CUDA_R_16BF;

template <class Element>
inline constexpr ncclDataType_t kNcclType = ncclFloat32;
template <>
inline constexpr ncclDataType_t kNcclType<__nv_bfloat16> = ncclBfloat16;
