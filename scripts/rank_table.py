"""Prints a JSON report's times of each rank as a table: mfushim report --json LOGS | rank_table.py."""

import json
import sys


def main():
    report = json.load(sys.stdin)
    names = ("total_ns", "compute_ns", "comm_ns", "exposed_comm_ns", "exposed_copy_ns", "idle_ns")
    print("RANK    " + "".join(f"{name.removesuffix('_ns').replace('_', ' '):>14}" for name in names) + "   device records")
    for rank in report["ranks"]:
        times = "".join(f"{rank['time'][name] / 1e6:>11.3f} ms" for name in names)
        print(f"{rank['rank']:<8}{times}{rank['time']['records']:>17,}")


main()
