#!/usr/bin/env python3
"""What the recorder adds to an eager PyTorch training step that does nothing but launch: kernels take no time, so this is
the worst case, pure host time.

Processes of one pair, bare and recorded, live at the same time and step in turn; a pair gives one difference, the median of
its rounds. The next pair's processes are new ones, because where memory comes to lie changes a process's speed for as long as
it lives: what that alone does, a second bare process shows, the control.
"""
import json
import os
import pathlib
import shutil
import statistics
import sys

from in_turn import step_times

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FRAMEWORK = "torch@2.15"
PAIRS = int(os.environ.get("MFUSHIM_BENCH_PAIRS", "20"))
TURNS = {"rounds": 60, "steps": 10, "cold": 3, "warm_up": 60}
CALLS_PER_STEP = 270  # launches, products, copies and sets
BUDGET_PERCENT = 0.5
RECORDED = {"off": "GPU timing off", "cupti": "CUPTI on"}
OTHERS = {"control": "bare once more"} | RECORDED


def command(work, way):
    """The program, and the environment it runs in."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_OUT", "MFUSHIM_GPU_TIME", "MFUSIM_"))}
    environment |= {"OMP_NUM_THREADS": "1", "MFUSHIM_OUT": str(work), "MFUSHIM_GPU_TIME": way}
    return [SOURCE / "scripts" / "sim", "--framework", FRAMEWORK, "--instant", *(["--shim"] if way in RECORDED else []),
            "--", "python", SOURCE / "tests" / "bench" / "gpt_loop.py"], environment


def run_pair(work):
    """The median step of the bare process, and by way the median of what it adds, in nanoseconds."""
    times = step_times({way: command(work, way) for way in ("bare", *OTHERS)}, **TURNS)
    added = {way: statistics.median(other - bare for other, bare in zip(times[way], times["bare"])) for way in OTHERS}
    return statistics.median(times["bare"]), added


def tell(what, figure, unit, budget=None):
    entry = {"what": what, "figure": figure, "unit": unit} | ({"budget": budget} if budget else {})
    print(json.dumps(entry), flush=True)


def main():
    work = SOURCE / "build" / "bench-logs"
    steps, added = [], {way: [] for way in OTHERS}
    for pair in range(PAIRS):
        step, more = run_pair(work)
        steps.append(step)
        for way in OTHERS:
            added[way].append(more[way])
        print(f"pair {pair + 1}: bare {step:.0f} ns, added {more}", file=sys.stderr)
        shutil.rmtree(work, ignore_errors=True)
    step = statistics.mean(steps)
    tell(f"PyTorch eager step, bare, {PAIRS} pairs", step / 1e6, "ms")
    for way, name in OTHERS.items():
        mean, error = statistics.mean(added[way]), 1.96 * statistics.stdev(added[way]) / PAIRS ** 0.5
        tell(f"PyTorch eager step, added, {name} (95 %: +- {error / step:.2%} of it)", 100 * mean / step, "%",
             BUDGET_PERCENT if way == "off" else None)
        tell(f"PyTorch, added per call, {name} (95 %: +- {error / CALLS_PER_STEP:.0f} ns)", mean / CALLS_PER_STEP, "ns")


if __name__ == "__main__":
    main()
