"""The command line of tests whose checks are their own, and what a test cost."""
import argparse
import pathlib
import resource
import sys

from runs import SKIPPED, why_missing

from mismatch import Mismatch


def processor_seconds():
    """Of all that was run here: what a test costs, however busy the machine is."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def run_checks(name, check_all):
    """For a test with checks of its own: its command line and exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--framework", default="torch@2.15")
    options = parser.parse_args()
    try:
        if missing := why_missing(options.build, options.framework):
            print(f"skipped: {missing}")
            return SKIPPED
        check_all(options.build.resolve(), options.framework)
        print(f"{name}: {processor_seconds():.1f} s of processor time")
    except Mismatch as mismatch:
        print(f"{name}: {mismatch}", file=sys.stderr)
        return 1
    return 0
