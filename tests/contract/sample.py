"""Checks the sample trace that the README imports: sample.py MFUSHIM TRACE imports it, reports on it, and compares the
report with counts and times taken from the trace's own rows."""

import decimal
import gzip
import json
import subprocess
import sys
import tempfile

GPU_ROWS = ("kernel", "gpu_memcpy", "gpu_memset")


def nanoseconds(microseconds):
    return int(decimal.Decimal(str(microseconds)) * 1000)


def expected(trace):
    rows = trace["traceEvents"]
    gpu = [(nanoseconds(r["ts"]), nanoseconds(r["dur"])) for r in rows if r["cat"] in GPU_ROWS]
    flops = calls = 0
    for row in rows:
        if row["name"] in ("aten::mm", "aten::bmm"):
            a, b = row["args"]["Input Dims"]
            batch = a[0] if len(a) == 3 else 1
            flops += 2 * batch * a[-2] * a[-1] * b[-1]
            calls += 1
    return {"GPU records": len(gpu), "products": calls, "FLOPs": flops,
            "total ns": max(s + d for s, d in gpu) - min(s for s, d in gpu)}


def reported(mfushim, trace):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([mfushim, "import", "kineto", trace, "-o", folder], check=True)
        out = subprocess.run([mfushim, "report", folder, "--json"], check=True, capture_output=True).stdout
    report = json.loads(out)
    flops = sum(2 * g["m"] * g["n"] * g["k"] * g["batch"] * g["calls"] for g in report["gemms"])
    return {"GPU records": report["coverage"]["gpu_records"]["total"],
            "products": sum(g["calls"] for g in report["gemms"]), "FLOPs": flops,
            "total ns": report["ranks"][0]["time"]["total_ns"]}


def main(mfushim, trace):
    with gzip.open(trace) as file:
        wanted = expected(json.load(file))
    found = reported(mfushim, trace)
    print(found)
    if found != wanted:
        sys.exit(f"sample.py: the trace says {wanted}")


if __name__ == "__main__":
    main(*sys.argv[1:])
