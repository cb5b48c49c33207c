// What the simulator's driver exports beyond the vendor's functions, for the library doubles.
#pragma once

#include <mfusim/driver.h>

#include <cstdint>
#include <string>

namespace mfusim::library {

enum class Rate : int { kDeviceMemory = 0, kPeerLink = 1, kHostLink = 2 };

// Does the driver keep a truth file? Else nothing need be found out for it.
bool keeps_truth();

// Appends one JSON object to the truth file.
void truth(const std::string& json_object);

// What a double does for one public call, as one piece of work; nests.
class Piece {
 public:
  Piece();
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // As the truth file's kernels have it.
  uint64_t number() const { return number_; }
  // Launched so far, or made nodes of a graph.
  uint32_t kernels() const;

 private:
  const uint64_t number_;
};

// Names a public function of a double that a program called and that is only a stub.
void stub_hit(const char* library, const char* function);

// Dense peak in FLOP/s; dtype is a cudaDataType_t value, or -1 for CUDA-core fp32.
double peak_flops(int dtype);

double bytes_per_second(Rate rate);

// What a kernel's shape depends on, of the calling thread's current device.
struct DeviceFacts {
  int sm_count = 0;
  int compute_capability = 0;  // 90 for 9.0
};
DeviceFacts current_device();

}  // namespace mfusim::library
