"""golden.py MFUSHIM TRACE: checks import and report of a shared trace against golden_exact_us.tsv, to the last digit.

The rows were computed with integer-nanosecond interval arithmetic by others than this project's code.
"""

import csv
import sys

import mfushim

# Field of `ranks[0].time` -> column. Memsets are no compute in the exact view: the columns "b".
COLUMNS = {
    "total_ns": "total",
    "busy_ns": "busy",
    "idle_ns": "idle",
    "comm_ns": "comm",
    "compute_ns": "comp_kernels_only",
    "overlap_ns": "overlap_b",
    "exposed_comm_ns": "exposed_b",
}


def main(program, trace):
    with open(mfushim.SHARED / "golden_exact_us.tsv", newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file, delimiter="\t") if row["trace"] == trace)
    expected = {field: mfushim.nanoseconds(row[column]) for field, column in COLUMNS.items()}
    expected["records"] = int(row["records"])

    report = mfushim.report(program, [mfushim.SHARED / trace])
    time = mfushim.only_rank(report)["time"]
    wrong = mfushim.differences(time, expected)
    parts = time["compute_ns"] + time["exposed_comm_ns"] + time["exposed_copy_ns"] + time["idle_ns"]
    if parts != time["total_ns"]:
        wrong.append(f"the parts add up to {parts}, not to {time['total_ns']}")
    efficiency = report["overlap"].get("efficiency")
    shown = "nan" if efficiency is None else f"{100 * efficiency:.2f}"
    if shown != row["overlap_pct_b"]:
        wrong.append(f"overlap {shown} % instead of {row['overlap_pct_b']} %")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
