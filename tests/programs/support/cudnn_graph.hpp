// cuDNN's backend descriptors for a test program: tensors, operations, plans.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "check.hpp"

#define CHECK_CUDNN(call)                                                 \
  do {                                                                    \
    const cudnnStatus_t check_status = (call);                            \
    if (check_status != CUDNN_STATUS_SUCCESS) {                           \
      fail(#call, cudnnGetErrorString(check_status), __FILE__, __LINE__); \
    }                                                                     \
  } while (0)

// A descriptor that ends with the last who holds it.
class Part {
 public:
  explicit Part(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    CHECK_CUDNN(cudnnBackendCreateDescriptor(type, &made));
    descriptor_ = std::shared_ptr<void>(made, [](void* d) { cudnnBackendDestroyDescriptor(d); });
  }

  cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

  template <class T>
  Part& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
            const std::vector<T>& values) {
    CHECK_CUDNN(cudnnBackendSetAttribute(get(), name, type, static_cast<int64_t>(values.size()),
                                         values.data()));
    return *this;
  }
  Part& set(cudnnBackendAttributeName_t name, const Part& other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{other.get()});
  }
  Part& finish() {
    CHECK_CUDNN(cudnnBackendFinalize(get()));
    return *this;
  }

 private:
  std::shared_ptr<void> descriptor_;
};

// A tensor without gaps.
class Tensor : public Part {
 public:
  Tensor(const std::vector<int64_t>& dims, cudnnDataType_t type)
      : Part(CUDNN_BACKEND_TENSOR_DESCRIPTOR), id_(next_id()) {
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{type});
    set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims);
    set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
    set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector{id_});
    set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector<int64_t>{16});
    finish();
  }

 private:
  static int64_t next_id() {
    static int64_t last = 0;
    return ++last;
  }
  int64_t id_;
};

inline Part convolution_shape(int64_t space) {
  Part shape(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const std::vector<int64_t> ones(static_cast<size_t>(space), 1);
  shape.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  shape.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
            std::vector{CUDNN_CROSS_CORRELATION});
  shape.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::vector{space});
  for (const auto name :
       {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
        CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS}) {
    shape.set(name, CUDNN_TYPE_INT64, ones);
  }
  return shape.finish();
}

inline Part convolution_forward(const Part& shape, const Tensor& x, const Tensor& w,
                                const Tensor& y) {
  return Part(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, shape)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, std::vector{1.0F})
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, std::vector{0.0F})
      .finish();
}

inline Part convolution_data(const Part& shape, const Tensor& dx, const Tensor& w,
                             const Tensor& dy) {
  return Part(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, shape)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, dx)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, w)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, dy)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_TYPE_FLOAT, std::vector{1.0F})
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_TYPE_FLOAT, std::vector{0.0F})
      .finish();
}

inline Part convolution_filter(const Part& shape, const Tensor& x, const Tensor& dw,
                               const Tensor& dy) {
  return Part(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, shape)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, x)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, dw)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, dy)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_TYPE_FLOAT, std::vector{1.0F})
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, CUDNN_TYPE_FLOAT, std::vector{0.0F})
      .finish();
}

inline Part matmul(const Tensor& a, const Tensor& b, const Tensor& c) {
  Part shape(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  shape.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  shape.finish();
  return Part(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a)
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b)
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c)
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, shape)
      .finish();
}

inline Part relu(const Tensor& x, const Tensor& y) {
  Part shape(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  shape.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
            std::vector{CUDNN_POINTWISE_RELU_FWD});
  shape.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  shape.finish();
  return Part(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, shape)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y)
      .finish();
}

#if CUDNN_VERSION >= 91900
inline Part attention_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& o) {
  return Part(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q)
      .set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, k)
      .set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, v)
      .set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, o)
      .finish();
}

// Gradients have the shapes of what they are of.
inline Part attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& o) {
  return Part(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, q)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, k)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, v)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, o)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, o)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, q)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, k)
      .set(CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, v)
      .finish();
}
#endif

// The plan that the library proposes for a graph; what it was made from is gone when it executes,
// as in programs that keep plans only.
class Plan {
 public:
  Plan(cudnnHandle_t handle, std::initializer_list<Part> operations)
      : plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
        pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    Part graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    std::vector<cudnnBackendDescriptor_t> parts;
    for (const Part& operation : operations) parts.push_back(operation.get());
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, parts);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle}).finish();
    Part heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{CUDNN_HEUR_MODE_A})
        .finish();
    Part configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    cudnnBackendDescriptor_t result = configuration.get();
    int64_t count = 0;
    CHECK_CUDNN(cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &result));
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration).finish();
    pack_.finish();
  }
  // From the text of one.
  Plan(cudnnHandle_t handle, const char* text)
      : plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
        pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
              std::vector<char>(text, text + std::strlen(text) + 1));
    plan_.finish();
    pack_.finish();
  }

  cudnnBackendDescriptor_t descriptor() const { return plan_.get(); }
  cudnnBackendDescriptor_t pack() const { return pack_.get(); }

 private:
  Part plan_, pack_;
};

inline void execute(cudnnHandle_t handle, std::initializer_list<Part> operations) {
  const Plan plan(handle, operations);
  CHECK_CUDNN(cudnnBackendExecute(handle, plan.descriptor(), plan.pack()));
}

inline void execute_text(cudnnHandle_t handle, const char* text) {
  const Plan plan(handle, text);
  CHECK_CUDNN(cudnnBackendExecute(handle, plan.descriptor(), plan.pack()));
}
