"""Recomputes every published speed through `mfushim calc` and compares with the published TFLOP/s, MFU and HFU.

Usage: mfu.py MFUSHIM TABLE. The table has a row per published figure: configuration, speed, figure, and the convention by
which the source counts. A row that carries enough must agree within 1 %, or within half a unit of its last printed digits
where those are coarser; a row that does not is listed with the rule that says why. The rules look at what a row holds,
never at which row it is, so that another table of this kind can be tried as well.
"""

import collections
import csv
import json
import re
import subprocess
import sys
import tempfile

from rows import Row

TOLERANCE = 0.01


def calc(program, arguments):
    """The answer of `calc`, or None where it refuses the input."""
    done = subprocess.run([program, "calc", "--json", *arguments], capture_output=True, text=True)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise SystemExit(f"calc {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def worst(row, answer):
    """(error beyond what rounding allows, error) of the figure that agrees least."""
    errors = []
    for name, published, computed in row.figures(answer):
        error = computed / float(published) - 1
        allowed = max(TOLERANCE, row.rounding(name, published))
        errors.append((abs(error) / allowed, error, name))
    return max(errors)


def best_answer(program, row, way, conventions):
    """The answer under the one of these conventions that fits best; None where calc refuses all."""
    answers = [calc(program, way + row.speed() + ["--convention", convention]) for convention in conventions]
    return min(filter(None, answers), key=lambda answer: worst(row, answer)[0], default=None)


def agrees(program, row, way, conventions):
    answer = best_answer(program, row, way, conventions)
    return answer is not None and worst(row, answer)[0] <= 1


def with_wide_states(shape):
    return shape | {"mamba_inner": 2 * shape["hidden"]} if shape.get("mamba_inner") else shape


def without_gate_and_window(shape):
    return {name: value for name, value in shape.items() if name not in ("gated", "window", "window_layers", "chunked")}


# What sources took a model for, at some time, in the FLOPs that they printed.
OTHER_SHAPES = {"state-space layers are 2 x hidden wide, which this model's are not": with_wide_states,
                "feed-forwards have no gate and attention has no window, which this model's have": without_gate_and_window}


def other_shape(program, row, answer):
    """What the row takes its model for, wrongly; None where no such error makes it agree."""
    shape = dict(answer.get("shape", {}))
    for what, changed in OTHER_SHAPES.items():
        if (other := changed(shape)) == shape:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(other, file)
            file.flush()
            if agrees(program, row, ["--model", file.name], row.conventions()):
                return what
    return None


def excuse(program, row, way, answer):
    """The rule by which a row that disagrees is no evidence; None when there is none."""
    recomputed = re.search(r"recomputed from rounded size: ([0-9.]+)", row["notes"])
    if recomputed and abs(answer["hardware_flops_per_s_per_gpu"] / 1e12 / float(recomputed[1]) - 1) < 0.001:
        return "the size in the row is rounded; the file's own recomputation from it agrees"
    if "only as the range" in row["notes"]:
        return "the figure is one end of a range"
    if row.contradicts_itself():
        return row.contradicts_itself()
    if what := other_shape(program, row, answer):
        return f"agrees only if {what}"
    if row.contradicts_another():
        return "rows of this model contradict each other by over 2 % per token"
    if row.names_convention() and agrees(program, row, way, ["causal", "noncausal"]):
        return "agrees only under another convention than the one it names"
    return None


def try_row(program, row):
    """(verdict, text) of a row: passed, or the reason why it cannot be compared."""
    reason = row.unusable()
    if reason:
        return reason, ""
    ways = row.ways(lambda name: calc(program, ["--model", name, "--seq", "1", "--peak", "1",
                                                "--tokens-per-second-per-gpu", "1"]))
    if not ways:
        return "no dimensions in the row, and no model of this name is known", ""
    verdict = "passed"
    for way in ways:
        answer = best_answer(program, row, way, row.conventions())
        if answer is None:
            return "the convention needs what the row does not have", ""
        ratio, error, name = worst(row, answer)
        if ratio > 1:
            return (excuse(program, row, way, answer) or "WRONG",
                    f"{name} {error:+.2%} ({' '.join(way[:2])}, {answer['convention']})")
        if abs(error) > TOLERANCE:
            verdict = "passed, but only within the rounding of the printed digits"
    return verdict if row.names_convention() else verdict + "; no convention named, the closer one taken", ""


def main():
    program, table = sys.argv[1:]
    with open(table, newline="") as file:
        rows = [Row(cells) for cells in csv.DictReader(file)]
    Row.read_siblings(rows)
    verdicts = collections.defaultdict(list)
    for row in rows:
        verdict, text = try_row(program, row)
        verdicts[verdict].append((row, text))
    for verdict, members in sorted(verdicts.items(), key=lambda entry: -len(entry[1])):
        print(f"{len(members):4} rows: {verdict}")
        if not verdict.startswith("passed"):
            for row, text in members:
                print(f"       {row['row_id']:>5} {row['model']}  {text}")
    passed = sum(len(members) for verdict, members in verdicts.items() if verdict.startswith("passed"))
    print(f"{passed} of {len(rows)} rows agree")
    return 1 if verdicts.get("WRONG") or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
