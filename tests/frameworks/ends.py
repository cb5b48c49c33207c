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


def check(runs, way, arguments, exit_code):
    done = runs.run(way, arguments=arguments, LEAVE_GARBAGE="")
    # The shell that started the program says 128 + the signal; where it became the program, Python says -signal.
    equal(f"{way}: exit code", done.returncode if done.returncode >= 0 else 128 - done.returncode, exit_code)
    equal(f"{way}: standard output", done.stdout, "worked\n" * runs.program.ranks)
    truths = runs.truths(way).values()
    equal(f"{way}: processes", len(truths), runs.program.ranks)
    launches = sum(truth.launches() for truth in truths)
    if launches < 40 * runs.program.ranks:
        raise Mismatch(f"{way}: only {launches} launches in the truth file")
    document = runs.report(way)
    equal(f"{way}: logs", len(document["ranks"]), runs.program.ranks)
    equal(f"{way}: launches", document["coverage"]["launches"]["seen_by_api"], launches)
    equal(f"{way}: products", sum(g["calls"] for g in document["gemms"]), sum(len(truth.lines["gemm"]) for truth in truths))
    print(f"{way}: {launches} launches, all in the log")


def check_all(build, framework):
    script = HERE / "programs" / "ends.py"
    runs = Runs(build, framework, script, table.Program())
    for how, exit_code in ENDS.items():
        check(runs, how, (how,), exit_code)
    # torchrun ends the other with SIGTERM, and says 1.
    check(Runs(build, framework, script, table.Program(ranks=2, torchrun=True)), "SIGKILL of one rank", ("SIGKILL", "1"), 1)


if __name__ == "__main__":
    sys.exit(run_checks("ends", check_all))
