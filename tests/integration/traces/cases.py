"""cases.py MFUSHIM: small traces with one oddity each, and the records that must come of them."""

import sys

import cases_context  # noqa: F401  the cases register themselves
import cases_rows  # noqa: F401
import cases_times  # noqa: F401
from casebook import CASES, Imported


def main(program):
    wrong = []
    for function in CASES:
        try:
            function(lambda content: Imported(program, content))
        except (AssertionError, KeyError) as fault:
            where = fault.__traceback__
            while where.tb_next:
                where = where.tb_next
            wrong.append(f"{function.__name__}: line {where.tb_lineno}: {fault!r}")
    print(f"{len(CASES)} cases")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
