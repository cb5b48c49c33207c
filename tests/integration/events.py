"""Device times by events, where CUPTI is not to be had: chosen launches, each as the simulator's truth has it, while the
program runs as it does bare; what cannot be measured well is left out.

usage: events.py --build DIR --train TRAIN_GPT --pairs OVERLAPPING_PRODUCTS --captures CAPTURES_BESIDE
"""

import argparse
import collections
import math
import pathlib
import subprocess
import sys

import log
import three_ways
import truth as truth_file
from environment import job_environment
from mismatch import Mismatch, equal, in_a_folder, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEAK = 989.4e12  # bf16, of the simulated H100 by its data sheet
RESOLUTION_NS = 500  # of an elapsed time, half a microsecond
STEPS = 40


class Run:
    def __init__(self, build, folder, program, *arguments, gpus=1, **settings):
        self.build, self.folder = build, folder
        environment = job_environment(build, MFUSHIM_OUT=str(folder / "logs"), **settings)
        shim = ["--shim"] if "MFUSHIM_GPU_TIME" in settings else []
        command = [SOURCE / "scripts" / "sim", "--gpus", str(gpus), "--truth", folder, *shim, "--", program, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.said = done.stdout
        equal(f"exit code of {program.name} ({done.stderr.strip()[-300:]})", done.returncode, 0)
        self.truths = truth_file.read_truth(folder)

    def logs(self):
        """The records of each process, and its truth."""
        for path in sorted((self.folder / "logs").iterdir()):
            yield log.records(self.build, path), self.truths[int(path.stem.rsplit("-p", 1)[1])]


def timed(records):
    """The timed launches: names of their kernels, start and end; and the error that the log states for them."""
    source = next((row for row in records["gpu_time"] if row["source"] == "events"), None)
    if source is None:
        raise Mismatch(f"no times by events: {records['gpu_time']}")
    names = {row["id"]: row["text"].strip('"') for row in records["name"]}
    kernels = {row["id"]: names[row["kernel"]] for row in records["launch_config"]}
    found = [(kernels[row["config"]], int(row["start"]), int(row["start"]) + int(row["duration"]))
             for row in records["gpu_kernel"]]
    return found, int(source["error_ns"]) + RESOLUTION_NS


def check_times(build, program, folder):
    """Collectives end when the truth says; products begin and end then, with all their kernels."""
    run = Run(build, folder, program, "--ranks", "2", "--steps", str(STEPS), gpus=2, MFUSHIM_GPU_TIME="events")
    collectives = products = 0
    for records, truth in run.logs():
        found, error = timed(records)
        by_name, last = collections.defaultdict(list), collections.Counter()
        for kernel in truth.lines["kernel"]:
            by_name[kernel["name"]].append(kernel)
            if kernel["piece"]:
                last[kernel["piece"]] = max(last[kernel["piece"]], kernel["end"])
        for name, start, end in found:
            kernel = min(by_name[name], key=lambda k: abs((last[k["piece"]] or k["end"]) - end))
            true_end = last[kernel["piece"]] or kernel["end"]
            if abs(true_end - end) > error:
                raise Mismatch(f"{name} ends at {end}, in truth at {true_end}, stated error {error} ns")
            late = start - kernel["start"]
            if late > error or (not kernel["comm"] and late < -error):
                raise Mismatch(f"{name} begins at {start}, in truth at {kernel['start']}, stated error {error} ns")
            collectives += kernel["comm"]
            products += not kernel["comm"]
    if not collectives or not products:
        raise Mismatch(f"{collectives} collectives and {products} products were timed")
    check_report(three_ways.report(build, folder / "logs"), run.truths.values())
    return f"{collectives} collectives and {products} products as in truth"


def check_report(document, truths):
    """FLOPs against the steps' time on the host; nothing is said of work without times."""
    equal("ledgers", [rank.get("time") for rank in document["ranks"]], [None] * len(truths))
    equal("kernels", document["kernels"], [])
    flops = sum(row["flops"] for truth in truths for row in truth.lines["gemm"]) / STEPS / len(truths)
    mfu, steps = document["mfu"], document["steps"]
    equal("source of time", mfu["time_source"], "host_steps")
    equal("steps", steps["count"], STEPS)
    counted = [step["duration_ns"] for step in steps["list"] if "excluded" not in step]
    mean = sum(counted) / len(counted) / 1e9
    if not math.isclose(mfu["hfu"], flops / (mean * PEAK), rel_tol=1e-6):
        raise Mismatch(f"HFU {mfu['hfu']} should be {flops / (mean * PEAK)}")


def overlaps(truths):
    """How long each pair of products runs at once: those of one size that are not the first of their stream."""
    (truth,) = truths.values()
    streams = collections.defaultdict(list)
    for kernel in sorted(truth.lines["kernel"], key=lambda k: k["start"]):
        streams[kernel["stream"]].append((kernel["start"], kernel["end"]))
    one, other = sorted(streams.values(), key=len)[-2:]
    pairs = list(zip(one[-50:], other[-50:]))
    equal("pairs", len(pairs), 50)
    return [min(a[1], b[1]) - max(a[0], b[0]) for a, b in pairs]


def run_both(build, program, folder):
    """Bare and by events, saying the same; the number of products that were timed."""
    bare = Run(build, folder / "bare", program)
    recorded = Run(build, folder / "recorded", program, MFUSHIM_GPU_TIME="events")
    equal("output", recorded.said, bare.said)
    records, _ = next(recorded.logs())
    found, _ = timed(records)
    if not found:
        raise Mismatch("no product was timed")
    return bare, recorded, len(found)


def check_overlap(build, program, folder):
    """Events keep nothing apart that overlaps."""
    bare, recorded, found = run_both(build, program, folder)
    expected = overlaps(bare.truths)
    equal("times in which pairs overlap", overlaps(recorded.truths), expected)
    if min(expected) <= 0:
        raise Mismatch("the program's products do not overlap")
    return f"{found} products timed, {len(expected)} pairs overlap as they do bare"


def check_captures(build, program, folder):
    """The reader's questions break no capture, and what is captured gets no event."""
    _, recorded, found = run_both(build, program, folder)
    return f"{recorded.said.strip()}, {found} products timed beside them"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    for program in ("train", "pairs", "captures"):
        parser.add_argument(f"--{program}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    build = options.build.resolve()
    return run_checks({"times": in_a_folder(check_times, build, options.train),
                       "overlap": in_a_folder(check_overlap, build, options.pairs),
                       "captures": in_a_folder(check_captures, build, options.captures)})


if __name__ == "__main__":
    sys.exit(main())
