"""What really happened on the simulated GPU: reads truth files and computes, with arithmetic of its own,
the numbers that a report must show."""

import collections
import copy
import json
import pathlib
import subprocess


COLLECTIVE_OPS = {
    "AllReduce": "all_reduce",
    "Reduce": "reduce",
    "Broadcast": "broadcast",
    "Bcast": "broadcast",
    "AllGather": "all_gather",
    "ReduceScatter": "reduce_scatter",
    "AlltoAll": "all_to_all",
    "Gather": "gather",
    "Scatter": "scatter",
    "Send": "send",
    "Recv": "recv",
    "PutSignal": "put",
    "Signal": "signal",
    "WaitSignal": "wait_signal",
}
DTYPES = {
    "Int8": "i8",
    "Uint8": "u8",
    "Int32": "i32",
    "Uint32": "u32",
    "Int64": "i64",
    "Uint64": "u64",
    "Float16": "f16",
    "Float32": "f32",
    "Float64": "f64",
    "Bfloat16": "bf16",
}


def collective_op(line):
    """A log's name of the operation of a "collective" line."""
    return COLLECTIVE_OPS[line["api"].removeprefix("nccl").removesuffix("Config")]


def dtype(line):
    """A log's name of its type; None where it moves nothing."""
    return DTYPES[line["dtype"].removeprefix("nccl")] if "dtype" in line else None


class Truth:
    """One process of a run, from its truth-PID.jsonl."""

    def __init__(self, path):
        self.lines = collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                self.lines[record["t"]].append(record)
        process = self.lines["process"][0]
        self.pid = process["pid"]
        self.kernels_by_piece = collections.Counter(r["piece"] for r in self.lines["kernel"])

    def with_work(self, lines):
        """The same process with other lines of device work."""
        other = copy.copy(self)
        other.lines = collections.defaultdict(list, self.lines | lines)
        return other

    def restricted(self, keeps):
        """The same process with only those lines of device work."""
        return self.with_work({kind: [line for line in self.lines[kind] if keeps(line)] for kind in ("kernel", "copy", "set")})

    def did_work(self):
        return any(self.lines[kind] for kind in ("launch", "graph_launch", "copy", "set", "collective"))

    def devices(self):
        return sorted({r["device"] for kind in ("kernel", "copy", "set") for r in self.lines[kind]})

    def spans(self, kind, device):
        return [(r["start"], r["end"]) for r in self.lines[kind] if r["device"] == device]

    def ledger(self, device):
        """The times of product.md's ranks[].time, memory sets counted as memory."""
        kernels = [r for r in self.lines["kernel"] if r["device"] == device]
        comm = union([(r["start"], r["end"]) for r in kernels if r["comm"]])
        compute = union([(r["start"], r["end"]) for r in kernels if not r["comm"]])
        copies = union(self.spans("copy", device) + self.spans("set", device))
        busy = union(comm + compute + copies)
        total = busy[-1][1] - busy[0][0] if busy else 0
        overlap = length(intersection(comm, compute))
        return {
            "total_ns": total,
            "busy_ns": length(busy),
            "idle_ns": total - length(busy),
            "compute_ns": length(compute),
            "comm_ns": length(comm),
            "copy_ns": length(copies),
            "overlap_ns": overlap,
            "exposed_comm_ns": length(comm) - overlap,
            "exposed_copy_ns": length(copies) - length(intersection(copies, union(comm + compute))),
            "records": len(kernels) + len(self.spans("copy", device)) + len(self.spans("set", device)),
        }

    def kernel_calls(self):
        return collections.Counter(r["name"] for r in self.lines["kernel"])

    def launches(self):
        """Launch calls that made a kernel run. Those into a stream that is being captured make none."""
        ran = {r["corr"] for r in self.lines["kernel"] if not r["graph"]}
        return sum(r["corr"] in ran for r in self.lines["launch"])

    def graph_launches(self):
        return len(self.lines["graph_launch"])

    def gemms(self):
        """Executions by kind and shape; no sizes where they are on the device."""
        calls = collections.Counter()
        for r in self.lines["gemm"]:
            sizes = (None, None, None) if r["on_device"] else (r["m"], r["n"], r["k"])
            calls[(r["kind"], *sizes, r["batch"])] += r["repeat"] * self.executions(r)
        return +calls

    def gemm_times(self):
        """Device time by kind and shape; all of a grouped call's under its first group's."""
        time = collections.Counter()
        of_piece = collections.Counter()
        for r in self.lines["kernel"]:
            of_piece[r["piece"]] += r["end"] - r["start"]
        for r in self.lines["gemm"]:
            sizes = (None, None, None) if r["on_device"] else (r["m"], r["n"], r["k"])
            time[(r["kind"], *sizes, r["batch"])] += of_piece.pop(r["piece"], 0)
        return time

    def operations(self):
        """Executions, by what a log tells of them."""
        sizes = ("batch", "groups", "m", "n", "k", "l", "window")
        calls = collections.Counter()
        for r in self.lines["operation"]:
            calls[(r["kind"], r["api"], *(r[size] for size in sizes if r["flops"]), int(r["flops"]))] += self.executions(r)
        return +calls

    def flops(self):
        """Of the products whose sizes can be known."""
        return sum(int(r["flops"]) * self.executions(r) for r in self.lines["gemm"] if not r["on_device"])

    def executions(self, line):
        """How often a product or operation was done: at once, or by its kernels in replays of graphs."""
        if not line["captured"]:
            return 1
        return self.kernels_by_piece[line["piece"]] // line["kernels"] if line["kernels"] else 0


def read_processes(directory):
    """All processes, whatever they did."""
    return [Truth(path) for path in sorted(pathlib.Path(directory).glob("truth-*.jsonl"))]


def read_truth(directory):
    """All processes that did device work, by pid."""
    return {t.pid: t for t in read_processes(directory) if t.did_work()}


def union(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def length(spans):
    return sum(end - start for start, end in spans)


def intersection(a, b):
    """Of two merged unions."""
    common, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        start, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < end:
            common.append((start, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return common


def demangle(names):
    """Names as c++filt shows them, in order."""
    if not names:
        return []
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
