"""However a PyTorch program ends, its log is readable and has every launch up to that moment.

usage: ends.py --build DIR [--framework NAME]      (exits 77 where the framework cannot be had)
"""
import signal
import sys

import table
from command import run_checks
from runs import HERE, Runs

from mismatch import Mismatch, equal

ENDS = {"normal": 0, "exception": 1, "sys.exit": 3, "os._exit": 4, "SIGTERM": 128 + signal.SIGTERM,
        "SIGKILL": 128 + signal.SIGKILL}


def check(runs, how, exit_code):
    done = runs.run(how, arguments=(how,), LEAVE_GARBAGE="")
    # The shell that started the program says 128 + the signal; where it became the program, Python says -signal.
    equal(f"{how}: exit code", done.returncode if done.returncode >= 0 else 128 - done.returncode, exit_code)
    equal(f"{how}: standard output", done.stdout, "worked\n")
    (truth,) = runs.truths(how).values()
    launches = truth.launches()
    if launches < 40:
        raise Mismatch(f"{how}: only {launches} launches in the truth file")
    document = runs.report(how)
    equal(f"{how}: launches", document["coverage"]["launches"]["seen_by_api"], launches)
    equal(f"{how}: products", sum(g["calls"] for g in document["gemms"]), len(truth.lines["gemm"]))
    print(f"{how}: {launches} launches, all in the log")


def check_all(build, framework):
    runs = Runs(build, framework, HERE / "programs" / "ends.py", table.Program())
    for how, exit_code in ENDS.items():
        check(runs, how, exit_code)


if __name__ == "__main__":
    sys.exit(run_checks("ends", check_all))
