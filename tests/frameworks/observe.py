"""Runs a program as it is, under PyTorch's own observers, and writes down what those counted: floating-point operations
by FlopCounterMode, work of the GPU by torch.profiler, collectives by c10d's flight recorder.

usage: observe.py OUT PROGRAM [ARG...]     (OUT is a folder; each process writes OUT/observed-RANK.json, .trace.json)

With OBSERVE_FLOPS=0 in the environment FlopCounterMode stays out: under it nothing is compiled.
"""
import contextlib
import json
import os
import pathlib
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode


def flight_record():
    """The collectives that c10d noted, in order."""
    c10d = torch._C._distributed_c10d
    if not hasattr(c10d, "_dump_fr_trace_json"):
        return json.loads(c10d._dump_nccl_trace_json(True, False)).get("entries", [])
    dumps = [json.loads(c10d._dump_fr_trace_json(True, False, backend=backend)) for backend in ("nccl", "nccl2")]
    return [entry for dump in dumps for entry in dump.get("entries", [])]


def main():
    out, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    rank = os.environ.get("RANK", "0")
    sys.argv[:] = sys.argv[2:]
    sys.path.insert(0, str(pathlib.Path(program).resolve().parent))
    torch.cuda.init()
    flops = FlopCounterMode(display=False)
    counting = flops if os.environ.get("OBSERVE_FLOPS") != "0" else contextlib.nullcontext()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        with counting:
            runpy.run_path(program, run_name="__main__")
        torch.cuda.synchronize()
    profiler.export_chrome_trace(str(out / f"observed-{rank}.trace.json"))
    operators = {str(operator): int(count) for operator, count in flops.get_flop_counts().get("Global", {}).items()}
    observed = {"pid": os.getpid(), "flops": operators, "collectives": flight_record()}
    (out / f"observed-{rank}.json").write_text(json.dumps(observed, indent=1))


main()
