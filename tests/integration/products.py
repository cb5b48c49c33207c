"""Runs blas_forms under the recorder on the simulated GPU and demands that its log holds one record for each
product that the program asked for, in order, with the shape, types, flags and launches that the simulator's
truth has.

usage: products.py --build DIR --program FILE
"""

import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys

import log
import truth as truth_file

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Names of cudaDataType_t and of the log's element types.
TYPES = {"CUDA_R_32F": "f32", "CUDA_R_64F": "f64", "CUDA_C_32F": "c32", "CUDA_C_64F": "c64", "CUDA_R_16F": "f16",
         "CUDA_R_16BF": "bf16", "CUDA_R_8U": "u8", "CUDA_R_8F_E4M3": "f8e4m3", "CUDA_R_4F_E2M1": "f4e2m1"}
# Bits of gemm_shape.flags (docs/format.md).
GROUPED, UNKNOWN, SCALED, RIGHT, THREE = 1, 2, 4, 8, 32


class Log:
    """Blocks of a dump, as lists of records by kind."""

    def __init__(self, build, path):
        self.records = log.records(build, path)
        self.names = {r["id"]: r["text"].strip('"') for r in self.records["name"]}
        self.shapes = {r["id"]: r for r in self.records["gemm_shape"]}

    def products(self):
        """In order of the calls; what a call launched is told of its first record."""
        launches = collections.Counter()
        for launch in self.records["launch"]:
            launches[int(launch["sequence"]) - int(launch["parent"])] += 1
        for record in sorted(self.records["gemm"], key=lambda r: int(r["sequence"])):
            shape = self.shapes[record["subject"]]
            flags = int(shape["flags"])
            yield {
                "api": self.names[record["api"]], "kind": shape["product"],
                "sizes": None if flags & UNKNOWN else tuple(int(shape[size]) for size in ("m", "n", "k")),
                "batch": int(shape["batch"]), "repeat": int(record["repeat"]), "types": (shape["a"], shape["d"]),
                "transposes": shape["trans_a"] + shape["trans_b"], "grouped": bool(flags & GROUPED),
                "right": bool(flags & RIGHT), "three": bool(flags & THREE), "scaled": bool(flags & SCALED),
                "parent": int(record["parent"]), "result": int(record["result"]),
                "launches": launches.pop(int(record["sequence"]), 0)}


def true_product(line):
    on_device = bool(line["on_device"])
    return {
        "api": line["api"], "kind": line["kind"],
        "sizes": None if on_device else (line["m"], line["n"], line["k"]), "batch": line["batch"],
        "repeat": line["repeat"], "types": (TYPES[line["dtype"]], TYPES[line["dtype_d"]]),
        "transposes": (line["transa"] + line["transb"]).lower(), "grouped": on_device or bool(line["grouped"]),
        "right": line["side"] == "R", "three": "k3mEx" in line["api"],
        "scaled": line["dtype"] in ("CUDA_R_8F_E4M3", "CUDA_R_4F_E2M1"), "parent": 0, "result": 0,
        "launches": line["launches"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    build = options.build.resolve()
    work = build / "integration" / "products" / pathlib.Path(options.program).name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    environment = dict(os.environ, MFUSHIM_BUILD_DIR=str(build), MFUSHIM_OUT=str(work / "logs"))
    sim = [SOURCE / "scripts" / "sim", "--gpus", "2", "--truth", work, "--shim", "--", options.program]
    subprocess.run(sim, env=environment, check=True, stdout=subprocess.DEVNULL)
    [truth] = truth_file.read_truth(work).values()
    [log] = (work / "logs").iterdir()
    recorded = list(Log(build, log).products())
    refused = [(one["api"], one["result"]) for one in recorded if one["result"]]
    if refused != [("cublasSgemmGroupedBatched", 1)]:
        print(f"recorded as refused: {refused} (files: {work})")
        return 1
    recorded = [one for one in recorded if not one["result"]]
    true = [true_product(line) for line in truth.lines["gemm"]]
    if not true:
        print("the program asked for no product")
        return 1
    for a, b in zip(recorded, true):
        if a != b:
            print(f"recorded {a}\ntrue     {b}\n(files: {work})")
            return 1
    if len(recorded) != len(true):
        print(f"{len(recorded)} records of {len(true)} products (files: {work})")
        return 1
    print(f"{len(true)} products recorded as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main())
