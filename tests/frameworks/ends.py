"""However a PyTorch program ends, its log is readable and has every launch up to that moment.

usage: ends.py --build DIR [--framework NAME]      (exits 77 where the framework cannot be had)
"""
import argparse
import pathlib
import signal
import sys

import table
from runs import HERE, SKIPPED, Runs, why_missing

from mismatch import Mismatch, equal

ENDS = {"normal": 0, "exception": 1, "sys.exit": 3, "os._exit": 4, "SIGTERM": 128 + signal.SIGTERM,
        "SIGKILL": 128 + signal.SIGKILL}


def check(runs, how, exit_code):
    done = runs.run(how, arguments=(how,))
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--framework", default="torch@2.15")
    options = parser.parse_args()
    try:
        if missing := why_missing(options.build, options.framework):
            print(f"skipped: {missing}")
            return SKIPPED
        runs = Runs(options.build.resolve(), options.framework, HERE / "programs" / "ends.py", table.Program())
        for how, exit_code in ENDS.items():
            check(runs, how, exit_code)
    except Mismatch as mismatch:
        print(f"ends: {mismatch}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
