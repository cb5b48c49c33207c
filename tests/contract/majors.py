"""Compiles the hooks against one CUDA version's headers, taken from packages: majors.py SOURCE COMPILER VERSION.

A row that those headers contradict does not compile, and each driver name must have all variants that they give it.
Nothing is generated; the machine's own CUDA headers in
/usr/local/include are out of reach: they would hide what a version lacks.
"""

import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import families

SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def standard_folders(compiler):
    text = subprocess.run([compiler, "-xc++", "-E", "-v", "/dev/null"], capture_output=True, text=True).stderr
    folders = re.search(r"#include <\.\.\.> search starts here:\n(.*?)\nEnd of search list", text, re.DOTALL)[1].split()
    return [f for f in folders if f != "/usr/local/include"]


def defined(header, name):
    return re.search(rf"^#define {name}\s+(\d+)$", header.read_text(), re.MULTILINE)[1]


def compile_one(command, source):
    run = subprocess.run([*command, source], capture_output=True, text=True)
    return (source.name, run.returncode, run.stderr)


def includes_vendor(source):
    return re.search(r"^#include <(cuda|cublas|cudnn|cupti|nccl)", source.read_text(), re.MULTILINE)


def main(source, compiler, version):
    source = pathlib.Path(source)
    fetched = subprocess.run([source / "scripts/cuda_headers", version], capture_output=True, text=True)
    if fetched.returncode != 0:
        print(f"skipped: no headers of CUDA {version}: {(fetched.stderr.strip().splitlines() or ['?'])[-1]}")
        return SKIPPED
    include = pathlib.Path(fetched.stdout.strip())
    cuda, nccl = defined(include / "cuda.h", "CUDA_VERSION"), defined(include / "nccl.h", "NCCL_VERSION_CODE")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fno-exceptions", "-fno-rtti",
               "-nostdinc", f"-I{source}/include", f"-I{source}/shim", "-isystem", include, "-D_GNU_SOURCE",
               f"-DMFUSHIM_CUDA_VERSION={cuda}", f"-DMFUSHIM_NCCL_VERSION={nccl}", "-DMFUSHIM_ENTRY_POOL=1"]
    for folder in standard_folders(compiler):
        command += ["-isystem", folder]

    sources = [s for s in sorted((source / "shim").glob("*.cpp")) if includes_vendor(s)]
    sources.append(source / "tests/contract/cudnn_declarations.cpp")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda s: compile_one(command, s), sources))
    missing = list(families.breaches(source / "include/mfushim/format/apis_driver.def", include))
    for breach in missing:
        print(breach)
    failures = [r for r in results if r[1] != 0]
    for name, _, text in failures:
        print(f"{name} does not compile with the headers of CUDA {cuda}:\n{text}")
    print(f"CUDA {cuda}, NCCL {nccl}: {len(results) - len(failures)} of {len(results)} files compile")
    return bool(failures or missing) or not results


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
