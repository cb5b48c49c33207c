// Two processes replay matrix products and collectives from CUDA graphs of every form: cloned,
// nested, updated, captured over two streams, into graphs that are there, by two threads at once.
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "support/check.hpp"
#include "support/ranks.hpp"

namespace {

constexpr size_t kCount = 4096;
constexpr int kLargest = 512;

// What one thread works with.
class Worker {
 public:
  explicit Worker(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) : mode_(mode) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaMalloc(&data_, sizeof(float) * kLargest * kLargest));
    CHECK_CUDA(cudaMalloc(&workspace_, kWorkspace));
    CHECK_CUBLAS(cublasCreate(&handle_));
    CHECK_CUBLAS(cublasSetStream(handle_, stream_));
    CHECK_CUBLAS(cublasSetWorkspace(handle_, workspace_, kWorkspace));
  }

  cudaStream_t stream() const { return stream_; }
  float* data() const { return data_; }

  // A product of n x 16 by 16 x 32: the size tells which one it is.
  void multiply(int n) const {
    const float one = 1;
    CHECK_CUBLAS(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, 32, 16, &one, data_, n, data_,
                             16, &one, data_, n));
  }

  void begin() const { CHECK_CUDA(cudaStreamBeginCapture(stream_, mode_)); }
  cudaGraph_t end() const {
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }
  cudaGraph_t capture(const std::function<void()>& work) const {
    begin();
    work();
    return end();
  }

  void launch(cudaGraphExec_t executable, int times) const {
    for (int i = 0; i < times; ++i) CHECK_CUDA(cudaGraphLaunch(executable, stream_));
  }
  void wait() const { CHECK_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  static constexpr size_t kWorkspace = 1 << 20;
  const cudaStreamCaptureMode mode_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  float* data_ = nullptr;
  void* workspace_ = nullptr;
};

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

size_t nodes_of(cudaGraph_t graph) {
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  return nodes;
}

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CHECK_CUDA(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status));
  return reinterpret_cast<Function>(found);
}

// As CUDA 10 made graphs executable.
cudaGraphExec_t instantiated_as_of_old(cudaGraph_t graph) {
  using Instantiate = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);
  CUgraphExec executable = nullptr;
  char log[64];
  if (driver_function<Instantiate>("cuGraphInstantiate", 10000)(&executable, graph, nullptr, log,
                                                                sizeof log) != CUDA_SUCCESS)
    fail("cuGraphInstantiate", "refused", __FILE__, __LINE__);
  return executable;
}

cudaGraphExec_t instantiated_with_parameters(cudaGraph_t graph) {
  cudaGraphInstantiateParams parameters{};
  cudaGraphExec_t executable = nullptr;
  CHECK_CUDA(cudaGraphInstantiateWithParams(&executable, graph, &parameters));
  return executable;
}

// Collectives alone and in a group, between products.
void clones(const Worker& w, ncclComm_t communicator) {
  const cudaGraph_t graph = w.capture([&] {
    w.multiply(100);
    CHECK_NCCL(
        ncclAllReduce(w.data(), w.data(), kCount, ncclFloat, ncclSum, communicator, w.stream()));
    w.multiply(100);
    CHECK_NCCL(ncclGroupStart());
    CHECK_NCCL(ncclAllGather(w.data(), w.data(), 64, ncclFloat, communicator, w.stream()));
    CHECK_NCCL(
        ncclReduceScatter(w.data(), w.data(), 64, ncclFloat, ncclSum, communicator, w.stream()));
    CHECK_NCCL(ncclGroupEnd());
    w.multiply(104);
  });
  const cudaGraphExec_t first = instantiated(graph);
  cudaGraph_t copy = nullptr;
  CHECK_CUDA(cudaGraphClone(&copy, graph));
  CHECK_CUDA(cudaGraphDestroy(graph));
  const cudaGraphExec_t second = instantiated_as_of_old(copy);
  w.launch(first, 3);
  w.launch(second, 2);
  w.multiply(100);
  w.wait();
  std::printf("clone of %zu nodes\n", nodes_of(copy));
}

// A graph twice in a graph, and that in another, beside what is captured into that one.
void children(const Worker& w, ncclComm_t communicator) {
  const cudaGraph_t inner = w.capture([&] {
    w.multiply(200);
    CHECK_NCCL(ncclBroadcast(w.data(), w.data(), 32, ncclFloat, 0, communicator, w.stream()));
  });
  cudaGraph_t middle = nullptr, outer = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr, third = nullptr;
  CHECK_CUDA(cudaGraphCreate(&middle, 0));
  CHECK_CUDA(cudaGraphAddChildGraphNode(&first, middle, nullptr, 0, inner));
  CHECK_CUDA(cudaGraphAddChildGraphNode(&second, middle, &first, 1, inner));
  CHECK_CUDA(cudaGraphCreate(&outer, 0));
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
  parameters.graph.graph = middle;
  using AddNode =
      CUresult (*)(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, CUgraphNodeParams*);
  if (driver_function<AddNode>("cuGraphAddNode", 12020)(&third, outer, nullptr, 0, &parameters) !=
      CUDA_SUCCESS)
    fail("cuGraphAddNode", "refused", __FILE__, __LINE__);
  CHECK_CUDA(cudaStreamBeginCaptureToGraph(w.stream(), outer, &third, nullptr, 1,
                                           cudaStreamCaptureModeThreadLocal));
  w.multiply(208);
  w.end();
  w.launch(instantiated(middle), 1);
  w.launch(instantiated_with_parameters(outer), 2);
  w.wait();
  std::printf("graphs in graphs of %zu nodes\n", nodes_of(outer));
}

// Other work of the same form takes the place of the old.
void updates(const Worker& w) {
  const auto of_two = [&](int n) {
    return w.capture([&, n] {
      w.multiply(n);
      w.multiply(n + 4);
    });
  };
  const cudaGraphExec_t executable = instantiated(of_two(300));
  w.launch(executable, 2);
  cudaGraphExecUpdateResultInfo outcome{};
  CHECK_CUDA(cudaGraphExecUpdate(executable, of_two(308), &outcome));
  w.launch(executable, 3);
  const cudaGraph_t longer = w.capture([&] { w.multiply(316); });
  if (cudaGraphExecUpdate(executable, longer, &outcome) == cudaSuccess)
    fail("cudaGraphExecUpdate", "took another form", __FILE__, __LINE__);
  (void)cudaGetLastError();
  w.launch(executable, 1);
  w.wait();
  std::printf("an update, and one refused\n");
}

// Handles that are given out again.
void lives(const Worker& w) {
  for (int n = 340; n < 360; n += 4) {
    const cudaGraph_t graph = w.capture([&] { w.multiply(n); });
    const cudaGraphExec_t executable = instantiated(graph);
    CHECK_CUDA(cudaGraphDestroy(graph));
    w.launch(executable, 2);
    w.wait();
    CHECK_CUDA(cudaGraphExecDestroy(executable));
  }
  w.capture([&] { w.multiply(360); });  // never launched
  std::printf("five lives\n");
}

// The second stream joins the capture by an event, and is joined by another.
void forks(const Worker& w, const Worker& side) {
  cudaEvent_t fork = nullptr, join = nullptr;
  CHECK_CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = w.capture([&] {
    w.multiply(400);
    CHECK_CUDA(cudaEventRecord(fork, w.stream()));
    CHECK_CUDA(cudaStreamWaitEvent(side.stream(), fork, 0));
    side.multiply(404);
    w.multiply(400);
    side.multiply(408);
    CHECK_CUDA(cudaEventRecord(join, side.stream()));
    CHECK_CUDA(cudaStreamWaitEvent(w.stream(), join, 0));
    w.multiply(412);
  });
  const cudaGraphExec_t executable = instantiated(graph);
  w.launch(executable, 2);
  side.multiply(404);  // not captured
  // A launch that is captured becomes part of the graph.
  w.launch(instantiated(w.capture([&] {
             w.multiply(416);
             w.launch(executable, 2);
           })),
           3);
  side.wait();
  w.wait();
  std::printf("two streams of %zu nodes\n", nodes_of(graph));
}

// Two threads capture at once, and one launches what the other has made.
void threads() {
  int device = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  std::vector<cudaGraphExec_t> made(2);
  const auto work = [&](int n) {
    CHECK_CUDA(cudaSetDevice(device));
    const Worker w(n == 0 ? cudaStreamCaptureModeThreadLocal : cudaStreamCaptureModeRelaxed);
    for (int round = 0; round < 20; ++round) {
      const cudaGraphExec_t executable = instantiated(w.capture([&] { w.multiply(440 + 4 * n); }));
      w.launch(executable, 1);
      made[static_cast<size_t>(n)] = executable;
    }
    w.wait();
  };
  std::thread one(work, 0), other(work, 1);
  one.join();
  other.join();
  std::thread([&] {
    CHECK_CUDA(cudaSetDevice(device));
    const Worker w;
    for (const cudaGraphExec_t executable : made) w.launch(executable, 5);
    w.wait();
  }).join();
  std::printf("two threads\n");
}

// Nothing of a capture that fails is ever done.
void failures(const Worker& w, const Worker& side) {
  cudaEvent_t fork = nullptr;
  CHECK_CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  w.begin();
  w.multiply(480);
  CHECK_CUDA(cudaEventRecord(fork, w.stream()));
  CHECK_CUDA(cudaStreamWaitEvent(side.stream(), fork, 0));
  side.multiply(484);  // never joined
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(w.stream(), &graph) != cudaErrorStreamCaptureUnjoined)
    fail("cudaStreamEndCapture", "took a fork without join", __FILE__, __LINE__);
  (void)cudaGetLastError();
  w.multiply(480);
  w.launch(instantiated(w.capture([&] { w.multiply(488); })), 2);
  w.wait();
  std::printf("a failure\n");
}

}  // namespace

int main(int, char** argv) {
  const Rank rank = join_or_start_ranks(2, argv);
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  CHECK_CUDA(cudaSetDevice(rank.local % devices));
  if (rank.index != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  const ncclComm_t communicator = join_communicator(rank);
  const Worker w, side;
  clones(w, communicator);
  children(w, communicator);
  updates(w);
  lives(w);
  forks(w, side);
  threads();
  failures(w, side);
  CHECK_NCCL(ncclCommDestroy(communicator));
  return 0;
}
