# mfusim_library_double(TARGET): a shared library that stands in for one of the vendor's.
#   FOLDER DIR       under the build's sim/ folder
#   SONAME NAME      as the vendor's
#   EXPORTS FILE     version script; @SONAME@ in it is replaced
#   HEADERS NAME...  whose functions it exports, as stubs where SOURCES define none
#   NAMES REGEX      of those functions
#   STATUS TYPE REFUSAL N   the library's result type and its value for "not supported"
#   SOURCES FILE...
#   CUDA DIR SUFFIX TEXT    headers of another CUDA major than the build's, and what ends that major's targets
function(mfusim_library_double target)
  cmake_parse_arguments(arg "" "FOLDER;SONAME;EXPORTS;NAMES;STATUS;REFUSAL;CUDA;SUFFIX" "HEADERS;SOURCES"
                        ${ARGN})
  if(NOT arg_CUDA)
    set(arg_CUDA ${MFUSHIM_CUDA_INCLUDE})
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(SONAME ${arg_SONAME})
  configure_file(${arg_EXPORTS} ${made}.map @ONLY)

  add_custom_command(
    OUTPUT ${made}_stubs.cpp
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/sim/library/name_stubs.py ${arg_HEADERS}
            --compiler ${CMAKE_CXX_COMPILER} -I${arg_CUDA} -I${MFUSHIM_NCCL_INCLUDE}
            $<$<BOOL:${MFUSHIM_CUDNN_INCLUDE}>:-I${MFUSHIM_CUDNN_INCLUDE}>
            --names "${arg_NAMES}" --library ${arg_SONAME} --status ${arg_STATUS}
            --refusal ${arg_REFUSAL} --out ${made}_stubs.cpp
    DEPENDS ${PROJECT_SOURCE_DIR}/tests/sim/library/name_stubs.py
    COMMAND_EXPAND_LISTS
    VERBATIM)

  add_library(${target} SHARED ${arg_SOURCES} ${made}_stubs.cpp)
  string(REGEX MATCH "^lib(.+)(\\.so\\.[0-9]+)$" _ ${arg_SONAME})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${CMAKE_MATCH_1} SUFFIX ${CMAKE_MATCH_2} NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/sim/${arg_FOLDER}
    LINK_DEPENDS ${made}.map
    SKIP_BUILD_RPATH ON)
  target_link_options(${target} PRIVATE
    -Wl,-soname,${arg_SONAME} -Wl,--version-script=${made}.map -Wl,-z,defs)
  target_link_libraries(${target} PRIVATE mfusim_library${arg_SUFFIX} ${CMAKE_DL_LIBS})
  mfushim_warnings(${target})
endfunction()
