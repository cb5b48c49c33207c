"""The recorder where device times are refused, lost or not wanted, and where `mfushim run` starts it: the program
must not notice, and the log must say what is missing.

usage: recorder.py --build DIR --program TWO_STREAMS
"""

import argparse
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

from environment import job_environment
from mismatch import Mismatch, equal, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LAUNCHES, COPIES = 40, 10  # of the program: 10 rounds of one copy and 4 kernels


class Place:
    """The simulated GPU, and a folder for logs."""

    def __init__(self, build, folder):
        self.build, self.logs = build, pathlib.Path(folder) / "logs"
        self.environment = job_environment(build, MFUSHIM_OUT=str(self.logs))

    def sim(self, *command, shim=True, **settings):
        words = [SOURCE / "scripts" / "sim", *(["--shim"] if shim else []), "--", *command]
        return subprocess.run(words, env=self.environment | settings, capture_output=True, text=True, check=False)

    def dump(self):
        logs = list(self.logs.iterdir())
        equal("logs", len(logs), 1)
        command = [self.build / "mfushim", "dump", logs[0]]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rows(dump, kind):
    """The records of one kind, as text."""
    blocks = re.findall(rf"^block {kind} lane=\d+\n((?:  .*\n)*)", dump, re.MULTILINE)
    return [row for block in blocks for row in block.splitlines()]


def device_times(place, program, settings, source, reason, lost, errors):
    bare = place.sim(program, shim=False)
    done = place.sim(program, **settings)
    equal("output and exit code", (done.stdout, done.returncode), (bare.stdout, bare.returncode))
    equal("messages", done.stderr, errors)
    dump = place.dump()
    equal("launches", len(rows(dump, "launch")), LAUNCHES)
    (told,) = rows(dump, "gpu_time")
    if f"source={source} " not in told or reason not in told:
        raise Mismatch(f"gpu_time is {told}")
    losses = [int(re.search(r"count=(\d+)", row)[1]) for row in rows(dump, "loss") if "cause=gpu_dropped" in row]
    if (sum(losses) > 0) != lost:
        raise Mismatch(f"losses: {rows(dump, 'loss')}")
    work = len(rows(dump, "gpu_kernel")) + len(rows(dump, "gpu_copy"))
    equal("device records", work + sum(losses), LAUNCHES + COPIES if source == "cupti" else 0)


def started_by_run(place, program):
    mfushim = place.build / "mfushim"
    done = place.sim(mfushim, "run", "--out", place.logs, "--gpu-time", "off", "--", program, shim=False)
    equal("exit code", done.returncode, 0)
    equal("launches", len(rows(place.dump(), "launch")), LAUNCHES)
    for command, code in [(["sh", "-c", "exit 7"], 7), (["/nonexistent"], 127), (["/etc/passwd"], 126)]:
        done = place.sim(mfushim, "run", "--", *command, shim=False)
        equal(f"exit code of {command}", done.returncode, code)
    equal("exit code without a command", place.sim(mfushim, "run", shim=False).returncode, 2)


REFUSED = "cuptiSubscribe: error 39, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
CASES = {
    "whole": ({}, "cupti", "", False, ""),
    "refused": ({"MFUSIM_CUPTI": "refuse39"}, "none", REFUSED, False, ""),
    "refused though asked for": ({"MFUSIM_CUPTI": "refuse39", "MFUSHIM_GPU_TIME": "cupti"}, "none", REFUSED, False,
                                 f"mfushim: no device times: {REFUSED}\n"),
    "failing": ({"MFUSIM_CUPTI": "refuse999"}, "none", "error 999", False, ""),
    "dropping": ({"MFUSIM_CUPTI": "drop:5"}, "cupti", "", True, ""),
    "off": ({"MFUSHIM_GPU_TIME": "off"}, "none", "MFUSHIM_GPU_TIME=off", False, ""),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def in_a_place(check, *case):
        with tempfile.TemporaryDirectory() as folder:
            check(Place(options.build.resolve(), folder), options.program, *case)

    checks = {name: functools.partial(in_a_place, device_times, *case) for name, case in CASES.items()}
    checks["mfushim run"] = functools.partial(in_a_place, started_by_run)
    return run_checks(checks)


if __name__ == "__main__":
    sys.exit(main())
