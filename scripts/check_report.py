"""Prints what is wrong with a report that was recorded on a real GPU, a line each: check_report.py REPORT.JSON."""

import json
import sys


def faults(report):
    launches = report["coverage"]["launches"]
    if launches["seen_by_api"] == 0:
        yield "no launch was seen"
    if launches["without"] != 0:
        yield f"{launches['without']} of {launches['seen_by_api']} launches have no GPU record"
    for name in ("without_launch", "invalid", "dropped"):
        count = report["coverage"]["gpu_records"][name]
        if count:
            yield f"{count} GPU records: {name.replace('_', ' ')}"
    for rank in report["ranks"]:
        time = rank["time"]
        parts = time["compute_ns"] + time["exposed_comm_ns"] + time["exposed_copy_ns"] + time["idle_ns"]
        if parts != time["total_ns"]:
            yield f"rank {rank['rank']}: parts are {parts} ns, total is {time['total_ns']} ns"


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        for fault in faults(json.load(file)):
            print(fault)
