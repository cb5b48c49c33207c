"""Trains the GPT program with and without recomputation, with 1, 4 and 8 micro-batches to a step, on one and two
processes, and demands that the report, which is given no flag, infers what the program was told: FLOPs that the model
needs, what is done again, tokens, micro-batches, and the MFU that follows with the time of the simulator's truth.

usage: inference.py --build DIR --program TRAIN_GPT
"""

import argparse
import functools
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import three_ways
import truth as truth_file
from mismatch import Mismatch, equal, run_checks

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEAK = 989.4e12  # bf16, of the simulated H100 by its data sheet
STEPS, LAYERS, HIDDEN, HEADS, SEQ, BATCH, VOCABULARY = 5, 2, 256, 8, 128, 4, 4096
TOKENS = SEQ * BATCH
# Per micro-batch: four weights of 3, 1, 4 and 4 hidden squared; scores and context of the heads; the output.
LAYER = 2 * TOKENS * 12 * HIDDEN**2 + 2 * 2 * BATCH * SEQ**2 * HIDDEN
FORWARD = LAYERS * LAYER + 2 * TOKENS * HIDDEN * VOCABULARY
CASES = [(recompute, micro_batches, ranks) for ranks in (1, 2) for recompute in (0, 1) for micro_batches in (1, 4, 8)
         if ranks == 1 or micro_batches == 4]


def near(what, found, expected):
    if found is None or not math.isclose(found, expected, rel_tol=0.01, abs_tol=1e-12):
        raise Mismatch(f"{what}: {found} should be {expected}")


def check(build, program, folder, recompute, micro_batches, ranks):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_", "MFUSIM_"))}
    environment |= {"MFUSHIM_BUILD_DIR": str(build), "MFUSHIM_OUT": str(folder / "logs")}
    options = {"steps": STEPS, "layers": LAYERS, "hidden": HIDDEN, "heads": HEADS, "seq": SEQ, "batch": BATCH,
               "vocab": VOCABULARY, "ranks": ranks, "accumulate": micro_batches, "recompute": recompute}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    subprocess.run([SOURCE / "scripts" / "sim", "--gpus", str(ranks), "--truth", folder, "--shim", "--", program, *words],
                   env=environment, check=True, capture_output=True)
    document = three_ways.report(build, folder / "logs")
    found, mfu, steps = document["inference"], document["mfu"], document["steps"]

    needed, again = 3 * FORWARD * micro_batches, recompute * LAYERS * LAYER * micro_batches
    equal("steps", (steps["method"], steps["count"], steps["evidence"]["agreeing"]), ("optimizer_kernels", STEPS, ranks))
    equal("micro-batches", found["micro_batches"], micro_batches)
    equal("tokens of a step", found["tokens_per_step"], TOKENS * micro_batches * ranks)
    equal("data-parallel ranks", found["data_parallel"], ranks)
    near("FLOPs that a step needs", found["model_flops_per_step"], needed)
    near("share done again", found["recompute_share"], again / (needed + again))
    time = sum(truth.ledger(device)["total_ns"] for truth in truth_file.read_truth(folder).values()
               for device in truth.devices()) / 1e9
    near("MFU", mfu["value"], needed * STEPS * ranks / (PEAK * time))
    near("HFU", mfu["hfu"], (needed + again) * STEPS * ranks / (PEAK * time))
    equal("source", mfu["numerator"]["source"], "inferred")
    product = math.prod(row["factor"] for row in mfu["waterfall"])
    if not math.isclose(product, mfu["value"], rel_tol=1e-12):
        raise Mismatch(f"the waterfall's product is {product}, MFU {mfu['value']}")
    lost = sum(row["peak_points_lost"] for row in mfu["waterfall"])
    if not math.isclose(lost, 100 * (1 - mfu["value"]), rel_tol=1e-12):
        raise Mismatch(f"the waterfall loses {lost} points")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def in_a_folder(*case):
        with tempfile.TemporaryDirectory() as folder:
            check(options.build.resolve(), options.program, pathlib.Path(folder), *case)

    return run_checks({f"recompute {case[0]}, {case[1]} micro-batches, {case[2]} ranks": functools.partial(in_a_folder, *case)
                       for case in CASES})


if __name__ == "__main__":
    sys.exit(main())
