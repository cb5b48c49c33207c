"""Makes assembly of trampolines for all CUDA functions that an object file refers to: each looks the real function up at
its first call and jumps to it, as TensorFlow's and XLA's do.

Usage: trampolines.py OBJECT > FILE.S
"""

import re
import subprocess
import sys

HEAD = """        .text
        .type enter, @function
enter:                                  // r11: the slot
        movq (%r11), %rax
        testq %rax, %rax
        jnz 1f
        pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %r11
        movq 8(%r11), %rdi
        call coverage_resolve
        popq %r11; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi
        movq %rax, (%r11)
1:      jmp *%rax
"""
ONE = """        .globl {name}
        .type {name}, @function
{name}: leaq slot_{name}(%rip), %r11
        jmp enter
        .data
slot_{name}: .quad 0, text_{name}
text_{name}: .string "{name}"
        .balign 8
        .text
"""


def main(path):
    listed = subprocess.run(["nm", "-u", path], check=True, capture_output=True, text=True).stdout
    names = [name for name in listed.split() if re.match(r"(cu|nccl|__cuda)", name)]
    print(HEAD + "".join(ONE.format(name=name) for name in names) + '        .section .note.GNU-stack, "", @progbits')


main(*sys.argv[1:])
