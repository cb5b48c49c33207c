"""What the cases of imported traces are written in: rows, traces, and the records that came of them.

Times are given in microseconds and expected in nanoseconds; each expectation follows from the numbers beside it.
"""

import mfushim

GPU = ("gpu_kernel", "gpu_copy", "gpu_set")


def row(category, start, duration, arguments="{}", name="k", thread="7", process="0"):
    duration = "" if duration is None else f',"dur":{duration}'
    return (f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{process},"tid":{thread},"ts":{start}{duration},'
            f'"args":{arguments}}}')


def kernel(start, duration, correlation=0):
    return row("kernel", start, duration, f'{{"device":0,"stream":7,"correlation":{correlation}}}')


def call(name, start, duration, correlation=0, thread="11", category="cuda_runtime"):
    return row(category, start, duration, f'{{"correlation":{correlation}}}', name, thread, "10")


def operator(name, start, duration, arguments):
    return row("cpu_op", start, duration, arguments, name, "11", "10")


def trace(*rows, head=""):
    return (f'{{{head}"traceEvents":[' + ",".join(rows) + "]}").encode()


CASES = []


def case(function):
    CASES.append(function)
    return function


class Imported:
    def __init__(self, program, content):
        self.records = mfushim.records(program, content)

    def spans(self, *kinds):
        """(start, duration) of the records of these kinds."""
        return sorted((int(r["start"]), int(r["duration"])) for kind in kinds for r in self.records[kind])

    def gpu(self):
        return self.spans(*GPU)

    def lost(self):
        return {(r["cause"], r["detail"].strip('"')): int(r["count"]) for r in self.records["loss"]}

    def fields(self, kind, *names):
        return [tuple(r[name] for name in names) for r in self.records[kind]]
