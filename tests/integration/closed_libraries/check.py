"""Real closed libraries over the simulated driver, under the recorder: the alarm for new toolkits.

check.py --build DIR --toolkit DIR --program FILE --lookups FILE --rows FILE

Each library of the toolkit is loaded in a process of its own and called, bare and with the recorder. Its results must be
the same. What it looks up of the driver is written down on the way; where a row claims the name, it must have been given
the recorder's function. Every launch, graph launch, copy and memory set that it looks up must have a row.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77  # ctest's SKIP_RETURN_CODE

LIBRARIES = ["cudart", "cublasLt", "cublas", "cudnn", "nccl", "cufft", "cusolver", "cusparse", "curand"]

# Names of device work that no row claims, on purpose, and why.
UNCLAIMED = {}

DEVICE_WORK = re.compile(r"cu(Launch(?!Attribute)|GraphLaunch|Memcpy|Memset)")
LIKE_WORK = re.compile(r"cu.*(Launch|Memcpy|Memset|Copy|Cpy|Synchronize|Alloc|Free|Batch|Capture)")


def family(name):
    return re.sub(r"_v\d$", "", re.sub(r"_pt[ds][sz]$", "", name))


class Library:
    def __init__(self, args, path):
        self.path = path
        self.command = [args.program, path]
        self.environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "MFUSHIM_DISABLE")}
        self.environment["LD_LIBRARY_PATH"] = f"{args.build}/sim:{args.toolkit}"

    def run(self, preload=(), **more):
        environment = dict(self.environment, LD_PRELOAD=":".join(map(str, preload)), **more)
        done = subprocess.run(self.command, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr


def faults_of(lookups, rows, names):
    """Yields what is wrong with (door, name, version, flags, given, caller) rows."""
    families = {family(row) for row in rows}
    for door, name, version, flags, given, caller in lookups:
        if given == "-":
            continue
        names[name].add(caller) if name in names else names.update({name: {caller}})
        claimed = name in rows if door == "dlsym" else family(name) in families
        if claimed and given != "libmfushim.so":
            yield f"{caller} asked {door} for {name} (version {version}, flags {flags}) and was given that of {given}"
        if not claimed and given == "libmfushim.so":
            yield f"{name} has no row, and {caller} was given the recorder's"
        if not claimed and DEVICE_WORK.match(name) and name not in UNCLAIMED:
            yield f"{caller} looks up {name} by {door}, which no row claims"


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "toolkit", "program", "lookups", "rows"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    args = parser.parse_args()
    rows = set(re.findall(r"^MFUSHIM_API\((\w+),", args.rows.read_text(), re.MULTILINE))
    shim = args.build / "libmfushim.so"
    faults, present, names = [], [], {}
    for name in LIBRARIES:
        found = sorted(p for p in args.toolkit.glob(f"lib{name}.so.*") if re.fullmatch(r"\d+", p.name.split(".so.")[1]))
        if not found:
            continue
        library = Library(args, found[-1])
        with tempfile.TemporaryDirectory() as work:
            log = pathlib.Path(work, "lookups")
            bare = library.run()
            under = library.run([shim], MFUSHIM_OUT=work)
            library.run([args.lookups, shim], MFUSHIM_OUT=work, LOOKUPS=str(log), LOOKUPS_BEHIND=str(shim))
            lookups = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
        present.append(library.path.name)
        by = {door: sum(row[0] == door for row in lookups) for door in ("get_proc", "dlsym")}
        wrapped = sum(row[4] == "libmfushim.so" for row in lookups)
        print(f"{library.path.name}: exit code {bare[0]}; {' '.join(bare[1].split())}; looked up {by['get_proc']} names by"
              f" cuGetProcAddress, {by['dlsym']} by dlsym: {wrapped} wrapped,"
              f" {sum(row[4] == '-' for row in lookups)} not there")
        if bare[0] != 0:
            faults.append(f"{library.path.name} was not called: {bare[1]}{bare[2]}")
        if under != bare:
            faults.append(f"{library.path.name} behaves otherwise under the recorder:\n  {bare}\n  {under}")
        if not lookups:
            faults.append(f"{library.path.name} looked up nothing: the check has no subject")
        faults += faults_of(lookups, rows, names)
    if not present:
        print(f"skipped: no toolkit: none of the libraries is in {args.toolkit}")
        return SKIPPED
    missing = [name for name in LIBRARIES if not any(p.startswith(f"lib{name}.") for p in present)]
    if missing:
        print(f"not there: {', '.join(missing)}")
    families = {family(row) for row in rows}
    like = sorted(name for name in names if LIKE_WORK.match(name) and family(name) not in families)
    print(f"looked up, and like device work, but no row's: {', '.join(like) or 'none'}")
    print("\n".join(faults) or f"{len(names)} names of {len(present)} libraries are as they should be")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
