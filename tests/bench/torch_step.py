#!/usr/bin/env python3
"""What the recorder adds to an eager PyTorch training step that does nothing but launch: kernels take no time, so this is
the worst case, pure host time. Runs bare and recorded alternate; each pair gives one difference of medians.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FRAMEWORK = "torch@2.15"
PAIRS, STEPS = int(os.environ.get("MFUSHIM_BENCH_PAIRS", "20")), 300
CALLS_PER_STEP = 270  # launches, products, copies and sets
BUDGET_PERCENT = 0.5


def median_step(work, way):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_OUT", "MFUSHIM_GPU_TIME", "MFUSIM_"))}
    environment |= {"OMP_NUM_THREADS": "1", "MFUSHIM_OUT": str(work), "MFUSHIM_GPU_TIME": "cupti" if way == "cupti" else "off"}
    command = [SOURCE / "scripts" / "sim", "--framework", FRAMEWORK, "--instant", *([] if way == "bare" else ["--shim"]),
               "--", "python", SOURCE / "tests" / "frameworks" / "programs" / "gpt_loop.py", str(STEPS)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    for log in work.glob("*.mfl"):
        log.unlink()
    return int(done.stdout)


def tell(what, figure, unit, budget=None):
    entry = {"what": what, "figure": figure, "unit": unit} | ({"budget": budget} if budget else {})
    print(json.dumps(entry), flush=True)


def main():
    work = SOURCE / "build" / "bench-logs"
    times = {"bare": [], "off": [], "cupti": []}
    for pair in range(PAIRS):
        order = list(times) if pair % 2 == 0 else list(reversed(times))
        for way in order:
            times[way].append(median_step(work, way))
        print(f"pair {pair + 1}: " + ", ".join(f"{way} {series[-1]} ns" for way, series in times.items()), file=sys.stderr)
    step = statistics.mean(times["bare"])
    tell("PyTorch eager step, bare", step / 1e6, "ms")
    for way, name in (("off", "GPU timing off"), ("cupti", "CUPTI on")):
        added = [recorded - bare for recorded, bare in zip(times[way], times["bare"])]
        mean, error = statistics.mean(added), 1.96 * statistics.stdev(added) / PAIRS ** 0.5
        tell(f"PyTorch eager step, added, {name} (+- {error / step:.2%} of it)", 100 * mean / step, "%",
             BUDGET_PERCENT if way == "off" else None)
        tell(f"PyTorch, added per call, {name} (+- {error / CALLS_PER_STEP:.0f} ns)", mean / CALLS_PER_STEP, "ns")


if __name__ == "__main__":
    main()
