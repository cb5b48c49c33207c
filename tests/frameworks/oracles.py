"""What PyTorch itself says of a run, against what the recorder wrote and what the simulator knows of the same run."""
import collections
import fractions
import re
import subprocess

import three_ways
import truth as truth_file
from mismatch import Mismatch, equal

# Operators, as FlopCounterMode names them
MATRIX_PRODUCTS = r"aten\.(mm|addmm|bmm|baddbmm|mv|addmv|addbmm|_int_mm|_addmm_activation|_scaled_mm)"
FLASH = r"aten\._scaled_dot_product_flash_attention(_backward)?"
CUDNN_ATTENTION = r"aten\._scaled_dot_product_cudnn_attention(_backward)?"
FLASH_KERNEL = re.compile(r"flash_(fwd)_(?:splitkv_)?kernel|flash_(bwd)_dq_dk_dv")
# Kineto converts CUPTI's time stamps from the processor's counter by a line through two readings of both clocks.
KINETO_CLOCK_ERROR_NS = 20_000


def matching(flops, operators):
    """The FLOPs of a process, by operator, of those operators whose names match."""
    return sum(count for operator, count in flops.items() if re.fullmatch(operators, operator))


def counted_flops(runs, way, operators):
    """FlopCounterMode's FLOPs in that run of the operators whose names match, as often as they ran."""
    counted = sum(matching(process["flops"], operators) for process in runs.observed("counts", way))
    return counted * runs.program.runs_per_counted


def product_flops(document):
    return sum(2 * g["m"] * g["n"] * (g["k"] or 1) * g["batch"] * g["calls"] for g in document["gemms"]
               if g["product"] in ("gemm", "gemm3m", "gemv"))  # the last is by a vector, and has no k


def check_flops(runs, way):
    """FlopCounterMode's FLOPs in that run against the recorder's in the observed one."""
    counted = counted_flops(runs, way, MATRIX_PRODUCTS)
    equal("FLOPs of matrix products, FlopCounterMode's", product_flops(runs.report("observed")), counted)
    return f"{counted} FLOPs as FlopCounterMode"


def check_attention(runs, way):
    """Recorded launches of FlashAttention, times what one computes by the shapes that the script gives it. Its backward pass
    is five products of the same size where the forward pass is two."""
    counted = counted_flops(runs, way, FLASH)
    forward = runs.program.attention
    if forward is None:
        return f"attention's {counted} FLOPs not compared" if counted else None
    calls = collections.Counter()
    for kernel in runs.report("recorded")["kernels"]:
        if found := FLASH_KERNEL.search(kernel["name"]):
            calls[found[1] or found[2]] += kernel["calls"]
            check_modelled(kernel, forward * (1 if found[1] else fractions.Fraction(5, 2)))
    if not calls and not counted:  # cuDNN did it
        return None
    equal("FLOPs of attention, FlopCounterMode's", (calls["fwd"] + calls["bwd"] * fractions.Fraction(5, 2)) * forward, counted)
    return f"attention {calls['fwd']} forward and {calls['bwd']} backward, {counted} FLOPs as FlopCounterMode"


def check_modelled(kernel, flops):
    """What the report models of this kernel, by its name and grid, against what a call of it computes."""
    if "flops_low" not in kernel:
        return
    low, high, true = kernel["flops_low"], kernel["flops_high"], flops * kernel["modelled_calls"]
    if not low <= true <= high:
        raise Mismatch(f"FLOPs modelled of {kernel['name'][:60]}: {low:.0f} to {high:.0f}, truly {true}")


def check_cudnn(runs, way):
    """Convolutions and attention by cuDNN: FLOPs of the operations that its graphs have."""
    recorded = collections.Counter()
    for operation in runs.report("observed")["operations"]:
        recorded[operation["operation"]] += operation.get("flops", 0)
    attention = counted_flops(runs, way, CUDNN_ATTENTION)
    forward, backward = (counted_flops(runs, way, operator) for operator in ("aten.convolution", "aten.convolution_backward"))
    attended = sum(recorded[operation] for operation in ("matmul", "sdpa_fwd", "sdpa_bwd"))  # as a graph may have it
    for what, ours, counted in (("attention by cuDNN", attended, attention),
                                ("convolutions", recorded["conv_fwd"], forward),
                                ("convolutions backward", recorded["conv_dgrad"] + recorded["conv_wgrad"], backward)):
        equal(f"FLOPs of {what}, FlopCounterMode's", ours, counted)
    total = attention + forward + backward
    return f"{total} FLOPs by cuDNN as FlopCounterMode" if total else None


def check_profiler(runs):
    kernels, copies, sets = collections.Counter(), collections.Counter(), collections.Counter()
    for trace in runs.observed("trace"):
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel":
                kernels[event["name"]] += 1
            elif event.get("cat") == "gpu_memcpy":
                copies[event["args"]["bytes"]] += 1
            elif event.get("cat") == "gpu_memset":
                sets[event["args"]["bytes"]] += 1
    truths = runs.truths("observed").values()
    names = collections.Counter(record["name"] for t in truths for record in t.lines["kernel"])
    shown = dict(zip(names, truth_file.demangle(list(names))))
    true = collections.Counter()
    for name, count in names.items():
        true[shown[name]] += count
    equal("kernels by name, torch.profiler's", dict(kernels), dict(true))
    for what, counted, kind in (("copies", copies, "copy"), ("memory sets", sets, "set")):
        equal(f"{what} by bytes, torch.profiler's", dict(counted),
              dict(collections.Counter(record["bytes"] for t in truths for record in t.lines[kind])))
    launches = runs.report("observed")["coverage"]["launches"]["seen_by_api"]
    outside_graphs = sum(t.launches() + t.graph_launches() for t in truths)
    equal("launches beside torch.profiler", launches, outside_graphs)
    return f"{kernels.total()} kernels, {copies.total()} copies, {sets.total()} sets as torch.profiler; " + check_import(runs)


def check_import(runs):
    """Kineto's exported trace, imported, gives that run's numbers."""
    out = runs.work / "imported"
    out.mkdir()
    traces = sorted((runs.work / "observed").glob("trace-*.json"))
    done = subprocess.run([runs.build / "mfushim", "import", "kineto", *traces, "-o", out], capture_output=True, text=True,
                          check=False)
    equal(f"exit code of import ({done.stderr.strip()})", done.returncode, 0)
    document = three_ways.report(runs.build, out)
    truths = runs.truths("observed")
    three_ways.check_kernels(document, truths)
    times = [t.ledger(device) for t in truths.values() for device in t.devices()]
    worst = 0
    for name in ("busy_ns", "compute_ns", "comm_ns", "copy_ns"):
        reported = sorted(rank["time"].get(name, 0) for rank in document["ranks"])
        true = sorted(t[name] for t in times)
        equal("processes in Kineto's trace", len(reported), len(true))
        for ours, theirs in zip(reported, true):
            worst = max(worst, abs(ours - theirs))
    records = max(t["records"] for t in times)
    if worst > KINETO_CLOCK_ERROR_NS + records:  # Kineto rounds each time to a nanosecond
        raise Mismatch(f"imported ledger is {worst} ns off the truth")
    return f"its trace imported, {worst} ns off"
