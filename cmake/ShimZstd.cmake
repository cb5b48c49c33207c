# Makes mfushim_zstd_pic: zstd for the recorder, position-independent, hidden, from the single-file source that
# scripts/setup puts into .cache/zstd (Debian's libzstd.a does not link into a shared object).

set(_zstd ${PROJECT_SOURCE_DIR}/.cache/zstd)
if(NOT EXISTS ${_zstd}/zstd.c)
  message(FATAL_ERROR "zstd's source is not in .cache/zstd: run scripts/setup, or build only the analyzer with "
                      "-DMFUSHIM_BUILD_SHIM=OFF.")
endif()

# The source asks for zstd's thread pool unconditionally; the recorder compresses on its own writer thread, and
# pthread_create would raise the glibc version that the recorder needs.
file(READ ${_zstd}/zstd.c _source)
string(REPLACE "#define ZSTD_MULTITHREAD\n" "" _source_without_threads "${_source}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/zstd/zstd.c CONTENT "@_source_without_threads@" @ONLY)

add_library(mfushim_zstd_pic STATIC ${PROJECT_BINARY_DIR}/zstd/zstd.c)
target_include_directories(mfushim_zstd_pic SYSTEM PUBLIC ${_zstd})
target_compile_definitions(mfushim_zstd_pic
  PUBLIC ZSTDLIB_VISIBLE= ZSTDLIB_HIDDEN= ZSTDERRORLIB_VISIBLE= # the header's defaults export every function
  PRIVATE ZDICTLIB_VISIBLE= ZSTD_DISABLE_ASM=1)
target_compile_options(mfushim_zstd_pic PRIVATE -O2 -w -ffunction-sections -fdata-sections)
set_target_properties(mfushim_zstd_pic PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
