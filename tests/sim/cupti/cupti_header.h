/* CUPTI's activity and callback interfaces, for the stubs and for the newest record layouts. */
#include <cuda.h>
#include <cupti.h>
