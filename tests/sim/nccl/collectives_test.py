#!/usr/bin/env python3
"""The truth about nccl_group's collectives: ranks end together, no sooner than the last and their links allow."""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "library"))
import truth

RANKS = 2
# As tests/programs/nccl_group.cpp asks for them: calls, elements; all fp32.
COLLECTIVES = [("ncclAllReduce", 1024), ("ncclAllGather", 1024), ("ncclReduceScatter", 1024), ("ncclBcast", 1024),
               ("ncclAllReduce", 1024), ("ncclAllReduce", 2048)]
KERNELS = 4 + 1 + 3  # alone, one group, three exchanges
H100_LINK_BYTES_PER_NS = 450  # NVLink 4, one direction
# Bus bandwidth over algorithm bandwidth for two ranks; bytes are those of the whole buffer.
FACTOR = {"ncclAllReduce": 1, "ncclAllGather": 0.5, "ncclReduceScatter": 0.5, "ncclBcast": 1}


def check_collective(number, lines):
    api, count = COLLECTIVES[number]
    whole = RANKS if api in ("ncclAllGather", "ncclReduceScatter") else 1
    assert sorted(line["rank"] for line in lines) == list(range(RANKS)), lines
    for line in lines:
        assert (line["api"], line["count"], line["size"]) == (api, count, RANKS), line
        assert line["bytes"] == 4 * count * whole, line
        assert line["start"] == max(other["arrival"] for other in lines), lines
        assert line["end"] == lines[0]["end"], lines
        assert line["end"] - line["start"] >= line["bytes"] * FACTOR[api] / H100_LINK_BYTES_PER_NS, line


def main():
    lines = truth.of_run(sys.argv[1:], gpus=RANKS)
    meetings = collections.defaultdict(list)
    messages = collections.defaultdict(list)
    for line in truth.of_kind(lines, "collective"):
        if line["api"] in ("ncclSend", "ncclRecv"):
            sender, receiver = line["rank"], line["peer"]
            pair = (sender, receiver) if line["api"] == "ncclSend" else (receiver, sender)
            messages[pair, line["seq"]].append(line)
        else:
            meetings[line["seq"]].append(line)
    assert sorted(meetings) == list(range(len(COLLECTIVES))), sorted(meetings)
    for number, ends in meetings.items():
        check_collective(number, ends)
    assert len(messages) == 3 * RANKS, messages
    for ends in messages.values():
        assert sorted(line["api"] for line in ends) == ["ncclRecv", "ncclSend"], ends
        assert ends[0]["end"] == ends[1]["end"] > max(line["arrival"] for line in ends), ends
    kernels = collections.Counter(k["pid"] for k in truth.of_kind(lines, "kernel") if k["comm"])
    assert list(kernels.values()) == [KERNELS] * RANKS, kernels


main()
