// Reads operations out of descriptors, and executes plans.
#include <algorithm>
#include <numeric>

#include "descriptor.hpp"
#include "execute.hpp"

namespace mfusim::cudnn {
namespace {

int64_t product(const std::vector<int64_t>& dims, size_t from, size_t to) {
  int64_t result = 1;
  for (size_t i = from; i < to && i < dims.size(); ++i) result *= dims[i];
  return result;
}

std::vector<int64_t> dims_of(const Content& operation, int tensor) {
  const Content* const found = operation.other(tensor);
  return found != nullptr ? found->integers(CUDNN_ATTR_TENSOR_DIMENSIONS) : std::vector<int64_t>{};
}

cudnnDataType_t type_of(const Content& operation, int tensor) {
  const Content* const found = operation.other(tensor);
  if (found == nullptr) return CUDNN_DATA_FLOAT;
  const auto value = found->values.find(CUDNN_ATTR_TENSOR_DATA_TYPE);
  if (value == found->values.end() || value->second.bytes.size() < sizeof(int)) {
    return CUDNN_DATA_FLOAT;
  }
  return *reinterpret_cast<const cudnnDataType_t*>(value->second.bytes.data());
}

double bytes_of(const std::vector<int64_t>& dims, cudnnDataType_t type) {
  return static_cast<double>(product(dims, 0, dims.size())) * data_type_bytes(type);
}

// x and y are the tensors on the input's and the output's side, whichever of them is computed.
Operation convolution(Kind kind, const Content& operation, int x, int w, int y) {
  const auto input = dims_of(operation, x), filter = dims_of(operation, w),
             output = dims_of(operation, y);
  if (input.size() < 3 || filter.size() != input.size() || output.size() != input.size()) return {};
  Operation result;
  result.kind = kind;
  result.type = type_of(operation, x);
  result.batch = output[0];
  result.m = output[1];
  result.n = product(output, 2, output.size());
  result.k = input[1];
  result.window = product(filter, 2, filter.size());
  result.groups = filter[1] > 0 ? std::max<int64_t>(input[1] / filter[1], 1) : 1;
  result.bytes =
      bytes_of(input, result.type) + bytes_of(filter, result.type) + bytes_of(output, result.type);
  return result;
}

Operation matmul(const Content& operation) {
  const auto a = dims_of(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  const auto c = dims_of(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  if (a.size() < 2 || c.size() < 2) return {};
  Operation result;
  result.kind = Kind::kMatmul;
  result.type = type_of(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  result.batch = product(c, 0, c.size() - 2);
  result.m = c[c.size() - 2];
  result.n = c[c.size() - 1];
  result.k = a[a.size() - 1];
  result.bytes = bytes_of(a, result.type) + bytes_of(c, result.type);
  return result;
}

Operation attention(Kind kind, const Content& operation, int q, int k, int v) {
  const auto queries = dims_of(operation, q), keys = dims_of(operation, k),
             values = dims_of(operation, v);
  if (queries.size() != 4 || keys.size() != 4 || values.size() != 4) return {};
  Operation result;
  result.kind = kind;
  result.type = type_of(operation, q);
  result.batch = queries[0];
  result.groups = queries[1];
  result.m = queries[2];
  result.n = keys[2];
  result.k = queries[3];
  result.l = values[3];
  result.bytes = 2 * (bytes_of(queries, result.type) + bytes_of(keys, result.type) +
                      bytes_of(values, result.type));
  return result;
}

Operation operation_of(const Content& operation) {
  switch (operation.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return convolution(Kind::kConvForward, operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return convolution(Kind::kConvData, operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return convolution(Kind::kConvFilter, operation,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
      return matmul(operation);
#if CUDNN_VERSION >= 91300
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
      return attention(Kind::kAttentionForward, operation, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC,
                       CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC);
#endif
#if CUDNN_VERSION >= 91900
    case CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR:
      return attention(Kind::kAttentionBackward, operation, CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC,
                       CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC);
#endif
    default: {
      Operation other;
      other.kind = Kind::kOther;
      return other;
    }
  }
}

// The graph behind a plan, by way of its configuration and engine.
const Content* graph_of(const Content& plan) {
  const Content* const config = plan.other(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const Content* const engine =
      config != nullptr ? config->other(CUDNN_ATTR_ENGINECFG_ENGINE) : nullptr;
  return engine != nullptr ? engine->other(CUDNN_ATTR_ENGINE_OPERATION_GRAPH) : nullptr;
}

}  // namespace

std::vector<Operation> operations_of(const Content& plan) {
  const Content* const graph = graph_of(plan);
  if (graph == nullptr) return {Operation{}};
  std::vector<Operation> operations;
  const auto found = graph->values.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  if (found == graph->values.end()) return {Operation{}};
  for (const auto& operation : found->second.others) operations.push_back(operation_of(*operation));
  // What is done on the way from one product to the next is fused into them.
  const bool products = std::ranges::any_of(
      operations, [](const Operation& operation) { return flops_of(operation) > 0; });
  if (products) {
    std::erase_if(operations, [](const Operation& o) { return o.kind == Kind::kOther; });
  } else {
    operations.resize(1);
  }
  return operations;
}

namespace {

// The content of a finalized plan; null otherwise.
const Content* plan_of(cudnnBackendDescriptor_t descriptor) {
  if (descriptor == nullptr) return nullptr;
  const Content* const content = static_cast<Descriptor*>(descriptor)->content.get();
  return content->finalized && content->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ? content
                                                                                        : nullptr;
}

}  // namespace

}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

extern "C" {

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  const Content* const content = plan_of(plan);
  if (content == nullptr || pack == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return execute(handle, __func__, operations_of(*content));
}

cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                            cudnnBackendDescriptor_t pack, cudaGraph_t graph) {
  const Content* const content = plan_of(plan);
  if (handle == nullptr || content == nullptr || pack == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return populate(__func__, operations_of(*content), graph);
}

// Only where data lies has changed: nothing that the double looks at.
cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                          cudnnBackendDescriptor_t pack, cudaGraph_t graph) {
  const Content* const content = plan_of(plan);
  if (handle == nullptr || content == nullptr || pack == nullptr || graph == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const mfusim::library::Piece piece;
  tell({__func__, operations_of(*content), 0, true, piece});
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
