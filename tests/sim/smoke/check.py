#!/usr/bin/env python3
"""Runs a smoke program on the simulator and compares the truth file with what the program's source says it does."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BYTES, FLOPS = 3350, 989400  # of an H100-SXM5-80GB, in a nanosecond: data/gpus.csv, dense, 16 bits

# name: what the source does. launches counts driver launch calls, captured ones included; kernels what ran.
EXPECTED = {
    # check_waiting 1, check_graph 2 captured and 3 x 2 replayed, check_capture_rules 1 captured, main 100
    "driver_smoke": {"launch": 104, "kernel": 107, "graph_launch": 3, "copy": 2, "set": 2, "stub": ["cuArrayCreate_v2"],
                     "flops": 4e9},
    "runtime_smoke": {"launch": 7, "kernel": 7, "graph_launch": 0, "copy": 2, "set": 1, "stub": [], "flops": 0},
    "nvcc_smoke": {"launch": 10, "kernel": 10, "graph_launch": 0, "copy": 0, "set": 0, "stub": [], "flops": 0},
    # replays of 3 kernels and 1 set, twice; of the same nodes updated, once; as a child, with 1 captured kernel, once
    "graph_smoke": {"launch": 1, "kernel": 13, "graph_launch": 4, "copy": 0, "set": 4, "stub": [], "flops": 0},
    # copies: pool 1, rows 2, peers 1, mapping 1; sets: pool 1, mapping 1
    "memory_smoke": {"launch": 0, "kernel": 0, "graph_launch": 0, "copy": 5, "set": 2, "stub": [], "flops": 0,
                     "kinds": ["DtoH", "DtoH", "DtoH", "HtoD", "PtoP"]},
    # 4 threads x 200; a polled kernel; two in check_legacy
    "threads_smoke": {"launch": 803, "kernel": 803, "graph_launch": 0, "copy": 2, "set": 1, "stub": [], "flops": 0},
    "named_cost_smoke": {"launch": 9, "kernel": 9, "graph_launch": 0, "copy": 0, "set": 0, "stub": [], "flops": 0,
                         "durations": [
                             64000 * 128 * 8 * 3 * 4 / BYTES,   # 8 elements a thread, three arrays of 4 bytes
                             64000 * 128 * 2 * 2 * 2 / BYTES,   # 2 elements a thread, two arrays of 2 bytes
                             728 * 65536 * 2 * 4 * 4 / BYTES,   # chunks of 65536 of four lists, read and written
                             64000 * 128 * 4 * 4 * 8 / BYTES,   # 4 outputs, each of 4 loads, half a vector of 16 bytes
                             2 * 2 * 64 * (64 * 128) ** 2 * 16 / 2 / FLOPS,  # forward: two products, causal
                             5 * 2 * 128 * (64 * 128) ** 2 * 16 / FLOPS,     # backward: five products, 128 keys a block
                             2 * 2 * 128 * (64 * 64) ** 2 * 16 / FLOPS,
                             5 * 2 * 32 * (64 * 64) ** 2 * 16 / FLOPS,
                             64000 * 128 * 16 / BYTES]},
    "cupti_smoke": {"launch": 24, "kernel": 28, "graph_launch": 2, "copy": 2, "set": 1, "stub": [], "flops": 0},
}


def run(program, environment):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([program], env={**environment, "MFUSIM_TRUTH": folder}, check=True, text=True,
                             stdout=subprocess.PIPE)
        lines = []
        for path in pathlib.Path(folder).glob("truth-*.jsonl"):
            lines += [json.loads(line) for line in path.read_text().splitlines()]
    return lines, [json.loads(line) for line in ran.stdout.splitlines()]


def check_libraries(program, environment):
    """Every CUDA library that the loader finds is a double: the vendor's may lie in the loader's own folders."""
    found = subprocess.run(["ldd", program], env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout
    cuda = [line.strip() for line in found.splitlines() if line.strip().startswith(("libcu", "libnccl"))]
    assert cuda and all("/sim/" in line for line in cuda), cuda


def check_order(lines):
    """Nothing in one stream overlaps, and nothing starts before its launch call."""
    launched = {line["corr"]: line["time"] for line in lines if line["t"] in ("launch", "graph_launch")}
    streams = collections.defaultdict(list)
    for line in lines:
        if line["t"] in ("kernel", "copy", "set"):
            assert line["start"] <= line["end"], line
            if not line["graph"]:
                streams[line["ctx"], line["stream"]].append((line["start"], line["end"]))
        if line["t"] == "kernel":
            assert line["start"] >= launched[line["corr"]], line
    for work in streams.values():
        work.sort()
        for before, after in zip(work, work[1:]):
            assert before[1] <= after[0], (before, after)


def check_records(lines, records):
    """CUPTI's device records and the truth are the same work, number for number."""
    def keys(items):
        fields = ("t", "start", "end", "corr", "stream", "ctx", "graph", "node")
        return sorted(tuple(item[field] for field in fields) for item in items if item["t"] in ("kernel", "copy", "set"))
    assert keys(records) == keys(lines), "CUPTI and truth differ"


def main():
    program = sys.argv[1]
    instant = "--instant" in sys.argv[2:]
    if instant:
        os.environ["MFUSIM_INSTANT"] = "1"
    expected = EXPECTED[os.path.basename(program)]
    check_libraries(program, dict(os.environ))
    lines, records = run(program, dict(os.environ))
    counts = collections.Counter(line["t"] for line in lines)
    assert lines[0]["t"] == "process" and lines[0]["gpu"] == "H100-SXM5-80GB", lines[0]
    for kind in ("launch", "kernel", "graph_launch", "copy", "set"):
        assert counts[kind] == expected[kind], f"{kind}: {counts[kind]}, expected {expected[kind]}"
    stubs = [line["function"] for line in lines if line["t"] == "stub"]
    assert stubs == expected["stub"], stubs
    if "kinds" in expected:
        kinds = sorted(line["kind"] for line in lines if line["t"] == "copy")
        assert kinds == expected["kinds"], kinds
    flops = sum(line["flops"] for line in lines if line["t"] == "kernel")
    assert flops == expected["flops"], flops
    if "durations" in expected:
        durations = [line["end"] - line["start"] for line in lines if line["t"] == "kernel"]
        assert durations == [int(duration) for duration in expected["durations"]], durations
    check_order(lines)
    if instant:
        assert all(line["start"] == line["end"] for line in lines if "end" in line), "work took time"
    if records:
        check_records(lines, records)


if __name__ == "__main__":
    main()
