"""Runs a program three ways on the simulated GPU (bare, recorded, recorder disabled), demands the same
output and exit code, and compares the recorded run's report with the simulator's truth, exactly.

usage: three_ways.py --build DIR --name NAME -- PROGRAM [ARG...]
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import truth as truth_file
from mismatch import Mismatch, equal

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(build, work, way, command):
    """Standard output, exit code and what was left behind."""
    directory = work / way
    directory.mkdir(parents=True)
    environment = dict(os.environ, MFUSHIM_BUILD_DIR=str(build), MFUSHIM_OUT=str(directory / "logs"))
    environment.pop("MFUSHIM_DISABLE", None)
    if way == "disabled":
        environment["MFUSHIM_DISABLE"] = "1"
    sim = [str(SOURCE / "scripts" / "sim"), "--truth", str(directory)]
    if way != "bare":
        sim.append("--shim")
    done = subprocess.run(sim + ["--"] + command, env=environment, capture_output=True, text=True, check=False)
    (directory / "stderr").write_text(done.stderr, encoding="utf-8")
    return done


def report(build, *logs):
    done = subprocess.run([build / "mfushim", "report", "--json", *logs], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Mismatch(f"report exited {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def check_times(document, truths):
    expected = {(pid, device): t.ledger(device) for pid, t in truths.items() for device in t.devices()}
    reported = {(r["pid"], r["device"]["index"]): r["time"] for r in document["ranks"]}
    equal("(process, device) pairs", sorted(reported), sorted(expected))
    for key, times in expected.items():
        for name, value in times.items():
            equal(f"pid {key[0]} device {key[1]} {name}", reported[key].get(name), value)


def check_kernels(document, truths):
    true = collections.Counter()
    for t in truths.values():
        calls = t.kernel_calls()
        for name, shown in zip(calls, truth_file.demangle(list(calls))):
            true[shown] += calls[name]
    reported = collections.Counter()
    for kernel in document["kernels"]:
        reported[kernel["name"]] += kernel["calls"]
    equal("kernel executions by name", dict(reported), dict(true))


def check_launches(document, truths):
    launches = document["coverage"]["launches"]
    true_launches = sum(t.launches() for t in truths.values())
    true_graphs = sum(t.graph_launches() for t in truths.values())
    equal("kernel and graph launches", launches["seen_by_api"], true_launches + true_graphs)
    equal("graph launches", document["launch"].get("graph_launches", 0), true_graphs)
    equal("launches without a GPU record", launches["without"], 0)
    equal("GPU records without launch", document["coverage"]["gpu_records"]["without_launch"], 0)


def check_gemms(document, truths):
    true = sum((t.gemms() for t in truths.values()), collections.Counter())
    reported = collections.Counter()
    for gemm in document["gemms"]:
        sizes = [gemm.get(size) for size in ("m", "n", "k")]
        reported[(gemm["product"], *sizes, gemm["batch"])] += gemm["calls"]
    equal("matrix products by kind and shape", dict(reported), dict(true))
    flops = sum(gemm["flops"] for gemm in document["gemms"])
    equal("floating-point operations", flops, sum(t.flops() for t in truths.values()))


def check_gemm_times(document, truths):
    """By shape, unless one kernel is of several. Calls that copy as well take longer than their kernels."""
    if any(r["api"].startswith("cublasXt") for t in truths.values() for r in t.lines["gemm"]):
        return
    true = sum((t.gemm_times() for t in truths.values()), collections.Counter())
    reported = collections.Counter()
    for gemm in document["gemms"]:
        sizes = [gemm.get(size) for size in ("m", "n", "k")]
        reported[(gemm["product"], *sizes, gemm["batch"])] += gemm["total_ns"]
    if any(r["grouped"] for t in truths.values() for r in t.lines["gemm"]):
        equal("device time of matrix products", reported.total(), true.total())
    else:
        equal("device time of matrix products by kind and shape", dict(reported), dict(+true))


def check_operations(document, truths):
    true = sum((t.operations() for t in truths.values()), collections.Counter())
    sizes = ("batch", "groups", "m", "n", "k", "l", "window")
    reported = collections.Counter()
    for o in document["operations"]:
        each = o.get("flops", 0) // o["calls"]
        reported[(o["operation"], o["api"], *(o[size] for size in sizes if each), each)] += o["calls"]
    equal("operations by kind and size", dict(reported), dict(true))


def check_collectives(document, truths):
    """By communicator, operation and type: calls and bytes. One whose making tells its ranks nothing in common is
    "unknown"."""
    reported = collections.defaultdict(collections.Counter)
    for entry in document["comm"]:
        key = (entry["communicator"], entry["op"], entry.get("dtype"))
        reported[key] += collections.Counter(calls=entry["calls"], bytes=entry.get("bytes", 0))
    known = {communicator for communicator, _, _ in reported}
    true = collections.defaultdict(collections.Counter)
    for r in (r for t in truths.values() for r in t.lines["collective"]):
        communicator = "0x" + r["comm"] if "0x" + r["comm"] in known else "unknown"
        key = (communicator, truth_file.collective_op(r), truth_file.dtype(r))
        true[key] += collections.Counter(calls=1, bytes=r["bytes"])
    equal("collectives by communicator, operation and type", dict(reported), dict(true))


def check_against_truth(build, work):
    truths = truth_file.read_truth(work / "recorded")
    logs = work / "recorded" / "logs"
    if not truths:
        equal("logs of a program without device work", logs.exists(), False)
        return "no device work, no log"
    equal("logs", len(list(logs.iterdir())), len(truths))
    document = report(build, logs)
    for check in (check_times, check_kernels, check_launches, check_gemms, check_gemm_times, check_operations,
                  check_collectives):
        check(document, truths)
    records = sum(r["time"]["records"] for r in document["ranks"])
    return f"{len(truths)} processes, {records} device records equal the truth"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    work = options.build / "integration" / options.name
    shutil.rmtree(work, ignore_errors=True)
    try:
        ways = {way: run(options.build, work, way, options.command) for way in ("bare", "recorded", "disabled")}
        equal("exit code bare", ways["bare"].returncode, 0)
        for way in ("recorded", "disabled"):
            equal(f"exit code {way}", ways[way].returncode, ways["bare"].returncode)
            equal(f"standard output {way}", ways[way].stdout, ways["bare"].stdout)
            equal(f"standard error {way}", ways[way].stderr, ways["bare"].stderr)
        equal("logs when disabled", (work / "disabled" / "logs").exists(), False)
        print(f"{options.name}: {check_against_truth(options.build, work)}")
    except Mismatch as mismatch:
        print(f"{options.name}: {mismatch} (files: {work})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
