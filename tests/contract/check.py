"""Runs one contract check: check.py NAME ARGUMENT... prints each breach on a line and exits 1 if there is one."""

import sys

import elf
import sources

CHECKS = {
    "include_rules": sources.include_rules,
    "sizes": sources.sizes,
    "forbidden_words": sources.forbidden_words,
    "opening_sentences": sources.opening_sentences,
    "formatting": sources.formatting,
    "exports": elf.exports,
    "symbol_versions": elf.symbol_versions,
    "late_loading": elf.late_loading,
    "needed": elf.needed,
    "glibc": elf.glibc,
    "weak_needs": elf.weak_needs,
}


def main(name, *arguments):
    breaches = list(CHECKS[name](*arguments))
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
