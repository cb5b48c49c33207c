"""Trains a transformer, eager, compiled, or by a CUDA graph of the whole step: for each number of steps that it reads from
standard input it does so many, and prints how long one took, in nanoseconds, the GPU's work included.

usage: train.py eager|compile|graph small|large [OBSERVED.json]

With a third argument all of it runs under torch.profiler, and what that saw is written there.
"""
import collections
import contextlib
import json
import os
import pathlib
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "frameworks" / "programs"))
import gpt

KIND, SIZE = sys.argv[1:3]
SIZES = {"small": ({"layers": 2}, {}),
         "large": ({"layers": 8, "width": 2048, "heads": 16, "length": 1024}, {"size": 8, "length": 1024})}
WARM_UP = 3  # steps before the graph is captured


class Training:
    def __init__(self):
        shape, batch = SIZES[SIZE]
        with torch.device("cuda"):
            self.model = gpt.Gpt(**shape)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True, capturable=True)
        self.batch = gpt.batch(**batch)
        self.loss_of = torch.compile(gpt.loss_of) if KIND == "compile" else gpt.loss_of
        self.done = 0  # steps that the GPU did
        self.step = self.captured() if KIND == "graph" else self.do_step

    def do_step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=KIND != "graph"):
            loss = self.loss_of(self.model, *self.batch)
        loss.backward()
        self.optimizer.step()
        self.done += 1

    def captured(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                self.do_step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.do_step()
        self.done -= 1

        def replay():
            graph.replay()
            self.done += 1

        return replay

    def flops_of_step(self):
        """Of its matrix products; counting makes them, too."""
        with FlopCounterMode(display=False) as counter:
            self.do_step()
        flops = counter.get_flop_counts()["Global"]
        return sum(count for operator, count in flops.items() if str(operator).split(".")[1] in ("mm", "addmm", "bmm", "baddbmm"))


def run(training):
    for line in sys.stdin:
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        for _ in range(int(line)):
            training.step()
        torch.cuda.synchronize()
        print((time.perf_counter_ns() - begin) // int(line), flush=True)


def main():
    observed = sys.argv[3] if len(sys.argv) > 3 else None
    torch.cuda.init()
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities) if observed else contextlib.nullcontext() as profiler:
        training = Training()
        run(training)
    if not observed:
        return
    trace = observed + ".trace"
    profiler.export_chrome_trace(trace)
    events = json.loads(pathlib.Path(trace).read_text())["traceEvents"]
    os.remove(trace)
    kernels = [event for event in events if event.get("cat") == "kernel"]
    seen = {"steps": training.done, "spans": [(event["ts"], event["dur"]) for event in kernels],
            "kernels": collections.Counter(event["name"] for event in kernels),
            "kernel_us": sum(event["dur"] for event in kernels)}
    if KIND == "eager":
        seen["flops_per_step"] = training.flops_of_step()
    pathlib.Path(observed).write_text(json.dumps(seen))


main()
