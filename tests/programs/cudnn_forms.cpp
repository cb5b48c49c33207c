// What cuDNN executes, by all its functions that do: operation graphs, whole and as CUDA graph
// nodes, and the older calls.
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/check.hpp"
#include "support/cudnn_graph.hpp"

namespace {

using Dims = std::vector<int64_t>;

// Convolution of 8 images, 32 channels in 2 groups, 28 x 28, by 64 filters of 3 x 3.
const Dims kImages{8, 32, 28, 28}, kFilters{64, 16, 3, 3}, kOutputs{8, 64, 28, 28};
// Attention of 4 sequences, 8 heads, 256 queries, 512 keys, of 64 and 32 dimensions.
const Dims kQueries{4, 8, 256, 64}, kKeys{4, 8, 512, 64}, kKeysT{4, 8, 64, 512},
    kValues{4, 8, 512, 32}, kScores{4, 8, 256, 512}, kResult{4, 8, 256, 32};

void convolutions(cudnnHandle_t handle) {
  const Tensor x(kImages, CUDNN_DATA_HALF), w(kFilters, CUDNN_DATA_HALF),
      y(kOutputs, CUDNN_DATA_HALF);
  const Part shape = convolution_shape(2);
  execute(handle, {convolution_forward(shape, x, w, y)});
  execute(handle, {convolution_data(shape, x, w, y)});
  execute(handle, {convolution_filter(shape, x, w, y)});
  std::printf("3 convolutions as graphs\n");
}

void products(cudnnHandle_t handle) {
  const Tensor a({2, 128, 64}, CUDNN_DATA_BFLOAT16), b({2, 64, 96}, CUDNN_DATA_BFLOAT16),
      c({2, 128, 96}, CUDNN_DATA_BFLOAT16), d({2, 128, 96}, CUDNN_DATA_BFLOAT16);
  execute(handle, {matmul(a, b, c)});
  // With an activation behind it, still one product.
  execute(handle, {matmul(a, b, c), relu(c, d)});
  execute(handle, {relu(c, d)});
  std::printf("2 products and 1 activation as graphs\n");
}

void attention(cudnnHandle_t handle) {
  const auto type = CUDNN_DATA_BFLOAT16;
  const Tensor q(kQueries, type), kt(kKeysT, type), v(kValues, type), s(kScores, type),
      p(kScores, type), o(kResult, type);
  // As graphs have it that know no attention: two products and what is between them.
  execute(handle, {matmul(q, kt, s), relu(s, p), matmul(p, v, o)});
#if CUDNN_VERSION >= 91900
  const Tensor k(kKeys, type);
  execute(handle, {attention_forward(q, k, v, o)});
  execute(handle, {attention_backward(q, k, v, o)});
#endif
  std::printf("attention, as products and as one operation each way\n");
}

// A plan of which nothing is known but its text, and one that becomes nodes of a CUDA graph.
void other_plans(cudnnHandle_t handle, cudaStream_t stream) {
  execute_text(handle, "{\"version\":1}");

  const Tensor x(kImages, CUDNN_DATA_HALF), w(kFilters, CUDNN_DATA_HALF),
      y(kOutputs, CUDNN_DATA_HALF);
  const Plan plan(handle, {convolution_forward(convolution_shape(2), x, w, y)});
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  CHECK_CUDNN(cudnnBackendPopulateCudaGraph(handle, plan.descriptor(), plan.pack(), graph));
  CHECK_CUDNN(cudnnBackendUpdateCudaGraph(handle, plan.descriptor(), plan.pack(), graph));
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK_CUDA(cudaGraphLaunch(executable, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  std::printf("a plan from text, and one as %zu node of a graph, launched 3 times\n", nodes);
}

struct OlderConvolution {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t shape = nullptr;

  OlderConvolution() {
    CHECK_CUDNN(cudnnCreateTensorDescriptor(&x));
    CHECK_CUDNN(cudnnCreateTensorDescriptor(&y));
    CHECK_CUDNN(cudnnCreateFilterDescriptor(&w));
    CHECK_CUDNN(cudnnCreateConvolutionDescriptor(&shape));
    CHECK_CUDNN(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, 16, 32, 32));
    CHECK_CUDNN(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, 24, 16, 16));
    CHECK_CUDNN(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 24, 4, 5, 5));
    CHECK_CUDNN(cudnnSetConvolution2dDescriptor(shape, 2, 2, 2, 2, 1, 1, CUDNN_CROSS_CORRELATION,
                                                CUDNN_DATA_FLOAT));
    CHECK_CUDNN(cudnnSetConvolutionGroupCount(shape, 4));
  }
  ~OlderConvolution() {
    cudnnDestroyTensorDescriptor(x);
    cudnnDestroyTensorDescriptor(y);
    cudnnDestroyFilterDescriptor(w);
    cudnnDestroyConvolutionDescriptor(shape);
  }
  OlderConvolution(const OlderConvolution&) = delete;
  OlderConvolution& operator=(const OlderConvolution&) = delete;
};

void older_convolutions(cudnnHandle_t handle, void* data) {
  const OlderConvolution c;
  const float one = 1, zero = 0;
  const auto forward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  CHECK_CUDNN(cudnnConvolutionForward(handle, &one, c.x, data, c.w, data, c.shape, forward, nullptr,
                                      0, &zero, c.y, data));
  cudnnActivationDescriptor_t activation = nullptr;
  CHECK_CUDNN(cudnnCreateActivationDescriptor(&activation));
  CHECK_CUDNN(
      cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
  CHECK_CUDNN(cudnnConvolutionBiasActivationForward(handle, &one, c.x, data, c.w, data, c.shape,
                                                    forward, nullptr, 0, &zero, c.y, data, c.y,
                                                    data, activation, c.y, data));
  CHECK_CUDNN(cudnnDestroyActivationDescriptor(activation));
  CHECK_CUDNN(cudnnConvolutionBackwardData(handle, &one, c.w, data, c.y, data, c.shape,
                                           CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, nullptr, 0, &zero,
                                           c.x, data));
  CHECK_CUDNN(cudnnConvolutionBackwardFilter(handle, &one, c.x, data, c.y, data, c.shape,
                                             CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, nullptr, 0, &zero,
                                             c.w, data));
  std::printf("4 convolutions by the older calls\n");
}

// Two layers in two directions, with a projection; sequences of different lengths.
void recurrent(cudnnHandle_t handle, void* data, int* lengths_on_device) {
  cudnnDropoutDescriptor_t dropout = nullptr;
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t x = nullptr, y = nullptr;
  CHECK_CUDNN(cudnnCreateDropoutDescriptor(&dropout));
  CHECK_CUDNN(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
  CHECK_CUDNN(cudnnCreateRNNDescriptor(&rnn));
  CHECK_CUDNN(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                       CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL,
                                       CUDNN_LINEAR_INPUT, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_OP_MATH, 48, 64, 32, 2, dropout, 0));
  const int lengths[] = {20, 17, 11};
  float padding = 0;
  CHECK_CUDNN(cudnnCreateRNNDataDescriptor(&x));
  CHECK_CUDNN(cudnnCreateRNNDataDescriptor(&y));
  const auto layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  CHECK_CUDNN(cudnnSetRNNDataDescriptor(x, CUDNN_DATA_HALF, layout, 20, 3, 48, lengths, &padding));
  CHECK_CUDNN(cudnnSetRNNDataDescriptor(y, CUDNN_DATA_HALF, layout, 20, 3, 64, lengths, &padding));
  CHECK_CUDNN(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_TRAINING, lengths_on_device, x, data, y,
                              data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, data,
                              0, nullptr, 0, nullptr));
  CHECK_CUDNN(cudnnRNNBackwardData_v8(handle, rnn, lengths_on_device, y, data, data, x, data,
                                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                      nullptr, 0, data, 0, nullptr, 0, nullptr));
  CHECK_CUDNN(cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, lengths_on_device, x,
                                         data, nullptr, nullptr, y, data, 0, data, 0, nullptr, 0,
                                         nullptr));
  cudnnDestroyRNNDataDescriptor(x);
  cudnnDestroyRNNDataDescriptor(y);
  cudnnDestroyRNNDescriptor(rnn);
  cudnnDestroyDropoutDescriptor(dropout);
  std::printf("a recurrent network, forward and backward\n");
}

}  // namespace

int main() {
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  CHECK_CUDNN(cudnnCreate(&handle));
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDNN(cudnnSetStream(handle, stream));
  void* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, 8 << 20));

  convolutions(handle);
  products(handle);
  attention(handle);
  other_plans(handle, stream);
  older_convolutions(handle, data);
  recurrent(handle, data, static_cast<int*>(data));

  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaFree(data));
  CHECK_CUDNN(cudnnDestroy(handle));
  CHECK_CUDA(cudaStreamDestroy(stream));
  return 0;
}
