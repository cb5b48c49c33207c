"""One program of a framework on the simulated GPU: how it is run, and where each run leaves what it says and what happened."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "integration"))

import three_ways  # noqa: E402
import truth as truth_file  # noqa: E402
from environment import job_environment  # noqa: E402
from mismatch import Mismatch  # noqa: E402

SKIPPED, UNAVAILABLE = 77, 69  # the latter: scripts/framework could not fetch the wheels


def why_missing(build, framework):
    """Why the framework's environment cannot be had; None where it is there."""
    settings = dict(os.environ, MFUSHIM_BUILD_DIR=str(build))
    done = subprocess.run([SOURCE / "scripts" / "framework", framework], env=settings, capture_output=True, text=True,
                          check=False)
    if done.returncode == UNAVAILABLE:
        return done.stderr.strip().splitlines()[-1]
    if done.returncode != 0:
        raise Mismatch(f"scripts/framework {framework}: {done.stderr.strip()}")
    return None


class Runs:
    def __init__(self, build, framework, script, program, arguments=()):
        self.build, self.framework, self.script, self.program = build, framework, script, program
        self.arguments = arguments
        self.truth_of = {}  # by way, once read
        self.work = build / "frameworks" / "tests" / framework / script.stem
        shutil.rmtree(self.work, ignore_errors=True)

    def run(self, way, observer=(), arguments=None, shim=True, **settings):
        folder = self.work / way
        folder.mkdir(parents=True)
        ranks = self.program.ranks
        start = ["torchrun", f"--nproc-per-node={ranks}"] if self.program.torchrun else ["python"]
        words = [*start, *observer, self.script, *(self.arguments if arguments is None else arguments)]
        members = [settings]
        if ranks > 1 and not self.program.torchrun:
            members = [settings | member for member in rank_settings(ranks)]
        return run_together(self.build, self.framework, folder, words, members, ranks, shim, self.program.compilers)

    def processes(self, way):
        if way not in self.truth_of:
            self.truth_of[way] = truth_file.read_processes(self.work / way)
        return self.truth_of[way]

    def truths(self, way):
        """Of the processes that did device work, by pid."""
        return {truth.pid: truth for truth in self.processes(way) if truth.did_work()}

    def observed(self, what, way="observed"):
        """What observe.py wrote of each process: its "counts" or its "trace"."""
        return [json.loads(path.read_text()) for path in sorted((self.work / way).glob(f"{what}-*.json"))]

    def report(self, way):
        return three_ways.report(self.build, self.work / way / "logs")


def cheap_settings(compiled, compilers):
    """What makes runs cheap, which are hundreds and mostly imports: what programs compile is kept, for all of them, and is
    compiled in the program's own process unless it shall have others for it; Python ends with its garbage."""
    return {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE / "python"), "LEAVE_GARBAGE": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(compiled / "inductor"), "TRITON_CACHE_DIR": str(compiled / "triton"),
            **({} if compilers else {"TORCHINDUCTOR_COMPILE_THREADS": "1"})}


def rank_settings(ranks):
    """What a launcher such as srun or mpirun leaves to whoever starts the ranks."""
    # Below those that the system hands out, and others for each test that runs, which may use as many as it has cases.
    port = 10000 + os.getpid() % 600 * 32
    return [{"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks),
             "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)} for rank in range(ranks)]


def folder_settings(folder):
    """Where a run leaves what it says, but for what the simulator does."""
    return {"MFUSHIM_OUT": str(folder / "logs"), "OBSERVE_OUT": str(folder)}


def run_together(build, framework, folder, words, members, gpus, shim, compilers=False):
    """Runs the command in the folder, once with each member's settings. When one fails, the others, who would wait for it,
    are ended."""
    environment = job_environment(build, MFUSIM_TRUTH_CALLS="1", **folder_settings(folder))
    environment |= cheap_settings(build / "frameworks" / "compiled" / framework, compilers)
    command = [SOURCE / "scripts" / "sim", "--framework", framework, "--gpus", str(gpus), "--truth", folder,
               *(["--shim"] if shim else []), "--", *words]
    running = []
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        for settings in members:
            running.append(subprocess.Popen(command, env=environment | settings, cwd=folder, stdout=out, stderr=err))
        while any(process.poll() is None for process in running):
            if any(process.returncode for process in running):
                for process in running:
                    process.terminate()
            time.sleep(0.02)
    exit_code = next((process.returncode for process in running if process.returncode), 0)
    return subprocess.CompletedProcess(command, exit_code, (folder / "stdout").read_text(), (folder / "stderr").read_text())
