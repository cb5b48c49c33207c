// Looks the simulator's own functions up in the driver that is loaded, once per process.
#include "sim_driver.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdlib>

namespace mfusim::library {
namespace {

struct SimFunctions {
  MfusimTruthFn truth = nullptr;
  MfusimStubFn stub = nullptr;
  MfusimPeakFn peak = nullptr;
  MfusimRateFn rate = nullptr;
  MfusimWorkBeginFn work_begin = nullptr;
  MfusimWorkEndFn work_end = nullptr;

  SimFunctions() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return;
    truth = reinterpret_cast<MfusimTruthFn>(dlsym(driver, MFUSIM_TRUTH_SYMBOL));
    stub = reinterpret_cast<MfusimStubFn>(dlsym(driver, MFUSIM_STUB_SYMBOL));
    peak = reinterpret_cast<MfusimPeakFn>(dlsym(driver, MFUSIM_PEAK_SYMBOL));
    rate = reinterpret_cast<MfusimRateFn>(dlsym(driver, MFUSIM_RATE_SYMBOL));
    work_begin = reinterpret_cast<MfusimWorkBeginFn>(dlsym(driver, MFUSIM_WORK_BEGIN_SYMBOL));
    work_end = reinterpret_cast<MfusimWorkEndFn>(dlsym(driver, MFUSIM_WORK_END_SYMBOL));
  }
};

// Used while the process exits too, so it is never destroyed.
const SimFunctions& functions() {
  static const SimFunctions* const found = new SimFunctions;
  return *found;
}

}  // namespace

bool keeps_truth() {
  static const bool keeps = std::getenv("MFUSIM_TRUTH") != nullptr;
  return keeps;
}

void truth(const std::string& json_object) {
  if (functions().truth != nullptr) functions().truth(json_object.c_str());
}

Piece::Piece() : number_(functions().work_begin != nullptr ? functions().work_begin() : 0) {}

Piece::~Piece() {
  if (number_ != 0) functions().work_end();
}

uint32_t Piece::kernels() const {
  if (number_ == 0) return 0;
  functions().work_begin();
  return functions().work_end();
}

void stub_hit(const char* library, const char* function) {
  if (functions().stub != nullptr) functions().stub(library, function);
}

double peak_flops(int dtype) {
  const double peak = functions().peak != nullptr ? functions().peak(dtype) : 0;
  return peak > 0 ? peak : 1e12;
}

double bytes_per_second(Rate rate) {
  const double found = functions().rate != nullptr ? functions().rate(static_cast<int>(rate)) : 0;
  return found > 0 ? found : 1e11;
}

DeviceFacts current_device() {
  thread_local int known_device = -1;
  thread_local DeviceFacts facts;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device == known_device) return facts;
  const auto read = [device](cudaDeviceAttr attribute, int* value) {
    return cudaDeviceGetAttribute(value, attribute, device) == cudaSuccess;
  };
  int major = 0, minor = 0;
  if (read(cudaDevAttrMultiProcessorCount, &facts.sm_count) &&
      read(cudaDevAttrComputeCapabilityMajor, &major) &&
      read(cudaDevAttrComputeCapabilityMinor, &minor)) {
    facts.compute_capability = 10 * major + minor;
    known_device = device;
  }
  return facts;
}

}  // namespace mfusim::library
