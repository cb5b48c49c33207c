// One module per kernel name: cuLibraryLoadData once in the process, the driver does the rest per
// context.
#include "kernels.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <mutex>
#include <unordered_map>
#include <vector>

namespace mfusim::library {
namespace {

template <class Function>
Function runtime_entry(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status);
  return error == cudaSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

// The image must outlive its module, the driver reads names from it.
struct LoadedKernel {
  std::string name;
  uint32_t param_size = sizeof(MfusimCost);
  MfusimKernel kernel{};
  MfusimImage image{};
  CUkernel handle = nullptr;
};

class KernelTable {
 public:
  CUresult find(const std::string& name, CUkernel* kernel) {
    const std::lock_guard<std::mutex> lock(mutex_);
    LoadedKernel& entry = kernels_[name];
    if (entry.handle == nullptr) {
      const CUresult loaded = load(name, entry);
      if (loaded != CUDA_SUCCESS) return loaded;
    }
    *kernel = entry.handle;
    return CUDA_SUCCESS;
  }

 private:
  CUresult load(const std::string& name, LoadedKernel& entry) {
    if (load_data_ == nullptr) {
      load_data_ = runtime_entry<decltype(load_data_)>("cuLibraryLoadData", 12000);
      get_kernel_ = runtime_entry<decltype(get_kernel_)>("cuLibraryGetKernel", 12000);
    }
    if (load_data_ == nullptr || get_kernel_ == nullptr) return CUDA_ERROR_NOT_FOUND;
    entry.name = name;
    entry.kernel = {entry.name.c_str(), MFUSIM_COST_PARAM0, 1, &entry.param_size};
    entry.image = {MFUSIM_IMAGE_MAGIC, 1, 1, &entry.kernel};
    CUlibrary library = nullptr;
    const CUresult loaded =
        load_data_(&library, &entry.image, nullptr, nullptr, 0, nullptr, nullptr, 0);
    return loaded != CUDA_SUCCESS ? loaded : get_kernel_(&entry.handle, library, name.c_str());
  }

  std::mutex mutex_;
  std::unordered_map<std::string, LoadedKernel> kernels_;  // nodes: addresses stay
  decltype(&cuLibraryLoadData) load_data_ = nullptr;
  decltype(&cuLibraryGetKernel) get_kernel_ = nullptr;
};

// Used while the process exits too, so it is never destroyed.
KernelTable& kernel_table() {
  static KernelTable* const table = new KernelTable;
  return *table;
}

}  // namespace

const DriverDoor& runtime_door() {
  static const DriverDoor door{
      runtime_entry<decltype(&cuLaunchKernel)>("cuLaunchKernel", 7000),
      runtime_entry<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx", 11060)};
  return door;
}

const DriverDoor& direct_door() {
  static const DriverDoor door = [] {
    DriverDoor found;
    if (void* driver = dlopen("libcuda.so.1", RTLD_NOW)) {
      found.launch_kernel =
          reinterpret_cast<decltype(&cuLaunchKernel)>(dlsym(driver, "cuLaunchKernel"));
      found.launch_kernel_ex =
          reinterpret_cast<decltype(&cuLaunchKernelEx)>(dlsym(driver, "cuLaunchKernelEx"));
    }
    return found;
  }();
  return door;
}

CUresult launch(const DriverDoor& door, const KernelWork& work, CUstream stream) {
  if (door.launch_kernel == nullptr || door.launch_kernel_ex == nullptr) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  CUkernel kernel = nullptr;
  const CUresult found = kernel_table().find(work.name, &kernel);
  if (found != CUDA_SUCCESS) return found;
  MfusimCost cost = work.cost;
  void* parameters[] = {&cost};
  const auto function = reinterpret_cast<CUfunction>(kernel);
  if (work.cluster == 0) {
    return door.launch_kernel(function, work.grid.x, work.grid.y, work.grid.z, work.block.x,
                              work.block.y, work.block.z, work.shared_bytes, stream, parameters,
                              nullptr);
  }
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {work.cluster, 1, 1};
  CUlaunchConfig config{work.grid.x,  work.grid.y,       work.grid.z, work.block.x, work.block.y,
                        work.block.z, work.shared_bytes, stream,      &cluster,     1};
  return door.launch_kernel_ex(&config, function, parameters, nullptr);
}

CUresult add_node(const KernelWork& work, CUgraph graph) {
  static const auto get_nodes = runtime_entry<decltype(&cuGraphGetNodes)>("cuGraphGetNodes", 10000);
  static const auto add =
      runtime_entry<decltype(&cuGraphAddKernelNode)>("cuGraphAddKernelNode", 12000);
  CUkernel kernel = nullptr;
  const CUresult found = kernel_table().find(work.name, &kernel);
  if (found != CUDA_SUCCESS) return found;
  if (get_nodes == nullptr || add == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  size_t count = 0;
  get_nodes(graph, nullptr, &count);
  std::vector<CUgraphNode> before(count);
  get_nodes(graph, before.data(), &count);
  MfusimCost cost = work.cost;
  void* parameters[] = {&cost};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = reinterpret_cast<CUfunction>(kernel);
  node.gridDimX = work.grid.x;
  node.gridDimY = work.grid.y;
  node.gridDimZ = work.grid.z;
  node.blockDimX = work.block.x;
  node.blockDimY = work.block.y;
  node.blockDimZ = work.block.z;
  node.sharedMemBytes = work.shared_bytes;
  node.kernelParams = parameters;
  CUgraphNode made = nullptr;
  return add(&made, graph, before.data(), count, &node);
}

}  // namespace mfusim::library
