"""The traps that interposers fall into, each as a program on the simulated GPU under the recorder: what was made must be
what was recorded, the program must behave as without the recorder, and what cannot be seen must be said in the log.

Usage: traps.py --build DIR --major N [--other-major N]
"""

import argparse
import collections
import functools
import pathlib
import sys
import tempfile

from recorded import Run

from mismatch import Mismatch, equal, run_checks  # noqa: E402, beside the integration tests


class Traps:
    def __init__(self, build, major, other):
        self.build, self.major, self.other = build, major, other

    def made_here(self, name):
        return str(self.build / "coverage" / name)

    def calls(self, name, major=None):
        return self.made_here(f"libcalls_{name}_{major or self.major}.so")

    def run(self, *command, **options):
        with tempfile.TemporaryDirectory() as folder:
            return Run(self.build, folder, command, **options)

    def opened(self, *words, **options):
        return self.run(self.made_here("coverage_open"), *words, **options)

    def linked(self, **options):
        return self.run(self.made_here(f"calls_linked_{self.major}"), **options)

    def good(self, run):
        equal("exit code", (run.done.returncode, run.done.stderr), (0, ""))
        if not any(run.made().values()):
            raise Mismatch("nothing was made")

    def all_recorded(self, run):
        self.good(run)
        equal("calls", dict(run.recorded()), dict(run.made()))

    def unhooked(self, run):
        return {pathlib.Path(r["path"]).name: r["why"] for r in run.rows("module") if r["role"] == "unhooked"}

    def seen_and_unseen(self, mode, name, why, opened_later=0):
        """One library as usual, which is recorded, and one that passes by, which is said.

        opened_later: launches by libraries that the second one's own open when they are needed."""
        seen = self.opened("local", self.calls("getproc5"))
        self.all_recorded(seen)
        equal("unhooked modules", self.unhooked(seen), {})
        both = self.opened("local", self.calls("getproc5"), mode, self.calls(name))
        self.good(both)
        if both.made()["launches"] <= seen.made()["launches"]:
            raise Mismatch("the second library launched nothing")
        equal("calls of the first", dict(both.recorded()), dict(seen.recorded(), launches=seen.recorded()["launches"] +
                                                               opened_later))
        told = self.unhooked(both).get(pathlib.Path(self.calls(name)).name, "nothing")
        if why not in told:
            raise Mismatch(f"the log tells {told!r} of it, not {why!r}")

    def deepbind_linked(self):
        # cuDNN's front door opens the library that does the work, which launches a kernel for each of three operations.
        self.seen_and_unseen("deepbind", "local", "bound to ", opened_later=3)

    def deepbind_looking_up(self):
        self.seen_and_unseen("deepbind", "getproc4", "bound to dlsym of libc.so.6")

    def namespace(self):
        self.seen_and_unseen("namespace", "dlsym", "namespace of its own")

    def two_providers(self):
        """A second library under the names of NCCL and all others is reached by those that are linked to it."""
        words = ["local", self.calls("local"), "global", self.calls("trampolines"), "local", self.calls("trampoline")]
        tell = {"COVERAGE_TELL": "1"}
        recorded = self.opened(*words, environment=tell)
        self.all_recorded(recorded)
        bare = self.opened(*words, environment=dict(tell, MFUSHIM_DISABLE="1"))
        if "ncclAllReduce" not in bare.done.stdout:
            raise Mismatch("the second provider was not called")
        equal("what the second provider served", recorded.done.stdout, bare.done.stdout)

    def two_runtimes(self):
        if self.other is None:
            return "skipped: only one CUDA major was built"
        run = self.opened("local", self.calls("local"), "local", self.calls("local", self.other))
        self.all_recorded(run)
        callers = {r["library"] for r in run.rows("coverage") if r["api"] == "cudaLaunchKernel"}
        equal("callers", callers, {pathlib.Path(self.calls("local", m)).name for m in (self.major, self.other)})

    def before_main(self):
        self.all_recorded(self.run(self.made_here(f"calls_early_{self.major}")))

    def interposer(self, **where):
        run = self.linked(**where)
        self.all_recorded(run)
        said = [line for line in run.done.stdout.splitlines() if line.startswith("interposer:")]
        # cudaLaunchKernel is called twice, once into a capture.
        equal("the interposer", said, ["interposer: 2 launches"])

    def interposer_before(self):
        self.interposer(before=self.made_here("libinterposer_cuda.so"))

    def interposer_after(self):
        self.interposer(after=self.made_here("libinterposer_cuda.so"))

    def malloc_before(self):
        self.all_recorded(self.linked(before=self.made_here("libinterposer_malloc.so")))

    def malloc_after(self):
        self.all_recorded(self.linked(after=self.made_here("libinterposer_malloc.so")))

    def dlsym_after(self):
        self.all_recorded(self.linked(after=self.made_here("libinterposer_dlsym.so")))

    def dlsym_before(self):
        """All look-ups pass by: what is linked is recorded, what looks up is named."""
        preload = {"before": self.made_here("libinterposer_dlsym.so")}
        run = self.opened("local", self.calls("local"), "local", self.calls("dlsym"), **preload)
        self.good(run)
        told = self.unhooked(run).get(pathlib.Path(self.calls("dlsym")).name, "nothing")
        equal("of the one that looks up", told, "bound to dlsym of libinterposer_dlsym.so")

    def look_ups(self):
        """What is newer than the recorder is handed through (unit.doors) and told in the log; a variant that only
        cuGetProcAddress knows is counted as what it is."""
        doors = self.build / "tests" / "unit"
        run = self.run(doors / "shim_doors_test", "[told]", libraries=doors / "doors")
        equal("exit code", run.done.returncode, 0)
        told = {r["key"]: r["value"] for r in run.rows("fact") if r["key"].startswith("unhooked.")}
        equal("what was looked up without a hook", told,
              {"unhooked.cuMemFree": "90000", "unhooked.cuLaunchTomorrow": "0"})
        counted = {r["api"]: int(r["count"]) for r in run.rows("coverage") if r["door"] == "getproc"}
        variants = ["cuMemcpyAsync", "cuMemcpyAsync_ptsz", "cuMemcpyHtoD", "cuMemcpyHtoD_v2"]
        equal("variants", counted, dict.fromkeys(variants, 1))

    def once_each(self):
        """cuBLAS calls cuBLASLt and both launch; ncclBcast calls ncclBroadcast: one record each, launches beneath."""
        run = self.linked()
        self.all_recorded(run)
        products = {r["sequence"] for r in run.rows("gemm")}
        under = collections.Counter(int(r["sequence"]) - int(r["parent"]) for r in run.rows("launch")
                                    if r["parent"] != "0")
        equal("products without a launch beneath", [s for s in products if int(s) not in under], [])
        names = {r["id"]: r["text"] for r in run.rows("name")}
        equal("collectives", sorted(names[r["api"]] for r in run.rows("collective")),
              ["ncclAllGather", "ncclAllReduce", "ncclBcast", "ncclReduceScatter"])


TRAPS = [Traps.deepbind_linked, Traps.deepbind_looking_up, Traps.namespace, Traps.two_providers, Traps.two_runtimes,
         Traps.before_main, Traps.interposer_before, Traps.interposer_after, Traps.malloc_before, Traps.malloc_after,
         Traps.dlsym_after, Traps.dlsym_before, Traps.look_ups, Traps.once_each]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--major", type=int, required=True)
    parser.add_argument("--other-major", type=int)
    options = parser.parse_args()
    traps = Traps(options.build.resolve(), options.major, options.other_major)
    return run_checks({trap.__name__: functools.partial(trap, traps) for trap in TRAPS})


if __name__ == "__main__":
    sys.exit(main())
