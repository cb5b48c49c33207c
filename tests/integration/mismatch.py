"""How the integration tests say that two things differ."""

import pathlib
import tempfile


class Mismatch(Exception):
    pass


def equal(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}: {found!r} should be {wanted!r}")


def in_a_folder(check, *arguments):
    """The check as one without arguments, which makes a folder for it, its last argument."""
    def run():
        with tempfile.TemporaryDirectory() as folder:
            return check(*arguments, pathlib.Path(folder))
    return run


def run_checks(checks):
    """Runs each of the checks by name; says what is wrong, or what it says for itself. The exit code of a test."""
    failed = False
    for name, check in checks.items():
        try:
            print(f"{name}: {check() or 'good'}")
        except Mismatch as mismatch:
            failed = True
            print(f"{name}: {mismatch}")
    return 1 if failed else 0
