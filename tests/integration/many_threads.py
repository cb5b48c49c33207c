"""64 threads that launch at once: each launch is in the log, or counted as lost.

usage: many_threads.py --build DIR --program MANY_THREADS [--seconds S]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from environment import job_environment

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", default="3")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        environment = job_environment(args.build, MFUSHIM_OUT=work, MFUSHIM_GPU_TIME="off")
        done = subprocess.run([SOURCE / "scripts/sim", "--instant", "--shim", "--", args.program, args.seconds],
                              env=environment, capture_output=True, text=True, check=True)
        made = int(done.stderr.split()[0])
        report = subprocess.run([args.build / "mfushim", "report", "--json", work], capture_output=True, text=True,
                                check=True)
    coverage = json.loads(report.stdout)["coverage"]
    seen, lost = coverage["launches"]["seen_by_api"], coverage["host_records_lost"]
    print(f"{made} launches made, {seen} recorded, {lost} counted as lost")
    if seen + lost != made or seen == 0:
        sys.exit("the counts do not add up")


if __name__ == "__main__":
    main()
