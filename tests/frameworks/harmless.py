"""The recorder leaves a program as it was: same calls, logs from those alone that used the GPU, all of it readable."""
import collections
import json
import re
import subprocess

from mismatch import Mismatch, equal
from three_ways import SOURCE

# How often these are called depends on how long things take.
POLLS = {"cudaEventQuery", "cudaStreamQuery", "cuEventQuery", "cuStreamQuery", "cudaGetLastError"}


WORK = re.compile(r"Launch|Memcpy|Memset|EventRecord|BeginCapture|EndCapture")


def calls(runs, way):
    """Of each process, its threads' sequences of public CUDA calls; processes and threads in a fixed order."""
    found = []
    for process in runs.processes(way):
        threads = collections.defaultdict(list)
        for line in process.lines["call"]:
            if line["api"] not in POLLS:
                threads[line["thread"]].append(line["api"])
        found.append((process.lines["process"][0]["rank"], sorted(threads.values())))
    return sorted(found)


def documented_calls():
    """What docs/using.md says that the recorder calls itself."""
    text = (SOURCE / "docs" / "using.md").read_text()
    section = re.search(r"## What the recorder asks of CUDA itself\n(.*?)\n## ", text, re.DOTALL)[1]
    return set(re.findall(r"`(cud?a?[A-Z]\w+)`", section))


def without(added, sequence, bare):
    """The sequence without calls of these names where the bare one has another."""
    kept, at = [], 0
    for call in sequence:
        if at < len(bare) and call == bare[at]:
            at += 1
        elif call in added:
            continue
        kept.append(call)
    return kept


def check_calls(runs):
    if runs.program.calls == "work":
        return check_work(runs)
    bare = calls(runs, "bare")
    for way, added in (("recorded", documented_calls()), ("disabled", set())):
        other = calls(runs, way)
        equal(f"processes that used CUDA, {way}", [rank for rank, _ in other], [rank for rank, _ in bare])
        for (rank, a), (_, b) in zip(bare, other):
            equal(f"threads with CUDA calls of rank '{rank}', {way}", len(b), len(a))
            for expected, sequence in zip(a, b):
                compare(f"{way}, a thread of rank '{rank}'", without(added, sequence, expected), expected)


def check_work(runs):
    """The weaker comparison, for programs whose threads race: each thread's calls that give the GPU work, in order."""
    def work(way):
        kept = [(rank, [[call for call in thread if WORK.search(call)] for thread in threads])
                for rank, threads in calls(runs, way)]
        # Not those of processes that give none: whether compilers' workers look at the GPU depends on what was compiled before.
        return sorted((rank, sorted(filter(None, threads))) for rank, threads in kept if any(threads))

    bare = work("bare")
    for way in ("recorded", "disabled"):
        other = work(way)
        equal(f"threads that give work, {way}", [(rank, len(t)) for rank, t in other], [(rank, len(t)) for rank, t in bare])
        for (rank, a), (_, b) in zip(other, bare):
            for sequence, expected in zip(a, b):
                compare(f"{way}, a thread of rank '{rank}'", sequence, expected)


def compare(where, sequence, bare):
    if sequence == bare:
        return
    at = next(i for i in range(max(len(sequence), len(bare))) if sequence[i:i + 1] != bare[i:i + 1])
    raise Mismatch(f"{where}: call {at} is {sequence[at:at + 3]}, bare {bare[at:at + 3]}")


def check_logs(runs):
    """One log for each process that used the GPU, none from launchers, compilers and data workers."""
    equal("logs when disabled", (runs.work / "disabled" / "logs").exists(), False)
    pids = sorted(str(pid) for pid in runs.truths("recorded"))
    logs = runs.work / "recorded" / "logs"
    named = sorted(path.stem.rpartition("-p")[2] for path in logs.iterdir()) if logs.exists() else []
    equal("processes with a log", named, pids)


def check_guard(runs):
    """Nothing of the vendor's was loaded: what ran is the simulator, or the test shows nothing."""
    for way in ("bare", "recorded", "disabled"):
        for process in runs.processes(way):
            equal(f"vendor libraries loaded, {way}", [line["path"] for line in process.lines["vendor"]], [])


def check_cut_short(runs):
    """A run that ends badly: every launch that the simulator saw is in the logs."""
    launches = sum(len(process.lines[kind]) for process in runs.processes("recorded") for kind in ("launch", "graph_launch"))
    dumped = subprocess.run([runs.build / "mfushim", "report", "--json", runs.work / "recorded" / "logs"],
                            capture_output=True, text=True, check=False)
    equal("report's exit code", dumped.returncode, 0)
    seen = json.loads(dumped.stdout)["coverage"]["launches"]["seen_by_api"]
    equal("launches up to the end", seen, launches)
    return f"{launches} launches up to the end, as the simulator saw them"
