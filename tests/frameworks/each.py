"""Runs commands of Python one after another, each in a process forked from one that has imported PyTorch, which takes far
longer than most programs. Ends with the first that fails.

usage: each.py CASES     (a JSON file: a list of {"folder": ..., "environment": {...}, "command": [SCRIPT, ARG...]};
                          in its folder a command runs, and leaves what it says: stdout, stderr)
"""
import gc
import json
import os
import pathlib
import runpy
import sys

# What programs would import otherwise, each time: optimizers the first, compiled functions the second.
import torch._dynamo
import torch._inductor.compile_fx
import torch.distributed.tensor.parallel
import torch.profiler
import torch.utils.flop_counter


def run(number, folder, environment, command):
    os.environ.update(environment)
    os.environ["MASTER_PORT"] = str(int(os.environ.get("MASTER_PORT", 0)) + number)  # the last one's may not be free yet
    os.chdir(folder)
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)  # all ranks' in one
    sys.argv[:] = command
    sys.path[0] = str(pathlib.Path(command[0]).parent)
    runpy.run_path(command[0], run_name="__main__")


def main():
    gc.freeze()  # what is imported is no garbage, in no child
    for number, case in enumerate(json.loads(pathlib.Path(sys.argv[1]).read_text())):
        child = os.fork()
        if child == 0:
            return run(number, **case)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(f"failed: {case}")


main()
