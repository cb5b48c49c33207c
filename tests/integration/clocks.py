"""The clock of the GPUs: samples of it are in the log as NVML gave them, and the peak at the clock that was follows from
them and the truth of when the GPU worked. An NVML that fails costs the samples and nothing else.

usage: clocks.py --build DIR --program TRAIN_GPT --short TWO_STREAMS
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

import log
import truth as truth_file
from environment import job_environment
from mismatch import Mismatch, equal, in_a_folder, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEAK, BOOST = 989.4e12, 1830  # of an H100 SXM, bf16: data sheet, and the clock at which 132 SMs of 4096 FLOPs a cycle give it
POWER_CAP = 4  # as NVML counts its reasons


class Recorded:
    """A program on the simulated GPU, under the recorder."""

    def __init__(self, build, folder, command, **settings):
        self.build, self.folder = build, pathlib.Path(folder)
        environment = job_environment(build, MFUSHIM_OUT=str(self.folder / "logs"), **settings)
        words = [SOURCE / "scripts" / "sim", "--gpus", "2", "--truth", self.folder / "truth", "--shim", "--", *command]
        self.done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        equal("exit code", self.done.returncode, 0)
        self.logs = sorted((self.folder / "logs").iterdir())

    def report(self, *arguments):
        words = [self.build / "mfushim", "report", "--json", *arguments, *self.logs]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def close(what, found, expected, error=1e-9):
    if not math.isclose(found, expected, rel_tol=error):
        raise Mismatch(f"{what} is {found}, not {expected}")


def nearest_mean(values, busy):
    """The mean over the busy time, of which each instant counts as the value nearest to it: (time, value) in order."""
    edges = [-math.inf, *((a + b) / 2 for (a, _), (b, _) in zip(values, values[1:])), math.inf]
    total = part = 0
    for (_, value), begin, end in zip(values, edges, edges[1:]):
        time = sum(max(0, min(b, end) - max(a, begin)) for a, b in busy)
        total, part = total + time, part + time * value
    return part / total


def samples_of_log(run, path):
    return [(int(r["sm_mhz"]), int(r["limits"])) for r in log.records(run.build, path)["gpu_state"]]


def check_rank(run, rank, truth):
    """Against what NVML was asked, and when the GPU worked. Gives the mean clock."""
    (device,) = truth.devices()
    asked = sorted((line["time"], line["mhz"], line["limits"]) for line in truth.lines["clock"])
    equal("samples", samples_of_log(run, rank["log"]), [(mhz, limits) for _, mhz, limits in asked])
    equal("devices that were asked about", {line["device"] for line in truth.lines["clock"]}, {device})
    busy = truth_file.union(truth.spans("kernel", device) + truth.spans("copy", device) + truth.spans("set", device))
    mean = nearest_mean([(time, mhz) for time, mhz, _ in asked], busy)
    capped = nearest_mean([(time, float(limits == POWER_CAP)) for time, _, limits in asked], busy)
    # The recorder's time of a sample may be some milliseconds after NVML's, where others have the processor.
    close("mean clock", rank["device"]["clock_mhz"]["mean"], mean, 5e-3)
    if abs(rank["device"]["clock_limits"].get("power_cap", 0) - capped) > 3e-2:
        raise Mismatch(f"held back in {rank['device']['clock_limits']} of the time, not {capped}")
    return rank["device"]["clock_mhz"]["mean"]


def falling_clock(build, program, folder):
    run = Recorded(build, folder, [program, "--ranks", "2", "--steps", "250"], MFUSIM_CLOCK="1980:1400@1.2")
    document = run.report()
    truths = truth_file.read_truth(run.folder / "truth")
    means = [check_rank(run, rank, truths[rank["pid"]]) for rank in document["ranks"]]
    if not all(1400 < mean < 1980 for mean in means):
        raise Mismatch(f"the clock did not fall while the program ran: {means}")
    time = [rank["time"]["total_ns"] for rank in document["ranks"]]
    peak = sum(PEAK * mean / BOOST * ns for mean, ns in zip(means, time)) / sum(time)
    denominator = document["mfu"]["denominator"]
    equal("source", denominator["source"], "datasheet")
    close("data sheet's peak", denominator["datasheet_flops_per_s"], PEAK)
    close("the clock behind it", denominator["boost_clock_mhz"], BOOST)
    close("peak at the clock", denominator["clock_adjusted_flops_per_s"], peak)
    chosen = run.report("--peak", "clock")["mfu"]
    equal("chosen source", chosen["denominator"]["source"], "clock_adjusted")
    close("MFU at the clock", chosen["value"], document["mfu"]["value"] * PEAK / peak)


def steady_clock(build, program, folder):
    """By arithmetic alone, beside the other peaks."""
    run = Recorded(build, folder, [program, "--ranks", "2", "--steps", "20"], MFUSIM_CLOCK="1400")
    measured = run.folder / "peak.json"
    measured.write_text(json.dumps({"schema": "mfushim.peak/1", "results": [{"dtype": "bf16", "flops_per_s": 800e12}]}))
    mfu = run.report("--peak", f"measured:{measured}")["mfu"]
    for key, peak in {"": 800e12, "measured_": 800e12, "datasheet_": PEAK, "clock_adjusted_": PEAK * 1400 / 1830}.items():
        close(f"{key}flops_per_s", mfu["denominator"][f"{key}flops_per_s"], peak)
    text = subprocess.run([run.build / "mfushim", "report", *run.logs], check=True, capture_output=True, text=True).stdout
    if "  clock  1400 MHz while the GPUs worked, data sheet's peak at 1830: MFU " not in text:
        raise Mismatch(f"the text does not tell of the clock:\n{text[:800]}")


def without(setting, told, build, program, folder):
    run = Recorded(build, folder, [program], MFUSIM_NVML=setting)
    equal("messages", run.done.stderr, "")
    (path,) = run.logs
    records = log.records(build, path)
    equal("samples", records["gpu_state"], [])
    equal("facts", [r["value"] for r in records["fact"] if r["key"] == '"nvml"'], [f'"{told}"'])
    document = run.report()
    if "clock_adjusted_flops_per_s" in document["mfu"].get("denominator", {}):
        raise Mismatch("a peak at a clock that nobody knows")
    equal("with the clock's peak", "value" in run.report("--peak", "clock")["mfu"], False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--short", type=pathlib.Path, required=True)
    options = parser.parse_args()
    build = options.build.resolve()

    return run_checks({
        "falling clock": in_a_folder(falling_clock, build, options.program),
        "steady clock": in_a_folder(steady_clock, build, options.program),
        "NVML refuses": in_a_folder(without, "refuse:999", "nvmlInit_v2: error 999", build, options.short),
        "NVML fails": in_a_folder(without, "lost", "nvmlDeviceGetClockInfo: error 15", build, options.short),
    })


if __name__ == "__main__":
    sys.exit(main())
