"""What a row of published figures says: its model, speed and convention as arguments of `mfushim calc`, and what it lacks."""

import re

# Fields of a model's shape that the columns of a row can express.
COLUMNS = {"layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "gated", "experts", "topk", "moe_ffn",
           "dense_layers", "moe_layers", "tied", "positions"}

# Shorter sequences are cells that slid into another column.
SHORTEST_SEQUENCE = 64


def half_unit(text):
    """Half a unit of the last printed digit, relative to the number; a whole number's zeros may stand for any digit."""
    value = float(text)
    digits = text.split(".")[1] if "." in text else ""
    if set(digits) == {"0"} and value >= 100:
        digits = ""  # 2453.0 is a whole number that went through a float
    whole = text.split(".")[0]
    zeros = len(whole) - len(whole.rstrip("0")) if not digits else 0
    return 0.5 * 10.0 ** (zeros - len(digits)) / value


class Row:
    siblings = {}

    def __init__(self, cells):
        self.cells = cells
        self.convention = cells["flops_convention"]

    def __getitem__(self, name):
        return self.cells[name]

    def number(self, name):
        return float(self.cells[name]) if self.cells[name] else None

    # ---- the model

    def name(self):
        """Without what stands in parentheses: how it was run, or by whom."""
        return re.sub(r"\s*\(.*?\)", "", self["model"])

    def ways(self, find):
        """The argument lists that describe the model: by its name, and by its dimensions where those say all."""
        if self.by_parameters():
            return [["--params", f"{self.number('params_b') * 1e9:g}"]]
        found = find(self.name())
        ways = []
        if found:
            mtp = found["shape"].get("mtp", 0)
            if "w/o MTP" in self["model"] or "without the MTP" in self["notes"]:
                mtp = 0
            ways.append(["--model", self.name(), "--mtp", f"{mtp:g}"] + self.parameters())
        # A sparse layer pattern is more than the columns hold.
        columns_suffice = not found or (set(found["shape"]) <= COLUMNS and not (
            found["shape"].get("experts") and found["shape"].get("dense_layers")))
        if self["layers"] and columns_suffice:
            ways.append(self.dimensions() + self.parameters())
        return ways

    def dimensions(self):
        arguments = []
        for column in ("layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "experts", "topk", "moe_ffn"):
            if self[column]:
                arguments += ["--" + column.replace("_", "-"), self[column]]
        return arguments + (["--gated"] if self["gated"] == "1" else [])

    def parameters(self):
        """N, where the convention wants it and the row has it."""
        if self["params_b"] and self.conventions() == ["palm"]:
            return ["--params", f"{self.number('params_b') * 1e9:.10g}"]
        return []

    # ---- the convention

    def by_parameters(self):
        """BLOOM's shortcut: eight FLOPs per parameter and token, attention left out."""
        return self.convention.startswith("HFU") and bool(self["params_b"]) and not self["layers"] and \
            "recompute counted" not in self.convention

    def counts_recomputation(self):
        """Whether the published TFLOP/s are of executed work."""
        return "HFU" in self.convention.split(";")[0].split("(")[0] or "= HFU" in self.convention or \
            "SC21" in self.convention or "recompute counted" in self.convention

    def conventions(self):
        text = self.convention
        if self.by_parameters():
            return ["6n"]
        if "6N" in text or "PaLM" in text:
            return ["palm"]
        if "SC21" in text or "recompute counted" in text or "noncausal" in text or text == "torchtitan":
            return ["noncausal"]
        if re.search(r"\bcausal\b", text):
            return ["causal"]
        return ["causal", "noncausal"]

    def names_convention(self):
        return len(self.conventions()) == 1

    # ---- the speed

    def rate(self):
        """Tokens per second of one GPU."""
        if self["tokens_per_s_per_gpu"]:
            return self.number("tokens_per_s_per_gpu")
        if self["tokens_per_s_total"] and self["n_gpus"]:
            return self.number("tokens_per_s_total") / self.number("n_gpus")
        if self["step_time_s"] and self["gbs"] and self["n_gpus"]:
            return self.number("gbs") * self.number("seq_len") / self.number("step_time_s") / self.number("n_gpus")
        return None

    def recompute(self):
        if self.convention.startswith("HFU") or "factor 4" in self.convention or "recompute counted" in self.convention:
            return "full"
        return self["recompute"] if self["recompute"] in ("full", "none") else "none"

    def speed(self):
        peak = self["peak_tflops_used"]
        return ["--seq", self["seq_len"], "--tokens-per-second-per-gpu", f"{self.rate():.10g}", "--recompute", self.recompute(),
                "--gpu", self["gpu"]] + (["--peak", peak] if peak else [])

    # ---- the figures

    def figures(self, answer):
        """(name, as printed, as computed) of the figures that this row and the answer both have."""
        if self["tflops_per_gpu_published"]:
            key = "hardware_flops_per_s_per_gpu" if self.counts_recomputation() else "flops_per_s_per_gpu"
            yield "TFLOP/s", self["tflops_per_gpu_published"], answer[key] / 1e12
        if self["mfu_pct_published"] and "mfu" in answer:
            yield "MFU", self["mfu_pct_published"], answer["mfu"] * 100
        # What part of a model was recomputed is known for none and all of it only.
        if self["hfu_pct_published"] and "hfu" in answer and (self["recompute"] == "full" or self["recompute"] == "none"):
            yield "HFU", self["hfu_pct_published"], answer["hfu"] * 100

    def rounding(self, name, published):
        """What half a unit of the last digits of the row's figure and of its speed may change."""
        figure = half_unit(published)
        speed = half_unit(self["tokens_per_s_per_gpu"] or self["tokens_per_s_total"] or self["step_time_s"])
        if self["n_gpus"] and self["seq_len"]:
            # Some sources round to whole sequences per second of the job.
            sequences = self.rate() * self.number("n_gpus") / self.number("seq_len")
            if sequences >= 1 and abs(sequences - round(sequences)) < 1e-6:
                speed = max(speed, 0.5 / sequences)
        return figure + speed

    # ---- what a row lacks

    def unusable(self):
        """Why nothing can be computed from the row; None when it can."""
        if not any(self[name] for name in ("tflops_per_gpu_published", "mfu_pct_published", "hfu_pct_published")):
            return "no figure was published"
        if not self["seq_len"]:
            return "no sequence length"
        if self.number("seq_len") < SHORTEST_SEQUENCE:
            return "the sequence length is none: cells slid into other columns"
        if self.rate() is None:
            return "no speed was published"
        if "LoRA" in self["model"] + self["source"]:
            return "LoRA: frozen weights have no weight gradient, which is no convention of calc"
        if "packed" in self["notes"]:
            return "packed sequences: how far attention reaches is not in the row"
        return None

    @classmethod
    def read_siblings(cls, rows):
        """(sequence length, FLOPs per token) that the sources give for one model."""
        for row in rows:
            if row["tflops_per_gpu_published"] and not row.unusable():
                cls.siblings.setdefault((row.name(), row.recompute()), []).append(row.own_flops())

    def own_flops(self):
        return self.number("seq_len"), self.number("tflops_per_gpu_published") * 1e12 / self.rate()

    def contradicts_another(self):
        """Whether a sequence that is no shorter costs less per token, by the same source's rows."""
        if not self["tflops_per_gpu_published"]:
            return False
        mine = self.own_flops()
        pairs = [sorted((mine, other)) for other in self.siblings.get((self.name(), self.recompute()), [])]
        return any(short[1] > 1.02 * long[1] or (short[0] == long[0] and long[1] > 1.02 * short[1])
                   for short, long in pairs)

    def contradicts_itself(self):
        peak = self.number("peak_tflops_used")
        if not peak or not self["mfu_pct_published"]:
            return None
        mfu = self.number("mfu_pct_published") / 100
        per_sequence = re.search(r"published model FLOPs per sequence = ([0-9.e+]+)", self["notes"])
        if per_sequence:
            own = float(per_sequence[1]) / self.number("seq_len") * self.rate() / (peak * 1e12)
            if abs(own / mfu - 1) > 0.01:
                return "its MFU does not follow from its own FLOPs per sequence, time and peak"
        if self["tflops_per_gpu_published"] and abs(self.number("tflops_per_gpu_published") / peak / mfu - 1) > 0.02:
            return "its MFU does not follow from its own TFLOP/s and peak"
        return None
