// dlsym as the program calls it. The real one finds its caller by the return address (RTLD_NEXT), so what is not ours
// must reach it by a jump that leaves the stack as it was.

        .text
        .globl dlsym
        .type dlsym, @function
        .p2align 4
dlsym:
        .cfi_startproc
        pushq %rdi
        .cfi_adjust_cfa_offset 8
        pushq %rsi
        .cfi_adjust_cfa_offset 8
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq 24(%rsp), %rdx             // the return address
        call mfushim_filter             // -> rax: the answer, or 0 and rdx: the handle to ask
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq %rsi
        .cfi_adjust_cfa_offset -8
        popq %rdi
        .cfi_adjust_cfa_offset -8
        testq %rax, %rax
        jnz 1f
        movq %rdx, %rdi
        jmp *mfushim_real_dlsym(%rip)
1:      ret
        .cfi_endproc
        .size dlsym, . - dlsym

        .section .note.GNU-stack, "", @progbits
