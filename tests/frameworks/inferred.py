"""What the report infers of a training program, which is given no flag, against what the script's own configuration says:
tokens and micro-batches of a step, what is done again, FLOPs that the model needs, and MFU and HFU by the simulator's time.

usage: inferred.py --build DIR [--framework NAME]      (exits 77 where the framework cannot be had)

By itself it trains programs/train.py eager and compiled, with and without checkpointing, with one micro-batch and four, on
one GPU and split over two; and compares FLOPs with FlopCounterMode's.
"""
import dataclasses
import itertools
import json
import math
import sys

import table
from command import run_checks
from runs import HERE, Runs
from training import PEAK, gpt_training

import oracles
import three_ways
import truth as truth_file
from mismatch import Mismatch, equal

SIZES = {"steps": 3, "layers": 2, "width": 256, "heads": 4, "length": 128, "batch": 4, "vocabulary": 4096}


def near(what, found, expected):
    if found is None or not math.isclose(found, expected, rel_tol=0.01, abs_tol=1e-12):
        raise Mismatch(f"{what}: inferred {found}, by the script's configuration {expected}")


def check(document, truths, expected):
    found, mfu = document["inference"], document["mfu"]
    for what, inferred, true in (("micro-batches", found["micro_batches"], expected.micro_batches),
                                 ("tokens of a step", found["tokens_per_step"], expected.tokens_per_step()),
                                 ("tensor-parallel ranks", found["tensor_parallel"], expected.tensor_parallel),
                                 ("data-parallel ranks", found["data_parallel"], expected.data_parallel)):
        equal(f"inferred {what}", inferred, true)
    again = expected.products_again()
    near("FLOPs that a step of one process needs", found["model_flops_per_step"], expected.products())
    near("share of products done again", found["recompute_share"], again / (expected.products() + again))
    time = sum(t.ledger(device)["total_ns"] for t in truths.values() for device in t.devices()) / 1e9
    share = expected.steps * expected.processes() / (PEAK * time)
    products, attended = expected.needed()
    near("MFU, attention over the full square", mfu["noncausal"], (products + attended) * share)
    near("MFU, attention causal", mfu["causal"], (products + attended / 2) * share)
    equal("MFU is one of them", mfu["value"], mfu[mfu["convention"]])
    products, attended = expected.executed()
    masked = 2 if mfu["convention"] == "causal" else 1  # kernels that say so compute half of the square
    near("HFU", mfu["hfu"], (products + attended / masked) * share)
    return (f"{found['tokens_per_step']} tokens and {found['micro_batches']} micro-batches to a step, "
            f"{found['recompute_share']:.1%} done again and MFU {mfu['value']:.3g} as configured")


@dataclasses.dataclass(frozen=True)
class Case:
    compiled: bool
    checkpoint: bool
    accumulate: int
    ranks: int
    counted: bool = False  # under FlopCounterMode, which compiles nothing

    def arguments(self):
        chosen = {"compile": self.compiled, "checkpoint": self.checkpoint, "tensor-parallel": self.ranks > 1}
        sizes = SIZES | {"accumulate": self.accumulate}
        return [word for name, size in sizes.items() for word in (f"--{name}", str(size))] + [
            f"--{name}" for name, is_so in chosen.items() if is_so]

    def name(self):
        return (f"{'compiled' if self.compiled else 'eager'}, {'with' if self.checkpoint else 'without'} checkpointing, "
                f"{self.accumulate} micro-batches, split over {self.ranks}")

    def expected(self):
        return gpt_training(SIZES["width"], SIZES["length"], SIZES["batch"], SIZES["vocabulary"], self.checkpoint,
                            layers=SIZES["layers"], steps=SIZES["steps"], micro_batches=self.accumulate,
                            tensor_parallel=self.ranks)


def all_cases(ranks):
    cases = [Case(*chosen, ranks) for chosen in itertools.product((False, True), (False, True), (1, 4))]
    # The whole model's FLOPs, to which those of its parts must add up.
    return cases + [dataclasses.replace(case, counted=True) for case in cases if not case.compiled and ranks == 1]


def run(build, framework, ranks, cases):
    """Each process's own files: (what each.py wrote, in the ranks' order) of each case."""
    runs = Runs(build, framework, HERE / "programs" / "train.py", table.Program(ranks=ranks))
    wanted = [{"arguments": case.arguments(), "counted": case.counted} for case in cases]
    done = runs.run(f"ranks-{ranks}", (str(HERE / "each.py"), str(runs.work / f"ranks-{ranks}")), (json.dumps(wanted),))
    equal(f"exit code ({done.stderr[-1500:]})", done.returncode, 0)
    folder = runs.work / f"ranks-{ranks}"
    return folder, [[json.loads((folder / f"case-{number}-{rank}.json").read_text()) for rank in range(ranks)]
                    for number in range(len(cases))]


def check_all(build, framework):
    counted = {}
    for ranks in (1, 2):
        cases = all_cases(ranks)
        folder, processes = run(build, framework, ranks, cases)
        counted |= {(case.checkpoint, case.accumulate): oracles.matching(found[0]["flops"], oracles.MATRIX_PRODUCTS)
                    for case, found in zip(cases, processes) if case.counted}
        for case, found in zip(cases, processes):
            if case.counted:
                continue
            pids = [process["pid"] for process in found]
            truths = {pid: truth_file.Truth(folder / f"truth-{pid}.jsonl") for pid in pids}
            document = three_ways.report(build, *(path for pid in pids for path in (folder / "logs").glob(f"*-p{pid}.mfl")))
            try:
                said = check(document, truths, case.expected())
                by_counter = counted[case.checkpoint, case.accumulate]
                equal("FLOPs of products, FlopCounterMode's", oracles.product_flops(document), by_counter)
            except Mismatch as mismatch:
                raise Mismatch(f"{case.name()}: {mismatch} (pids {pids} in {folder})") from mismatch
            print(f"{case.name()}: {said}, {by_counter} FLOPs as FlopCounterMode")


if __name__ == "__main__":
    sys.exit(run_checks("inferred", check_all))
