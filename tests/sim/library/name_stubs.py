#!/usr/bin/env python3
"""Writes a weak stub for every public function of a vendor header, so that a library double exports them all.

A double's own definition replaces the stub at link time. A stub that is called names itself in the truth
file and answers what the vendor answers for "not supported".
"""
import argparse
import re
import subprocess

DECLARATION = r"\b((?:const\s+)?[A-Za-z_]\w*(?:\s+int)?(?:\s*\*)?)\s*\b({names})\s*\([^{{}};]*\)\s*;"


def preprocess(compiler, folders, header):
    """Each header on its own: cublas.h refuses to stand beside cublas_v2.h. cublas_api.h before 13.1 wants CUBLASAPI."""
    command = [compiler, "-E", "-P", "-DCUBLASAPI=", "-x", "c++", "-"] + [f"-I{folder}" for folder in folders]
    return subprocess.run(command, input=f"#include <{header}>\n", text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def functions(preprocessed, names):
    """name -> result type, of the declarations in preprocessed C."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", preprocessed)
    found = {}
    for result, name in re.findall(DECLARATION.format(names=names), text):
        if result != "return":
            found.setdefault(name, " ".join(result.split()))
    return found


def stub(name, result, status_type, refusal):
    answer = refusal if result == status_type else "nullptr" if result.endswith("*") else "0"
    kind = "int" if result == status_type else result.replace("*", " *")
    if result == "void":
        return f"MFUSIM_STUB void {name}() {{ hit(\"{name}\"); }}"
    if kind not in ("int", "unsigned", "unsigned int", "size_t", "float", "double") and "*" not in kind:
        kind = "long"  # a small struct in registers, of which nobody uses the value
    return f"MFUSIM_STUB {kind} {name}() {{ hit(\"{name}\"); return {answer}; }}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headers", nargs="+")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("-I", dest="folders", action="append", default=[], help="where headers are")
    parser.add_argument("--names", required=True, help="regular expression of the functions' names")
    parser.add_argument("--library", required=True, help="soname of the double")
    parser.add_argument("--status", required=True, help="the library's type of result")
    parser.add_argument("--refusal", required=True, type=int, help="its value for 'not supported'")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    text = "".join(preprocess(options.compiler, options.folders, header) for header in options.headers)
    found = functions(text, options.names)
    if not found:
        raise SystemExit(f"{options.headers}: no function is named like {options.names}")
    lines = ["#include <cstddef>", '#include "sim_driver.hpp"',
             '#define MFUSIM_STUB extern "C" __attribute__((weak, visibility("default")))',
             f'static void hit(const char* name) {{ mfusim::library::stub_hit("{options.library}", name); }}']
    lines += [stub(name, result, options.status, options.refusal)
              for name, result in sorted(found.items())]
    with open(options.out, "w") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
