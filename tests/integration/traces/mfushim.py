"""Runs mfushim's import and report for the tests on traces."""

import collections
import json
import pathlib
import re
import subprocess
import tempfile

SKIPPED = 77  # ctest's SKIP_RETURN_CODE for these tests
SHARED = pathlib.Path(__file__).resolve().parents[4] / "shared" / "traces"


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=280, check=False)


def report(program, traces, *options):
    """The JSON report of these traces, imported together into a fresh directory."""
    with tempfile.TemporaryDirectory() as folder:
        imported = run(program, "import", "kineto", *traces, "-o", folder)
        if imported.returncode != 0 or imported.stdout or imported.stderr:
            raise AssertionError(f"import: exit code {imported.returncode}: {imported.stdout}{imported.stderr}")
        reported = run(program, "report", folder, "--json", *options)
        if reported.returncode != 0:
            raise AssertionError(f"report: exit code {reported.returncode}: {reported.stderr}")
        return json.loads(reported.stdout)


def only_rank(report):
    ranks = report["ranks"]
    if len(ranks) != 1:
        raise AssertionError(f"{len(ranks)} ranks instead of one")
    return ranks[0]


def nanoseconds(microseconds):
    """Of a decimal with up to three digits behind the point."""
    whole, _, fraction = microseconds.partition(".")
    if len(fraction) > 3:
        raise ValueError(microseconds)
    return int(whole) * 1000 + int(fraction.ljust(3, "0"))


def differences(found, expected):
    return [f"{key}: {found.get(key)} instead of {value}" for key, value in expected.items() if found.get(key) != value]


FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def records(program, content):
    """The records of an imported trace, by kind, as `dump` shows them: texts in their quotes, all else as written."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        trace.write_bytes(content)
        imported = run(program, "import", "kineto", trace, "-o", folder)
        if imported.returncode != 0 or imported.stdout or imported.stderr:
            raise AssertionError(f"import: exit code {imported.returncode}: {imported.stdout}{imported.stderr}")
        dumped = run(program, "dump", pathlib.Path(folder) / "trace.mfl")
        if dumped.returncode != 0 or dumped.stderr:
            raise AssertionError(f"dump: exit code {dumped.returncode}: {dumped.stderr}")
    found = collections.defaultdict(list)
    kind = lane = None
    for line in dumped.stdout.splitlines():
        if block := re.fullmatch(r"block (\w+) lane=(\d+)", line):
            kind, lane = block.groups()
        elif line.startswith("  "):
            found[kind].append({"lane": lane, **dict(FIELD.findall(line))})
    return found
