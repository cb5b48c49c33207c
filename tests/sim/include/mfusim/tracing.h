/* How the simulator's runtime and CUPTI doubles talk to its driver double: which public call is
   being made, and what the device did. Our own symbols, found with dlsym(handle of libcuda.so.1,
   name); the vendor's private tables play no part. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum MfusimDomain { MFUSIM_DOMAIN_DRIVER = 0, MFUSIM_DOMAIN_RUNTIME = 1 };

/* One call of a public function. The caller owns it from enter to leave; the driver fills in the
 * rest. */
struct MfusimApi {
  uint32_t domain;      /* enum MfusimDomain */
  uint32_t cbid;        /* CUPTI's callback id of the function in its domain; 0 when it has none */
  const char* name;     /* exported name, with _v2 and _ptsz */
  const void* params;   /* struct of the arguments in their order, or NULL */
  int32_t result;       /* set before leave */
  uint32_t correlation; /* one id per outermost call: a driver call beneath a runtime call shares
                           its id */
  uint32_t depth;       /* 0: outermost */
  uint32_t context_id;  /* context current at entry, 0 when none */
  void* context;        /* its CUcontext */
  uint64_t start_ns;    /* CLOCK_REALTIME */
  uint64_t end_ns;
  uint64_t tracer_data; /* the tracer's own, kept from enter to leave */
};

enum MfusimActivityKind {
  MFUSIM_KERNEL = 0,
  MFUSIM_COPY = 1,
  MFUSIM_SET = 2,
  MFUSIM_GRAPH = 3 /* a whole launch */
};
enum MfusimMemory { MFUSIM_PAGEABLE = 0, MFUSIM_PINNED = 1, MFUSIM_DEVICE = 2, MFUSIM_MANAGED = 3 };

/* One finished (or scheduled: end may lie ahead) piece of device work. */
struct MfusimActivity {
  uint32_t kind; /* enum MfusimActivityKind */
  uint32_t device, context, stream, correlation;
  uint32_t graph;      /* executable graph, 0 outside graphs */
  uint64_t graph_node; /* 0 outside graphs */
  const char* name;    /* kernels; lives as long as the process */
  uint32_t grid[3], block[3];
  uint32_t shared_bytes; /* dynamic */
  uint32_t value;        /* sets */
  uint64_t start_ns, end_ns;
  uint64_t bytes;               /* copies and sets */
  uint32_t source, destination; /* enum MfusimMemory */
  uint32_t source_device, destination_device;
};

enum MfusimSyncKind {
  MFUSIM_SYNC_EVENT = 1,
  MFUSIM_SYNC_WAIT_EVENT = 2,
  MFUSIM_SYNC_STREAM = 3,
  MFUSIM_SYNC_CONTEXT = 4
};

/* One blocking wait of the host. */
struct MfusimSync {
  uint32_t kind; /* enum MfusimSyncKind: numbered as CUpti_ActivitySynchronizationType */
  uint32_t context, stream, correlation, event;
  uint64_t start_ns, end_ns;
};

/* Called by the driver double; none may call back into CUDA. NULL members are skipped. */
struct MfusimTracer {
  void (*enter)(struct MfusimApi* api);
  void (*leave)(struct MfusimApi* api);
  void (*activity)(const struct MfusimActivity* activity); /* under the driver's lock */
  void (*synchronization)(const struct MfusimSync* sync);
};

typedef void (*MfusimSetTracerFn)(const struct MfusimTracer* tracer); /* NULL: nobody listens */
#define MFUSIM_SET_TRACER_SYMBOL "mfusim_set_tracer"
/* The runtime double brackets each of its public calls with these. */
typedef void (*MfusimApiFn)(struct MfusimApi* api);
#define MFUSIM_API_ENTER_SYMBOL "mfusim_api_enter"
#define MFUSIM_API_LEAVE_SYMBOL "mfusim_api_leave"
/* Name of the kernel behind a CUfunction or CUkernel, NULL when the handle is unknown. */
typedef const char* (*MfusimKernelNameFn)(const void* function);
#define MFUSIM_KERNEL_NAME_SYMBOL "mfusim_kernel_name"
/* The id that records show for a handle; 0 when the handle is unknown. */
enum MfusimHandleKind {
  MFUSIM_CONTEXT,
  MFUSIM_STREAM,
  MFUSIM_GRAPH_HANDLE,
  MFUSIM_GRAPH_EXEC,
  MFUSIM_GRAPH_NODE
};
typedef uint64_t (*MfusimIdFn)(enum MfusimHandleKind kind, void* handle);
#define MFUSIM_ID_SYMBOL "mfusim_id"

#ifdef __cplusplus
}
#endif
