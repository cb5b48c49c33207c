# Finds the CUDA, CUPTI, NCCL and cuDNN headers and makes the target mfushim_vendor_headers. Headers only: no vendor
# library is ever linked. CUDA's own come from one root, the first of CUDAToolkit_ROOT, CUDA_HOME, nvcc's, /usr/local/cuda
# that has them all, else from what scripts/setup unpacked into .cache/cuda-headers/13.0; NCCL's and
# cuDNN's may lie elsewhere.
#   MFUSHIM_HEADERS=wheels (variable or environment) looks in .cache/cuda-headers/13.0 alone.
# As a script (cmake -P) it only prints "missing: NAME..." where something is missing.

if(NOT DEFINED MFUSHIM_HEADERS AND DEFINED ENV{MFUSHIM_HEADERS})
  set(MFUSHIM_HEADERS $ENV{MFUSHIM_HEADERS})
endif()

set(_roots)
if(NOT MFUSHIM_HEADERS STREQUAL "wheels")
  list(APPEND _roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME})
  find_program(MFUSHIM_NVCC nvcc)
  if(MFUSHIM_NVCC)
    file(REAL_PATH ${MFUSHIM_NVCC} _nvcc)
    cmake_path(GET _nvcc PARENT_PATH _bin)
    cmake_path(GET _bin PARENT_PATH _nvcc_root)
    list(APPEND _roots ${_nvcc_root})
  endif()
  list(APPEND _roots /usr/local/cuda)
endif()
list(APPEND _roots ${CMAKE_CURRENT_LIST_DIR}/../.cache/cuda-headers/13.0)

function(mfushim_find_cuda_headers)
  foreach(root IN LISTS ARGN)
    foreach(include ${root}/include ${root}/targets/x86_64-linux/include)
      foreach(cupti ${include} ${root}/extras/CUPTI/include)
        if(EXISTS ${include}/cuda.h AND EXISTS ${include}/cublas_v2.h AND EXISTS ${cupti}/cupti.h)
          cmake_path(NORMAL_PATH include)
          cmake_path(NORMAL_PATH cupti)
          set(MFUSHIM_CUDA_INCLUDE ${include} CACHE PATH "Folder of cuda.h and cublas_v2.h")
          set(MFUSHIM_CUPTI_INCLUDE ${cupti} CACHE PATH "Folder of cupti.h")
          return()
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

if(NOT MFUSHIM_CUDA_INCLUDE OR NOT MFUSHIM_CUPTI_INCLUDE)
  mfushim_find_cuda_headers(${_roots})
endif()
find_path(MFUSHIM_NCCL_INCLUDE nccl.h HINTS ${_roots} PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
if(NOT MFUSHIM_HEADERS STREQUAL "wheels")
  find_path(MFUSHIM_NCCL_INCLUDE nccl.h)
endif()
find_path(MFUSHIM_CUDNN_INCLUDE cudnn.h HINTS ${_roots} PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
if(NOT MFUSHIM_HEADERS STREQUAL "wheels")
  find_path(MFUSHIM_CUDNN_INCLUDE cudnn.h)
endif()

set(_missing)
if(NOT MFUSHIM_CUDA_INCLUDE)
  list(APPEND _missing CUDA)
endif()
if(NOT MFUSHIM_NCCL_INCLUDE)
  list(APPEND _missing NCCL)
endif()
list(JOIN _missing " " _missing)

if(CMAKE_SCRIPT_MODE_FILE)
  # The recorder needs none of cuDNN's, its double does.
  if(NOT MFUSHIM_CUDNN_INCLUDE)
    string(APPEND _missing " CUDNN")
  endif()
  if(_missing)
    message(NOTICE "missing: ${_missing}")
  endif()
  return()
endif()
if(_missing)
  message(FATAL_ERROR "Headers not found: ${_missing}. Give CUDAToolkit_ROOT or CUDA_HOME, or let scripts/setup fetch "
                      "the headers alone; or build only the analyzer with -DMFUSHIM_BUILD_SHIM=OFF.")
endif()

add_library(mfushim_vendor_headers INTERFACE)
target_include_directories(mfushim_vendor_headers SYSTEM INTERFACE
  ${MFUSHIM_CUDA_INCLUDE} ${MFUSHIM_CUPTI_INCLUDE} ${MFUSHIM_NCCL_INCLUDE})
message(STATUS "CUDA headers: ${MFUSHIM_CUDA_INCLUDE}; CUPTI: ${MFUSHIM_CUPTI_INCLUDE}; NCCL: ${MFUSHIM_NCCL_INCLUDE}")
