"""products.py MFUSHIM: the matrix products of three inference traces, against counts, times and FLOPs that TraceLens
publishes, and against the operators' shapes as Python's json reads them.
"""

import gzip
import json
import math
import sys

import mfushim

# Trace -> products, TFLOP and us of their kernels and memsets, all rounded as published. TraceLens adds a bias to its
# product's FLOPs, one per element of the result; the report counts it apart, as the work of no matrix unit.
PUBLISHED = {
    "tracelens/h100__facebook_timesformer-base-finetuned-k400__1016002.json.gz": (133, "8.9507", "53568.2"),
    "tracelens/h100__gaunernst_bert-small-uncased__1016001.json.gz": (26, "0.0080", None),
    "tracelens/h100__Falconsai_nsfw_image_detection__1016002.json.gz": (73, "0.1339", "735.0"),
}
FACTORS = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2)}


def shapes(trace):
    """(rows, inner, columns, batch, has a bias) of each product."""
    with gzip.open(mfushim.SHARED / trace) as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event.get("cat") == "cpu_op" and event["name"] in FACTORS:
            sizes = event["args"]["Input Dims"]
            left, right = (sizes[i] for i in FACTORS[event["name"]])
            yield left[-2], left[-1], right[-1], math.prod(left[:-2]), event["name"] == "aten::addmm"


def check(program, trace, count, tflop, microseconds):
    report = mfushim.report(program, [mfushim.SHARED / trace])
    gemms = report["gemms"]
    expected = list(shapes(trace))
    flops = sum(2 * n * k * m * batch for n, k, m, batch, _ in expected)
    biases = sum(n * m for n, _, m, _, bias in expected if bias)
    found = sum(2 * g["m"] * g["n"] * g["k"] * g["batch"] * g["calls"] for g in gemms)
    if sum(g["calls"] for g in gemms) != count or len(expected) != count:
        yield f"{sum(g['calls'] for g in gemms)} products instead of {count}"
    others = sum(operation["flops"] for operation in report["operations"])
    if found != flops or mfushim.only_rank(report)["flops"] != flops + others:
        yield f"{found} FLOP instead of {flops}"
    # Published figures are rounded or cut.
    if abs((found + biases) / 1e12 - float(tflop)) > 1e-4:
        yield f"{(found + biases) / 1e12} TFLOP with biases instead of {tflop}"
    if microseconds and abs(sum(g["total_ns"] for g in gemms) / 1000 - float(microseconds)) > 0.1:
        yield f"{sum(g['total_ns'] for g in gemms)} ns instead of {microseconds} us"


def main(program):
    wrong = [f"{trace}: {fault}" for trace, row in PUBLISHED.items() for fault in check(program, trace, *row)]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
