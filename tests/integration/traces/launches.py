"""launches.py MFUSHIM NUMBER: checks one row of launches.tsv, launch statistics as HolisticTraceAnalysis 0.5 prints them.

Those of the control trace are over all its steps, as the exact view has them.
"""

import csv
import pathlib
import sys

import mfushim


def main(program, number):
    with open(pathlib.Path(__file__).with_name("launches.tsv"), newline="", encoding="utf-8") as file:
        row = list(csv.DictReader(file, delimiter="\t"))[int(number)]
    report = mfushim.report(program, [mfushim.SHARED / row.pop("trace")], "--view", row.pop("view"))
    if wrong := mfushim.differences(report["launch"], {key: int(value) for key, value in row.items()}):
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
