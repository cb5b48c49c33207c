# Finds the CUDA, CUPTI and NCCL headers and makes the target mfushim_vendor_headers.
# Order: CUDAToolkit_ROOT, CUDA_HOME, nvcc in PATH, /usr/local/cuda, then what scripts/setup unpacked
# into .cache/vendor-headers. Headers only: no vendor library is ever linked.

set(_roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME})
find_program(MFUSHIM_NVCC nvcc)
if(MFUSHIM_NVCC)
  file(REAL_PATH ${MFUSHIM_NVCC} _nvcc)
  cmake_path(GET _nvcc PARENT_PATH _bin)
  cmake_path(GET _bin PARENT_PATH _nvcc_root)
  list(APPEND _roots ${_nvcc_root})
endif()
list(APPEND _roots /usr/local/cuda ${PROJECT_SOURCE_DIR}/.cache/vendor-headers)

find_path(MFUSHIM_CUDA_INCLUDE cuda.h HINTS ${_roots} PATH_SUFFIXES include targets/x86_64-linux/include
          NO_DEFAULT_PATH)
find_path(MFUSHIM_CUPTI_INCLUDE cupti.h HINTS ${MFUSHIM_CUDA_INCLUDE} ${_roots}
          PATH_SUFFIXES include extras/CUPTI/include NO_DEFAULT_PATH)
find_path(MFUSHIM_NCCL_INCLUDE nccl.h HINTS ${MFUSHIM_CUDA_INCLUDE} ${_roots} PATH_SUFFIXES include)

foreach(_what CUDA CUPTI NCCL)
  if(NOT MFUSHIM_${_what}_INCLUDE)
    message(FATAL_ERROR "The ${_what} headers were not found. Give CUDAToolkit_ROOT or CUDA_HOME, or let "
                        "scripts/setup fetch the headers alone; or build only the analyzer with "
                        "-DMFUSHIM_BUILD_SHIM=OFF.")
  endif()
endforeach()

add_library(mfushim_vendor_headers INTERFACE)
target_include_directories(mfushim_vendor_headers SYSTEM INTERFACE
  ${MFUSHIM_CUDA_INCLUDE} ${MFUSHIM_CUPTI_INCLUDE} ${MFUSHIM_NCCL_INCLUDE})
message(STATUS "CUDA headers: ${MFUSHIM_CUDA_INCLUDE}; CUPTI: ${MFUSHIM_CUPTI_INCLUDE}; NCCL: ${MFUSHIM_NCCL_INCLUDE}")
