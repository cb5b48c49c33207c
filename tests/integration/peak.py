"""Measures the simulated GPU with `mfushim peak` and compares with what the simulator says that it did.

Usage: peak.py --build FOLDER
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WARMUP = 3  # products before the clock starts


def peak(build, folder, gpu, arguments, name):
    """(exit code, the file as JSON or None, messages) of `mfushim peak` on the simulated GPU."""
    root = pathlib.Path(__file__).resolve().parents[2]
    file = folder / name
    done = subprocess.run([root / "scripts/sim", "--gpu", gpu, "--truth", folder / (name + ".truth"), "--", build / "mfushim",
                           "peak", "-o", file, *arguments], capture_output=True, text=True,
                          env=dict(os.environ, MFUSHIM_BUILD_DIR=str(build)))
    return done.returncode, json.loads(file.read_text()) if file.exists() else None, done.stderr


def kernels_of(folder, name):
    """(FLOPs, nanoseconds) of the products, in the order in which they ran."""
    for file in (folder / (name + ".truth")).glob("*.jsonl"):
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["t"] == "kernel" and event["flops"]:
                yield event["flops"], event["end"] - event["start"]


def shape_faults(shape, kernels):
    """What is wrong with a shape's figures, given the products that really ran for it."""
    m, n, k = map(int, shape["shape"].split("x"))
    measured = kernels[WARMUP:]
    if len(kernels) != shape["products"] + WARMUP or any(flops != 2 * m * n * k for flops, _ in kernels):
        yield f"{shape}: these are not the products that ran"
        return
    seconds = sum(duration for _, duration in measured) / 1e9
    # Events have steps of their own, and between products the host may be late.
    if shape["seconds"] < seconds * 0.999:
        yield f"{shape}: the products took {seconds} s"
    if abs(shape["flops_per_s"] * shape["seconds"] / (2 * m * n * k * shape["products"]) - 1) > 1e-9:
        yield f"{shape}: speed, time and number of products do not belong together"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build
    wrong = []

    def expect(what, condition):
        if not condition:
            wrong.append(what)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shapes = ["--seconds", "0.2", "--shapes", "4096x4096x2048,2048x2048x4096"]
        code, result, errors = peak(build, folder, "H100-SXM5-80GB", [*shapes, "--dtype", "bf16", "--dtype", "f8e4m3"], "h100.json")
        expect(f"exit code {code}: {errors}", code == 0 and result)
        if result:
            expect("the schema", result["schema"] == "mfushim.peak/1")
            expect("the device's name", result["device"]["name"] == "NVIDIA H100 80GB HBM3")
            expect("two types", [one["dtype"] for one in result["results"]] == ["bf16", "f8e4m3"])
            kernels = list(kernels_of(folder, "h100.json"))
            for one in result["results"]:
                expect("both shapes", [shape["shape"] for shape in one["shapes"]] == shapes[3].split(","))
                expect("the best shape counts", one["flops_per_s"] == max(shape["flops_per_s"] for shape in one["shapes"]))
                for shape in one["shapes"]:
                    count = shape["products"] + WARMUP
                    wrong.extend(shape_faults(shape, kernels[:count]))
                    kernels = kernels[count:]
            expect("no product beside these", not kernels)
            expect("clock samples", result["samples"] and result["samples"][0]["sm_clock_mhz"] == 1755)
            code, _, errors = peak(build, folder, "H100-SXM5-80GB", [*shapes], "h100.json")
            expect("an existing file is kept", code == 1 and "exists" in errors)
        code, result, errors = peak(build, folder, "V100-SXM2-32GB", [*shapes, "--dtype", "f8e4m3", "--dtype", "f16"], "v100.json")
        expect(f"V100: {errors}", code == 0)
        if result:
            expect("no fp8 on Volta", "flops_per_s" not in result["results"][0] and result["results"][0]["absent_because"])
            expect("fp16 on Volta", result["results"][1]["flops_per_s"] > 0)
        code, result, _ = peak(build, folder, "H100-SXM5-80GB", ["--dtype", "i8"], "i8.json")
        expect("integer products are refused, without a file", code == 1 and result is None)
    for what in wrong:
        print(what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
