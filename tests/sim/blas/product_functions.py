#!/usr/bin/env python3
"""Writes libcublas's product functions, as its headers declare them: each hands its name and its arguments to
mfusim::blas::ask, which reads them by their types."""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "library"))
import name_stubs

DECLARATION = r"\b(cublasStatus_t|void)\s+({names})\s*\(([^{{}};]*)\)\s*;"


def declarations(preprocessed, names):
    """name -> (result type, parameters as they are declared)."""
    text = " ".join(re.sub(r"__attribute__\s*\(\(.*?\)\)", "", preprocessed).split())
    found = {}
    for result, name, parameters in re.findall(DECLARATION.format(names=names), text):
        found.setdefault(name, (result, parameters.strip()))
    return found


def definition(name, result, parameters):
    arguments = [re.search(r"(\w+)\s*(\[\])?$", parameter.strip()).group(1) for parameter in parameters.split(",")]
    call = f'mfusim::blas::ask({", ".join([chr(34) + name + chr(34), *arguments])})'
    return f"{result} {name}({parameters}) {{ {'return ' if result != 'void' else ''}{call}; }}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headers", nargs="+")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("-I", dest="folders", action="append", default=[], help="where headers are")
    parser.add_argument("--names", required=True, help="regular expression of the functions' names")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    text = "".join(name_stubs.preprocess(options.compiler, options.folders, header) for header in options.headers)
    found = declarations(text, options.names)
    if not found:
        raise SystemExit(f"{options.headers}: no function is named like {options.names}")
    lines = ['#include "asked.hpp"', 'extern "C" {']
    lines += [definition(name, *declared) for name, declared in sorted(found.items())]
    with open(options.out, "w", encoding="utf-8") as out:
        out.write("\n".join([*lines, "}"]) + "\n")


if __name__ == "__main__":
    main()
