"""views.py MFUSHIM NUMBER: checks one row of views.tsv, a trace as another tool sees it.

The hta rows are what HolisticTraceAnalysis 0.5 prints for these traces (us; busy is compute and non-compute, the two
trace_diff rows are exact arithmetic by its rules), the tracelens rows what TraceLens publishes for them.
"""

import csv
import pathlib
import sys

import mfushim


def main(program, number):
    with open(pathlib.Path(__file__).with_name("views.tsv"), newline="", encoding="utf-8") as file:
        row = list(csv.DictReader(file, delimiter="\t"))[int(number)]
    trace, view, share = row.pop("trace"), row.pop("view"), row.pop("overlap_pct")
    expected = {f"{column}_ns": mfushim.nanoseconds(value) for column, value in row.items() if value}

    report = mfushim.report(program, [mfushim.SHARED / trace], "--view", view)
    wrong = mfushim.differences(mfushim.only_rank(report)["time"], expected)
    efficiency = report["overlap"].get("efficiency")
    shown = "none" if efficiency is None else f"{100 * efficiency:.2f}"
    if share not in ("", shown):
        wrong.append(f"overlap {shown} % instead of {share} %")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
