# mfusim_cupti_double(SUFFIX CUDA_INCLUDE CUPTI_INCLUDE): libcupti.so.N as mfusim_cupti, with records of the newest
# layouts that its headers know.
function(mfusim_cupti_double suffix cuda cupti)
  mfusim_major_of(${cuda} major)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(soname libcupti.so.${major})
  file(GLOB counters ${cupti}/cupti_*.h)
  mfusim_generate(cupti
    FOLDER ${MFUSIM_GENERATED}/cupti${suffix}
    HEADER ${here}/cupti_header.h CUDA ${cuda} CUPTI ${cupti}
    ARGS --callback-ids ${cupti}/cupti_driver_cbid.h ${cupti}/cupti_runtime_cbid.h --untyped ${counters}
    OUTPUTS cupti_stubs.cpp newest_records.hpp cupti_results.inc driver_callbacks.inc runtime_callbacks.inc)
  set(sources activity.cpp activity_records.cpp callbacks.cpp delivery.cpp layout.cpp library.cpp misbehaviour.cpp
      state.cpp)
  list(TRANSFORM sources PREPEND ${here}/)

  set(target mfusim_cupti${suffix})
  add_library(${target} SHARED ${sources} ${generated})
  target_include_directories(${target} PRIVATE ${here} ${MFUSIM_GENERATED}/cupti${suffix})
  target_include_directories(${target} SYSTEM PRIVATE ${cuda} ${cupti})
  target_compile_definitions(${target} PRIVATE MFUSIM_CUPTI_SONAME="${soname}")
  target_link_libraries(${target} PRIVATE mfusim_interface ${CMAKE_DL_LIBS})
  mfusim_double(${target} ${soname} ${MFUSIM_FOLDER}/cuda${major})
  mfusim_versioned(${target} ${soname} ${here}/cupti.map.in)
  # Its functions have the vendor's declarations, which say nothing of visibility; the version script decides.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
  mfushim_warnings(${target})
endfunction()
