"""Runs a program once for each of several lists of arguments, each time in a process forked from one that has imported
PyTorch, which takes far longer than the program. Writes down which process that was, and, where asked, what FlopCounterMode
counted in it.

usage: each.py OUT PROGRAM CASES     (CASES: JSON, a list of {"arguments": [...], "counted": bool}; OUT/case-NUMBER-RANK.json)
"""
import contextlib
import json
import os
import pathlib
import runpy
import sys

# What programs would import otherwise, each time: optimizers the first, compiled functions the second.
import torch._dynamo
import torch._inductor.compile_fx
import torch.distributed.tensor.parallel
from torch.utils import flop_counter


def run(out, program, number, case):
    os.environ["MASTER_PORT"] = str(int(os.environ.get("MASTER_PORT", 0)) + number)  # the last one's may not be free yet
    sys.argv[:] = [program, *case["arguments"]]
    flops = flop_counter.FlopCounterMode(display=False)
    with flops if case["counted"] else contextlib.nullcontext():
        runpy.run_path(program, run_name="__main__")
    operators = {str(operator): int(count) for operator, count in flops.get_flop_counts().get("Global", {}).items()}
    rank = os.environ.get("RANK", "0")
    (out / f"case-{number}-{rank}.json").write_text(json.dumps({"pid": os.getpid(), "flops": operators}))


def main():
    out, program, cases = pathlib.Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    for number, case in enumerate(cases):
        child = os.fork()
        if child == 0:
            return run(out, program, number, case)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(f"case {number} failed: {case['arguments']}")


main()
