"""Prints the rows of the table in docs/frameworks.md, and the processor time of all, from what ctest wrote down last.

usage: rows.py build/release/Testing/Temporary/LastTest.log
"""
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test: frameworks\.torch@([\d.]+)\.(\w+)$", re.MULTILINE)


def number(text):
    return f"{int(text):,}"


def row(framework, program, said):
    def found(pattern):
        match = re.search(pattern, said)
        return match[1] if match else None

    records, products = found(r"(\d+) device records equal the truth"), found(rf"{program}: (\d+) FLOPs as FlopCounterMode")
    if records is None or products is None:
        return None
    others = [int(count) for count in re.findall(r"backward, (\d+) FLOPs as|(\d+) FLOPs by cuDNN", said) for count in count if count]
    attention = "not compared" if "FLOPs not compared" in said else number(sum(others)) if others else ""
    doors, collectives = found(r"launches by ([^;\n]*)"), found(r"(\d+) collectives in the flight") or ""
    return (f"| {framework} | `{program}` | {number(records)} | {doors} | {number(products)} | {attention} | {collectives} "
            f"| {found(r'imported, ([0-9]+) ns off')} ns |")


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    tests = TEST.split(text)[1:]
    rows = [row(*test) for test in zip(tests[::3], tests[1::3], tests[2::3])]
    print(*sorted(filter(None, rows), key=lambda line: (line.startswith("| 2.6"), line)), sep="\n")
    seconds = [float(s) for s in re.findall(r"([\d.]+) s of processor time", text)]
    print(f"{len(tests) // 3} tests, {sum(seconds):.0f} s of processor time")


main()
