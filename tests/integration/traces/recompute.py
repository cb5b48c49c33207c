"""recompute.py MFUSHIM: a training trace of a network of convolutions with activation checkpointing. What its operators say
of sizes, as Python's json reads them, gives the FLOPs of all convolutions and of those done again; the report says the same,
and so an MFU below HFU.
"""

import collections
import gzip
import json
import math
import sys

import mfushim

TRACE = "tracelens/mi300__resnet_act_checkpoint.json.gz"
PEAK = 1307.4  # TFLOP/s; any will do, for only the ratio is looked at


def convolutions(events):
    """Of each shape: FLOPs of one pass, forward passes, gradients of the input and of the filter. Results' sizes are those of
    the gradients that come back, which no arithmetic on strides has to tell."""
    forward, inputs, filters, flops = (collections.Counter() for _ in range(4))
    for event in events:
        if event.get("cat") != "cpu_op" or event["name"] not in ("aten::convolution", "aten::convolution_backward"):
            continue
        sizes, values = event["args"]["Input Dims"], event["args"]["Concrete Inputs"]
        if event["name"] == "aten::convolution":
            forward[str((sizes[:2], values[3:6]))] += 1
            continue
        key = str((sizes[1:3], values[4:7]))
        result, weight = sizes[0], sizes[2]
        flops[key] = 2 * result[0] * math.prod(weight) * math.prod(result[2:])
        inputs[key] += values[10].startswith("[True")
        filters[key] += ", True, " in values[10]
    return [(flops[key], forward[key], inputs[key], filters[key]) for key in forward]


def main(program):
    with gzip.open(mfushim.SHARED / TRACE) as file:
        shapes = convolutions(json.load(file)["traceEvents"])
    executed = sum(flops * (forward + inputs + filters) for flops, forward, inputs, filters in shapes)
    again = sum(flops * (forward - filters) for flops, forward, _, filters in shapes)
    assert 0 < again < executed, "the trace does nothing again"
    report = mfushim.report(program, [mfushim.SHARED / TRACE], "--peak", str(PEAK))
    products = sum(gemm["flops"] for gemm in report["gemms"])  # of which none is done again
    mfu = report["mfu"]
    wrong = []
    if (found := sum(row["flops"] for row in report["operations"])) != executed:
        wrong.append(f"{found} FLOP of convolutions instead of {executed}")
    if (found := report["done_again"]["operations"]["flops_again"]) != again:
        wrong.append(f"{found} FLOP again instead of {again}")
    share = 1 - again / (executed + products)
    if not mfu["value"] < mfu["hfu"] or not math.isclose(mfu["value"] / mfu["hfu"], share, rel_tol=1e-9):
        wrong.append(f"MFU {mfu['value']} is not {share} of HFU {mfu['hfu']}")
    if mfu["numerator"]["source"] != "inferred":
        wrong.append(f"the numerator is {mfu['numerator']['source']}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
