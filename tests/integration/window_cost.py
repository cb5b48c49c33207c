"""CUPTI that makes each launch two milliseconds longer: the recorder finds out by itself, takes windows of GPU times more
rarely, at multiples of the longer period, and log and report say what windows cost.

usage: window_cost.py --build DIR --program TRAIN_GPT
"""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import truth as truth_file
from environment import job_environment
from mismatch import Mismatch, equal

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LENGTH, PERIOD = 0.1, 0.5  # seconds
BUDGET = 0.005
REASON = re.compile(r"between windows of GPU timing, now (\d+) s apart: each loses ([\d.]+) % of its launches")


def run(options, work, way):
    environment = job_environment(options.build, MFUSHIM_OUT=str(work / way / "logs"), MFUSIM_CUPTI="slow:2000000",
                                  MFUSHIM_WINDOW=f"0:{LENGTH}:{PERIOD}")
    sim = [SOURCE / "scripts" / "sim", "--truth", work / way, *(["--shim"] if way == "recorded" else [])]
    command = [*sim, "--", options.program, "--steps", "900", "--layers", "4", "--checkpoint-ms", "0"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def check_lengthening(stretches):
    """The longer period is a power of two times the shorter, the least that the told loss can afford; later windows
    begin at its multiples."""
    told = [(i, match) for i, s in enumerate(stretches) if (match := REASON.fullmatch(s["reason"]))]
    if not told:
        raise Mismatch(f"no pause is said to be longer: {[s['reason'] for s in stretches]}")
    first, match = told[0]
    period, loss = int(match[1]), float(match[2]) / 100
    windows = sum(s["source"] == "cupti" for s in stretches[:first])
    if windows < 6:
        raise Mismatch(f"{windows} windows are no evidence: five with a pause before them are")
    affordable = PERIOD
    while loss * LENGTH > BUDGET * affordable:
        affordable *= 2
    equal("the longer period", period, affordable)
    for stretch in stretches[first:]:
        if stretch["source"] == "cupti" and stretch["start_unix_ns"] % (period * 10**9) >= LENGTH * 10**9:
            raise Mismatch(f"a window begins at {stretch['start_unix_ns']}, in no {period} s")
    return period, loss


def check_cost(document, truth):
    """The report's figure is that of the launches that the truth has in the stretches."""
    timing = document["coverage"]["gpu_time"]
    stretches = timing["stretches"]
    times = [line["time"] for line in truth.lines["launch"]]

    def rate(stretch):
        begin, end = stretch["start_unix_ns"], stretch["end_unix_ns"]
        return sum(begin <= time < end for time in times) / (end - begin)

    losses = [1 - rate(b) / rate(a) for a, b in zip(stretches[1:], stretches[2:]) if b["source"] == "cupti"]
    cost = timing["cost"]
    equal("windows with a pause before them", cost["windows"], len(losses))
    # A launch at an edge may count on either side of it.
    lost, true = cost["launches_lost"], statistics.median(losses)
    if abs(lost["median"] - true) > 0.01:
        raise Mismatch(f"windows lose {lost}, not {true}")
    if not lost["low"] <= lost["median"] <= lost["high"]:
        raise Mismatch(f"no interval: {lost}")
    equal("share of the job", cost["share"], lost["median"] * timing["share"])
    for name in ("host_ns", "writer_ns", "cupti_ns"):
        if document["coverage"]["shim"][name] <= 0:
            raise Mismatch(f"{name} is {document['coverage']['shim'][name]}")
    return lost["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    work = options.build / "integration" / "window_cost"
    shutil.rmtree(work, ignore_errors=True)
    try:
        bare, recorded = (run(options, work, way) for way in ("bare", "recorded"))
        equal("output and exit code", (recorded.stdout, recorded.returncode), (bare.stdout, 0))
        equal("messages", recorded.stderr, bare.stderr)
        report = [options.build / "mfushim", "report", work / "recorded" / "logs"]
        document = json.loads(subprocess.run([*report, "--json"], check=True, capture_output=True, text=True).stdout)
        ((_, truth),) = truth_file.read_truth(work / "recorded").items()
        period, loss = check_lengthening(document["coverage"]["gpu_time"]["stretches"])
        median = check_cost(document, truth)
        text = subprocess.run(report, check=True, capture_output=True, text=True).stdout
        if f"a window loses {100 * median:.1f} % of its launches" not in text:
            raise Mismatch(f"the text does not say what windows cost:\n{text}")
    except Mismatch as mismatch:
        print(mismatch)
        return 1
    print(f"windows lose {median:.1%} of their launches, at least {loss:.1%} by the recorder's count: one in {period} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
