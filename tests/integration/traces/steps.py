"""steps.py MFUSHIM: infers the steps of traces whose profiler marked them, without looking at the marks.

For each trace: boundaries found (F1, a boundary is right when at most 2 % of a step's launches lie between it and the
mark) and the error of the step time, both in the host's time, as the marks are. Prints the table.
"""

import bisect
import gzip
import pathlib
import re
import statistics
import sys
import tempfile

import mfushim

LABELLED = [  # traces of at least three marked steps
    "hta/df_index_resolver__df_index_resolver.json.gz",
    "hta/nccl_parser_config__nccl_data.json.gz",
    "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
    "hta/trace_diff__control__control.json.gz",
    "hta/trace_diff__test__test.json.gz",
    "kineto_tb/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
    "kineto_tb/samples__resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz",
    "kineto_tb/samples__resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz",
    "tracelens/mi300__resnet_act_checkpoint.json.gz",
]
LEAST_F1, LARGEST_ERROR, NEARBY = 0.8, 0.02, 0.02


def starts(report):
    return [report["steps"]["origin_ns"] + step["called_ns"] for step in report["steps"]["list"]]


def right(boundaries, others, launches, allowed):
    """How many of the boundaries have one of the others nearby, in launches."""
    places = [bisect.bisect(launches, other) for other in others]
    return sum(any(abs(bisect.bisect(launches, b) - place) <= allowed for place in places) for b in boundaries)


def step_time(boundaries):
    return statistics.median(after - before for before, after in zip(boundaries, boundaries[1:]))


def check(program, trace):
    content = gzip.decompress((mfushim.SHARED / trace).read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        unmarked = pathlib.Path(folder) / "unmarked.json"
        unmarked.write_bytes(re.sub(rb"ProfilerStep", b"Unlabelled", content))
        marked, inferred = (mfushim.report(program, [path]) for path in (mfushim.SHARED / trace, unmarked))
    if marked["steps"]["method"] != "profiler_marks" or "steps" not in inferred:
        return [f"{trace}: {marked['steps']['method']}, inferred {inferred.get('steps')}"]
    launches = sorted(int(call["start"]) for call in mfushim.records(program, content)["launch"])
    said, found = starts(marked), starts(inferred)
    allowed = NEARBY * marked["steps"]["period_kernels"]
    precision = right(found, said, launches, allowed) / len(found)
    recall = right(said, found, launches, allowed) / len(said)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    error = step_time(found) / step_time(said) - 1
    steps = inferred["steps"]
    print(f"F1 {f1:.2f}  step time {100 * error:+.2f} %  {len(found)} of {len(said)} steps  {steps['method']} "
          f"confidence {steps['confidence']:.2f}  {trace}")
    return [f"{trace}: F1 {f1}, error {error}"] if f1 < LEAST_F1 or abs(error) > LARGEST_ERROR else []


def main(program):
    wrong = [fault for trace in LABELLED for fault in check(program, trace)]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
