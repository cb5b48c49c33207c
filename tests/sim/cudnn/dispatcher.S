// One exported function for each of cuDNN's: finds the function of its own name at its first call and goes there with
// all arguments in place.

        .text
        .p2align 4
        .type find_and_go, @function
// rax: the name; r11: where to keep what is found.
find_and_go:
        .cfi_startproc
        pushq %r11
        .cfi_adjust_cfa_offset 8
        .irp register, rdi, rsi, rdx, rcx, r8, r9
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .endr
        subq $64, %rsp
        .cfi_adjust_cfa_offset 64
        .irp register, 0, 1, 2, 3, 4, 5, 6, 7
        movsd %xmm\register, 8*\register(%rsp)
        .endr
        movq %rax, %rdi
        call mfusim_cudnn_behind
        .irp register, 0, 1, 2, 3, 4, 5, 6, 7
        movsd 8*\register(%rsp), %xmm\register
        .endr
        addq $64, %rsp
        .cfi_adjust_cfa_offset -64
        .irp register, r9, r8, rcx, rdx, rsi, rdi, r11
        popq %\register
        .cfi_adjust_cfa_offset -8
        .endr
        movq %rax, (%r11)
        jmp *%rax
        .cfi_endproc
        .size find_and_go, . - find_and_go

        .macro forward symbol
        .section .rodata
name_of_\symbol:
        .asciz "\symbol"
        .bss
        .p2align 3
kept_\symbol:
        .quad 0
        .text
        .globl \symbol
        .type \symbol, @function
        .p2align 4
\symbol:
        .cfi_startproc
        movq kept_\symbol(%rip), %rax
        testq %rax, %rax
        jz 1f
        jmp *%rax
1:      leaq name_of_\symbol(%rip), %rax
        leaq kept_\symbol(%rip), %r11
        jmp find_and_go
        .cfi_endproc
        .size \symbol, . - \symbol
        .endm

#include MFUSIM_FORWARDS

        .section .note.GNU-stack, "", @progbits
