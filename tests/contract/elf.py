"""Contract checks on the built recorder: each takes libmfushim.so (and more) and yields the breaches it finds."""

import re
import subprocess
import sys

# What every process on a glibc system has loaded anyway: an unmet need would end each program the preload reaches.
ALLOWED_NEEDED = {"libc.so.6", "ld-linux-x86-64.so.2"}

# The oldest glibc the recorder must load on: that of manylinux2014; RHEL 8 has 2.28, Ubuntu 20.04 2.31.
NEWEST_GLIBC = (2, 17)

# Of their like, what libc itself has had since 2.2.5.
ALWAYS_IN_LIBC = {"dl_iterate_phdr", "pthread_attr_init", "pthread_attr_destroy", "pthread_self"}

# Exported beside the rows: the filter that catches what is looked up by name.
BESIDE_THE_ROWS = {"dlsym"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    return {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}


def exports(library, list_rows):
    """list_rows is a program that prints the symbol of each row of the .def files, one a line."""
    rows = run(list_rows).split()
    expected, actual = set(rows) | BESIDE_THE_ROWS, exported(library)
    if not rows:
        yield f"{list_rows} prints no row"
    for name in sorted(expected - actual):
        yield f"{name} has a row but is not exported"
    for name in sorted(actual - expected):
        yield f"{name} is exported without a row"
    for name in sorted({n for n in rows if rows.count(n) > 1}):
        yield f"{name} has two rows"


def symbol_versions(library):
    """A named version node would make the preload load and silently record nothing."""
    for line in run("readelf", "--wide", "--version-info", library).splitlines():
        if "Version definition section" in line:
            yield f"{library} defines symbol versions; its version script must be anonymous"


def late_loading(library):
    """A preload of large initial-exec thread-locals works, but a later dlopen of the same file then fails."""
    load = subprocess.run([sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library],
                          capture_output=True, text=True)
    if load.returncode != 0:
        yield f"dlopen of {library} fails: {load.stderr.strip().splitlines()[-1] if load.stderr else load.returncode}"


def needed(library):
    found = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", run("readelf", "--wide", "--dynamic", library)))
    if not found:
        yield f"{library} needs no library at all: not the file that was meant"
    for name in sorted(found - ALLOWED_NEEDED):
        yield f"{library} needs {name} at load time"


def weak_needs(library):
    """Until glibc 2.34 these are in libdl and libpthread, which programs without CUDA may not have loaded."""
    for symbol in re.findall(r" U ((?:dl|pthread_)\w+)", run("nm", "-D", "--undefined-only", library)):
        if symbol not in ALWAYS_IN_LIBC:
            yield f"{library} needs {symbol} by a reference that is not weak"


def glibc(library):
    """Prints the newest glibc version needed, and which symbols need it."""
    versions = {}
    for symbol, version in re.findall(r"[Uw] (\w+)@GLIBC_([\d.]+)", run("nm", "-D", "--undefined-only", library)):
        versions.setdefault(tuple(int(part) for part in version.split(".")), []).append(symbol)
    if not versions:
        yield f"{library} imports nothing from glibc: not the file that was meant"
        return
    newest = max(versions)
    text = ".".join(map(str, newest))
    print(f"newest glibc needed: {text} ({', '.join(sorted(versions[newest]))})")
    if newest > NEWEST_GLIBC:
        yield f"{library} needs glibc {text}; at most {'.'.join(map(str, NEWEST_GLIBC))} is allowed"
