"""Runs a program as it is, under PyTorch's own observers, and writes down what those counted: floating-point operations
by FlopCounterMode, work of the GPU by torch.profiler, collectives by c10d's flight recorder.

usage: observe.py PROGRAM [ARG...]     (each process writes counts-RANK.json and trace-RANK.json into $OBSERVE_OUT)

With OBSERVE_FLOPS=0 in the environment FlopCounterMode stays out: under it nothing is compiled.
"""
import contextlib
import json
import math
import os
import pathlib
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils import flop_counter


def flight_record():
    """The collectives that c10d noted, in order."""
    c10d = torch._C._distributed_c10d
    if not hasattr(c10d, "_dump_fr_trace_json"):
        return json.loads(c10d._dump_nccl_trace_json(True, False)).get("entries", [])
    dumps = [json.loads(c10d._dump_fr_trace_json(True, False, backend=backend)) for backend in ("nccl", "nccl2")]
    return [entry for dump in dumps for entry in dump.get("entries", [])]


def product(a, b, *_, **__):
    return 2 * math.prod(a) * math.prod(b[len(a) - 1:])  # a batch is part of a


def added_product(_, a, b, *__, **___):
    return product(a, b)


def attention(query, key, value, *_, **__):
    return flop_counter.sdpa_flop_count(query, *with_heads_of(query, key, value))


def attention_backward(gradient, query, key, value, *_, **__):
    return flop_counter.sdpa_backward_flop_count(gradient, query, *with_heads_of(query, key, value))


def with_heads_of(query, *others):
    return [(other[0], query[1], *other[2:]) for other in others]


def convolution_backward(*arguments, out_shape, **_):
    """The counter's own, but for the gradient of weights in groups, which it takes for a single group's."""
    *rest, groups, (of_input, of_weight, _) = arguments
    input_flops, weight_flops = (flop_counter.conv_backward_flop.__wrapped__(*rest, groups, mask, out_shape=out_shape)
                                 for mask in ([of_input, False, False], [False, of_weight, False]))
    return input_flops + weight_flops // groups


def lacking_formulas():
    """What FlopCounterMode does not count, or not right; of 2.6, fp8 products and attention whose keys have fewer heads too."""
    aten = torch.ops.aten
    formulas = {aten.mv: product, aten._int_mm: product, aten.addmv: added_product, aten.addbmm: added_product,
                aten._addmm_activation: added_product, aten.convolution_backward: convolution_backward}
    if aten._scaled_mm not in flop_counter.flop_registry:
        formulas[aten._scaled_mm] = product
        for kind in ("flash", "efficient", "cudnn"):
            operator = f"_scaled_dot_product_{kind}_attention"
            formulas[getattr(aten, operator)] = attention
            formulas[getattr(aten, f"{operator}_backward")] = attention_backward
    return formulas


def main():
    out, program = pathlib.Path(os.environ["OBSERVE_OUT"]), sys.argv[1]
    rank = os.environ.get("RANK", "0")
    sys.argv[:] = sys.argv[1:]
    sys.path.insert(0, str(pathlib.Path(program).resolve().parent))
    torch.cuda.init()
    flops = flop_counter.FlopCounterMode(display=False, custom_mapping=lacking_formulas())
    counting = flops if os.environ.get("OBSERVE_FLOPS") != "0" else contextlib.nullcontext()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        with counting:
            runpy.run_path(program, run_name="__main__")
        torch.cuda.synchronize()
    profiler.export_chrome_trace(str(out / f"trace-{rank}.json"))
    operators = {str(operator): int(count) for operator, count in flops.get_flop_counts().get("Global", {}).items()}
    observed = {"pid": os.getpid(), "flops": operators, "collectives": flight_record()}
    (out / f"counts-{rank}.json").write_text(json.dumps(observed, indent=1))


main()
