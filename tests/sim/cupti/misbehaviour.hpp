// How the CUPTI double misbehaves, as MFUSIM_CUPTI says, for tests of those who use CUPTI.
#pragma once
#include <cupti.h>

#include <cstdint>

namespace mfusim::cupti {

// What is wrong with a device record.
enum class Fault {
  kNone,
  kDrop,   // it is dropped, and counted
  kLose,   // it is dropped, and nobody counts it
  kZero,   // its times are 0
  kSwap,   // it ends before it starts
  kLong,   // it ends an hour late
  kEarly,  // it lies a second early
};

// What is wrong with the way of records to the client.
enum class Delivery {
  kPrompt,
  kReverse,  // small buffers, each four of them in reverse order
  kLate,     // no buffer before a later session has begun, or by force
  kEmpty,    // before each buffer one of no length
};

struct Misbehaviour {
  CUptiResult refusal = CUPTI_SUCCESS;
  Fault fault = Fault::kNone;
  uint32_t every = 1;
  Delivery delivery = Delivery::kPrompt;
  uint64_t slow_ns = 0;  // so long each launch takes while kernels are recorded

  // Of all work of one call: where `every` divides its correlation id. So a truth file tells, too.
  Fault fault_of(uint32_t correlation) const {
    return correlation % every == 0 ? fault : Fault::kNone;
  }
};
const Misbehaviour& misbehaviour();

}  // namespace mfusim::cupti
