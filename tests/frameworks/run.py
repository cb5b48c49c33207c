"""Runs one program of a framework, unmodified, on the simulated GPU: bare, under the recorder, and with the recorder
disabled. Demands that the program notices nothing, and that the report equals the simulator's truth. Then runs it under
the framework's own observers, and demands that all agree.

usage: run.py --build DIR [--framework NAME] PROGRAM
       run.py --build DIR [--framework NAME] [--ranks N] [--compiled] [--sequence] SCRIPT.py [ARG...]

PROGRAM is a row of table.py. A script of one's own: under torchrun with more than one rank; --compiled where it uses
torch.compile; --sequence where all its CUDA calls come in the same order each time, not only those that give the GPU work.
Exits 77 where the framework cannot be had.
"""
import argparse
import pathlib
import sys

import table
from command import processor_seconds
from runs import HERE, SKIPPED, Runs, why_missing

import doors
import flight_record
import harmless
import inferred
import oracles
import three_ways
from mismatch import Mismatch, equal

# What C++ says when PyTorch ends a thread while Python is ending: a race of theirs, seen without the recorder too.
RACED_AT_END = "terminate called without an active exception"


def run_bare(runs):
    """Once more where PyTorch aborted as Python ended: the run that all others are compared with must be a good one."""
    done = runs.run("bare", shim=False)
    if done.returncode == runs.program.exit_code or RACED_AT_END not in done.stderr:
        return done
    print(f"bare run repeated: exit code {done.returncode}, {RACED_AT_END}")
    (runs.work / "bare").rename(runs.work / "bare-aborted")
    return runs.run("bare", shim=False)


def check_three_ways(runs):
    ways = {"bare": run_bare(runs), "recorded": runs.run("recorded"), "disabled": runs.run("disabled", MFUSHIM_DISABLE="1")}
    for way, done in ways.items():
        equal(f"exit code {way}", done.returncode, runs.program.exit_code)
        equal(f"standard output {way}", done.stdout, ways["bare"].stdout)
        equal(f"the recorder's messages {way}", [s for s in done.stderr.splitlines() if "mfushim:" in s], [])
    harmless.check_guard(runs)
    harmless.check_logs(runs)
    if runs.program.calls:
        harmless.check_calls(runs)
    if runs.program.exit_code:
        return harmless.check_cut_short(runs)
    truths, document = runs.truths("recorded"), runs.report("recorded")
    for check in (three_ways.check_times, three_ways.check_kernels, three_ways.check_launches, three_ways.check_gemms,
                  three_ways.check_collectives):
        check(document, truths)
    records = sum(rank["time"]["records"] for rank in document["ranks"])
    said = f"{len(truths)} processes, {records} device records equal the truth; {doors.check(runs)}"
    if runs.program.training:
        said += f"; {inferred.check(document, truths, runs.program.training)}"
    return said


def observe(runs, way, **settings):
    done = runs.run(way, (HERE / "observe.py",), MFUSHIM_GPU_TIME="off", TORCH_NCCL_TRACE_BUFFER_SIZE="2000", **settings)
    equal(f"exit code {way}", done.returncode, runs.program.exit_code)


def run_observed(runs):
    """The run in which FLOPs were counted. Under FlopCounterMode nothing is compiled, so that a program that compiles runs
    once more for it, with its functions as they are."""
    if not runs.program.compiled:
        observe(runs, "observed")
        return "observed"
    observe(runs, "observed", OBSERVE_FLOPS="0")
    observe(runs, "counted", TORCH_COMPILE_DISABLE="1")
    return "counted"


def check(runs):
    # First, since it fills the compilers' caches: whatever they try out they try here, and not while calls are compared.
    counted = run_observed(runs) if runs.program.observed else None
    yield check_three_ways(runs)
    if counted:
        said = (oracles.check_flops(runs, counted), oracles.check_attention(runs, counted), oracles.check_cudnn(runs, counted),
                oracles.check_profiler(runs), flight_record.check(runs))
        yield "; ".join(s for s in said if s)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--framework", default="torch@2.15")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--sequence", action="store_true")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args()


def runs_of(options):
    if options.program in table.PROGRAMS:
        script, program = HERE / "programs" / f"{options.program}.py", table.program(options.framework, options.program)
    else:
        script = pathlib.Path(options.program).resolve(strict=True)
        program = table.Program(ranks=options.ranks, torchrun=options.ranks > 1, compiled=options.compiled,
                                calls="sequence" if options.sequence else "work")
    return Runs(options.build.resolve(), options.framework, script, program, options.arguments)


def main():
    options = arguments()
    name = pathlib.Path(options.program).stem
    try:
        if missing := why_missing(options.build, options.framework):
            print(f"skipped: {missing}")
            return SKIPPED
        runs = runs_of(options)
        for said in check(runs):
            print(f"{name}: {said}")
        print(f"{name}: {processor_seconds():.1f} s of processor time")
    except Mismatch as mismatch:
        print(f"{name}: {mismatch} (files: {options.build}/frameworks/tests/{options.framework}/{name})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
