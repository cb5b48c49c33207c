"""`mfushim doctor` on machines and programs of every condition that it knows: its exit code, what it finds, and that
what it says of a program is so.

usage: doctor.py --build DIR --shared TWO_STREAMS --static TWO_STREAMS_WITH_THE_RUNTIME_LINKED_IN
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys

from mismatch import Mismatch, equal, in_a_folder, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LAUNCHES, COPIES = 40, 10  # of the programs
ELF_STATIC, ELF_MUSL = "static", "musl"


class Doctor:
    """The simulated machine, whose environment holds nothing else of ours."""

    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)
        dropped = ("MFUSHIM_", "MFUSIM_", "CUDA_", "NVTX_", "LD_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
        self.environment |= {"MFUSHIM_BUILD_DIR": str(build), "TMPDIR": str(self.folder)}
        self.parameters = self.folder / "params"
        self.restrict(False)

    def restrict(self, restricted):
        self.parameters.write_text(f"ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: {int(restricted)}\n")

    def run(self, *arguments, command=(), simulated=True, **settings):
        words = [SOURCE / "scripts" / "sim", "--"] if simulated else []
        words += [self.build / "mfushim", "doctor", "--driver-parameters", self.parameters, *arguments]
        words += ["--", *command] if command else []
        return subprocess.run(words, env=self.environment | settings, capture_output=True, text=True, check=False)

    def diagnose(self, code, missing, notes=(), command=(), **more):
        """The document of --json, after a look at exit code and findings."""
        done = self.run("--json", *more.pop("arguments", ()), command=command, **more)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            raise Mismatch(f"exit code {done.returncode}, no JSON: {done.stdout[:200]} {done.stderr[:500]}") from None
        found = {kind: [f["id"] for f in document["findings"] if f["missing"] == kind] for kind in (True, False)}
        equal("missing", found[True], list(missing))
        equal("notes", [n for n in found[False] if n != "ring"], list(notes))  # what /dev/shm has free here is not ours
        equal("exit code", done.returncode, code)
        equal("complete", document["complete"], code == 0)
        if not all(f["what"] and f["remedy"] for f in document["findings"]):
            raise Mismatch(f"a finding without words: {document['findings']}")
        equal("folders left behind", list(self.folder.glob("mfushim-doctor-*")), [])
        return document


def check_program(program, runtime, door, launches=LAUNCHES):
    equal("runtime", program["runtime"], runtime)
    equal("exit code of the trial", program["exit_code"], 0)
    seen = {(layer["door"], layer["class"]): layer["calls"] for layer in program["layers"]}
    equal("launches", (program["launches"], seen[door, "launch"]), (launches, launches))


def healthy(doctor, programs):
    document = doctor.diagnose(0, [], command=[programs.shared])
    check_program(document["program"], "shared", "symbol")
    equal("GPU records", document["program"]["gpu_records"], LAUNCHES + COPIES)
    equal("source", document["program"]["gpu_time_source"], "cupti")
    machine = document["machine"]
    equal("devices", machine["devices"], ["NVIDIA H100 80GB HBM3"])
    equal("libraries", [machine[name]["found"] for name in ("driver", "cupti", "nvml")], [True] * 3)
    equal("restricted", machine["profiling_is_restricted"], False)
    text = doctor.run(command=[programs.shared]).stdout
    for words in ("GPU       NVIDIA H100 80GB HBM3\n", f"{LAUNCHES} launch calls of 1 process log", "All of it will be recorded.\n"):
        if words not in text:
            raise Mismatch(f"'{words}' is not in:\n{text}")


def static_runtime(doctor, programs):
    document = doctor.diagnose(0, [], command=[programs.static])
    check_program(document["program"], "static", "getproc")
    equal("shared runtimes", [lib["path"] for lib in document["program"]["libraries"] if lib["role"] == "cudart"], [])


def refused(doctor, programs):
    for command in ((), (programs.shared,)):
        document = doctor.diagnose(1, ["gpu_times"], command=command, MFUSIM_CUPTI="refuse39")
        if "error 39" not in document["findings"][0]["what"] or "another tool" not in document["findings"][0]["remedy"]:
            raise Mismatch(f"{document['findings']}")
    check_program(document["program"], "shared", "symbol")
    equal("GPU records", document["program"]["gpu_records"], 0)


def without_cupti(doctor, programs):
    """Files of its names that are no libraries come first, so that the machine's own is not found either."""
    libraries = doctor.folder / "libraries"
    libraries.mkdir()
    for folder in (doctor.build / "sim", doctor.build / "sim" / "cuda13"):
        for library in folder.glob("lib*.so*"):
            if "cupti" not in library.name:
                (libraries / library.name).symlink_to(library)
    for major in ("13", "12", "11.8"):
        (libraries / f"libcupti.so.{major}").write_text("none\n")
    for command in ((), (programs.static,)):
        document = doctor.diagnose(1, ["gpu_times"], command=command, simulated=False, LD_LIBRARY_PATH=str(libraries))
        if "no CUPTI library" not in document["findings"][0]["what"] or "install CUPTI" not in document["findings"][0]["remedy"]:
            raise Mismatch(f"{document['findings']}")


def no_gpu(doctor, _):
    doctor.diagnose(1, ["driver"], MFUSIM_GPUS="0")
    empty = doctor.folder / "empty"
    empty.mkdir()
    (empty / "libcuda.so.1").write_text("none\n")
    document = doctor.diagnose(1, ["driver"], simulated=False, LD_LIBRARY_PATH=str(empty))
    equal("driver", document["machine"]["driver"]["found"], False)


def restricted(doctor, programs):
    doctor.restrict(True)
    for command in ((), (programs.shared,)):
        document = doctor.diagnose(0, [], ["profiling_restricted"], command=command)
        equal("restricted", document["machine"]["profiling_is_restricted"], True)
    doctor.parameters.unlink()
    document = doctor.diagnose(0, [])
    equal("restricted, where nothing tells", "profiling_is_restricted" in document["machine"], False)


def brought_in(doctor, programs):
    """A tool in the environment counts as missing GPU times until a program has shown that it is not."""
    doctor.diagnose(1, ["injection"], CUDA_INJECTION64_PATH="/tool.so")
    doctor.diagnose(0, [], ["injection"], command=[programs.shared], CUDA_INJECTION64_PATH="/tool.so")
    driver = str(doctor.build / "sim" / "libcuda.so.1")
    document = doctor.diagnose(0, [], ["interposer"], LD_PRELOAD=driver)
    (injection,) = document["machine"]["injections"]
    equal("injection", injection, {"variable": "LD_PRELOAD", "value": driver, "interposes": True})
    doctor.diagnose(0, [], ["nvml"], MFUSIM_NVML="refuse:9")


def write_program(path, kind):
    """An x86-64 program without a loader, or with musl's, that nobody can run."""
    loader = b"" if kind == ELF_STATIC else b"/lib/ld-musl-x86_64.so.1\0"
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 3 if loader else 1, 4, 120, 0, 0, len(loader), len(loader), 1)
    path.write_bytes(head + segment + loader)
    path.chmod(0o755)
    return path


def programs_that_are_not_seen(doctor, _):
    for kind in (ELF_STATIC, ELF_MUSL):
        document = doctor.diagnose(1, ["not_preloadable"], command=[write_program(doctor.folder / kind, kind)])
        equal(f"{kind} was run", document["program"]["has_run"], False)
    doctor.diagnose(1, ["not_found"], command=["/nonexistent"])
    document = doctor.diagnose(1, ["no_log"], command=["true"])
    equal("exit code of the trial", document["program"]["exit_code"], 0)
    document = doctor.diagnose(1, ["no_log"], command=["sleep", "600"], arguments=["--seconds", "0.2"])
    equal("was stopped", document["program"]["was_stopped"], True)


def wrong_use(doctor, _):
    for arguments in (["--seconds", "0"], ["--seconds", "x"], ["--nonsense"], ["--"]):
        equal(f"exit code of {arguments}", doctor.run(*arguments).returncode, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--static", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def in_turn(check, folder):
        check(Doctor(options.build.resolve(), folder), options)

    checks = {
        "healthy": healthy,
        "static runtime": static_runtime,
        "CUPTI is held by another": refused,
        "no CUPTI": without_cupti,
        "no GPU": no_gpu,
        "restricted profiling": restricted,
        "tools in the environment": brought_in,
        "programs that are not seen": programs_that_are_not_seen,
        "wrong use": wrong_use,
    }
    return run_checks({name: in_a_folder(in_turn, check) for name, check in checks.items()})


if __name__ == "__main__":
    sys.exit(main())
