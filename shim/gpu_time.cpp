// Chooses the source of device times.
#include "gpu_time.hpp"

#include "recorder.hpp"

namespace mfushim::shim {

void start_gpu_time(GpuTimeMode, bool) noexcept {
  gpu_time(format::GpuTime{format::GpuTimeSource::kNone, now(), 0, 0, "not asked for"});
}
void stop_gpu_time() noexcept {}
void forget_gpu_time() noexcept {}

}  // namespace mfushim::shim
