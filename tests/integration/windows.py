"""GPU timing in windows: what a log holds is the truth of the windows, whole; the report says how much of the run that
is, and its ledger is the windows' own.

usage: windows.py --build DIR --program TRAIN_GPT [--window START:LENGTH:PERIOD] [--cupti MISBEHAVIOUR] [-- ARGUMENT...]

A window in steps (20steps:10steps:50steps) is checked against the steps of the truth.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import log
import truth as truth_file
from mismatch import Mismatch, equal

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ARGUMENTS = ["--ranks", "2", "--recompute", "1"]
OPEN = 1 << 62
KINDS = {"gpu_kernel": "kernel", "gpu_copy": "copy", "gpu_set": "set"}


def run(options, work, shim):
    directory = work / ("recorded" if shim else "bare")
    environment = os.environ | {"MFUSHIM_BUILD_DIR": str(options.build), "MFUSHIM_OUT": str(directory / "logs"),
                                "MFUSHIM_WINDOW": options.window, "MFUSIM_CUPTI": options.cupti}
    command = [SOURCE / "scripts" / "sim", "--gpus", "2", "--truth", directory, *(["--shim"] if shim else []), "--",
               options.program, *ARGUMENTS, *options.arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def recorded_work(records):
    """Device records as (kind, correlation, start, end)."""
    return {(KINDS[kind], int(r["correlation"]), int(r["start"]), int(r["start"]) + int(r["duration"]))
            for kind in KINDS for r in records[kind]}


def by_call(work):
    calls = collections.defaultdict(list)
    for kind, corr, start, end in sorted(work):
        calls[kind, corr].append((start, end))
    return calls


def split_by_windows(truth, work, error_ns=0):
    """The first and last launch of each window. A window is what was recorded one kernel after another, in launch order;
    copies and sets belong to it from its first kernel to its last. Times may be off by so much."""
    true = by_call((kind, line["corr"], line["start"], line["end"]) for kind in KINDS.values() for line in truth.lines[kind])
    recorded = by_call(work)
    for call, spans in recorded.items():
        equal(f"records of {call}", len(spans), len(true[call]))
        off = max(abs(a - b) for span, real in zip(spans, true[call]) for a, b in zip(span, real))
        if off > error_ns:
            raise Mismatch(f"{call} was at {spans}, not at {true[call]}")
    windows, inside = [], False
    for corr in sorted({line["corr"] for line in truth.lines["kernel"]}):
        if is_recorded := ("kernel", corr) in recorded:
            if not inside:
                windows.append([corr, corr])
            windows[-1][1] = corr
        inside = is_recorded
    missing = [call for call in true for first, last in windows if first <= call[1] <= last and call not in recorded]
    equal("calls of windows that were not recorded", missing, [])
    return windows


def clipped(line, begin, end):
    return line | {"start": max(line["start"], begin), "end": min(line["end"], end)}


def true_ledger(truth, work, stretches, spans):
    """The sum of the ledgers of the windows: from where every stream that is launched into in a window's first tenth runs
    recorded work, or from the first work of all where recording began in the window, to the window's end; adds each of
    them to `spans`."""
    recorded = {(kind, corr) for kind, corr, _, _ in work}
    launched = {line["corr"]: line["time"] for line in truth.lines["launch"]}
    opened = [stretch["start_unix_ns"] for stretch in stretches]
    total = {}
    for stretch, opens, closes in zip(stretches, [0, *opened[1:]], [*opened[1:], OPEN]):
        begin, end = stretch["start_unix_ns"], stretch["end_unix_ns"]
        part = truth.restricted(lambda line: (line["t"], line["corr"]) in recorded and opens <= line["start"] < closes)
        ordered = sorted((line for kind in KINDS.values() for line in part.lines[kind]), key=lambda line: line["start"])
        starts = {}
        for line in ordered:
            starts.setdefault(line["stream"], line)
        tenth = ((ordered[-1]["end"] if end == OPEN else end) - begin) // 10
        waited = [line["start"] for line in starts.values() if launched.get(line["corr"], line["start"]) <= begin + tenth]
        begin = max(waited) if waited and not stretch["is_first"] else ordered[0]["start"]
        lines = {kind: [clipped(line, begin, end) for line in part.lines[kind]
                        if line["start"] < end and (line["end"] > begin or line["start"] >= begin)] for kind in KINDS.values()}
        spans.append((truth.pid, begin, end))
        for name, value in truth.with_work(lines).ledger(part.devices()[0]).items():
            total[name] = total.get(name, 0) + value
    return total


def check_process(truth, records, shown, stretches, spans):
    work = recorded_work(records)
    windows = split_by_windows(truth, work)
    equal("windows", len(windows), len(stretches))
    if len(windows) < 2:
        raise Mismatch(f"{len(windows)} windows: the run is too short for this test")
    launches = len(records["launch"])
    if not 0 < len(work) < launches:
        raise Mismatch(f"{len(work)} device records of {launches} launches are not a part")
    equal("launches", launches, truth.launches())
    for name, value in true_ledger(truth, work, stretches, spans).items():
        equal(name, shown["time"][name], value)
    return windows


def check_mfu(document, truths, spans):
    """The FLOPs of the products whose kernels began in the windows, over the windows' time."""
    kernels = [line["flops"] for pid, begin, end in spans for line in truths[pid].lines["kernel"]
               if line["name"].startswith("nvjet") and begin <= line["start"] < end]
    time = sum(rank["time"]["total_ns"] for rank in document["ranks"]) / 1e9
    # A product of two kernels may have one on either side of an edge.
    error = 2 * len(spans) * max(kernels) / sum(kernels)
    observed, true = document["mfu"]["flops_per_s"], sum(kernels) / time
    if abs(observed / true - 1) > error:
        raise Mismatch(f"{observed} FLOP/s should be {true}, within {error:.2e}")
    # All of this program's FLOPs are products', so that MFU is what is not done again of HFU.
    again = document["inference"]["recompute_share"]
    if again <= 0 or not math.isclose(document["mfu"]["value"], document["mfu"]["hfu"] * (1 - again), rel_tol=1e-9):
        raise Mismatch(f"MFU {document['mfu']['value']} with HFU {document['mfu']['hfu']} and {again:.1%} done again")


def check_duty(timing, window):
    """The part with GPU times is that of the period, but for a window that the run begins or ends in and the time that
    windows take to open. Not where the recorder made windows rarer, since they cost this machine too much."""
    if any("each loses" in s["reason"] for s in timing["stretches"]):
        return "skipped: the part that is timed, since windows became rarer"
    _, length, period = (1e9 * float(number) for number in window.split(":"))
    processes = len({s["log"] for s in timing["stretches"]})
    due, slack = timing["total_ns"] * length / period, processes * length
    if not due - slack <= timing["timed_ns"] <= due + slack:
        raise Mismatch(f"{timing['timed_ns']} ns have GPU times, not {due} +- {slack}")
    return f"as {length / period:.0%} of the time asks for"


def check_steps(truth, windows, window, steps):
    """A window goes from within the step before the one that it should begin with, where a call tells that step, to within
    its last; both later by less than its length, since what opens and closes it runs beside the job."""
    _, length, period = (int(number.removesuffix("steps")) for number in window.split(":"))
    collectives = sorted(line["corr"] for line in truth.lines["kernel"] if line["comm"])
    in_step = len(collectives) // steps
    ends = collectives[in_step - 1 :: in_step]
    equal("ends of steps", len(ends), steps)
    equal("windows", len(windows), math.ceil(steps / period))
    for i, (first, last) in enumerate(windows):
        begun, ended = (sum(end < corr for end in ends) for corr in (first, last))
        due = i * period
        if not (due - 1 <= begun < due + length and min(due + length, steps) - 1 <= ended < due + 2 * length):
            raise Mismatch(f"window {i} goes from step {begun} to {ended}, not {due} to {due + length}")
    return f"{length} of {period} steps"


def check_report(document, text):
    timing = document["coverage"]["gpu_time"]
    timed = sum(s["end_unix_ns"] - s["start_unix_ns"] for s in timing["stretches"] if s["source"] == "cupti")
    whole = sum(s["end_unix_ns"] - s["start_unix_ns"] for s in timing["stretches"])
    equal("timed_ns", timing["timed_ns"], timed)
    equal("total_ns", timing["total_ns"], whole)
    equal("share", timing["share"], timed / whole)
    for words in ("GPU-timed: ", f"({100 * timed / whole:.1f} %)", "GPU times and what follows from them are of that part alone"):
        if words not in text:
            raise Mismatch(f"the report does not say that {timed / whole:.1%} was timed:\n{text[:400]}")
    launches = document["coverage"]["launches"]
    if not 0 < launches["outside_windows"] < launches["seen_by_api"]:
        raise Mismatch(f"launches: {launches}")
    return timed / whole, timing["coincidence"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--window", default="0.2:1:2")
    parser.add_argument("--cupti", default="")
    parser.add_argument("arguments", nargs="*", default=["--steps", "300"])
    options = parser.parse_args()
    options.steps = int(options.arguments[options.arguments.index("--steps") + 1])
    work = options.build / "integration" / f"windows{options.cupti}-{options.window}"
    shutil.rmtree(work, ignore_errors=True)
    try:
        bare, recorded = (run(options, work, shim) for shim in (False, True))
        equal("output and exit code", (recorded.stdout, recorded.returncode), (bare.stdout, bare.returncode))
        equal("messages", recorded.stderr, bare.stderr)
        logs = sorted((work / "recorded" / "logs").iterdir())
        report = [options.build / "mfushim", "report", *logs]
        document = json.loads(subprocess.run([*report, "--json"], check=True, capture_output=True, text=True).stdout)
        text = subprocess.run(report, check=True, capture_output=True, text=True).stdout
        truths = truth_file.read_truth(work / "recorded")
        in_steps = options.window.endswith("steps")
        count, spans = 0, []
        for path in logs:
            (shown,) = (rank for rank in document["ranks"] if rank["log"] == str(path))
            stretches = [s for s in document["coverage"]["gpu_time"]["stretches"] if s["log"] == str(path)]
            if stretches[-1]["source"] == "cupti":
                stretches[-1] = stretches[-1] | {"end_unix_ns": OPEN}  # the process ended in a window
            stretches = [s | {"is_first": s is stretches[0]} for s in stretches if s["source"] == "cupti"]
            windows = check_process(truths[shown["pid"]], log.records(options.build, path), shown, stretches, spans)
            count += len(windows)
            if in_steps:
                duty = check_steps(truths[shown["pid"]], windows, options.window, options.steps)
        check_mfu(document, truths, spans)
        share, coincidence = check_report(document, text)
        if not in_steps:
            duty = check_duty(document["coverage"]["gpu_time"], options.window)
    except Mismatch as mismatch:
        print(mismatch)
        return 1
    print(f"{count} windows of {len(logs)} processes equal the truth: {share:.1%} of the run, {coincidence:.0%} of it in all; {duty}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
