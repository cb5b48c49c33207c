"""Makes the same calls through every door, for each CUDA major, on the simulated GPU, and compares what was made, by the
simulator's truth file, with what was recorded. The table that it makes is kept in docs/coverage.md.

Usage: matrix.py --build DIR [--write]
  --write  puts the table into docs/coverage.md; without it, a table that differs from the one there is a failure
"""

import argparse
import pathlib
import sys
import tempfile

from recorded import FAMILIES, SOURCE, Run

DOCUMENT = SOURCE / "docs" / "coverage.md"
BEGIN, END = "<!-- table: made by the test coverage.matrix -->\n", "<!-- end of the table -->\n"

# Title, the door that the launches must have been counted under, and the command in the folder of what tests/coverage
# made; {} is the major. The last word makes the calls.
DOORS = [
    ("exported symbols, program linked to all", "symbol", ["calls_linked_{}"]),
    ("exported symbols, program linked to the driver alone", "symbol", ["calls_driver_{}"]),
    ("exported symbols, extension opened RTLD_LOCAL", "symbol", ["coverage_open", "local", "libcalls_local_{}.so"]),
    ("runtime linked in statically", "getproc", ["coverage_open", "local", "libcalls_static_{}.so"]),
    ("`dlsym` by handle", "dlsym", ["coverage_open", "local", "libcalls_dlsym_{}.so"]),
    ("`cuGetProcAddress`, four arguments", "getproc", ["coverage_open", "local", "libcalls_getproc4_{}.so"]),
    ("`cuGetProcAddress_v2`, five arguments", "getproc", ["coverage_open", "local", "libcalls_getproc5_{}.so"]),
    ("trampolines opened RTLD_GLOBAL", "symbol",
     ["coverage_open", "global", "libcalls_trampolines_{}.so", "local", "libcalls_trampoline_{}.so"]),
    ("library opened RTLD_DEEPBIND", None, ["coverage_open", "deepbind", "libcalls_local_{}.so"]),
    ("library in a namespace of its own (`dlmopen`)", None, ["coverage_open", "namespace", "libcalls_dlsym_{}.so"]),
]


def run_door(build, major, command):
    made_here = build / "coverage"
    words = [word.format(major) for word in command]
    paths = [str(made_here / word) if (made_here / word).exists() else word for word in words]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(build, folder, paths)
        return run, run.made(), run.recorded()


def cell(made, recorded):
    if made == 0 and recorded == 0:
        return ""
    return str(made) if made == recorded else f"**{recorded} of {made}**"


def check_door(title, door, caller, result):
    """What is wrong, as text."""
    run, made, recorded = result
    if run.done.returncode != 0:
        yield f"{title}: exit code {run.done.returncode}: {run.done.stderr.strip()}"
    elif not any(made.values()):
        yield f"{title}: nothing was made"
    elif door is not None:
        if made != recorded:
            yield f"{title}: made {dict(made)}, recorded {dict(recorded)}"
        doors = {r["door"] for r in run.rows("coverage") if r["library"] == caller}
        if doors != {door}:
            yield f"{title}: calls of {caller} are counted by {sorted(doors)} instead of {door}"


def table_of(build):
    """The table as markdown, and what is wrong."""
    majors = sorted(int(path.name.rsplit("_", 1)[1]) for path in (build / "coverage").glob("calls_linked_*"))
    lines = ["| door | CUDA | " + " | ".join(FAMILIES) + " |\n", "|---|---|" + "---:|" * len(FAMILIES) + "\n"]
    faults = []
    for title, door, command in DOORS:
        for major in majors:
            result = run_door(build, major, command)
            faults += check_door(f"{title}, CUDA {major}", door, command[-1].format(major), result)
            _, made, recorded = result
            cells = " | ".join(cell(made[family], recorded[family]) for family in FAMILIES)
            lines.append(f"| {title} | {major} | {cells} |\n")
    return majors, "".join(lines), faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    majors, table, faults = table_of(options.build.resolve())
    print(table)
    text = DOCUMENT.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    before, tail = rest.split(END)
    if options.write:
        DOCUMENT.write_text(head + BEGIN + table + END + tail, encoding="utf-8")
    elif len(majors) < 2:
        print(f"skipped: the comparison with {DOCUMENT.name}, since only CUDA {majors[0]} was built")
    elif before != table:
        faults.append(f"{DOCUMENT.name} has another table: `ninja coverage_table` rewrites it")
    print("\n".join(faults) or "all that was made was recorded, but by the two last doors")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
