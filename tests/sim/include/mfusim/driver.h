/* What the simulator's own libraries (cuBLAS, cuBLASLt, NCCL, runtime, CUPTI doubles) and test
   programs built with g++ agree on with its driver double: the module image that its loader
   accepts, how a kernel states its cost, and the truth file. None of this exists in the vendor's
   driver; programs that run unchanged on a real GPU use it only where nvcc did not make the module.
 */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MFUSIM_IMAGE_MAGIC 0x31474d49534d464dull /* "MFMSIMG1" */

/* How the device clock learns how long a kernel takes. */
enum MfusimCostKind {
  MFUSIM_COST_GEOMETRY = 0, /* from name, grid and block */
  MFUSIM_COST_PARAM0 =
      1, /* kernelParams[0] points to a const struct MfusimCost, copied at launch */
};

struct MfusimKernel {
  const char* name;   /* as the vendor's library would name it: mangled or plain */
  uint32_t cost_kind; /* enum MfusimCostKind */
  uint32_t param_count;
  const uint32_t*
      param_sizes; /* bytes of each kernel parameter; may be NULL when param_count is 0 */
};

/* What cuModuleLoadData and cuLibraryLoadData of the simulator accept as an image. */
struct MfusimImage {
  uint64_t magic;
  uint32_t version; /* 1 */
  uint32_t kernel_count;
  const struct MfusimKernel* kernels;
};

/* Work of one kernel launch, for the roofline of the simulated GPU:
   duration_ns = max(fixed_ns, flops / peak(dtype), bytes / memory rate) + latency. */
struct MfusimCost {
  double flops;      /* of the logical operation; goes to the truth file */
  double bytes;      /* moved through device memory */
  uint64_t fixed_ns; /* at least this long; 0 when the roofline decides */
  int32_t dtype;     /* cudaDataType_t value whose peak applies; -1: CUDA-core fp32 */
  int32_t is_comm;   /* 1 for a communication kernel */
  /* Runs on the simulator's device thread when the kernel may start (all earlier work of its stream
     is done). Called again and again, never concurrently, until it returns nonzero; then *end_ns
     (device clock, CLOCK_REALTIME ns, >= start_ns) is when the kernel ends. NULL for kernels whose
     end is known from the roofline alone. A collective's waiting for peers lives here, and so does
     the moving of its (small) payload. */
  int (*poll)(void* context, uint64_t start_ns, uint64_t now_ns, uint64_t* end_ns);
  void* context;
};

/* Exported by the driver double, found with dlsym(handle of libcuda.so.1, name). */
typedef void (*MfusimTruthFn)(
    const char* json_object_line); /* appends one line; adds nothing to it */
#define MFUSIM_TRUTH_SYMBOL "mfusim_truth"
/* Names a public function that a program called and that the simulator only stubs. */
typedef void (*MfusimStubFn)(const char* library, const char* function);
#define MFUSIM_STUB_SYMBOL "mfusim_stub_hit"
/* Between these two, which nest, all kernels that the calling thread launches or makes nodes of are
   one piece of work: what one public call asked for. The truth file's kernels have its number,
   which the outermost begin makes and every begin returns; 0: none. The end returns how many
   kernels it has by then. */
typedef uint64_t (*MfusimWorkBeginFn)(void);
#define MFUSIM_WORK_BEGIN_SYMBOL "mfusim_work_begin"
typedef uint32_t (*MfusimWorkEndFn)(void);
#define MFUSIM_WORK_END_SYMBOL "mfusim_work_end"
/* Properties of the simulated GPU for the doubles: dense peak in FLOP/s of a cudaDataType_t value
   (-1: CUDA-core fp32), memory and link rates in bytes/s. */
typedef double (*MfusimPeakFn)(int dtype);
#define MFUSIM_PEAK_SYMBOL "mfusim_peak_flops"
typedef double (*MfusimRateFn)(int which); /* 0: device memory, 1: peer link, 2: host link */
#define MFUSIM_RATE_SYMBOL "mfusim_rate_bytes"

#ifdef __cplusplus
}
#endif
