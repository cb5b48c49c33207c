// Which ranks share a model's weights, and which train copies of it.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>

#include "../support/ranks.hpp"
#include "element.hpp"

// Ranks that share weights are neighbours, as they should be on one host. A communicator is null
// where a group has one rank.
class Groups {
 public:
  Groups(const Rank& rank, int tensor_parallel);
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  int replica() const { return rank_.index / shares_; }
  int replicas() const { return rank_.world / shares_; }
  int share() const { return rank_.index % shares_; }  // which part of the weights

  ncclComm_t sharers() const { return sharers_; }
  ncclComm_t replicators() const { return replicators_; }

 private:
  const Rank rank_;
  const int shares_;
  ncclComm_t world_ = nullptr, sharers_ = nullptr, replicators_ = nullptr;
};

// Activations of the ranks that share weights: combined where later work needs them.
class ActivationExchange {
 public:
  ActivationExchange(ncclComm_t sharers, cudaStream_t stream)
      : sharers_(sharers), stream_(stream) {}

  template <class Element>
  void sum(Element* values, size_t count) {
    reduce(values, count, kNcclType<Element>, ncclSum);
  }
  void maximum(float* values, size_t count) { reduce(values, count, ncclFloat32, ncclMax); }

 private:
  void reduce(void* values, size_t count, ncclDataType_t type, ncclRedOp_t operation);

  ncclComm_t sharers_;
  cudaStream_t stream_;
};

// Gradients are averaged on a stream of their own while the backward pass goes on.
class GradientExchange {
 public:
  GradientExchange(ncclComm_t replicators, cudaStream_t compute);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  template <class Element>
  void start(Element* grads, size_t count) {
    average(grads, count, kNcclType<Element>);
  }
  // Later work of the compute stream waits for all that was started.
  void finish();

 private:
  void average(void* grads, size_t count, ncclDataType_t type);

  ncclComm_t replicators_;
  cudaStream_t compute_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr, done_ = nullptr;
};
