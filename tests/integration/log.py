"""A log as its dump shows it."""

import collections
import re
import subprocess


def records(build, path):
    """Of each kind a list of records, which are dictionaries of texts."""
    text = subprocess.run([build / "mfushim", "dump", path], check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(list)
    kind = None
    for line in text.splitlines():
        if line.startswith("block "):
            kind = line.split()[1]
        elif line.startswith("  "):
            found[kind].append(dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line)))
    return found
