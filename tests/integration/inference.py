"""Trains the GPT program with and without recomputation, with 1, 4 and 8 micro-batches to a step, with its weights
whole and shared by two processes, in three types, and as several replicas, and demands that the report, which is given
no flag, infers what the program was told: FLOPs that the model needs, what is done again, tokens, micro-batches, ranks
that share weights, replicas, and the MFU that follows with the time of the simulator's truth.

usage: inference.py --build DIR --program TRAIN_GPT
"""

import argparse
import itertools
import math
import pathlib
import subprocess
import sys
import typing

import three_ways
import truth as truth_file
from environment import job_environment
from mismatch import Mismatch, equal, in_a_folder, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# FLOP/s of the simulated H100 by its data sheet, of the type of most of the FLOPs.
PEAKS = {"bf16": 989.4e12, "fp8": 1978.9e12, "fp32": 67e12}
REFERENCE = {"bf16": "bf16", "fp8": "f8e4m3", "fp32": "f32"}
STEPS, LAYERS, HIDDEN, HEADS, SEQ, BATCH, VOCABULARY = 5, 2, 256, 8, 128, 4, 4096
TOKENS = SEQ * BATCH
# Of a whole model's micro-batch: four weights of 3, 1, 4 and 4 hidden squared; scores and context of the heads; the
# output. Each rank that shares the weights has as many heads, columns or rows of each, and words, as any other.
LAYER = 2 * TOKENS * 12 * HIDDEN**2 + 2 * 2 * BATCH * SEQ**2 * HIDDEN
FORWARD = LAYERS * LAYER + 2 * TOKENS * HIDDEN * VOCABULARY


class Case(typing.NamedTuple):
    dtype: str
    recompute: int
    micro_batches: int
    tensor_parallel: int
    replicas: int = 1

    def __str__(self):
        return (f"{self.dtype}, recompute {self.recompute}, {self.micro_batches} micro-batches, "
                f"{self.replicas} x {self.tensor_parallel} ranks")

    @property
    def ranks(self):
        return self.tensor_parallel * self.replicas

    @property
    def options(self):
        return {"steps": STEPS, "layers": LAYERS, "hidden": HIDDEN, "heads": HEADS, "seq": SEQ, "batch": BATCH,
                "vocab": VOCABULARY, "ranks": self.ranks, "tensor-parallel": self.tensor_parallel,
                "accumulate": self.micro_batches, "recompute": self.recompute, "dtype": self.dtype, "checkpoint-ms": 0}

    def sharing(self):
        """What shows that ranks share weights: sums of activations over them, in a step two of each layer forward and
        backward, and again where it is done again, of the embedding and of the gradient of the output's input. The first
        forward pass has two of a layer, after the products of divided heads and of the divided feed-forward part."""
        if self.tensor_parallel == 1:
            return None
        sums = self.micro_batches * (LAYERS * (2 + 2 + 2 * self.recompute) + 2)
        return {"rows": TOKENS, "width": HIDDEN, "sums_of_forward_products_per_step": 2 * LAYERS, "sums_per_step": sums,
                "gathers_per_step": 0, "divided": [HIDDEN // self.tensor_parallel, 4 * HIDDEN // self.tensor_parallel]}


CASES = [Case(*case) for case in itertools.product(PEAKS, (0, 1), (1, 4, 8), (1, 2))]
CASES += [Case("bf16", 0, 4, 1, 2), Case("bf16", 1, 4, 1, 2), Case("bf16", 1, 4, 2, 2), Case("fp8", 0, 1, 2, 2)]


def near(what, found, expected):
    if found is None or not math.isclose(found, expected, rel_tol=0.01, abs_tol=1e-12):
        raise Mismatch(f"{what}: {found} should be {expected}")


def check(build, program, case, folder):
    environment = job_environment(build, MFUSHIM_OUT=str(folder / "logs"))
    words = [word for name, value in case.options.items() for word in (f"--{name}", str(value))]
    sim = [SOURCE / "scripts" / "sim", "--gpus", str(case.ranks), "--truth", folder, "--shim", "--", program]
    subprocess.run(sim + words, env=environment, check=True, capture_output=True)
    document = three_ways.report(build, folder / "logs")
    found, mfu, steps = document["inference"], document["mfu"], document["steps"]

    # Of one rank.
    needed = 3 * FORWARD * case.micro_batches / case.tensor_parallel
    again = case.recompute * LAYERS * LAYER * case.micro_batches / case.tensor_parallel
    equal("steps", (steps["method"], steps["count"], steps["evidence"]["agreeing"]),
          ("optimizer_kernels", STEPS, case.ranks))
    equal("micro-batches", found["micro_batches"], case.micro_batches)
    equal("tokens of a step", found["tokens_per_step"], TOKENS * case.micro_batches * case.replicas)
    equal("ranks that share weights", found["tensor_parallel"], case.tensor_parallel)
    evidence = found["evidence"].get("tensor_parallel")
    communicators = [row["communicator"] for row in document["comm"]]
    if evidence and evidence.pop("communicator") not in communicators:
        raise Mismatch(f"the ranks' communicator is none of {communicators}")
    equal("evidence of shared weights", evidence, case.sharing())
    equal("data-parallel ranks", found["data_parallel"], case.replicas)
    near("FLOPs that a step needs", found["model_flops_per_step"], needed)
    near("share done again", found["recompute_share"], again / (needed + again))
    equal("type of the peak", mfu["denominator"]["dtype"], REFERENCE[case.dtype])
    time = sum(truth.ledger(device)["total_ns"] for truth in truth_file.read_truth(folder).values()
               for device in truth.devices()) / 1e9
    near("MFU", mfu["value"], needed * STEPS * case.ranks / (PEAKS[case.dtype] * time))
    near("HFU", mfu["hfu"], (needed + again) * STEPS * case.ranks / (PEAKS[case.dtype] * time))
    equal("source", mfu["numerator"]["source"], "inferred")
    product = math.prod(row["factor"] for row in mfu["waterfall"])
    if not math.isclose(product, mfu["value"], rel_tol=1e-12):
        raise Mismatch(f"the waterfall's product is {product}, MFU {mfu['value']}")
    slower = {row["name"]: row["factor"] for row in mfu["waterfall"]}["slower type"]
    equal("some of the products are of a slower type", slower < 1, case.dtype == "fp8")  # attention and the output
    lost = sum(row["peak_points_lost"] for row in mfu["waterfall"])
    if not math.isclose(lost, 100 * (1 - mfu["value"]), rel_tol=1e-12):
        raise Mismatch(f"the waterfall loses {lost} points")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    return run_checks({str(case): in_a_folder(check, options.build.resolve(), options.program, case) for case in CASES})


if __name__ == "__main__":
    sys.exit(main())
