"""Assembles the texts of one case, reports on them and compares with figures that were worked out by hand.

Usage: run.py MFUSHIM CASE-FOLDER. The folder holds one *.mfutxt per log, whose comment shows the arithmetic, and
expected.json: a list of {"arguments": [...], "report": {...}}. What `report` names must be equal; lists must have the
same length. A text that starts with "=" is arithmetic on numbers, and then equal means to 1e-12; null as the value of a
key means that the report must not have it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def faults(where, expected, found):
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            yield f"{where}: {found!r} is no object"
            return
        for key, value in expected.items():
            if value is None:
                if found.get(key) is not None:
                    yield f"{where}.{key}: {found[key]!r} should be absent"
            elif key not in found:
                yield f"{where}.{key} is missing"
            else:
                yield from faults(f"{where}.{key}", value, found[key])
    elif isinstance(expected, list):
        if not isinstance(found, list) or len(expected) != len(found):
            yield f"{where}: {found!r} should have {len(expected)} entries"
            return
        for index, value in enumerate(expected):
            yield from faults(f"{where}[{index}]", value, found[index])
    elif isinstance(expected, str) and expected.startswith("="):
        value = eval(expected[1:], {"__builtins__": {}})
        if isinstance(found, bool) or not isinstance(found, (int, float)) or abs(found - value) > 1e-12 * abs(value):
            yield f"{where}: {found!r} should be {value!r}"
    elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
        yield f"{where}: {found!r} should be {expected!r}"


def report(program, folder, arguments):
    with tempfile.TemporaryDirectory() as logs:
        for text in sorted(folder.glob("*.mfutxt")):
            log = pathlib.Path(logs) / (text.stem + ".mfl")
            subprocess.run([program, "assemble", text, "-o", log], check=True)
        done = subprocess.run([program, "report", logs, "--json", *arguments], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = 0
    for case in json.loads((folder / "expected.json").read_text()):
        for fault in faults("report", case["report"], report(program, folder, case["arguments"])):
            print(f"{folder.name} {' '.join(case['arguments'])}: {fault}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
