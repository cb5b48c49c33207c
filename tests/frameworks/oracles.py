"""What PyTorch itself says of a run, against what the recorder wrote and what the simulator knows of the same run."""
import collections
import json
import math
import re
import subprocess

import three_ways
import truth as truth_file
from mismatch import Mismatch, equal

MATRIX_PRODUCTS = {"aten.mm", "aten.addmm", "aten.bmm", "aten.baddbmm", "aten._scaled_mm", "aten._grouped_mm",
                   "aten._scaled_grouped_mm"}
# Kineto converts CUPTI's time stamps from the processor's counter by a line through two readings of both clocks.
KINETO_CLOCK_ERROR_NS = 20_000


def observed(runs, kind, way="observed"):
    return [json.loads(path.read_text()) for path in sorted((runs.work / way).glob(f"observed-*{kind}"))
            if path.name.endswith(".trace.json") == (kind == ".trace.json")]


def check_flops(runs, way):
    """FlopCounterMode's FLOPs in that run against the recorder's in the observed one."""
    counted = sum(count for process in observed(runs, ".json", way) for operator, count in process["flops"].items()
                  if operator in MATRIX_PRODUCTS)
    document = runs.report("observed")
    recorded = sum(2 * g["m"] * g["n"] * g["k"] * g["batch"] * g["calls"] for g in document["gemms"])
    equal("FLOPs of matrix products, FlopCounterMode's", recorded, counted * runs.program.products_per_counted)
    return f"{counted} FLOPs as FlopCounterMode"


def check_profiler(runs):
    kernels, copies, sets = collections.Counter(), collections.Counter(), collections.Counter()
    for trace in observed(runs, ".trace.json"):
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel":
                kernels[event["name"]] += 1
            elif event.get("cat") == "gpu_memcpy":
                copies[event["args"]["bytes"]] += 1
            elif event.get("cat") == "gpu_memset":
                sets[event["args"]["bytes"]] += 1
    truths = runs.truths("observed").values()
    names = collections.Counter(record["name"] for t in truths for record in t.lines["kernel"])
    shown = dict(zip(names, truth_file.demangle(list(names))))
    true = collections.Counter()
    for name, count in names.items():
        true[shown[name]] += count
    equal("kernels by name, torch.profiler's", dict(kernels), dict(true))
    for what, counted, kind in (("copies", copies, "copy"), ("memory sets", sets, "set")):
        equal(f"{what} by bytes, torch.profiler's", dict(counted),
              dict(collections.Counter(record["bytes"] for t in truths for record in t.lines[kind])))
    launches = runs.report("observed")["coverage"]["launches"]["seen_by_api"]
    outside_graphs = sum(t.launches() + t.graph_launches() for t in truths)
    equal("launches beside torch.profiler", launches, outside_graphs)
    return f"{kernels.total()} kernels, {copies.total()} copies, {sets.total()} sets as torch.profiler; " + check_import(runs)


def check_import(runs):
    """Kineto's exported trace, imported, gives that run's numbers."""
    out = runs.work / "imported"
    out.mkdir()
    traces = sorted((runs.work / "observed").glob("*.trace.json"))
    done = subprocess.run([runs.build / "mfushim", "import", "kineto", *traces, "-o", out], capture_output=True, text=True,
                          check=False)
    equal(f"exit code of import ({done.stderr.strip()})", done.returncode, 0)
    document = three_ways.report(runs.build, out)
    truths = runs.truths("observed")
    three_ways.check_kernels(document, truths)
    times = [t.ledger(device) for t in truths.values() for device in t.devices()]
    worst = 0
    for name in ("busy_ns", "compute_ns", "comm_ns", "copy_ns"):
        reported = sorted(rank["time"].get(name, 0) for rank in document["ranks"])
        true = sorted(t[name] for t in times)
        equal("processes in Kineto's trace", len(reported), len(true))
        for ours, theirs in zip(reported, true):
            worst = max(worst, abs(ours - theirs))
    records = max(t["records"] for t in times)
    if worst > KINETO_CLOCK_ERROR_NS + records:  # Kineto rounds each time to a nanosecond
        raise Mismatch(f"imported ledger is {worst} ns off the truth")
    return f"its trace imported, {worst} ns off"


DTYPES = {"Float": "f32", "Double": "f64", "Half": "f16", "BFloat16": "bf16", "Long": "i64", "Int": "i32", "Char": "i8",
          "Byte": "u8", "Float8_e4m3fn": "f8e4m3", "Bool": "u8"}
# c10d's name of an operation -> NCCL's, and whose size counts.
OPERATIONS = {"all_reduce": ("all_reduce", "input"), "broadcast": ("broadcast", "input"), "reduce": ("reduce", "input"),
              "_all_gather_base": ("all_gather", "input"), "all_gather": ("all_gather", "input"),
              "_reduce_scatter_base": ("reduce_scatter", "output"), "send": ("send", "input"), "recv": ("recv", "output"),
              "all_gather_into_tensor": ("all_gather", "input"), "all_gather_single": ("all_gather", "input"),
              "reduce_scatter_tensor": ("reduce_scatter", "output"), "reduce_scatter_single": ("reduce_scatter", "output"),
              "all_to_all_single": ("all_to_all", "input")}


def noted_collectives(entry, ranks):
    """What c10d's entry is in NCCL's terms: (operation, type, count), once or more."""
    name = entry["profiling_name"].partition(":")[2].partition(" ")[0]
    if name == "scatter":  # the root, which alone has inputs, sends to every other rank
        count, dtype = math.prod(entry["output_sizes"][0]), DTYPES[entry["output_dtypes"][0]]
        return [("send", dtype, count)] * (ranks - 1) if entry["input_sizes"] else [("recv", dtype, count)]
    if name not in OPERATIONS:
        raise Mismatch(f"the flight record has '{entry['profiling_name']}', which this test does not know")
    operation, whose = OPERATIONS[name]
    count = math.prod(entry[f"{whose}_sizes"][0])
    if operation == "all_to_all":
        count //= ranks  # NCCL is told what goes to each rank
    dtype = DTYPES[entry[f"{whose}_dtypes"][0]]
    # Into a list of tensors, PyTorch 2.15's default backend gathers by a broadcast from each rank.
    if entry["profiling_name"].startswith("nccl2:") and name == "all_gather":
        return [("broadcast", dtype, count)] * ranks
    return [(operation, dtype, count)]


def recorded_collectives(runs, log):
    """The log's collectives in order."""
    dump = subprocess.run([runs.build / "mfushim", "dump", log], check=True, capture_output=True, text=True).stdout
    shapes, calls = {}, []
    for block, rows in re.findall(r"^block (collective|collective_shape) lane=\d+\n((?:  .*\n)*)", dump, re.MULTILINE):
        for row in rows.splitlines():
            fields = dict(field.split("=", 1) for field in row.split())
            if block == "collective":
                calls.append((int(fields["start"]), int(fields["number"]), fields["subject"]))
            else:
                shapes[fields["id"]] = (fields["op"], fields["dtype"], int(fields["count"]))
    return [shapes[subject] for _, _, subject in sorted(calls)]


def check_flight_record(runs):
    if runs.program.ranks == 1:
        return None
    total = 0
    for process in observed(runs, ".json"):
        noted = [c for entry in process["collectives"] for c in noted_collectives(entry, runs.program.ranks)]
        (log,) = (runs.work / "observed" / "logs").glob(f"*-p{process['pid']}*.mfl")
        equal(f"collectives of process {process['pid']}, the flight record's", recorded_collectives(runs, log), noted)
        total += len(noted)
    return f"{total} collectives in the flight record's order"
