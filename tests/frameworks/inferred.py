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
import shutil
import sys

from command import run_checks
from forked import run_each
from runs import HERE
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

    def words(self):
        chosen = {"compile": self.compiled, "checkpoint": self.checkpoint, "tensor-parallel": self.ranks > 1}
        sizes = SIZES | {"accumulate": self.accumulate}
        return [*([HERE / "observe.py"] if self.counted else []), HERE / "programs" / "train.py",
                *(word for name, size in sizes.items() for word in (f"--{name}", size)),
                *(f"--{name}" for name, is_so in chosen.items() if is_so)]

    def settings(self):
        return {"MFUSHIM_GPU_TIME": "off"} if self.counted else {}

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


def run(build, framework, ranks):
    """Each case's folder."""
    work = build / "frameworks" / "tests" / framework / f"inferred-{ranks}"
    shutil.rmtree(work, ignore_errors=True)
    folders = {case: work / str(number) for number, case in enumerate(all_cases(ranks))}
    for folder in folders.values():
        folder.mkdir(parents=True)
    run_each(build, framework, work, [(folder, case.settings(), case.words()) for case, folder in folders.items()], ranks)
    return folders


def counted_products(folder):
    return oracles.matching(json.loads((folder / "counts-0.json").read_text())["flops"], oracles.MATRIX_PRODUCTS)


def check_case(build, case, folder, by_counter):
    truths = {truth.pid: truth for truth in truth_file.read_processes(folder) if truth.did_work()}
    document = three_ways.report(build, folder / "logs")
    try:
        said = check(document, truths, case.expected())
        equal("FLOPs of products, FlopCounterMode's", oracles.product_flops(document), by_counter)
    except Mismatch as mismatch:
        raise Mismatch(f"{case.name()}: {mismatch} (in {folder})") from mismatch
    print(f"{case.name()}: {said}, {by_counter} FLOPs as FlopCounterMode")


def check_all(build, framework):
    folders = {case: folder for ranks in (1, 2) for case, folder in run(build, framework, ranks).items()}
    counted = {(case.checkpoint, case.accumulate): counted_products(folder) for case, folder in folders.items() if case.counted}
    for case, folder in folders.items():
        if not case.counted:
            check_case(build, case, folder, counted[case.checkpoint, case.accumulate])


if __name__ == "__main__":
    sys.exit(run_checks("inferred", check_all))
