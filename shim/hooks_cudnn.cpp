// cuDNN: what its plans and older calls compute. The shapes of plans were learned when they were
// made; those of the older calls are read from their descriptors by the library's own getters.
#include <algorithm>

#include "cudnn_attributes.hpp"
#include "cudnn_plans.hpp"
#include "declarations_cudnn.hpp"
#include "graphs.hpp"
#include "mfushim/format/api.hpp"
#include "streams.hpp"
#include "thunk.hpp"

namespace mfushim::shim {

using format::Api;
using format::OperationKind;
using format::OperationShape;
using enum format::Api;

namespace {

void set_handle_stream(const Target& target, Details& d, cudnnHandle_t handle) {
  cudaStream_t stream = nullptr;
  if (const auto get = MFUSHIM_REAL(target, cudnnGetStream)) get(handle, &stream);
  set_stream(d, stream);
}

// Sizes of a tensor or filter by one of the getters; rank 0 where it does not answer.
constexpr int kMostDims = 8;
struct Sizes {
  int rank = 0;
  int dims[kMostDims] = {};
  int type = -1;

  std::uint64_t points() const {
    std::uint64_t result = 1;
    for (int i = 2; i < rank; ++i) result *= static_cast<std::uint64_t>(std::max(dims[i], 0));
    return result;
  }
};
Sizes sizes_of(const Target& target, cudnnTensorDescriptor_t tensor) {
  Sizes sizes;
  int strides[kMostDims];
  const auto get = MFUSHIM_REAL(target, cudnnGetTensorNdDescriptor);
  if (tensor == nullptr || get == nullptr ||
      get(tensor, kMostDims, &sizes.type, &sizes.rank, sizes.dims, strides) != 0 ||
      sizes.rank > kMostDims)
    sizes.rank = 0;
  return sizes;
}
Sizes sizes_of(const Target& target, cudnnFilterDescriptor_t filter) {
  Sizes sizes;
  cudnnTensorFormat_t layout;
  const auto get = MFUSHIM_REAL(target, cudnnGetFilterNdDescriptor);
  if (filter == nullptr || get == nullptr ||
      get(filter, kMostDims, &sizes.type, &layout, &sizes.rank, sizes.dims) != 0 ||
      sizes.rank > kMostDims)
    sizes.rank = 0;
  return sizes;
}

// x and y are the tensors on the input's and the output's side, whichever of them is computed.
void set_convolution(const Target& target, Details& d, OperationKind kind, cudnnHandle_t handle,
                     cudnnTensorDescriptor_t x_desc, cudnnFilterDescriptor_t w_desc,
                     cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y_desc) {
  const Sizes x = sizes_of(target, x_desc), w = sizes_of(target, w_desc),
              y = sizes_of(target, y_desc);
  int groups = 1;
  if (const auto get = MFUSHIM_REAL(target, cudnnGetConvolutionGroupCount);
      get != nullptr && convolution != nullptr)
    get(convolution, &groups);
  OperationShape shape;
  if (x.rank >= 3 && w.rank == x.rank && y.rank == x.rank) {
    shape.operation = kind;
    shape.dtype = cudnn_type(x.type);
    shape.batch = static_cast<std::uint64_t>(y.dims[0]);
    shape.groups = static_cast<std::uint64_t>(std::max(groups, 1));
    shape.m = static_cast<std::uint64_t>(y.dims[1]);
    shape.n = y.points();
    shape.k = static_cast<std::uint64_t>(x.dims[1]);
    shape.window = w.points();
  }
  d.subject = operation_id(shape);
  set_handle_stream(target, d, handle);
}

// cudnnRNNMode_t: 0 and 1 are plain cells.
constexpr int kLstm = 2, kGru = 3;
constexpr int kBidirectional = 1;
constexpr int kSkipInput = 1;

// Weights in the matrices of all layers; 0 where the library does not tell.
struct Network {
  std::uint64_t weights = 0;
  int type = -1;
};
Network network_of(const Target& target, cudnnRNNDescriptor_t rnn) {
  int algo, mode, bias, direction, input_mode, type, compute, math;
  std::int32_t input, hidden, projection, layers;
  cudnnDropoutDescriptor_t dropout;
  std::uint32_t flags;
  const auto get = MFUSHIM_REAL(target, cudnnGetRNNDescriptor_v8);
  if (rnn == nullptr || get == nullptr ||
      get(rnn, &algo, &mode, &bias, &direction, &input_mode, &type, &compute, &math, &input,
          &hidden, &projection, &layers, &dropout, &flags) != 0)
    return {};
  const std::int64_t gates = mode == kLstm ? 4 : mode == kGru ? 3 : 1;
  const std::int64_t directions = direction == kBidirectional ? 2 : 1;
  const bool projects = projection > 0 && projection != hidden;
  const std::int64_t state = projects ? projection : hidden;
  std::int64_t weights = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::int64_t in = layer > 0 ? state * directions : input_mode == kSkipInput ? 0 : input;
    weights += directions * (gates * hidden * (in + state) + (projects ? hidden * state : 0));
  }
  return {static_cast<std::uint64_t>(std::max<std::int64_t>(weights, 0)), type};
}

void set_network(const Target& target, Details& d, OperationKind kind, cudnnHandle_t handle,
                 cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t data) {
  constexpr int kMostSequences = 1024;
  int lengths[kMostSequences];
  int type, layout, longest = 0, batch = 0, vector;
  alignas(16) unsigned char padding[16];
  const Network network = network_of(target, rnn);
  const auto get = MFUSHIM_REAL(target, cudnnGetRNNDataDescriptor);
  OperationShape shape;
  if (network.weights != 0 && data != nullptr && get != nullptr &&
      get(data, &type, &layout, &longest, &batch, &vector, kMostSequences, lengths, padding) == 0) {
    shape.operation = kind;
    shape.dtype = cudnn_type(network.type);
    shape.k = network.weights;
    for (int i = 0; i < std::min(batch, kMostSequences); ++i)
      shape.n += static_cast<std::uint64_t>(std::max(lengths[i], 0));
    if (batch > kMostSequences) {
      shape.n = static_cast<std::uint64_t>(batch) * static_cast<std::uint64_t>(longest);
      shape.flags = format::kOperationRagged;
    }
  }
  d.subject = operation_id(shape);
  set_handle_stream(target, d, handle);
}

// A convolution of each channel with itself over a sequence.
std::uint32_t causal_convolution(OperationKind kind, int batch, int dim, int length, int kernel,
                                 int type) {
  OperationShape shape;
  shape.operation = kind;
  shape.dtype = cudnn_type(type);
  shape.batch = static_cast<std::uint64_t>(batch);
  shape.groups = shape.m = shape.k = static_cast<std::uint64_t>(std::max(dim, 1));
  shape.n = static_cast<std::uint64_t>(length);
  shape.window = static_cast<std::uint64_t>(kernel);
  return operation_id(shape);
}

}  // namespace

// Plans.

static void after(Tag<cudnnBackendCreateDescriptor>, const Target&, int result, int type,
                  cudnnBackendDescriptor_t* made) {
  if (result == 0 && made != nullptr) cudnn_descriptor_made(*made, type);
}
static void before(Tag<cudnnBackendDestroyDescriptor>, const Target&,
                   cudnnBackendDescriptor_t descriptor) {
  cudnn_descriptor_ends(descriptor);
}
static void after(Tag<cudnnBackendSetAttribute>, const Target&, int result,
                  cudnnBackendDescriptor_t descriptor, int name, int type, std::int64_t count,
                  const void* elements) {
  if (result == 0) cudnn_attribute_set(descriptor, name, type, count, elements);
}
static void after(Tag<cudnnBackendGetAttribute>, const Target&, int result,
                  cudnnBackendDescriptor_t descriptor, int, int type, std::int64_t requested,
                  const std::int64_t* count, const void* elements) {
  if (result != 0 || type != cudnn::kDescriptor || elements == nullptr) return;
  const std::int64_t filled = count != nullptr ? std::min(requested, *count) : requested;
  if (filled > 0)
    cudnn_descriptors_given(descriptor, static_cast<const void* const*>(elements),
                            static_cast<std::size_t>(filled));
}

template <Api api>
requires AnyOf<api, cudnnBackendExecute, cudnnBackendPopulateCudaGraph, cudnnBackendUpdateCudaGraph>
void describe(Tag<api>, const Target& target, Details& d, cudnnHandle_t handle,
              cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack, auto... graph) {
  d.subject = cudnn_plan_part(plan, pack, 0);
  if constexpr (api == cudnnBackendExecute)
    set_handle_stream(target, d, handle);
  else if constexpr (api == cudnnBackendPopulateCudaGraph)
    d.graph = (work_added(graph), ...);
  else
    d.graph = new_graph_number();  // what is in the graph already, with other pointers
}
template <Api api>
requires AnyOf<api, cudnnBackendExecute, cudnnBackendPopulateCudaGraph, cudnnBackendUpdateCudaGraph>
bool another(Tag<api>, const Target&, Details& d, std::uint32_t n, cudnnHandle_t,
             cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack, auto...) {
  d.subject = cudnn_plan_part(plan, pack, n);
  return d.subject != 0;
}

// Older convolutions.

static void describe(Tag<cudnnConvolutionForward>, const Target& target, Details& d,
                     cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t x, const void*,
                     cudnnFilterDescriptor_t w, const void*,
                     cudnnConvolutionDescriptor_t convolution, int, void*, std::size_t, const void*,
                     cudnnTensorDescriptor_t y, void*) {
  set_convolution(target, d, OperationKind::kConvForward, handle, x, w, convolution, y);
}
static void describe(Tag<cudnnConvolutionBiasActivationForward>, const Target& target, Details& d,
                     cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t x, const void*,
                     cudnnFilterDescriptor_t w, const void*,
                     cudnnConvolutionDescriptor_t convolution, int, void*, std::size_t, const void*,
                     cudnnTensorDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
                     cudnnActivationDescriptor_t, cudnnTensorDescriptor_t y, void*) {
  set_convolution(target, d, OperationKind::kConvForward, handle, x, w, convolution, y);
}
static void describe(Tag<cudnnConvolutionBackwardData>, const Target& target, Details& d,
                     cudnnHandle_t handle, const void*, cudnnFilterDescriptor_t w, const void*,
                     cudnnTensorDescriptor_t dy, const void*,
                     cudnnConvolutionDescriptor_t convolution, int, void*, std::size_t, const void*,
                     cudnnTensorDescriptor_t dx, void*) {
  set_convolution(target, d, OperationKind::kConvData, handle, dx, w, convolution, dy);
}
static void describe(Tag<cudnnConvolutionBackwardFilter>, const Target& target, Details& d,
                     cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t x, const void*,
                     cudnnTensorDescriptor_t dy, const void*,
                     cudnnConvolutionDescriptor_t convolution, int, void*, std::size_t, const void*,
                     cudnnFilterDescriptor_t dw, void*) {
  set_convolution(target, d, OperationKind::kConvFilter, handle, x, dw, convolution, dy);
}

// Recurrent networks.

static void describe(Tag<cudnnRNNForward>, const Target& target, Details& d, cudnnHandle_t handle,
                     cudnnRNNDescriptor_t rnn, int, const std::int32_t*, cudnnRNNDataDescriptor_t x,
                     auto...) {
  set_network(target, d, OperationKind::kRnnForward, handle, rnn, x);
}
static void describe(Tag<cudnnRNNBackwardData_v8>, const Target& target, Details& d,
                     cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const std::int32_t*,
                     cudnnRNNDataDescriptor_t, const void*, const void*, cudnnRNNDataDescriptor_t x,
                     auto...) {
  set_network(target, d, OperationKind::kRnnData, handle, rnn, x);
}
static void describe(Tag<cudnnRNNBackwardWeights_v8>, const Target& target, Details& d,
                     cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int, const std::int32_t*,
                     cudnnRNNDataDescriptor_t x, auto...) {
  set_network(target, d, OperationKind::kRnnWeights, handle, rnn, x);
}

// What has sizes that are not read: attention with its own projections, convolutions in chains,
// graph networks.

template <Api api>
requires AnyOf<api, cudnnMultiHeadAttnForward, cudnnMultiHeadAttnBackwardData,
               cudnnMultiHeadAttnBackwardWeights>
void describe(Tag<api>, const Target& target, Details& d, cudnnHandle_t handle, auto...) {
  d.subject = operation_id({});
  set_handle_stream(target, d, handle);
}
template <Api api>
requires AnyOf<api, cudnnB2BCausalConv1dForward, cudnnB2BCausalConv1dBackward,
               cudnnGnnAggSimpleForward, cudnnGnnAggSimpleBackward, cudnnGnnMhaGatForward,
               cudnnGnnMhaGatBackward, cudnnGnnMhaGatV2Forward, cudnnGnnMhaGatV2Backward>
void describe(Tag<api>, const Target&, Details& d, cudaStream_t stream, auto...) {
  d.subject = operation_id({});
  set_stream(d, stream);
}

// Convolutions over sequences. A backward call computes both gradients.

static void describe_causal(Details& d, OperationKind kind, cudaStream_t stream, int batch, int dim,
                            int length, int kernel, int type) {
  d.subject = causal_convolution(kind, batch, dim, length, kernel, type);
  set_stream(d, stream);
}
template <Api api>
requires AnyOf<api, cudnnCausalConv1dForward, cudnnCausalConv1dNwhForward>
void describe(Tag<api>, const Target&, Details& d, cudaStream_t stream, const void*, const void*,
              const void*, void*, int batch, int dim, int length, int kernel, int type, int) {
  describe_causal(d, OperationKind::kConvForward, stream, batch, dim, length, kernel, type);
}
template <Api api>
requires AnyOf<api, cudnnFFTCausalConv1dForward, cudnnLongFFTCausalConv1dForward>
void describe(Tag<api>, const Target&, Details& d, cudaStream_t stream, const void*, const void*,
              void*, int batch, int dim, int length, int kernel, int type, auto...) {
  describe_causal(d, OperationKind::kConvForward, stream, batch, dim, length, kernel, type);
}
template <Api api>
requires AnyOf<api, cudnnCausalConv1dBackward, cudnnCausalConv1dNwhBackward>
void describe(Tag<api>, const Target&, Details& d, cudaStream_t stream, const void*, const void*,
              const void*, const void*, void*, void*, void*, int batch, int dim, int length,
              int kernel, int type, int, int) {
  describe_causal(d, OperationKind::kConvData, stream, batch, dim, length, kernel, type);
}
static void describe(Tag<cudnnFFTCausalConv1dBackward>, const Target&, Details& d,
                     cudaStream_t stream, const void*, const void*, const void*, void*, void*,
                     int batch, int dim, int length, int kernel, int type) {
  describe_causal(d, OperationKind::kConvData, stream, batch, dim, length, kernel, type);
}
static void describe(Tag<cudnnLongFFTCausalConv1dBackward>, const Target&, Details& d,
                     cudaStream_t stream, const void*, void*, void*, int batch, int dim, int length,
                     int kernel, int type, auto...) {
  describe_causal(d, OperationKind::kConvData, stream, batch, dim, length, kernel, type);
}

static bool another_gradient(Details& d, std::uint32_t n, int batch, int dim, int length,
                             int kernel, int type) {
  if (n != 1) return false;
  d.subject = causal_convolution(OperationKind::kConvFilter, batch, dim, length, kernel, type);
  return true;
}
template <Api api>
requires AnyOf<api, cudnnCausalConv1dBackward, cudnnCausalConv1dNwhBackward>
bool another(Tag<api>, const Target&, Details& d, std::uint32_t n, cudaStream_t, const void*,
             const void*, const void*, const void*, void*, void*, void*, int batch, int dim,
             int length, int kernel, int type, int, int) {
  return another_gradient(d, n, batch, dim, length, kernel, type);
}
static bool another(Tag<cudnnFFTCausalConv1dBackward>, const Target&, Details& d, std::uint32_t n,
                    cudaStream_t, const void*, const void*, const void*, void*, void*, int batch,
                    int dim, int length, int kernel, int type) {
  return another_gradient(d, n, batch, dim, length, kernel, type);
}
static bool another(Tag<cudnnLongFFTCausalConv1dBackward>, const Target&, Details& d,
                    std::uint32_t n, cudaStream_t, const void*, void*, void*, int batch, int dim,
                    int length, int kernel, int type, auto...) {
  return another_gradient(d, n, batch, dim, length, kernel, type);
}

}  // namespace mfushim::shim

mfushim::shim::Entry mfushim_exported_cudnn[] = {
#define MFUSHIM_API(symbol, ...) MFUSHIM_EXPORTED(symbol, MFUSHIM_CUDNN_VERSION)
#include "mfushim/format/apis_cudnn.def"
#undef MFUSHIM_API
};
