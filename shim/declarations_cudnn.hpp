// cuDNN's functions that are intercepted or called, by own declarations: its headers come with no
// toolkit, and one recorder is to know the functions of all versions.
//
// Checked against the headers of 9.28.1. A test includes the vendor's header first, so that the
// compiler compares every declaration with it; then the types below are the vendor's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#ifndef CUDNN_VERSION
using cudnnStatus_t = int;
using cudnnDataType_t = int;
using cudnnTensorFormat_t = int;
using cudnnMathType_t = int;
using cudnnBackendDescriptorType_t = int;
using cudnnBackendAttributeName_t = int;
using cudnnBackendAttributeType_t = int;
using cudnnConvolutionFwdAlgo_t = int;
using cudnnConvolutionBwdDataAlgo_t = int;
using cudnnConvolutionBwdFilterAlgo_t = int;
using cudnnForwardMode_t = int;
using cudnnWgradMode_t = int;
using cudnnRNNAlgo_t = int;
using cudnnRNNMode_t = int;
using cudnnRNNBiasMode_t = int;
using cudnnDirectionMode_t = int;
using cudnnRNNInputMode_t = int;
using cudnnRNNDataLayout_t = int;
using cudnnBackendDescriptor_t = void*;
using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;
using cudnnActivationDescriptor_t = struct cudnnActivationStruct*;
using cudnnDropoutDescriptor_t = struct cudnnDropoutStruct*;
using cudnnRNNDescriptor_t = struct cudnnRNNStruct*;
using cudnnRNNDataDescriptor_t = struct cudnnRNNDataStruct*;
using cudnnAttnDescriptor_t = struct cudnnAttnStruct*;
using cudnnSeqDataDescriptor_t = struct cudnnSeqDataStruct*;
#endif
#if !defined(CUDNN_VERSION) || CUDNN_VERSION < 92800
using cudnnCausalConv1dActivation_t = int;
using cudnnGnnAggOp_t = int;
using cudnnGnnCscGraph_t = struct cudnnGnnCscGraph;
using cudnnGnnMhaParams_t = struct cudnnGnnMhaParams;
#endif

extern "C" {

// Called.
cudnnStatus_t cudnnGetStream(cudnnHandle_t, cudaStream_t*);
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t, int requested,
                                         cudnnDataType_t*, int* count, int dims[], int strides[]);
cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t, int requested,
                                         cudnnDataType_t*, cudnnTensorFormat_t*, int* count,
                                         int dims[]);
cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int*);
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t, cudnnRNNAlgo_t*, cudnnRNNMode_t*,
                                       cudnnRNNBiasMode_t*, cudnnDirectionMode_t*,
                                       cudnnRNNInputMode_t*, cudnnDataType_t*, cudnnDataType_t*,
                                       cudnnMathType_t*, std::int32_t* input, std::int32_t* hidden,
                                       std::int32_t* projection, std::int32_t* layers,
                                       cudnnDropoutDescriptor_t*, std::uint32_t* flags);
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t, cudnnDataType_t*,
                                        cudnnRNNDataLayout_t*, int* max_length, int* batch,
                                        int* vector, int requested, int lengths[], void* padding);

// Intercepted: graphs and their descriptors.
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t*);
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t);
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
                                       cudnnBackendAttributeType_t, std::int64_t count,
                                       const void* elements);
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const, cudnnBackendAttributeName_t,
                                       cudnnBackendAttributeType_t, std::int64_t requested,
                                       std::int64_t* count, void* elements);
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack);
cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                            cudnnBackendDescriptor_t pack, cudaGraph_t);
cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                          cudnnBackendDescriptor_t pack, cudaGraph_t);

// Intercepted: convolutions.
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void*, const cudnnTensorDescriptor_t x,
                                      const void*, const cudnnFilterDescriptor_t w, const void*,
                                      const cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
                                      void*, std::size_t, const void*,
                                      const cudnnTensorDescriptor_t y, void*);
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t, const void*, const cudnnTensorDescriptor_t x, const void*,
    const cudnnFilterDescriptor_t w, const void*, const cudnnConvolutionDescriptor_t,
    cudnnConvolutionFwdAlgo_t, void*, std::size_t, const void*, const cudnnTensorDescriptor_t z,
    const void*, const cudnnTensorDescriptor_t bias, const void*, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t y, void*);
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void*,
                                           const cudnnFilterDescriptor_t w, const void*,
                                           const cudnnTensorDescriptor_t dy, const void*,
                                           const cudnnConvolutionDescriptor_t,
                                           cudnnConvolutionBwdDataAlgo_t, void*, std::size_t,
                                           const void*, const cudnnTensorDescriptor_t dx, void*);
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void*,
                                             const cudnnTensorDescriptor_t x, const void*,
                                             const cudnnTensorDescriptor_t dy, const void*,
                                             const cudnnConvolutionDescriptor_t,
                                             cudnnConvolutionBwdFilterAlgo_t, void*, std::size_t,
                                             const void*, const cudnnFilterDescriptor_t dw, void*);

// Intercepted: recurrent networks.
cudnnStatus_t cudnnRNNForward(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                              const std::int32_t lengths[], cudnnRNNDataDescriptor_t x, const void*,
                              cudnnRNNDataDescriptor_t y, void*, cudnnTensorDescriptor_t,
                              const void*, void*, cudnnTensorDescriptor_t, const void*, void*,
                              std::size_t, const void*, std::size_t, void*, std::size_t, void*);
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, cudnnRNNDescriptor_t,
                                      const std::int32_t lengths[], cudnnRNNDataDescriptor_t y,
                                      const void*, const void*, cudnnRNNDataDescriptor_t x, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      std::size_t, const void*, std::size_t, void*, std::size_t,
                                      void*);
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnWgradMode_t,
                                         const std::int32_t lengths[], cudnnRNNDataDescriptor_t x,
                                         const void*, cudnnTensorDescriptor_t, const void*,
                                         cudnnRNNDataDescriptor_t y, const void*, std::size_t,
                                         void*, std::size_t, void*, std::size_t, void*);

// Intercepted: attention of cuDNN 7 and 8.
cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t, const cudnnAttnDescriptor_t, int,
                                        const int[], const int[], const int[], const int[],
                                        const cudnnSeqDataDescriptor_t, const void*, const void*,
                                        const cudnnSeqDataDescriptor_t, const void*,
                                        const cudnnSeqDataDescriptor_t, const void*,
                                        const cudnnSeqDataDescriptor_t, void*, std::size_t,
                                        const void*, std::size_t, void*, std::size_t, void*);
cudnnStatus_t cudnnMultiHeadAttnBackwardData(
    cudnnHandle_t, const cudnnAttnDescriptor_t, const int[], const int[], const int[], const int[],
    const cudnnSeqDataDescriptor_t, const void*, const cudnnSeqDataDescriptor_t, void*, const void*,
    const cudnnSeqDataDescriptor_t, void*, const void*, const cudnnSeqDataDescriptor_t, void*,
    const void*, std::size_t, const void*, std::size_t, void*, std::size_t, void*);
cudnnStatus_t cudnnMultiHeadAttnBackwardWeights(cudnnHandle_t, const cudnnAttnDescriptor_t,
                                                cudnnWgradMode_t, const cudnnSeqDataDescriptor_t,
                                                const void*, const cudnnSeqDataDescriptor_t,
                                                const void*, const cudnnSeqDataDescriptor_t,
                                                const void*, const cudnnSeqDataDescriptor_t,
                                                const void*, std::size_t, const void*, void*,
                                                std::size_t, void*, std::size_t, void*);

// Intercepted: convolutions over sequences, since 9.28.
cudnnStatus_t cudnnCausalConv1dForward(cudaStream_t, const void*, const void*, const void*, void*,
                                       int batch, int dim, int length, int kernel, cudnnDataType_t,
                                       cudnnCausalConv1dActivation_t);
cudnnStatus_t cudnnCausalConv1dBackward(cudaStream_t, const void*, const void*, const void*,
                                        const void*, void*, void*, void*, int batch, int dim,
                                        int length, int kernel, cudnnDataType_t, cudnnDataType_t,
                                        cudnnCausalConv1dActivation_t);
cudnnStatus_t cudnnCausalConv1dNwhForward(cudaStream_t, const void*, const void*, const void*,
                                          void*, int batch, int dim, int length, int kernel,
                                          cudnnDataType_t, cudnnCausalConv1dActivation_t);
cudnnStatus_t cudnnCausalConv1dNwhBackward(cudaStream_t, const void*, const void*, const void*,
                                           const void*, void*, void*, void*, int batch, int dim,
                                           int length, int kernel, cudnnDataType_t, cudnnDataType_t,
                                           cudnnCausalConv1dActivation_t);
cudnnStatus_t cudnnB2BCausalConv1dForward(cudaStream_t, const void*, const void*, const void*,
                                          const void*, void*, void*, int, int, int, int, int,
                                          cudnnDataType_t);
cudnnStatus_t cudnnB2BCausalConv1dBackward(cudaStream_t, const void*, const void*, const void*,
                                           const void*, const void*, const void*, void*, void*,
                                           void*, void*, int, int, int, int, int, cudnnDataType_t,
                                           cudnnDataType_t);
cudnnStatus_t cudnnFFTCausalConv1dForward(cudaStream_t, const void*, const void*, void*, int batch,
                                          int dim, int length, int kernel, cudnnDataType_t);
cudnnStatus_t cudnnFFTCausalConv1dBackward(cudaStream_t, const void*, const void*, const void*,
                                           void*, void*, int batch, int dim, int length, int kernel,
                                           cudnnDataType_t);
cudnnStatus_t cudnnLongFFTCausalConv1dForward(cudaStream_t, const void*, const void*, void*,
                                              int batch, int dim, int length, int kernel,
                                              cudnnDataType_t, void*, std::size_t, void*,
                                              std::size_t);
cudnnStatus_t cudnnLongFFTCausalConv1dBackward(cudaStream_t, const void*, void*, void*, int batch,
                                               int dim, int length, int kernel, cudnnDataType_t,
                                               void*, std::size_t, void*, std::size_t);

// Intercepted: graph networks, since 9.28.
cudnnStatus_t cudnnGnnAggSimpleForward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                       const void*, const void*, void*, void*, int, int, int,
                                       cudnnDataType_t, cudnnGnnAggOp_t);
cudnnStatus_t cudnnGnnAggSimpleBackward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                        const void*, void*, void*, void*, int, int, int,
                                        cudnnDataType_t, cudnnGnnAggOp_t);
cudnnStatus_t cudnnGnnMhaGatForward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                    const void*, const void*, const void*, const float*, void*,
                                    void*, int, int, const cudnnGnnMhaParams_t*, cudnnDataType_t);
cudnnStatus_t cudnnGnnMhaGatBackward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                     const void*, const void*, const void*, const void*,
                                     const void*, const float*, const float*, void*, void*, void*,
                                     void*, void*, void*, void*, int, int,
                                     const cudnnGnnMhaParams_t*, cudnnDataType_t, cudnnDataType_t,
                                     cudnnDataType_t);
cudnnStatus_t cudnnGnnMhaGatV2Forward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                      const void*, const void*, const void*, const float*, void*,
                                      void*, void*, int, const cudnnGnnMhaParams_t*,
                                      cudnnDataType_t);
cudnnStatus_t cudnnGnnMhaGatV2Backward(cudaStream_t, const cudnnGnnCscGraph_t*, const void*,
                                       const void*, const void*, const void*, const void*,
                                       const void*, const void*, const float*, const float*, void*,
                                       void*, void*, void*, void*, void*, void*, int,
                                       const cudnnGnnMhaParams_t*, cudnnDataType_t,
                                       cudnnDataType_t);

}  // extern "C"
