"""PyTorch under the recorder in each mode, against torch.profiler, FlopCounterMode and itself without the recorder: a table,
and all figures as JSON.

usage: torch_modes.py --build DIR --out DIR [--sim]      (--sim: on the simulated GPU, which shows that all of this works)
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "bench"))

from in_turn import step_times  # noqa: E402

STEPS = 5
CLOSE = 0.01      # of kernels' times in two runs of one program
BUDGET = 0.005    # of a step
LARGEST_LOG = 1 << 20
MODES = ("off", "events", "auto", "cupti")
TURNS = {"rounds": 30, "steps": 10, "cold": 2, "warm_up": 10}


class Acceptance:
    def __init__(self, options):
        self.build, self.out, self.is_sim = options.build.resolve(), options.out.resolve(), options.sim
        self.rows = []

    def tell(self, what, good, figure):
        """`good`: None where the figure is not held against anything."""
        verdict = {None: "--", True: "ok", False: "FAILED"}[good]
        print(f"{verdict:7} {what:58} {figure}", flush=True)
        self.rows.append({"what": what, "verdict": verdict, "figure": figure})

    def command(self, *arguments, mode=None, logs=None):
        """train.py with these arguments, and its environment; recorded where a mode is given."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_", "MFUSIM_"))}
        environment |= {"MFUSHIM_BUILD_DIR": str(self.build), "OMP_NUM_THREADS": "1"}
        if mode:
            environment |= {"MFUSHIM_GPU_TIME": mode, "MFUSHIM_OUT": str(self.out / logs)}
        start = ["python3"]
        if self.is_sim:
            start = [SOURCE / "scripts" / "sim", "--framework", "torch@2.15", *(["--shim"] if mode else []), "--", "python"]
        elif mode:
            environment["LD_PRELOAD"] = str(self.build / "libmfushim.so")
        size = "small" if self.is_sim else "large"
        kind, *rest = arguments
        return [*start, SOURCE / "tests" / "acceptance" / "train.py", kind, size, *rest], environment

    def run(self, *arguments, **how):
        command, environment = self.command(*arguments, **how)
        done = subprocess.run(command, env=environment, input=f"{STEPS}\n", capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"train.py {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr[-2000:]}")

    def observe(self, kind, name, **how):
        """What torch.profiler saw of a run."""
        self.run(kind, self.out / f"{name}.json", **how)
        return json.loads((self.out / f"{name}.json").read_text())

    def report(self, logs):
        done = subprocess.run([self.build / "mfushim", "report", "--json", self.out / logs], capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)

    def check_kind(self, kind):
        if kind == "compile":
            self.run(kind)  # what the compiler tries out it tries here
        seen = self.observe(kind, f"{kind}-profiler")
        if kind == "eager":
            self.flops_per_step = seen["flops_per_step"]
        self.run(kind, mode="cupti", logs=f"{kind}-logs")
        report = self.report(f"{kind}-logs")
        launches, records = report["coverage"]["launches"], report["coverage"]["gpu_records"]
        self.tell(f"{kind}: launches without a GPU record", launches["without"] == 0, launches["without"])
        bad = sum(records[name] for name in ("without_launch", "invalid", "dropped"))
        self.tell(f"{kind}: GPU records lost or left out", bad == 0, bad)
        ours = {row["name"]: row["calls"] for row in report["kernels"]}
        self.tell(f"{kind}: kernels by name as torch.profiler", ours == seen["kernels"],
                  f"{sum(ours.values())}, torch.profiler {sum(seen['kernels'].values())}")
        time = sum(row["total_ns"] for row in report["kernels"]) / 1e3
        self.tell(f"{kind}: their time within {CLOSE:.0%}", abs(time / seen["kernel_us"] - 1) <= CLOSE,
                  f"{time / 1e3:.3f} ms, torch.profiler {seen['kernel_us'] / 1e3:.3f} ms")
        flops = sum(row["flops"] for row in report["gemms"])
        self.tell(f"{kind}: FLOPs of products as FlopCounterMode", flops == self.flops_per_step * seen["steps"],
                  f"{flops}, {seen['steps']} steps of {self.flops_per_step}")
        self.check_busy(kind, report, seen)

    def check_busy(self, kind, report, seen):
        """Time in which kernels run, any number at once."""
        busy, end = 0.0, 0.0
        for start, duration in sorted(seen["spans"]):
            busy += max(0.0, start + duration - max(start, end))
            end = max(end, start + duration)
        ours = sum(rank["time"]["compute_ns"] + rank["time"]["exposed_comm_ns"] for rank in report["ranks"]) / 1e3
        self.tell(f"{kind}: busy time within {CLOSE:.0%}", abs(ours / busy - 1) <= CLOSE,
                  f"{ours / 1e3:.3f} ms, torch.profiler {busy / 1e3:.3f} ms")

    def check_events(self):
        """Products timed by events run as fast as CUPTI says."""
        self.run("eager", mode="events", logs="events-logs")
        by_cupti = {(row["m"], row["n"], row["k"], row["trans"]): row for row in self.report("eager-logs")["gemms"]}
        ratios = [by_cupti[shape]["flops_per_s"] / row["flops_per_s"] for row in self.report("events-logs")["gemms"]
                  if "flops_per_s" in row and (shape := (row["m"], row["n"], row["k"], row["trans"])) in by_cupti]
        self.tell("events: time of products, by CUPTI's", None,
                  f"{statistics.median(ratios):.3f} in the median of {len(ratios)} shapes" if ratios else "none was timed")

    def check_coexistence(self):
        bare = self.observe("eager", "alone")
        beside = self.observe("eager", "beside", mode="auto", logs="beside-logs")
        self.tell("torch.profiler sees the same under the recorder", beside["kernels"] == bare["kernels"],
                  f"{sum(beside['kernels'].values())} kernels, alone {sum(bare['kernels'].values())}")

    def check_cost(self):
        """A step of each mode against a bare one, processes in turn."""
        commands = {"bare": self.command("eager"), "control": self.command("eager")}
        commands |= {mode: self.command("eager", mode=mode, logs=f"cost-{mode}") for mode in MODES}
        times = step_times(commands, **TURNS)
        for name in ("control", *MODES):
            added = [other / bare - 1 for other, bare in zip(times[name], times["bare"])]
            mean, error = statistics.mean(added), 1.96 * statistics.stdev(added) / len(added) ** 0.5
            good = None if name == "control" or self.is_sim else mean - error <= BUDGET
            self.tell(f"cost of a step: {name}", good, f"{mean:+.2%} (95 %: +- {error:.2%})")

    def keep_log(self):
        for log in sorted((self.out / "eager-logs").glob("*.mfl")):
            if log.stat().st_size < LARGEST_LOG:
                shutil.copy(log, self.out / "real.mfl")
                return self.tell("log to be kept", None, f"{self.out / 'real.mfl'}, {log.stat().st_size} bytes")
        self.tell("log to be kept", None, "none is small enough")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sim", action="store_true")
    acceptance = Acceptance(parser.parse_args())
    shutil.rmtree(acceptance.out, ignore_errors=True)
    acceptance.out.mkdir(parents=True)
    for kind in ("eager", "compile", "graph"):
        acceptance.check_kind(kind)
    acceptance.check_events()
    acceptance.check_coexistence()
    acceptance.check_cost()
    acceptance.keep_log()
    (acceptance.out / "result.json").write_text(json.dumps(acceptance.rows, indent=1))
    return 1 if any(row["verdict"] == "FAILED" for row in acceptance.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
