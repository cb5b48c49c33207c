/* All of CUPTI's interfaces, for the stubs and for the newest record layouts; counters only where
 * the headers are. */
#ifndef MFUSIM_CUPTI_HEADER_H
#define MFUSIM_CUPTI_HEADER_H

#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>

#if __has_include(<cupti_profiler_target.h>)
#include <cupti_profiler_target.h>
#endif
#if __has_include(<cupti_profiler_host.h>)
#include <cupti_profiler_host.h>
#endif
#if __has_include(<cupti_range_profiler.h>)
#include <cupti_range_profiler.h>
#endif
#if __has_include(<cupti_pcsampling.h>)
#include <cupti_pcsampling.h>
#endif
#if __has_include(<cupti_pmsampling.h>)
#include <cupti_pmsampling.h>
#endif
#if __has_include(<cupti_sass_metrics.h>)
#include <cupti_sass_metrics.h>
#endif

#endif
