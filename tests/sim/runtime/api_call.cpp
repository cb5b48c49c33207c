// Brackets public calls for whoever traces; see api_call.hpp.
#include "api_call.hpp"

#include <cstring>

#include "driver.hpp"
#include "mfusim/driver.h"

namespace mfusim::runtime {
namespace {

thread_local bool t_per_thread = false;
thread_local cudaError_t t_last_error = cudaSuccess;

// These neither need the driver nor change the last error.
bool only_about_errors(const char* name) {
  return strncmp(name, "cudaGetError", 12) == 0 || strcmp(name, "cudaGetLastError") == 0 ||
         strcmp(name, "cudaPeekAtLastError") == 0;
}
bool works_without_driver(const char* name) {
  return only_about_errors(name) || strcmp(name, "cudaRuntimeGetVersion") == 0 ||
         strcmp(name, "cudaDriverGetVersion") == 0;
}

}  // namespace

ApiCall::ApiCall(const Entry& entry, const void* params)
    : entry_(entry),
      refusal_(works_without_driver(entry.name) ? cudaSuccess : initialize()),
      was_per_thread_(t_per_thread) {
  api_.domain = MFUSIM_DOMAIN_RUNTIME;
  api_.cbid = entry.cbid;
  api_.name = entry.name;
  api_.params = params;
  if (sim_hooks().enter) sim_hooks().enter(&api_);
  t_per_thread = entry.per_thread;
}

ApiCall::~ApiCall() {
  t_per_thread = was_per_thread_;
  if (sim_hooks().leave) sim_hooks().leave(&api_);
}

cudaError_t ApiCall::done(cudaError_t result) {
  api_.result = result;
  if (result != cudaSuccess && !only_about_errors(entry_.name)) t_last_error = result;
  return result;
}

bool per_thread_default() {
  return t_per_thread;
}
cudaError_t& last_error() {
  return t_last_error;
}

cudaError_t stub_hit(const char* function) {
  if (sim_hooks().stub) sim_hooks().stub(MFUSIM_RUNTIME_SONAME, function);
  return cudaErrorNotSupported;
}

}  // namespace mfusim::runtime
