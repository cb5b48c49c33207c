"""Runs benchmarks and prints their figures beside their budgets: bench_table.py FOLDER [NAME...]."""

import json
import os
import pathlib
import subprocess
import sys


def programs(folder, names):
    if names:
        return [folder / name for name in names]
    return sorted(p for p in folder.glob("*") if p.is_file() and os.access(p, os.X_OK))


def figures(program):
    """Yields the objects a benchmark prints; its other lines go to stderr."""
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    for line in run.stdout.splitlines():
        if line.startswith('{"what"'):
            yield json.loads(line)
        else:
            print(line, file=sys.stderr)
    if run.returncode != 0:
        raise RuntimeError(f"{program.name} ended with {run.returncode}")


def row(entry):
    budget = entry.get("budget")
    cells = [entry["what"], "-", f"{entry['figure']:.4g}", entry["unit"], "-", ""]
    if budget is not None:
        higher = entry.get("better", "lower") == "higher"
        ratio = entry["figure"] / budget
        cells[1] = f"{'>=' if higher else '<='} {budget:.4g}"
        cells[4] = f"{ratio:.2f}"
        cells[5] = "" if (ratio >= 1 if higher else ratio <= 1) else "misses its budget"
    return cells


def print_table(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    for cells in rows:
        print("  ".join(c.ljust(w) if i in (0, 3, 5) else c.rjust(w)
                        for i, (c, w) in enumerate(zip(cells, widths))).rstrip())


def main(folder, *names):
    rows, failed = [["what", "budget", "figure", "unit", "ratio", ""]], []
    for program in programs(pathlib.Path(folder).resolve(), names):
        print(f"bench: {program.name}", file=sys.stderr)
        try:
            for entry in figures(program):
                rows.append(row(entry))
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            failed.append(str(error))
    if len(rows) > 1:
        print_table(rows)
    if failed or len(rows) == 1:
        sys.exit("bench: " + ("; ".join(failed) or f"no benchmark printed a figure in {folder}"))


if __name__ == "__main__":
    main(*sys.argv[1:])
