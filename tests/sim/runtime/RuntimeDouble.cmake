# mfusim_runtime_double(SUFFIX CUDA_INCLUDE CUPTI_INCLUDE): libcudart.so.N as mfusim_cudart, and the same objects as
# the archive mfusim_cudart_static for the library doubles, which carry the runtime inside themselves as the vendor's
# libraries do. What links the archive must not export cuda* names (a version script with "local: *").
function(mfusim_runtime_double suffix cuda cupti)
  mfusim_major_of(${cuda} major)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(soname libcudart.so.${major})
  file(GLOB interop ${cuda}/cuda_gl_interop.h ${cuda}/cuda_egl_interop.h ${cuda}/cuda_vdpau_interop.h)
  mfusim_generate(runtime
    FOLDER ${MFUSIM_GENERATED}/runtime${suffix}
    HEADER ${here}/runtime_header.h CUDA ${cuda} CUPTI ${cupti}
    ARGS --callback-ids ${cupti}/cupti_runtime_cbid.h --untyped ${interop} --driver-calls ${here}/driver_calls.txt
    DEPENDS ${here}/driver_calls.txt
    OUTPUTS runtime_entries.cpp runtime_stubs.cpp runtime_forwards.cpp runtime_impl.hpp runtime_errors.inc
            driver_slots.inc)
  set(sources api_call.cpp copies.cpp device.cpp driver.cpp errors.cpp functions.cpp graphs.cpp launches.cpp memory.cpp
              registration.cpp streams.cpp)
  list(TRANSFORM sources PREPEND ${here}/)

  set(objects mfusim_cudart_objects${suffix})
  add_library(${objects} OBJECT ${sources} ${generated})
  add_dependencies(${objects} mfusim_driver) # for the generated table of the driver's variants
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${objects} PRIVATE ${here} ${MFUSIM_GENERATED}/runtime${suffix} ${MFUSIM_GENERATED}/driver)
  target_include_directories(${objects} SYSTEM PRIVATE ${cuda})
  target_compile_definitions(${objects} PRIVATE __CUDA_API_VERSION_INTERNAL MFUSIM_RUNTIME_SONAME="${soname}")
  target_link_libraries(${objects} PRIVATE mfusim_interface)
  mfushim_warnings(${objects})

  set(archive mfusim_cudart_static${suffix})
  add_library(${archive} STATIC $<TARGET_OBJECTS:${objects}>)
  set_target_properties(${archive} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${archive} INTERFACE mfusim_interface ${CMAKE_DL_LIBS})

  set(shared mfusim_cudart${suffix})
  add_library(${shared} SHARED $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${shared} PRIVATE ${CMAKE_DL_LIBS})
  mfusim_double(${shared} ${soname} ${MFUSIM_FOLDER}/cuda${major})
  mfusim_versioned(${shared} ${soname} ${here}/cudart.map.in)
endfunction()
