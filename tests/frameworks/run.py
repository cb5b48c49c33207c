"""Runs one program of a framework, unmodified, on the simulated GPU: bare, under the recorder, and with the recorder
disabled. Demands that the program notices nothing, and that the report equals the simulator's truth. Then runs it under
the framework's own observers, and demands that all agree.

usage: run.py --build DIR [--framework NAME] PROGRAM      (a row of table.py; exits 77 where the framework cannot be had)
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "integration"))

import doors  # noqa: E402
import flight_record  # noqa: E402
import harmless  # noqa: E402
import oracles  # noqa: E402
import table  # noqa: E402
import three_ways  # noqa: E402
import truth as truth_file  # noqa: E402
from mismatch import Mismatch, equal  # noqa: E402

SKIPPED, UNAVAILABLE = 77, 69  # the latter: scripts/framework could not fetch the wheels


def why_missing(build, framework):
    """Why the framework's environment cannot be had; None where it is there."""
    settings = dict(os.environ, MFUSHIM_BUILD_DIR=str(build))
    done = subprocess.run([SOURCE / "scripts" / "framework", framework], env=settings, capture_output=True, text=True,
                          check=False)
    if done.returncode == UNAVAILABLE:
        return done.stderr.strip().splitlines()[-1]
    if done.returncode != 0:
        raise Mismatch(f"scripts/framework {framework}: {done.stderr.strip()}")
    return None


class Runs:
    """Where one program's runs leave what they say and what really happened."""

    def __init__(self, build, framework, name):
        self.build, self.framework, self.program = build, framework, table.program(framework, name)
        self.work = build / "frameworks" / "tests" / framework / name
        self.script = str(HERE / "programs" / f"{name}.py")
        shutil.rmtree(self.work, ignore_errors=True)

    def run(self, way, observer=(), arguments=(), shim=True, **settings):
        folder = self.work / way
        folder.mkdir(parents=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_", "MFUSIM_"))}
        environment |= {"MFUSHIM_BUILD_DIR": str(self.build), "MFUSHIM_OUT": str(folder / "logs"),
                        "OMP_NUM_THREADS": "1", "MFUSIM_TRUTH_CALLS": "1", "PYTHONDONTWRITEBYTECODE": "1",
                        "TORCHINDUCTOR_CACHE_DIR": str(self.work / "inductor"), "TRITON_CACHE_DIR": str(self.work / "triton")}
        start = ["python"] if self.program.ranks == 1 else ["torchrun", f"--nproc-per-node={self.program.ranks}"]
        command = [SOURCE / "scripts" / "sim", "--framework", self.framework, "--gpus", str(self.program.ranks),
                   "--truth", folder, *(["--shim"] if shim else []), "--", *start, *observer, self.script,
                   *arguments]
        done = subprocess.run(command, env=environment | settings, cwd=folder, capture_output=True, text=True, check=False)
        (folder / "stdout").write_text(done.stdout)
        (folder / "stderr").write_text(done.stderr)
        return done

    def truths(self, way):
        return truth_file.read_truth(self.work / way)

    def observed(self, what, way="observed"):
        """What observe.py wrote of each process: its "counts" or its "trace"."""
        return [json.loads(path.read_text()) for path in sorted((self.work / way).glob(f"{what}-*.json"))]

    def report(self, way):
        return three_ways.report(self.build, self.work / way / "logs")


def check_three_ways(runs):
    if runs.program.compiled:  # fills the compilers' caches, so that nothing is tuned while we look
        runs.run("warm-up", shim=False)
    ways = {"bare": runs.run("bare", shim=False), "recorded": runs.run("recorded"),
            "disabled": runs.run("disabled", MFUSHIM_DISABLE="1")}
    for way, done in ways.items():
        equal(f"exit code {way}", done.returncode, runs.program.exit_code)
        equal(f"standard output {way}", done.stdout, ways["bare"].stdout)
        equal(f"the recorder's messages {way}", [s for s in done.stderr.splitlines() if "mfushim:" in s], [])
    harmless.check_guard(runs)
    harmless.check_logs(runs)
    if runs.program.calls:
        harmless.check_calls(runs)
    if runs.program.exit_code:
        return harmless.check_cut_short(runs)
    truths, document = runs.truths("recorded"), runs.report("recorded")
    for check in (three_ways.check_times, three_ways.check_kernels, three_ways.check_launches, three_ways.check_gemms,
                  three_ways.check_collectives):
        check(document, truths)
    records = sum(rank["time"]["records"] for rank in document["ranks"])
    return f"{len(truths)} processes, {records} device records equal the truth; {doors.check(runs)}"


def observe(runs, way, **settings):
    observer = (str(HERE / "observe.py"), str(runs.work / way))
    done = runs.run(way, observer, MFUSHIM_GPU_TIME="off", TORCH_NCCL_TRACE_BUFFER_SIZE="2000", **settings)
    equal(f"exit code {way}", done.returncode, runs.program.exit_code)
    return way


def check_observed(runs):
    if runs.program.compiled:  # FLOPs are those of the same program when it is not compiled
        observe(runs, "observed", OBSERVE_FLOPS="0")
        counted = observe(runs, "counted", TORCH_COMPILE_DISABLE="1")
    else:
        counted = observe(runs, "observed")
    said = [oracles.check_flops(runs, counted), oracles.check_profiler(runs), flight_record.check(runs)]
    return "; ".join(s for s in said if s)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--framework", default="torch@2.15")
    parser.add_argument("program", choices=sorted(table.PROGRAMS))
    options = parser.parse_args()
    try:
        if missing := why_missing(options.build, options.framework):
            print(f"skipped: {missing}")
            return SKIPPED
        runs = Runs(options.build.resolve(), options.framework, options.program)
        print(f"{options.program}: {check_three_ways(runs)}")
        if runs.program.observed:
            print(f"{options.program}: {check_observed(runs)}")
    except Mismatch as mismatch:
        print(f"{options.program}: {mismatch} (files: {runs.work})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
