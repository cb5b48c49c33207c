"""Checks that the driver's rows have every ABI variant that cudaTypedefs.h gives a name: shim_families.py ROWS TYPEDEFS."""

import re
import sys


def family(symbol):
    """The name that cuGetProcAddress knows, and whether the variant has a per-thread default stream."""
    per_thread = symbol.endswith(("_ptsz", "_ptds"))
    return re.sub(r"_v\d$", "", symbol[:-5] if per_thread else symbol), per_thread


def main(rows, typedefs):
    have = {}
    for symbol, since in re.findall(r"^MFUSHIM_API\((\w+), \w+, (\d+), \d+\)", open(rows).read(), re.MULTILINE):
        name, per_thread = family(symbol)
        have.setdefault(name, set()).add((int(since), per_thread))
    need = {}
    for name, version, suffix in re.findall(r"\bPFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\b", open(typedefs).read()):
        need.setdefault(name, set()).add((int(version), bool(suffix)))
    breaches = [f"{name}: no row since {version}{' per thread' if per_thread else ''}"
                for name in have for version, per_thread in sorted(need.get(name, set()) - have[name])]
    breaches += [f"{name}: a row that the header does not know" for name in have if name not in need]
    print("\n".join(breaches) or f"{sum(map(len, have.values()))} rows of {len(have)} names are whole")
    sys.exit(1 if breaches else 0)


main(*sys.argv[1:])
