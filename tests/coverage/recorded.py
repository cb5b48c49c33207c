"""What one run of a program made, by the simulator's truth file, and what its log holds: counts by family of calls."""

import collections
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "integration"))
import truth as truth_file  # noqa: E402

FAMILIES = ["launches", "host functions", "graph launches", "copies", "sets", "waits", "allocations", "cuBLAS",
            "cuBLASLt", "cuDNN", "NCCL"]


def classes():
    """The class of each row, by exported name."""
    rows = {}
    for path in (SOURCE / "include" / "mfushim" / "format").glob("apis_*.def"):
        rows.update(re.findall(r"^MFUSHIM_API\((\w+), (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    return rows


CLASSES = classes()
DEVICE_WORK = {"kLaunch", "kGraphLaunch", "kCopy", "kSet", "kGemm", "kOperation", "kCollective"}


def allocates(name):
    """Frees aside: one of nothing ends in the runtime, and inside a closed library nobody sees the runtime."""
    return CLASSES.get(name) == "kAlloc" and "alloc" in name.lower()


def calls_since_work(truth):
    """Names of the outermost public calls from the first device work on: the recorder starts there."""
    names = [r["api"] for r in truth.lines["call"]]
    first = next((i for i, name in enumerate(names) if CLASSES.get(name) in DEVICE_WORK), len(names))
    return names[first:]


def made(truths):
    counts = collections.Counter()
    for t in truths:
        calls = calls_since_work(t)
        counts["launches"] += t.launches()
        counts["graph launches"] += t.graph_launches()
        counts["copies"] += len(t.lines["copy"])
        counts["sets"] += len(t.lines["set"])
        counts["host functions"] += sum("LaunchHostFunc" in name for name in calls)
        counts["waits"] += sum(CLASSES.get(name) == "kSync" for name in calls)
        counts["allocations"] += sum(allocates(name) for name in calls)
        for product in t.lines["gemm"]:
            counts["cuBLASLt" if product["api"].startswith("cublasLt") else "cuBLAS"] += 1
        counts["cuDNN"] += len(t.lines["operation"])
        counts["NCCL"] += len(t.lines["collective"])
    return +counts


def records(dump):
    """(kind, fields) of each record of a dump."""
    kind = None
    for line in dump.splitlines():
        if line.startswith("block "):
            kind = line.split()[1]
        elif line.startswith("  ") and kind:
            yield kind, {k: v.strip('"') for k, v in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line)}


def recorded(dump):
    counts = collections.Counter()
    every = list(records(dump))
    names = {r["id"]: r["text"] for kind, r in every if kind == "name"}
    of_kind = {"launch": "launches", "graph_launch": "graph launches", "copy": "copies", "set": "sets",
               "sync": "waits", "operation": "cuDNN", "collective": "NCCL"}
    for kind, r in every:
        api = names.get(r.get("api"), "")
        if kind in of_kind:
            counts[of_kind[kind]] += 1
        elif kind == "gemm":
            counts["cuBLASLt" if api.startswith("cublasLt") else "cuBLAS"] += 1
        elif kind == "call":
            if "LaunchHostFunc" in api:
                counts["host functions"] += 1
            elif allocates(api):
                counts["allocations"] += 1
    return +counts


class Run:
    """A command on the simulated GPU under the recorder; other libraries are preloaded before or after it."""

    def __init__(self, build, folder, command, environment=None, before="", after="", libraries=None):
        """`libraries`: instead of the simulator's."""
        folder = pathlib.Path(folder)
        preload = ":".join(filter(None, [before, str(build / "libmfushim.so"), after]))
        full = dict(os.environ, MFUSHIM_BUILD_DIR=str(build), MFUSHIM_OUT=str(folder / "logs"), MFUSIM_INSTANT="1",
                    MFUSIM_TRUTH_CALLS="1")
        full.pop("MFUSHIM_DISABLE", None)
        full.update(environment or {})
        place = [SOURCE / "scripts" / "sim", "--truth", folder, "--"] if libraries is None else []
        words = [*place, "env", f"LD_PRELOAD={preload}", *command]
        if libraries is not None:
            full["LD_LIBRARY_PATH"] = str(libraries)
        self.done = subprocess.run([str(word) for word in words], env=full, capture_output=True, text=True,
                                   check=False, timeout=60)
        self.dump = "".join(
            subprocess.run([build / "mfushim", "dump", log], check=True, capture_output=True, text=True).stdout
            for log in sorted((folder / "logs").glob("*.mfl")))
        self.truths = list(truth_file.read_truth(folder).values())

    def made(self):
        return made(self.truths)

    def recorded(self):
        return recorded(self.dump)

    def rows(self, kind):
        return [r for k, r in records(self.dump) if k == kind]
