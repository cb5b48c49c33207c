"""Several runs, each in a process forked from one that has imported PyTorch (each.py), for each rank."""
import json

from runs import HERE, folder_settings, rank_settings, run_together

from mismatch import Mismatch


def run_each(build, framework, folder, cases, ranks):
    """Recorded. Each case is (folder, settings, words of Python's command line), on so many ranks."""
    listed = folder / "cases.json"
    listed.write_text(json.dumps([
        {"folder": str(own), "command": [str(word) for word in words],
         "environment": {"MFUSIM_TRUTH": str(own), **folder_settings(own), **settings}} for own, settings, words in cases]))
    done = run_together(build, framework, folder, ["python", HERE / "each.py", listed], rank_settings(ranks), ranks,
                        shim=True)
    if done.returncode:
        said = [(own / "stderr").read_text()[-1500:] for own, _, _ in cases if (own / "stderr").exists()]
        raise Mismatch(f"{done.stderr[-500:]}: {said[-1] if said else ''}")
