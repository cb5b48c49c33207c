"""PyTorch's profiler and the recorder in one process: the profiler sees what it sees without the recorder, and the log has
all work of the times that it says it has, and who had CUPTI in between.

usage: coexistence.py --build DIR [--framework NAME]      (exits 77 where the framework cannot be had)
"""
import sys

import table
from command import run_checks
from runs import HERE, Runs

import log
import windows
from mismatch import Mismatch, equal

SESSIONS = 3
HOLDER = "libtorch_cpu.so"
CLOCK_ERROR_NS = 20_000  # once the profiler gave CUPTI a clock, it converts all its times by one
# Ranks, settings, and how often the recorder can take CUPTI back: a profiler that finalizes it subscribes anew at once, and
# stays.
CASES = {"alone": (1, {}, SESSIONS), "two processes": (2, {}, SESSIONS), "cuptiFinalize": (1, {"TEARDOWN_CUPTI": "1"}, None)}


def lines_of_ranks(text):
    return sorted(line for line in text.splitlines() if line.startswith("session"))


def check_log(build, path, truth, returns):
    records = log.records(build, path)
    told = [(row["source"], row["reason"].strip('"')) for row in records["gpu_time"]]
    equal("first source of GPU times", told[0][0], "cupti")
    given = sum(reason == f"CUPTI was given to {HOLDER}" for source, reason in told if source == "none")
    timed = sum(source == "cupti" for source, _ in told)
    equal("changes of the source", len(told), given + timed)
    if returns is not None:
        equal("times CUPTI was given away", given, returns)
        equal("times it was taken", timed, returns + 1)
    elif not given:
        raise Mismatch("CUPTI was never given away")
    found = windows.split_by_windows(truth, windows.recorded_work(records), CLOCK_ERROR_NS)
    if returns is not None:
        equal("stretches of recorded kernels", len(found), timed)
    equal("launches", len(records["launch"]) + len(records["graph_launch"]), truth.launches() + truth.graph_launches())
    return len(found)


def check(build, framework, name):
    ranks, settings, returns = CASES[name]
    runs = Runs(build, framework, HERE / "programs" / "profiler.py", table.Program(ranks=ranks))
    bare, recorded = runs.run("bare", shim=False, **settings), runs.run("recorded", **settings)
    equal("exit codes", (bare.returncode, recorded.returncode), (0, 0))
    equal("what the profiler saw", lines_of_ranks(recorded.stdout), lines_of_ranks(bare.stdout))
    equal("sessions", len(lines_of_ranks(bare.stdout)), SESSIONS * ranks)
    truths = runs.truths("recorded")
    logs = sorted((runs.work / "recorded" / "logs").iterdir())
    equal("logs", len(logs), ranks)
    stretches = 0
    for path in logs:
        pid = int(path.stem.rsplit("-p", 1)[1])
        stretches += check_log(build, path, truths[pid], returns)
    print(f"{name}: the profiler saw the same {SESSIONS} times; {stretches} stretches of recorded work equal the truth")


def check_all(build, framework):
    for name in CASES:
        check(build, framework, name)


if __name__ == "__main__":
    sys.exit(run_checks("coexistence", check_all))
