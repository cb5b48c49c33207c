"""c10d's flight recorder, which notes every collective of a process: operation, sizes and types in order, against the log."""
import math
import re
import subprocess

from mismatch import Mismatch, equal

DTYPES = {"Float": "f32", "Double": "f64", "Half": "f16", "BFloat16": "bf16", "Long": "i64", "Int": "i32", "Char": "i8",
          "Byte": "u8", "Float8_e4m3fn": "f8e4m3", "Bool": "u8"}
# c10d's name of an operation -> NCCL's, and whose size counts.
OPERATIONS = {"all_reduce": ("all_reduce", "input"), "broadcast": ("broadcast", "input"), "reduce": ("reduce", "input"),
              "_all_gather_base": ("all_gather", "input"), "all_gather": ("all_gather", "input"),
              "_reduce_scatter_base": ("reduce_scatter", "output"), "send": ("send", "input"), "recv": ("recv", "output"),
              "all_gather_into_tensor": ("all_gather", "input"), "all_gather_single": ("all_gather", "input"),
              "reduce_scatter_tensor": ("reduce_scatter", "output"), "reduce_scatter_single": ("reduce_scatter", "output"),
              "all_to_all_single": ("all_to_all", "input")}


def sides(entry, side):
    """(type, elements) of each tensor that goes in or comes out; some entries have an empty one where there is none."""
    return [(DTYPES[dtype], math.prod(sizes)) for dtype, sizes in zip(entry[f"{side}_dtypes"], entry[f"{side}_sizes"])
            if math.prod(sizes)]


def noted(entry, ranks):
    """What c10d's entry is in NCCL's terms: (operation, type, count), once or more."""
    backend, _, name = entry["profiling_name"].partition(" ")[0].partition(":")
    if name == "scatter":  # the root sends to every other rank; the older backend notes its own part as the input
        own, scattered = ("output", "input") if backend == "nccl2" else ("input", "output")
        ((dtype, count),) = sides(entry, own)
        return [("send", dtype, count)] * (ranks - 1) if sides(entry, scattered) else [("recv", dtype, count)]
    if name == "all_to_all" and backend == "nccl":  # of equal parts: to and from each rank in turn
        ((dtype, count),) = sides(entry, "input")
        return [("send", dtype, count // ranks), ("recv", dtype, count // ranks)] * ranks
    if name not in OPERATIONS:
        raise Mismatch(f"the flight record has '{entry['profiling_name']}', which this test does not know")
    operation, whose = OPERATIONS[name]
    dtype, count = sides(entry, whose)[0]
    if operation == "all_to_all":
        count //= ranks  # NCCL is told what goes to each rank
    # Into a list of tensors, PyTorch 2.15's default backend gathers by a broadcast from each rank.
    if backend == "nccl2" and name == "all_gather":
        return [("broadcast", dtype, count)] * ranks
    return [(operation, dtype, count)]


def recorded(build, log):
    """The log's collectives in order."""
    dump = subprocess.run([build / "mfushim", "dump", log], check=True, capture_output=True, text=True).stdout
    shapes, calls = {}, []
    for block, rows in re.findall(r"^block (collective|collective_shape) lane=\d+\n((?:  .*\n)*)", dump, re.MULTILINE):
        for row in rows.splitlines():
            fields = dict(field.split("=", 1) for field in row.split())
            if block == "collective":
                calls.append((int(fields["start"]), int(fields["number"]), fields["subject"]))
            else:
                shapes[fields["id"]] = (fields["op"], fields["dtype"], int(fields["count"]))
    return [shapes[subject] for _, _, subject in sorted(calls)]


def check(runs):
    if runs.program.ranks == 1:
        return None
    total = 0
    for process in runs.observed("counts"):
        expected = [c for entry in process["collectives"] for c in noted(entry, runs.program.ranks)]
        (log,) = (runs.work / "observed" / "logs").glob(f"*-p{process['pid']}*.mfl")
        equal(f"collectives of process {process['pid']}, the flight record's", recorded(runs.build, log), expected)
        total += len(expected)
    return f"{total} collectives in the flight record's order"
