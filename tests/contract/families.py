"""Checks that the driver's rows have every ABI variant that a cudaTypedefs.h gives a name: families.py ROWS INCLUDE."""

import pathlib
import re
import sys


def family(symbol):
    """The name that cuGetProcAddress knows, and whether the variant has a per-thread default stream."""
    per_thread = symbol.endswith(("_ptsz", "_ptds"))
    return re.sub(r"_v\d$", "", symbol[:-5] if per_thread else symbol), per_thread


def breaches(rows, include):
    have = {}
    for symbol, since in re.findall(r"^MFUSHIM_API\((\w+), \w+, (\d+), \d+\)", rows.read_text(), re.MULTILINE):
        name, per_thread = family(symbol)
        have.setdefault(name, set()).add((int(since), per_thread))
    need = {}
    typedefs = (include / "cudaTypedefs.h").read_text()
    for name, version, suffix in re.findall(r"\bPFN_(cu\w+?)_v(\d{4,})(_ptsz|_ptds)?\b", typedefs):
        need.setdefault(name, set()).add((int(version), bool(suffix)))
    newest = max(version for variants in need.values() for version, _ in variants)
    for name, variants in have.items():
        for version, per_thread in sorted(need.get(name, set()) - variants):
            yield f"{name}: no row since {version}{' per thread' if per_thread else ''}"
        if name not in need and min(variants)[0] <= newest:
            yield f"{name}: a row that the header does not know"


if __name__ == "__main__":
    found = list(breaches(*map(pathlib.Path, sys.argv[1:])))
    print("\n".join(found) or "every name of a row has all its variants")
    sys.exit(bool(found))
