// libcudnn's recurrent networks: descriptors, the layout of weights, forward and backward.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>

#include "execute.hpp"
#include "legacy.hpp"

namespace mfusim::cudnn {
namespace {

int gates_of(const cudnnRNNStruct& rnn) {
  return rnn.mode == CUDNN_LSTM ? 4 : rnn.mode == CUDNN_GRU ? 3 : 1;
}
int directions_of(const cudnnRNNStruct& rnn) {
  return rnn.direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
}
int state_of(const cudnnRNNStruct& rnn) {
  return rnn.projection > 0 ? rnn.projection : rnn.hidden;
}
int input_of(const cudnnRNNStruct& rnn, int layer) {
  if (layer > 0) return state_of(rnn) * directions_of(rnn);
  return rnn.input_mode == CUDNN_LINEAR_INPUT ? rnn.input : 0;
}

// Columns of a matrix by its number in a layer: the gates' input matrices, their recurrent ones,
// and with projection one that is `hidden` wide.
struct Matrix {
  int64_t rows, columns;
};
Matrix matrix_of(const cudnnRNNStruct& rnn, int layer, int number) {
  const int gates = gates_of(rnn);
  if (number < gates) return {rnn.hidden, input_of(rnn, layer)};
  if (number < 2 * gates) return {rnn.hidden, state_of(rnn)};
  return {rnn.projection, rnn.hidden};
}
int matrices_of(const cudnnRNNStruct& rnn) {
  return 2 * gates_of(rnn) + (rnn.projection > 0 ? 1 : 0);
}

// Weights of the matrices, and of the biases, before a place in the network.
struct Place {
  int64_t matrices = 0, biases = 0;
};
Place before(const cudnnRNNStruct& rnn, int pseudo_layer, int number) {
  Place place;
  for (int layer = 0; layer <= pseudo_layer; ++layer) {
    const int end = layer < pseudo_layer ? matrices_of(rnn) : number;
    for (int i = 0; i < end; ++i) {
      const Matrix matrix = matrix_of(rnn, layer / directions_of(rnn), i);
      place.matrices += matrix.rows * matrix.columns;
      if (i < 2 * gates_of(rnn)) place.biases += rnn.hidden;
    }
  }
  return place;
}
Place whole(const cudnnRNNStruct& rnn) {
  return before(rnn, rnn.layers * directions_of(rnn), 0);
}

cudnnStatus_t run(cudnnHandle_t handle, const char* api, Kind kind, const cudnnRNNStruct* rnn,
                  const cudnnRNNDataStruct* x) {
  if (handle == nullptr || rnn == nullptr || x == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  Operation operation;
  operation.kind = kind;
  operation.type = rnn->type;
  operation.n = std::accumulate(x->lengths.begin(), x->lengths.end(), int64_t{0});
  operation.k = whole(*rnn).matrices;
  operation.bytes = static_cast<double>(operation.k) * data_type_bytes(rnn->type);
  return execute(handle, api, {operation});
}

template <class T>
void give(std::type_identity_t<T> value, T* to) {
  if (to != nullptr) *to = value;
}

}  // namespace
}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

extern "C" {

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
                                       cudnnDataType_t compute, cudnnMathType_t math, int32_t input,
                                       int32_t hidden, int32_t projection, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  if (rnn == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  // The library gives back the hidden size where there is no projection.
  *rnn = {mode, algo,  bias,   direction,  input_mode, type,    compute,
          math, input, hidden, projection, layers,     dropout, flags};
  if (rnn->projection == hidden) rnn->projection = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(
    cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t* algo, cudnnRNNMode_t* mode, cudnnRNNBiasMode_t* bias,
    cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input_mode, cudnnDataType_t* type,
    cudnnDataType_t* compute, cudnnMathType_t* math, int32_t* input, int32_t* hidden,
    int32_t* projection, int32_t* layers, cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  if (rnn == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  give(rnn->algo, algo);
  give(rnn->mode, mode);
  give(rnn->bias, bias);
  give(rnn->direction, direction);
  give(rnn->input_mode, input_mode);
  give(rnn->type, type);
  give(rnn->compute, compute);
  give(rnn->math, math);
  give(rnn->input, input);
  give(rnn->hidden, hidden);
  give(state_of(*rnn), projection);
  give(rnn->layers, layers);
  give(rnn->dropout, dropout);
  give(rnn->flags, flags);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int max_length, int batch,
                                        int vector, const int lengths[], void*) {
  if (data == nullptr || lengths == nullptr || batch <= 0) return CUDNN_STATUS_BAD_PARAM;
  *data = {type, layout, max_length, batch, vector, std::vector<int>(lengths, lengths + batch)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout, int* max_length, int* batch,
                                        int* vector, int requested, int lengths[], void*) {
  if (data == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  give(data->type, type);
  give(data->layout, layout);
  give(data->max_length, max_length);
  give(data->batch, batch);
  give(data->vector, vector);
  if (lengths != nullptr && requested > 0) {
    std::copy_n(data->lengths.begin(),
                std::min(data->lengths.size(), static_cast<size_t>(requested)), lengths);
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                                        cudnnRNNDataDescriptor_t, size_t* work, size_t* reserve) {
  give(size_t{0}, work);
  give(size_t{0}, reserve);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn, size_t* size) {
  if (rnn == nullptr || size == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const Place all = whole(*rnn);
  *size = static_cast<size_t>(all.matrices + all.biases) *
          static_cast<size_t>(data_type_bytes(rnn->type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, int32_t pseudo_layer,
                                      size_t, const void* weights, int32_t number,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address) {
  if (rnn == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const Matrix size = matrix_of(*rnn, pseudo_layer / directions_of(*rnn), number);
  const Place place = before(*rnn, pseudo_layer, number);
  const auto at = [&](int64_t weight) {
    return static_cast<std::byte*>(const_cast<void*>(weights)) +
           weight * data_type_bytes(rnn->type);
  };
  const bool has_bias = number < 2 * gates_of(*rnn);
  // PyTorch asks for the matrix or for the bias alone.
  give({rnn->type,
        {1, static_cast<int>(size.rows), static_cast<int>(size.columns)},
        {static_cast<int>(size.rows * size.columns), static_cast<int>(size.columns), 1}},
       matrix);
  give(at(place.matrices), matrix_address);
  give({rnn->type, {1, has_bias ? rnn->hidden : 0, 1}, {rnn->hidden, 1, 1}}, bias);
  give(has_bias ? at(whole(*rnn).matrices + place.biases) : nullptr, bias_address);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t,
                              const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
                              cudnnRNNDataDescriptor_t, void*, cudnnTensorDescriptor_t, const void*,
                              void*, cudnnTensorDescriptor_t, const void*, void*, size_t,
                              const void*, size_t, void*, size_t, void*) {
  return run(handle, __func__, Kind::kRnnForward, rnn, x);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                      const int32_t[], cudnnRNNDataDescriptor_t, const void*,
                                      const void*, cudnnRNNDataDescriptor_t x, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      size_t, const void*, size_t, void*, size_t, void*) {
  return run(handle, __func__, Kind::kRnnData, rnn, x);
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                         cudnnWgradMode_t, const int32_t[],
                                         cudnnRNNDataDescriptor_t x, const void*,
                                         cudnnTensorDescriptor_t, const void*,
                                         cudnnRNNDataDescriptor_t, const void*, size_t, void*,
                                         size_t, void*, size_t, void*) {
  return run(handle, __func__, Kind::kRnnWeights, rnn, x);
}

}  // extern "C"
