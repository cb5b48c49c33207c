"""c10d's flight recorder, which notes every collective of a process: operation, sizes and types in order, against the log."""
import collections
import math
import re
import subprocess

from mismatch import Mismatch, equal

DTYPES = {"Float": "f32", "Double": "f64", "Half": "f16", "BFloat16": "bf16", "Long": "i64", "Int": "i32", "Char": "i8",
          "Byte": "u8", "Float8_e4m3fn": "f8e4m3", "Bool": "u8"}
# c10d's name of an operation -> NCCL's, and whose sizes count. Of several tensors, each is one.
OPERATIONS = {"all_reduce": ("all_reduce", "input"), "all_reduce_barrier": ("all_reduce", "input"),
              "allreduce_coalesced": ("all_reduce", "input"), "broadcast": ("broadcast", "input"),
              "reduce": ("reduce", "input"), "send": ("send", "input"), "recv": ("recv", "output"),
              "_all_gather_base": ("all_gather", "input"), "all_gather": ("all_gather", "input"),
              "all_gather_into_tensor": ("all_gather", "input"), "all_gather_single": ("all_gather", "input"),
              "all_gather_into_tensor_coalesced": ("all_gather", "input"),
              "_reduce_scatter_base": ("reduce_scatter", "output"), "reduce_scatter": ("reduce_scatter", "output"),
              "reduce_scatter_tensor": ("reduce_scatter", "output"), "reduce_scatter_single": ("reduce_scatter", "output"),
              "reduce_scatter_tensor_coalesced": ("reduce_scatter", "output")}
# What PyTorch 2.15's default backend makes of lists of tensors: one for each rank.
BY_RANK = {"all_gather": ("broadcast", "input"), "reduce_scatter": ("reduce", "output")}
EXCHANGE = "exchange"  # an all-to-all, as (EXCHANGE, type, sent, received)


def sides(entry, side):
    """(type, elements) of each tensor that goes in or comes out; some entries have an empty one where there is none."""
    return [(DTYPES[dtype], math.prod(sizes)) for dtype, sizes in zip(entry[f"{side}_dtypes"], entry[f"{side}_sizes"])
            if math.prod(sizes)]


def noted(entry, ranks):
    """What c10d's entry is in NCCL's terms: (operation, type, count), once or more."""
    backend, _, name = entry["profiling_name"].partition(" ")[0].partition(":")
    newer = backend == "nccl2"
    if name == "coalesced":  # the end of a group, whose members have entries of their own
        return []
    if name == "barrier":
        return [("all_reduce", "f32", 1)]
    if name in ("scatter", "gather"):  # between the root, which has the list, and every other rank
        # The older backend calls a rank's own tensor the input, whichever way it goes.
        own, listed = ("output", "input") if newer and name == "scatter" else ("input", "output")
        outwards = (name == "scatter") == bool(sides(entry, listed))
        calls = ranks - 1 if sides(entry, listed) else 1
        return [("send" if outwards else "recv", *sides(entry, own)[0])] * calls
    if name.startswith("all_to_all"):
        sent, received = sides(entry, "input"), sides(entry, "output")
        return [(EXCHANGE, sent[0][0], sum(count for _, count in sent), sum(count for _, count in received))]
    if newer and name in BY_RANK:
        operation, whose = BY_RANK[name]
        return [(operation, *sides(entry, whose)[0])] * ranks
    if name not in OPERATIONS:
        raise Mismatch(f"the flight record has '{entry['profiling_name']}', which this test does not know")
    operation, whose = OPERATIONS[name]
    return [(operation, *tensor) for tensor in sides(entry, whose)]


def with_exchanges(calls, expected, ranks):
    """The calls as recorded, those added up that make an all-to-all: NCCL's own, which is told what goes to each rank, or
    sends and receives, of any sizes."""
    rest, found = collections.deque(calls), []
    for wanted in expected:
        if not rest:
            break
        if wanted[0] != EXCHANGE:
            found.append(rest.popleft())
        elif rest[0][0] == "all_to_all":
            _, dtype, count = rest.popleft()
            found.append((EXCHANGE, dtype, count * ranks, count * ranks))
        else:
            moved = collections.Counter()
            while rest and rest[0][0] in ("send", "recv") and (moved["send"], moved["recv"]) != wanted[2:]:
                operation, dtype, count = rest.popleft()
                moved[operation] += count
            found.append((EXCHANGE, dtype if moved else None, moved["send"], moved["recv"]))
    return found + list(rest)


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
    ranks, total = runs.program.ranks, 0
    if ranks == 1:
        return None
    for process in runs.observed("counts"):
        expected = [call for entry in process["collectives"] for call in noted(entry, ranks)]
        (log,) = (runs.work / "observed" / "logs").glob(f"*-p{process['pid']}*.mfl")
        found = with_exchanges(recorded(runs.build, log), expected, ranks)
        equal(f"collectives of process {process['pid']}, the flight record's", found, expected)
        total += len(expected)
    return f"{total} collectives in the flight record's order"
