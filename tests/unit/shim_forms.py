"""Runs a probe under the recorder and compares its log with what it says it called:
shim_forms.py PROBE RUNTIME DRIVER_FOLDER BUILD."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def records(dump):
    """(kind, fields) of each record of a dump."""
    kind = None
    for line in dump.splitlines():
        if line.startswith("block "):
            kind = line.split()[1]
        elif line.startswith("  ") and kind:
            yield kind, dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line))


def seen(dump):
    """What the log says, as the probe's lines have it."""
    every = list(records(dump))
    names = {r["id"]: r["text"].strip('"') for kind, r in every if kind == "name"}
    handles = {r["id"]: int(r["handle"]) for kind, r in every if kind == "stream"}
    streams = {0: "default", 2: "thread"}
    calls = []
    for kind, r in every:
        if kind in ("copy", "set"):
            stream = "none" if r["subject"] == "0" else streams.get(handles[r["subject"]], "own")
            line = f"{kind} {names[r['api']]} {r['bytes']} {r.get('copy_kind', '-')} {stream}"
            calls.append((int(r["sequence"]), line))
        elif kind in ("call", "launch", "sync", "graph"):
            calls.append((int(r["sequence"]), f"{kind} {names[r['api']]}"))
    return [line for _, line in sorted(calls)]


def main(probe, runtime, driver_folder, build):
    build = pathlib.Path(build)
    with tempfile.TemporaryDirectory() as logs:
        environment = dict(os.environ, MFUSHIM_OUT=logs, LD_PRELOAD=str(build / "libmfushim.so"),
                           LD_LIBRARY_PATH=f"{driver_folder}:{pathlib.Path(runtime).parent}", MFUSIM_INSTANT="1")
        said = subprocess.run([probe, runtime], env=environment, check=True, capture_output=True, text=True).stdout
        (log,) = pathlib.Path(logs).glob("*.mfl")
        dump = subprocess.run([build / "mfushim", "dump", log], check=True, capture_output=True, text=True).stdout
    expected, actual = said.splitlines(), seen(dump)
    breaches = [f"called {e!r}, recorded {a!r}" for e, a in zip(expected, actual) if e != a]
    if len(expected) != len(actual):
        breaches.append(f"{len(expected)} calls, {len(actual)} records")
    print("\n".join(breaches) or f"{len(actual)} calls recorded as called")
    sys.exit(1 if breaches or not expected else 0)


main(*sys.argv[1:])
