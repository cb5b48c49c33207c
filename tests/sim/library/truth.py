"""Runs a program on the simulated GPU and reads the truth that the simulator wrote about it."""
import json
import pathlib
import subprocess
import tempfile

SIM = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "sim"


def of_run(command, gpus=1):
    """All lines of all processes, as dictionaries; field "pid" added."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SIM, "--gpus", str(gpus), "--truth", folder, "--", *command], check=True,
                       stdout=subprocess.DEVNULL)
        lines = []
        for file in pathlib.Path(folder).glob("truth-*.jsonl"):
            records = [json.loads(line) for line in file.read_text().splitlines()]
            lines += [record | {"pid": file.stem} for record in records]
        return lines


def of_kind(lines, kind):
    return [line for line in lines if line["t"] == kind]
