"""By which door each launch came: the coverage record counts every one that the simulator saw."""
import collections
import re
import subprocess

from mismatch import Mismatch, equal

LAUNCH = re.compile(r"Launch(?!HostFunc)")  # kernels and graphs


def rows(build, log):
    """(door, library, entry point, count) of a log's last coverage record."""
    dump = subprocess.run([build / "mfushim", "dump", log], check=True, capture_output=True, text=True).stdout
    blocks = re.findall(r"^block coverage lane=\d+\n((?:  .*\n)*)", dump, re.MULTILINE)
    for row in blocks[-1].splitlines() if blocks else ():
        yield re.search(r'door="(.*?)"  library="(.*?)"  api="(.*?)"  count=(\d+)', row).groups()


def check(runs):
    launches, total = collections.Counter(), 0
    for pid, truth in runs.truths("recorded").items():
        (log,) = (runs.work / "recorded" / "logs").glob(f"*-p{pid}*.mfl")
        found = collections.Counter()
        for door, _, entry, count in rows(runs.build, log):
            if LAUNCH.search(entry):
                found[door] += int(count)
        true = len(truth.lines["launch"]) + len(truth.lines["graph_launch"])
        equal(f"launches of process {pid} by all doors", found.total(), true)
        launches += found
        total += true
    only = runs.program.only_door
    if only and set(launches) != {only}:
        raise Mismatch(f"launches came by {dict(launches)}, not by {only} alone")
    return "launches by " + ", ".join(f"{door} {count}" for door, count in sorted(launches.items()))
