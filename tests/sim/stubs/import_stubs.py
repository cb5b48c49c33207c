#!/usr/bin/env python3
"""Gives a framework's wheel every vendor library that it links: the simulator's doubles, and stubs for the rest.

The wheel's own import tables say which names of which libraries it refers to, so that a new version of a framework is a
build, not a rewrite. What no double defines becomes a stub in one library, under the version node that the wheel asks
for; libraries that have no double at all are links to it. A stub that is called names itself in the truth file and
answers its library's "not supported".
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

# Library, its public names, and what it answers for "not supported" (values of the vendor's headers; nvrtc, cuFile and
# nvshmem have no such value, so an error that says nothing is wrong with the arguments).
LIBRARIES = [
    ("libcuda", r"cu[A-Z]\w+", 801),
    ("libcudart", r"(__)?cuda[A-Z]\w+", 801),
    ("libcublas", r"cublas(?!Lt)[A-Z]\w+", 15),
    ("libcublasLt", r"cublasLt\w+", 15),
    ("libcudnn", r"cudnn\w+", 3000),
    ("libcufft", r"cufft\w+", 16),
    ("libcurand", r"curand\w+", 201),  # CURAND_STATUS_LAUNCH_FAILURE
    ("libcufile", r"cuFile\w+", 5001),  # CU_FILE_DRIVER_NOT_INITIALIZED
    ("libcupti", r"cupti\w+", 27),
    ("libcusolver", r"cusolver\w+", 9),
    ("libcusparse", r"cusparse(?!Lt)\w+", 10),
    ("libcusparseLt", r"cusparseLt\w+", 10),
    ("libnccl", r"p?nccl[A-Z]\w+", 5),  # ncclInvalidUsage
    ("libnvrtc", r"nvrtc\w+", 11),  # NVRTC_ERROR_INTERNAL_ERROR
    ("libnvshmem_host", r"nvshmem\w+", 7),  # any that is not 0
]
UNAVAILABLE = 69  # as scripts/framework exits where an environment cannot be had
TEXT = re.compile(r"GetErrorString|GetErrorName|GetStatusString|GetStatusName|GetLastError$")

SOURCE = """\
#include <dlfcn.h>

static void hit(const char* library, const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  void (*tell)(const char*, const char*) = driver ? dlsym(driver, "mfusim_stub_hit") : 0;
  if (tell) tell(library, name);
}
"""


def vendor_library(name):
    """The row of LIBRARIES that a public name belongs to, or None."""
    return next((row for row in LIBRARIES if re.fullmatch(row[1], name)), None)


def lines_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()


def shared_objects(folder):
    for path, _, files in os.walk(folder):
        for file in files:
            if re.search(r"\.so(\.\d+)*$", file):
                yield os.path.join(path, file)


def imports(wheel):
    """({name: version node or ''} of vendor functions, {sonames}) that the wheel's libraries ask for."""
    names, sonames = {}, set()
    for path in shared_objects(wheel):
        needed = [re.search(r"\[(.*)\]", line)[1] for line in lines_of("readelf", "-dW", path) if "(NEEDED)" in line]
        needed = [soname for soname in needed if soname.split(".so")[0] in {row[0] for row in LIBRARIES}]
        if not needed:
            continue
        sonames.update(needed)
        for line in lines_of("nm", "-D", "--undefined-only", path):
            name, _, node = line.split()[-1].partition("@")
            if vendor_library(name):
                names[name] = node.lstrip("@")
    return names, sonames


def doubles_of(sim, sonames):
    """{soname: path} of the doubles for the CUDA major that the wheel was built for.

    Libraries whose soname has a number of their own (NCCL, cuDNN) serve every major.
    """
    major = next(soname.rpartition(".")[2] for soname in sonames if soname.startswith("libcudart.so."))
    own = os.path.join(sim, f"cuda{major}")
    if not os.path.isdir(own):
        print(f"the simulator is not built for CUDA {major}", file=sys.stderr)
        raise SystemExit(UNAVAILABLE)
    found = {}
    for folder in [sim, own, *sorted(glob.glob(os.path.join(sim, "cuda*")), reverse=True)]:
        for file in sorted(os.listdir(folder)):
            if re.fullmatch(r"lib[\w-]+\.so\.\d+", file) and (folder in (sim, own) or re.match("libnccl|libcudnn", file)):
                found.setdefault(file, os.path.join(folder, file))
    return found


def defined(paths):
    return {line.split()[-1].partition("@")[0] for path in paths
            for line in lines_of("nm", "-D", "--defined-only", path)}


def compile_stubs(stubs, out):
    """One library with every stub, each under its version node."""
    nodes, source = {}, SOURCE
    for name, node in sorted(stubs.items()):
        library, _, refusal = vendor_library(name)
        nodes.setdefault(node, []).append(name)
        kind, answer = ("const char*", '"not supported"') if TEXT.search(name) else ("long", refusal)
        source += f'{kind} {name}(void) {{ hit("{library}", "{name}"); return {answer}; }}\n'
    script = "".join(f"{node} {{ global: {'; '.join(names)}; }};\n" for node, names in nodes.items() if node)
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/stubs.c", "w") as file:
            file.write(source)
        with open(f"{work}/stubs.map", "w") as file:
            file.write(script)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", f"{work}/stubs.c", "-o", out, "-ldl",
                        f"-Wl,--version-script={work}/stubs.map", "-Wl,-soname,libmfusim_stubs.so"], check=True)


def link(target, path):
    """Makes or moves a link, so that whoever looks meanwhile finds the old or the new one."""
    fresh = f"{path}.{os.getpid()}"
    os.symlink(target, fresh)
    os.replace(fresh, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", required=True, help="folder of the framework's own libraries")
    parser.add_argument("--sim", required=True, help="folder of the simulator's libraries")
    parser.add_argument("--out", required=True, help="folder that becomes the framework's vendor libraries")
    options = parser.parse_args()
    names, sonames = imports(options.wheel)
    doubles = doubles_of(options.sim, sonames)
    have = defined(doubles.values())
    stubs = {name: node for name, node in names.items() if name not in have}

    os.makedirs(options.out, exist_ok=True)
    library = os.path.join(options.out, "libmfusim_stubs.so")
    compile_stubs(stubs, f"{library}.new")
    for soname, path in doubles.items():
        link(os.path.abspath(path), os.path.join(options.out, soname))
    for soname in sonames - set(doubles):
        link("libmfusim_stubs.so", os.path.join(options.out, soname))
    os.replace(f"{library}.new", library)
    print(f"{len(names)} vendor functions in {len(sonames)} libraries, {len(stubs)} of them stubs")


if __name__ == "__main__":
    main()
