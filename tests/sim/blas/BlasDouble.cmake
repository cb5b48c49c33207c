# mfusim_blas_double(SUFFIX CUDA_INCLUDE): libcublasLt.so.N and libcublas.so.N of one CUDA major, as
# mfusim_cublasLt and mfusim_cublas.
function(mfusim_blas_double suffix cuda)
  mfusim_major_of(${cuda} cuda_major)
  file(STRINGS ${cuda}/cublas_api.h major REGEX "define CUBLAS_VER_MAJOR")
  string(REGEX MATCH "[0-9]+$" major "${major}")
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(lt mfusim_cublasLt${suffix})
  set(blas mfusim_cublas${suffix})
  set(shared product.cpp product_kernels.cpp type_names.cpp)

  mfusim_library_double(${lt}
    FOLDER cuda${cuda_major}
    SONAME libcublasLt.so.${major}
    EXPORTS ${here}/cublasLt.map.in
    HEADERS cublasLt.h
    NAMES "cublasLt\\w+"
    STATUS cublasStatus_t REFUSAL 15
    SUFFIX "${suffix}" CUDA ${cuda}
    SOURCES lt_library.cpp lt_descriptors.cpp lt_matmul.cpp ${shared})

  # The products of all headers: matrix by matrix, by vector, updates and solves.
  set(functions ${CMAKE_CURRENT_BINARY_DIR}/${blas}_products.cpp)
  set(names "cublas(?!Lt)\\w*?(?:[gG]emm|gemv|syrk|herk|syr2k|her2k|symm|hemm|spmm|trmm|trsm)\\w*")
  add_custom_command(
    OUTPUT ${functions}
    COMMAND Python3::Interpreter ${here}/product_functions.py cublas_api.h cublasXt.h cublas.h
            --compiler ${CMAKE_CXX_COMPILER} -I${cuda} --names "${names}" --out ${functions}
    DEPENDS ${here}/product_functions.py ${here}/../library/name_stubs.py
    VERBATIM)
  mfusim_library_double(${blas}
    FOLDER cuda${cuda_major}
    SONAME libcublas.so.${major}
    EXPORTS ${here}/cublas.map.in
    HEADERS cublas_api.h cublasXt.h cublas.h
    NAMES "cublas(?!Lt)\\w+"
    STATUS cublasStatus_t REFUSAL 15
    SUFFIX "${suffix}" CUDA ${cuda}
    SOURCES handle.cpp dot.cpp legacy.cpp xt.cpp asked.cpp multiply.cpp ${functions} ${shared})
  target_include_directories(${blas} PRIVATE ${here})
  target_link_libraries(${blas} PRIVATE ${lt})

  # Real libcublas and libcublasLt are symbolic, and the former finds the latter beside itself.
  foreach(target ${lt} ${blas})
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic)
    target_compile_definitions(${target} PRIVATE CUBLASAPI=) # cublas_api.h before 13.1 wants it
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH OFF BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  endforeach()
endfunction()
