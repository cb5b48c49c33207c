// The ways into the hooks: the exported symbols, and a pool of entries to be handed out for pointers that were looked up.
// Each says in r11 which entry it is; what follows keeps all arguments and the caller's return address in place.

#include "known_versions.h"

        .text
        .p2align 4
        .type mfushim_enter, @function
mfushim_enter:
        .cfi_startproc
        movq mfushim_entry@gottpoff(%rip), %r10
        movq %r11, %fs:(%r10)
        jmp *(%r11)
        .cfi_endproc
        .size mfushim_enter, . - mfushim_enter

        .macro exported symbol, table
        .if declared
        .globl \symbol
        .type \symbol, @function
        .p2align 4
\symbol:
        .cfi_startproc
        leaq \table + 40 * row(%rip), %r11
        jmp mfushim_enter
        .cfi_endproc
        .size \symbol, . - \symbol
        .endif
        .set row, row + 1
        .endm

#define VERSION MFUSHIM_CUDA_VERSION
#define OWN MFUSHIM_CUDA_OWN
#define MFUSHIM_API(symbol, api_class, since, until) \
        .set declared, MFUSHIM_IS_DECLARED(VERSION, OWN, since, until); exported symbol, TABLE

        .set row, 0
#define TABLE mfushim_exported_cublas
#include "mfushim/format/apis_cublas.def"
#undef TABLE

        .set row, 0
#define TABLE mfushim_exported_cublaslt
#include "mfushim/format/apis_cublaslt.def"
#undef TABLE

        .set row, 0
#define TABLE mfushim_exported_cupti
#include "mfushim/format/apis_cupti.def"
#undef TABLE

        .set row, 0
#define TABLE mfushim_exported_driver
#include "mfushim/format/apis_driver.def"
#undef TABLE

        .set row, 0
#define TABLE mfushim_exported_runtime
#include "mfushim/format/apis_runtime.def"
#undef TABLE

#undef VERSION
#undef OWN
#define VERSION MFUSHIM_CUDNN_VERSION
#define OWN MFUSHIM_CUDNN_OWN
        .set row, 0
#define TABLE mfushim_exported_cudnn
#include "mfushim/format/apis_cudnn.def"
#undef TABLE

#undef VERSION
#undef OWN
#define VERSION MFUSHIM_NCCL_VERSION
#define OWN MFUSHIM_NCCL_OWN
        .set row, 0
#define TABLE mfushim_exported_nccl
#include "mfushim/format/apis_nccl.def"
#undef TABLE

        .hidden mfushim_pool_code
        .globl mfushim_pool_code
        .type mfushim_pool_code, @function
        .p2align 4
mfushim_pool_code:
        .cfi_startproc
        .set row, 0
        .rept MFUSHIM_ENTRY_POOL
        leaq mfushim_pool + 40 * row(%rip), %r11
        jmp mfushim_enter
        .p2align 4
        .set row, row + 1
        .endr
        .cfi_endproc
        .size mfushim_pool_code, . - mfushim_pool_code

        .section .note.GNU-stack, "", @progbits
