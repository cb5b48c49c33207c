"""Processes that never use a GPU must not notice the recorder: no file, no thread, no output, and the same
exit code. Runs each command bare and preloaded in an empty directory and compares all of it.

usage: inert.py --build DIR
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

THREADS = "import os; print('threads', len(os.listdir('/proc/self/task')))"
WORKERS = """
import multiprocessing, os
def threads(_): return len(os.listdir('/proc/self/task'))
with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(threads, range(4)))
"""
COUNT_DEVICES = """
import ctypes
cuda = ctypes.CDLL('libcuda.so.1')
count = ctypes.c_int()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
print('devices', count.value)
"""
COMMANDS = {
    "shell": ["bash", "-c", "echo one | cat; (exit 3); echo $?; exec ls"],
    "compiler": ["bash", "-c", "echo 'int main(){return 0;}' | g++ -x c++ -c -o /dev/null - && echo compiled"],
    "python": [sys.executable, "-c", THREADS],
    "python workers": [sys.executable, "-c", WORKERS],
    "counts devices": [sys.executable, "-c", COUNT_DEVICES + THREADS],
    "fails": ["bash", "-c", "echo wrong >&2; exit 7"],
}


def observe(build, command, preload):
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "sim"))
        for name in [n for n in environment if n.startswith("MFUSHIM_")]:
            del environment[name]
        environment["MFUSHIM_RING_DIR"] = directory
        if preload:
            environment["LD_PRELOAD"] = str(build / "libmfushim.so")
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
        return {
            "exit code": done.returncode,
            "output": done.stdout,
            "errors": done.stderr,
            "files": sorted(str(p.relative_to(directory)) for p in pathlib.Path(directory).rglob("*")),
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failures = 0
    for name, command in COMMANDS.items():
        bare, preloaded = (observe(options.build, command, preload) for preload in (False, True))
        different = [key for key in bare if bare[key] != preloaded[key]]
        for key in different:
            print(f"{name}: {key} bare {bare[key]!r}, preloaded {preloaded[key]!r}", file=sys.stderr)
        failures += bool(different)
        print(f"{name}: {'DIFFERS' if different else 'same'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
