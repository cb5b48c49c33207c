"""Writes a log as a torch.profiler trace would tell it: mfushim dump LOG | c++filt | sample_trace.py OUT.json.gz made
the sample trace in docs/sample out of a log of the demo program."""

import gzip
import json
import re
import sys

FIELD = re.compile(r'(\w+)=("(?:\\.|[^"\\])*"|\S+)')
HOST_KINDS = ("launch", "graph_launch", "copy", "set", "sync")
COPIES = {"host_to_device": "HtoD", "device_to_host": "DtoH", "device_to_device": "DtoD", "peer": "PtoP"}
TYPES = {"f32": "float", "f16": "c10::Half", "bf16": "c10::BFloat16", "f64": "double"}


def value(text):
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return int(text) if re.fullmatch(r"-?\d+", text) else text


class Log:
    """The records of a dump by kind, in order, each a dictionary with its lane."""

    def __init__(self, lines):
        self.head, self.records = {}, {}
        kind = lane = None
        for line in lines:
            fields = {key: value(text) for key, text in FIELD.findall(line)}
            if line.startswith("block "):
                kind, lane = line.split()[1], fields["lane"]
            elif line.startswith("  "):
                self.records.setdefault(kind, []).append({**fields, "lane": lane})
            elif line.startswith("mfushim-log"):
                self.head = fields

    def all(self, kind):
        return self.records.get(kind, [])

    def by_id(self, kind):
        return {record["id"]: record for record in self.all(kind)}


class Trace:
    def __init__(self, log):
        self.log = log
        self.names = {i: record["text"] for i, record in log.by_id("name").items()}
        self.names[0] = ""
        self.facts = {record["key"]: record["value"] for record in log.all("fact")}
        self.pid = int(self.facts["pid"])
        self.tids = {i: record["tid"] for i, record in log.by_id("thread").items()}
        anchors = log.all("clock_anchor")
        self.first, self.last = anchors[0], anchors[-1]
        self.base = self.first["realtime_ns"] // 10**9 * 10**9
        self.events = []

    def host_ns(self, ticks):
        """Host ticks as nanoseconds since 1970, on the line through the first and the last anchor."""
        span = self.last["ticks"] - self.first["ticks"]
        slope = self.last["realtime_ns"] - self.first["realtime_ns"]
        return self.first["realtime_ns"] + (ticks - self.first["ticks"]) * slope // span

    def add(self, category, name, pid, tid, start, end, arguments):
        """One row; start and end in nanoseconds since 1970, in the trace microseconds since its base."""
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                            "ts": (start - self.base) / 1000, "dur": (end - start) / 1000, "args": arguments})

    def add_host(self, category, name, record, arguments):
        self.add(category, name, self.pid, self.tids.get(record["lane"], record["lane"]),
                 self.host_ns(record["start"]), self.host_ns(record["start"] + record["duration"]), arguments)

    def calls(self):
        for kind in HOST_KINDS:
            for record in self.log.all(kind):
                name = self.names[record["api"]]
                category = "cuda_driver" if re.match(r"cu[A-Z]", name) else "cuda_runtime"
                self.add_host(category, name, record, {"correlation": record.get("correlation", 0)})

    def products(self):
        shapes = self.log.by_id("gemm_shape")
        for record in self.log.all("gemm"):
            s = shapes[record["subject"]]
            batch = [s["batch"]] if s["batch"] > 1 else []
            dimensions = [batch + [s["m"], s["k"]], batch + [s["k"], s["n"]]]
            kind = TYPES.get(s["a"], s["a"])
            self.add_host("cpu_op", "aten::bmm" if batch else "aten::mm", record,
                          {"Input Dims": dimensions, "Input type": [kind, kind]})

    def collectives(self):
        shapes, communicators = self.log.by_id("collective_shape"), self.log.by_id("communicator")
        for record in self.log.all("collective"):
            s = shapes[record["subject"]]
            size = communicators[s["communicator"]]["size"]
            gathered = s["op"] == "all_gather"
            scattered = s["op"] == "reduce_scatter"
            self.add_host("cpu_op", "record_param_comms", record, {
                "Collective name": s["op"].replace("_", ""), "dtype": TYPES.get(s["dtype"], s["dtype"]).split("::")[-1],
                "In msg nelems": s["count"] * (size if scattered else 1),
                "Out msg nelems": s["count"] * (size if gathered else 1),
                "Group size": size, "Process Group Name": "0", "Process Group Ranks": str(list(range(size)))})

    def device_work(self):
        queues, configs = self.log.by_id("queue"), self.log.by_id("launch_config")
        for kind, category in (("gpu_kernel", "kernel"), ("gpu_copy", "gpu_memcpy"), ("gpu_set", "gpu_memset")):
            for record in self.log.all(kind):
                queue = queues[record["lane"]]
                arguments = {key: queue[key] for key in ("device", "context", "stream")}
                arguments["correlation"] = record["correlation"]
                if kind == "gpu_kernel":
                    config = configs[record["config"]]
                    name = self.names[config["kernel"]]
                    arguments |= {"grid": [config[f"grid_{axis}"] for axis in "xyz"],
                                  "block": [config[f"block_{axis}"] for axis in "xyz"],
                                  "shared memory": config["shared_static"] + config["shared_dynamic"]}
                else:
                    name = "Memset (Device)" if kind == "gpu_set" else f"Memcpy {COPIES[record['copy_kind']]}"
                    arguments["bytes"] = record["bytes"]
                self.add(category, name, queue["device"], queue["stream"], record["start"],
                         record["start"] + record["duration"], arguments)

    def devices(self):
        return [{"id": d["index"], "name": d["name"], "totalGlobalMem": d["memory_bytes"], "numSms": d["sm_count"],
                 "computeMajor": d["compute_capability"] // 10, "computeMinor": d["compute_capability"] % 10}
                for d in self.log.all("device")]

    def document(self):
        for part in (self.calls, self.products, self.collectives, self.device_work):
            part()
        self.events.sort(key=lambda event: event["ts"])
        return {"schemaVersion": 1, "deviceProperties": self.devices(), "displayTimeUnit": "ms",
                "distributedInfo": {"backend": "nccl", "rank": int(self.facts.get("rank", 0)),
                                    "world_size": int(self.facts.get("world_size", 1))},
                "baseTimeNanoseconds": self.base, "traceName": "train_gpt", "traceEvents": self.events}


def main(out):
    document = Trace(Log(sys.stdin)).document()
    with open(out, "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed:
        packed.write(json.dumps(document, separators=(",", ":")).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
