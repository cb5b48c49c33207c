"""CUPTI misbehaves in every way that its double knows, and others take it: the program must not notice, the log must say
what is missing, and the report's figures must be the truth without exactly that.

usage: misbehaviour.py --build DIR --program NAME=FILE...
"""

import argparse
import functools
import pathlib
import shutil
import subprocess
import sys

import log
import three_ways
import truth as truth_file
from environment import job_environment
from mismatch import Mismatch, equal, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EVERY = 7  # the double spoils all work of the calls whose correlation id it divides
GPU_WORK = ("kernel", "copy", "set")
CAUSES = {
    "drop": (),
    "zero": ("has no times",),
    "swap": ("ends before it starts",),
    "long": ("lasts over later work of its stream", "ends after the log"),
    "early": ("starts before its launch",),
}
TAKEN_BY = "CUPTI was given to second_client"


def is_spoilt(line):
    return line["corr"] % EVERY == 0


class Place:
    """A program, the simulated GPU that it runs on, and a folder for what it leaves."""

    def __init__(self, options, name, program):
        self.build, self.command = options.build, [str(options.programs[program]), *ARGUMENTS.get(program, [])]
        self.work = options.build / "integration" / "misbehaviour" / f"{name}.{program}"
        self.logs = self.work / "recorded" / "logs"
        shutil.rmtree(self.work, ignore_errors=True)

    def run_both(self, build=None, **settings):
        """Bare and recorded; both must say the same."""
        bare, recorded = (self.run(way, build or self.build, settings) for way in ("bare", "recorded"))
        equal("output and exit code", (recorded.stdout, recorded.returncode), (bare.stdout, 0))
        equal("messages", recorded.stderr, bare.stderr)

    def run(self, way, build, settings):
        environment = job_environment(build, MFUSHIM_OUT=str(self.logs))
        environment = {k: v for k, v in environment.items() if not k.startswith("CUDA_")} | settings
        sim = [str(SOURCE / "scripts" / "sim"), "--truth", self.work / way, *(["--shim"] if way == "recorded" else [])]
        return subprocess.run([*sim, "--", *self.command], env=environment, capture_output=True, text=True, check=False)

    def truths(self):
        return truth_file.read_truth(self.work / "recorded")

    def report(self):
        return three_ways.report(self.build, self.logs)

    def text(self):
        command = [self.build / "mfushim", "report", self.logs]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def spoilt_records(fault, place):
    """The figures are those of the truth without the spoilt records, which are counted by cause."""
    place.run_both(MFUSIM_CUPTI=f"{fault}:{EVERY}")
    truths, document = place.truths(), place.report()
    spoilt = [line for t in truths.values() for kind in GPU_WORK for line in t.lines[kind] if is_spoilt(line)]
    if not spoilt:
        raise Mismatch("no record was spoilt")
    good = {pid: t.restricted(lambda line: not is_spoilt(line)) for pid, t in truths.items()}
    three_ways.check_times(document, good)
    three_ways.check_kernels(document, good)
    for check in (three_ways.check_gemms, three_ways.check_operations, three_ways.check_collectives):
        check(document, truths)
    records, launches = document["coverage"]["gpu_records"], document["coverage"]["launches"]
    equal("dropped", records["dropped"], len(spoilt) if fault == "drop" else 0)
    equal("invalid", records["invalid"], 0 if fault == "drop" else len(spoilt))
    by_cause = {entry["cause"]: entry["records"] for entry in records["invalid_by_cause"]}
    equal("causes other than the fault's", by_cause.keys() - CAUSES[fault], set())
    equal("launches seen", launches["seen_by_api"], sum(t.launches() + t.graph_launches() for t in truths.values()))
    ran = {(pid, line["corr"]) for pid, t in good.items() for line in t.lines["kernel"]}
    equal("launches with a record", launches["with_gpu_record"], len(ran))
    equal("launches that nothing accounts for", launches["unaccounted"], 0)
    text = place.text()
    if f"MISSING  {len(spoilt)} records" not in text or not all(f"x {cause}" in text for cause in by_cause):
        raise Mismatch(f"the text does not tell of {len(spoilt)} records, {by_cause}:\n{text}")
    return f"{len(spoilt)} records left out: {by_cause or 'dropped'}"


def lost_silently(place):
    """Launches that were seen and have no record, and nobody says why."""
    place.run_both(MFUSIM_CUPTI=f"lose:{EVERY}")
    coverage = place.report()["coverage"]
    lost = sum(is_spoilt(line) for t in place.truths().values() for line in t.lines["kernel"])
    equal("launches that nothing accounts for", coverage["launches"]["unaccounted"], lost)
    equal("dropped and invalid", [coverage["gpu_records"][name] for name in ("dropped", "invalid")], [0, 0])
    if not lost or f"{lost} launch calls without a GPU record, and nothing says why" not in place.text():
        raise Mismatch(f"the text does not tell of {lost} launches")
    return f"{lost} launches"


def delivered_otherwise(way, place):
    place.run_both(MFUSIM_CUPTI=way)
    return three_ways.check_against_truth(place.build, place.work)


def clocks_that_disagree(place):
    """Not every record is at fault when nearly all seem to be."""
    place.run_both(MFUSIM_CUPTI="early")
    records = place.report()["coverage"]["gpu_records"]
    true = sum(len(t.lines[kind]) for t in place.truths().values() for kind in GPU_WORK)
    equal("records before their launch, kept", (records["before_launch"], records["total"]), (true, true))
    if "clocks of host and GPU disagree" not in place.text():
        raise Mismatch("the report does not doubt the clocks")
    return None


def without_cupti(place):
    """In a build whose CUPTI double is gone; what the machine has of that name is hidden by files that are no library."""
    build = place.work / "build"
    for source in place.build.glob("sim/**/*.so*"):
        link = build / source.relative_to(place.build)
        link.parent.mkdir(parents=True, exist_ok=True)
        if not source.name.startswith("libcupti."):
            link.symlink_to(source)
    for soname in ("libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"):
        (build / "sim" / soname).touch()
    (build / "libmfushim.so").symlink_to(place.build / "libmfushim.so")
    place.run_both(build)
    document = place.report()
    launches = sum(t.launches() for t in place.truths().values())
    equal("launches seen", document["coverage"]["launches"]["seen_by_api"], launches)
    equal("GPU records", document["coverage"]["gpu_records"]["total"], 0)
    equal("reasons", document["coverage"]["no_gpu_time"], ["no CUPTI library found"])
    if "no GPU time in 1 of 1 processes: no CUPTI library found" not in place.text():
        raise Mismatch("the text does not say why there are no GPU times")


def taken_midway(place):
    """The log holds what was launched while the recorder had CUPTI, all of it, and says who had it when it had not."""
    place.run_both()
    ((pid, truth),) = place.truths().items()
    document = place.report()
    stretches = document["coverage"]["gpu_time"]["stretches"]
    given = [s for s in stretches if s["reason"].startswith(TAKEN_BY)]
    had = [s for s in stretches if s["source"] == "cupti"]
    equal("times that CUPTI was given away", len(given), 3)
    equal("times that the recorder had it", len(had), 4)
    (path,) = place.logs.iterdir()
    recorded = {int(r["correlation"]) for r in log.records(place.build, path)["gpu_kernel"]}
    launched = {line["corr"]: line["time"] for line in truth.lines["launch"]}
    missed = launched.keys() - recorded
    for corr, time in launched.items():
        inside = any(s["start_unix_ns"] <= time < s["end_unix_ns"] for s in had[1:]) or time < had[0]["end_unix_ns"]
        if not inside and corr in recorded:
            raise Mismatch(f"launch {corr} at {time} is recorded, outside of {had}")
        if inside and corr not in recorded:
            raise Mismatch(f"launch {corr} at {time} is not recorded, inside of {had}")
    equal("process", document["ranks"][0]["pid"], pid)
    equal("launches outside", document["coverage"]["launches"]["outside_windows"], len(missed))
    equal("launches that nothing accounts for", document["coverage"]["launches"]["unaccounted"], 0)
    return f"{len(recorded)} of {len(launched)} kernels in {len(had)} stretches"


ARGUMENTS = {"train_gpt": ["--ranks", "2", "--steps", "4", "--layers", "2"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", dest="programs", action="append", type=lambda text: text.split("=", 1), required=True)
    options = parser.parse_args()
    options.build, options.programs = options.build.resolve(), dict(options.programs)
    checks = {}

    def add(name, program, check, *arguments):
        checks[f"{name} ({program})"] = lambda: check(*arguments, Place(options, name, program))

    for program in ("two_streams", "train_gpt", "graph_replay"):
        for fault in CAUSES:
            add(fault, program, functools.partial(spoilt_records, fault))
        for way in ("reverse", "late", "empty"):
            add(way, program, functools.partial(delivered_otherwise, way))
    add("lose", "two_streams", lost_silently)
    add("disagreeing clocks", "two_streams", clocks_that_disagree)
    add("absent", "two_streams", without_cupti)
    add("taken midway", "second_client", taken_midway)
    return run_checks(checks)


if __name__ == "__main__":
    sys.exit(main())
