"""Runs nccl_forms under the recorder on the simulated GPU and demands that its logs know every row of NCCL by name, and
hold one record for each collective of the truth, by operation, type, count, peer, reduction, number, rank and size, in
the groups that the program made.

usage: nccl_forms.py --build DIR --program FILE
"""

import argparse
import collections
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import log
import truth as truth_file
from mismatch import Mismatch, equal

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# What tests/programs/nccl_forms.cpp asks for in groups: counts of elements. Each send has its receive.
GROUPS = [[301, 301], [302, 302, 303, 303], [304, 304, 305], [306, 306], [307, 307]]
SIMULATED = {306, 307}


class Log:
    def __init__(self, build, path):
        self.records = log.records(build, path)
        self.names = {r["id"]: r["text"].strip('"') for r in self.records["name"]}
        shapes = {r["id"]: r for r in self.records["collective_shape"]}
        communicators = {r["id"]: r for r in self.records["communicator"]}
        self.collectives = []
        for r in sorted(self.records["collective"], key=lambda r: int(r["sequence"])):
            shape = shapes[r["subject"]]
            self.collectives.append({**communicators[shape["communicator"]], **shape, **r})

    def calls(self):
        kinds = ("collective", "call")
        return {self.names[r["api"]] for kind in kinds for r in self.records[kind]}

    def ran(self):
        return collections.Counter((r["op"], r["dtype"], int(r["count"]), int(r["peer"]), r["reduction"],
                                    int(r["number"]), int(r["rank"]), int(r["size"]))
                                   for r in self.collectives if int(r["count"]) not in SIMULATED)

    def groups(self):
        grouped = (r for r in self.collectives if r["group"] != "0")
        return [[int(r["count"]) for r in members] for _, members in itertools.groupby(grouped, lambda r: r["group"])]


def truth_of(process):
    return collections.Counter(
        (truth_file.collective_op(r), truth_file.dtype(r) or "unknown", r["count"], r.get("peer", -1),
         r["op"].removeprefix("nccl").lower() if "op" in r else "none", r["seq"], r["rank"], r["size"])
        for r in process.lines["collective"])


def check(build, work, program):
    environment = dict(os.environ, MFUSHIM_BUILD_DIR=str(build), MFUSHIM_OUT=str(work / "logs"))
    environment.pop("MFUSHIM_DISABLE", None)
    subprocess.run([SOURCE / "scripts/sim", "--gpus", "2", "--truth", work, "--shim", "--", program], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    truths = truth_file.read_truth(work)
    equal("processes", len(truths), 2)
    called = set()
    for pid, process in truths.items():
        [path] = (work / "logs").glob(f"*-p{pid}.mfl")
        recorded = Log(build, path)
        equal(f"collectives of {pid}", recorded.ran(), truth_of(process))
        equal(f"groups of {pid}", recorded.groups(), GROUPS)
        called |= {name for name in recorded.calls() if re.match("p?nccl", name)}
    rows = (SOURCE / "include/mfushim/format/apis_nccl.def").read_text(encoding="utf-8")
    rows = set(re.findall(r"^MFUSHIM_API\((\w+)", rows, re.MULTILINE))
    equal("functions of NCCL", (rows - called, called - rows), (set(), set()))
    print(f"nccl_forms: {len(called)} functions, every collective as in the truth")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    work = options.build / "integration" / "nccl_forms_calls"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        check(options.build, work, options.program)
    except Mismatch as mismatch:
        sys.exit(f"nccl_forms: {mismatch} (files: {work})")


if __name__ == "__main__":
    main()
