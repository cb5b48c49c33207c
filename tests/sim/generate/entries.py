#!/usr/bin/env python3
"""Writes the exported functions of a double from the vendor's own header, so that no name is listed by hand.

Every public function gets an entry that opens an ApiCall (correlation id, tracing, which default stream
is meant) and forwards to impl_NAME, or for a per-thread twin (_ptsz, _ptds) to impl_ of its base name.
Each impl_ also gets a weak definition that reports itself as a stub; the simulator's strong ones replace it.
"""
import argparse
import os
import re

PER_THREAD = re.compile(r"(_ptsz|_ptds)$")


class Function:
    """One declaration: return type, name and (type, name) of each parameter."""

    def __init__(self, result, name, parameters):
        self.result, self.name, self.parameters = result, name, parameters
        self.per_thread = bool(PER_THREAD.search(name))
        self.base = PER_THREAD.sub("", name)

    def signature(self, prefix=""):
        return f"{self.result} {prefix}{self.name}({self.typed()})"

    def typed(self):
        return ", ".join(declare(kind, name) for kind, name in self.parameters) or "void"

    def types(self):
        return ", ".join(declare(kind, "") for kind, _ in self.parameters) or "void"

    def names(self):
        return ", ".join(name for _, name in self.parameters)


def declare(kind, name):
    """A declarator; function pointer types carry their name inside, at the mark '(*@)'."""
    return kind.replace("@", name) if "@" in kind else f"{kind} {name}".strip()


def split_parameters(text):
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += letter in "(["
        depth -= letter in ")]"
        if letter == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    parts.append(current)
    return [re.sub(r"\s+", " ", part).strip() for part in parts]


def parse_parameter(text, index):
    pointer = re.match(r"(.*\(\s*\*)\s*(\w*)\s*(\).*)$", text)
    if pointer:
        return pointer[1] + "@" + pointer[3], pointer[2] or f"a{index}"
    array = re.match(r"(.*?)(\w+)\s*\[\w*\]$", text)
    if array:
        return array[1].strip() + " *", array[2]
    named = re.match(r"(.*[\s*])(\w+)$", text)
    if not named or named[2] in ("int", "long", "char") or named[1].strip() in ("struct", "enum", "const"):
        return text, f"a{index}"
    return named[1].strip(), named[2]


def parse_functions(preprocessed, result, name_pattern):
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", preprocessed)
    found = {}
    pattern = rf"\b({result})\s+({name_pattern})\s*\(((?:[^()]|\([^()]*\))*)\)\s*;"
    for match in re.finditer(pattern, text):
        parts = split_parameters(match[3])
        parameters = [] if parts in ([""], ["void"]) else [
            parse_parameter(part, i) for i, part in enumerate(parts)]
        function = Function(re.sub(r"\s+", " ", match[1]), match[2], parameters)
        found.setdefault(function.name, function)
    return found


def parse_callback_ids(header, prefix):
    """name -> CUPTI callback id; runtime names carry the version that introduced them."""
    ids = {}
    for name, number in re.findall(rf"{prefix}(\w+)\s*=\s*(\d+)", header):
        ids[name] = int(number)
        ids.setdefault(re.sub(r"_v\d{4,5}$", "", name), int(number))
    return ids


def untyped_names(header, pattern):
    return sorted(set(re.findall(pattern, header)))


def write(path, lines):
    text = "\n".join(lines) + "\n"
    if os.path.exists(path) and open(path).read() == text:
        return
    with open(path, "w") as out:
        out.write(text)


def entry(function, ids):
    fields = " ".join(declare(kind, name) + ";" for kind, name in function.parameters)
    number = ids.get(function.name, 0)
    twin = "true" if function.per_thread else "false"
    lines = [f"MFUSIM_EXPORT {function.signature()} {{",
             f'  static constexpr Entry kEntry{{"{function.name}", {number}, {twin}}};']
    if fields:
        lines += [f"  const struct {{ {fields} }} parameters{{{function.names()}}};",
                  "  ApiCall call(kEntry, &parameters);"]
    else:
        lines += ["  ApiCall call(kEntry, nullptr);"]
    forward = f"impl_{function.base}({function.names()})"
    if function.result not in ("CUresult", "cudaError_t"):
        return lines + [f"  return {forward};", "}"]
    return lines + [f"  return call.refused() ? call.refusal() : call.done({forward});", "}"]


def write_entries(out, kind, functions, ids, extra_stubs):
    """NAME_impl.hpp, NAME_entries.cpp and NAME_stubs.cpp."""
    space = {"driver": "mfusim", "runtime": "mfusim::runtime"}[kind]
    bases = {f.base: f for f in functions.values()}
    for base, function in list(bases.items()):
        bases[base] = functions.get(base, function)
    header = ["// Generated from the vendor's header: what this double may implement.", "#pragma once",
              f'#include "{kind}_header.h"', f"namespace {space} {{"]
    stubs = [f'#include "{kind}_impl.hpp"', '#include "api_call.hpp"', f"namespace {space} {{"]
    for base, function in sorted(bases.items()):
        header.append(f"{function.result} impl_{base}({function.typed()});")
        answer = f'stub_hit("{base}")'
        value = f"return {answer};" if function.result in ("CUresult", "cudaError_t") else f"{answer}; return {{}};"
        stubs.append(f"__attribute__((weak)) {function.result} impl_{base}({function.types()}) {{ {value} }}")
    entries = [f'#include "{kind}_impl.hpp"', '#include "api_call.hpp"', f"using namespace {space};"]
    for _, function in sorted(functions.items()):
        entries += entry(function, ids)
    for name in extra_stubs:
        entries.append(f'MFUSIM_EXPORT int {name}() {{ return stub_hit("{name}"); }}')
    write(f"{out}/{kind}_impl.hpp", header + [f"}}  // namespace {space}"])
    write(f"{out}/{kind}_stubs.cpp", stubs + [f"}}  // namespace {space}"])
    write(f"{out}/{kind}_entries.cpp", entries)


def write_proc_table(out, functions, typedefs):
    """Rows of cuGetProcAddress: base name, first version, per-thread twin?, address.

    The vendor's typedefs of one name, by version, stand in the order of its exported variants
    (f, f_v2, f_v3 ...), which is checked here by their number.
    """
    versions = {}
    for name, version, twin in re.findall(r"PFN_(\w+?)_v(\d+)(_ptsz|_ptds)?\)\s*\(", typedefs):
        versions.setdefault((name, twin), set()).add(int(version))
    variants = {}
    for name in functions:
        parts = re.match(r"(\w+?)(?:_v(\d+))?(_ptsz|_ptds)?$", name)
        variants.setdefault((parts[1], parts[3] or ""), []).append((int(parts[2] or 1), name))
    rows = []
    for key, names in sorted(variants.items()):
        names.sort()
        known = sorted(versions.get(key, []))
        if len(known) != len(names):
            raise SystemExit(f"{key[0]}{key[1]}: versions {known} do not match {[n for _, n in names]}")
        rows += [f'MFUSIM_ROW("{key[0]}", {version}, {"true" if key[1] else "false"}, {name})'
                 for version, (_, name) in zip(known, names)]
    write(f"{out}/proc_table.inc", rows)


def write_error_names(out, preprocessed, success, prefix, path):
    """Rows of (value, name) of the enumeration of errors, known by its 0."""
    body = re.search(rf"\{{([^{{}}]*\b{success}\s*=\s*0[^{{}}]*)\}}", preprocessed)[1]
    names = re.findall(rf"\b({prefix}\w+)\s*=\s*\d+", body)
    write(f"{out}/{path}", [f'{{{name}, "{name}"}},' for name in names])


def write_weak_exports(out, functions, names):
    """CUPTI's functions, which are not traced: weak exported definitions that the double's own replace.

    Of the counters' interfaces, whose headers are C++ alone, only the names matter.
    """
    lines = ['#include "cupti_header.h"', '#include "stub.hpp"']
    for _, function in sorted(functions.items()):
        lines.append(f'extern "C" __attribute__((weak)) {function.result} {function.name}({function.types()}) '
                     f'{{ return stub_hit("{function.name}"); }}')
    for name in names:
        lines.append(f'extern "C" CUptiResult {name}() {{ return stub_hit("{name}"); }}')
    write(f"{out}/cupti_stubs.cpp", lines)


def write_newest_records(out, preprocessed):
    """Aliases of the newest struct of each kind of CUPTI record: the family only grows at its tail."""
    lines = ["#pragma once", "#include <cupti.h>", "namespace mfusim::cupti {"]
    for alias, family in (("KernelRecord", "Kernel"), ("CopyRecord", "Memcpy"), ("PeerCopyRecord", "MemcpyPtoP"),
                          ("SetRecord", "Memset"), ("ApiRecord", "API"), ("SyncRecord", "Synchronization"),
                          ("ExternalRecord", "ExternalCorrelation"), ("OverheadRecord", "Overhead"),
                          ("GraphRecord", "GraphTrace")):
        versions = re.findall(rf"\}}\s*CUpti_Activity{family}(\d*)\s*;", preprocessed)
        newest = max(versions, key=lambda version: int(version or 1))
        lines.append(f"using {alias} = CUpti_Activity{family}{newest};")
    write(f"{out}/newest_records.hpp", lines + ["}  // namespace mfusim::cupti"])


def write_callback_names(out, header, domain, path):
    names = re.findall(rf"CUPTI_{domain}_TRACE_CBID_(\w+)\s*=\s*(\d+)", header)
    write(f"{out}/{path}", [f'{{{number}, "{name}"}},' for name, number in names])


def write_driver_calls(out, functions, preprocessed, calls):
    """The runtime's table of driver functions, and those of its own that only forward to one of them.

    What a CUDA major's headers lack is left out.
    """
    known = set(re.findall(r"\bcu[A-Z]\w*", preprocessed))
    rows = [line.split("#")[0].replace("=", " ").split() for line in calls.splitlines()]
    rows = [[name for name in row if name in known or name in functions] for row in rows]
    slots = sorted({name for row in rows for name in row if name not in functions})
    write(f"{out}/driver_slots.inc", [f"MFUSIM_SLOT({name})" for name in slots])
    lines = ['#include "driver.hpp"', '#include "runtime_impl.hpp"', "namespace mfusim::runtime {"]
    for row in rows:
        if len(row) > 1 and row[0] in functions:
            function = functions[row[0]]
            candidates = ", ".join(f"&Driver::{name}" for name in row[1:])
            lines.append(f"{function.signature('impl_')} {{ return forward<{candidates}>({function.names()}); }}")
    write(f"{out}/runtime_forwards.cpp", lines + ["}  // namespace mfusim::runtime"])


def read(paths):
    return "\n".join(open(path, errors="replace").read() for path in paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["driver", "runtime", "cupti"])
    parser.add_argument("--preprocessed", required=True, help="the vendor's header after the preprocessor")
    parser.add_argument("--callback-ids", nargs="*", default=[], help="CUPTI's header of callback ids")
    parser.add_argument("--typedefs", nargs="*", default=[], help="headers with the driver's PFN_ typedefs")
    parser.add_argument("--untyped", nargs="*", default=[], help="headers whose functions become stubs by name only")
    parser.add_argument("--driver-calls", nargs="*", default=[], help="what the runtime calls in the driver")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    text = read([options.preprocessed])
    ids = read(options.callback_ids)
    if options.kind == "driver":
        functions = parse_functions(text, "CUresult", r"cu[A-Z]\w*")
        write_entries(options.out, "driver", functions,
                      parse_callback_ids(ids, "CUPTI_DRIVER_TRACE_CBID_"), [])
        write_proc_table(options.out, functions, read(options.typedefs))
        write_error_names(options.out, text, "CUDA_SUCCESS", "CUDA_", "driver_errors.inc")
    elif options.kind == "runtime":
        functions = parse_functions(text, r"cudaError_t|const char\s*\*|struct cudaChannelFormatDesc",
                                    r"(?:__)?cuda[A-Z]\w*")
        extra = untyped_names(read(options.untyped), r"cudaError_t\s+CUDARTAPI\s+(cuda(?!WGL)[A-Z]\w*)\s*\(")
        write_entries(options.out, "runtime", functions,
                      parse_callback_ids(ids, "CUPTI_RUNTIME_TRACE_CBID_"),
                      [name for name in extra if name not in functions])
        write_driver_calls(options.out, functions, text, read(options.driver_calls))
        write_error_names(options.out, text, "cudaSuccess", "cuda", "runtime_errors.inc")
    else:
        functions = parse_functions(text, "CUptiResult", r"cupti[A-Z]\w*")
        counters = untyped_names(read(options.untyped), r"CUptiResult\s+(?:CUPTIAPI\s+)?(cupti[A-Z]\w*)\s*\(")
        write_weak_exports(options.out, functions, [name for name in counters if name not in functions])
        write_newest_records(options.out, text)
        write_callback_names(options.out, ids, "DRIVER", "driver_callbacks.inc")
        write_callback_names(options.out, ids, "RUNTIME", "runtime_callbacks.inc")
        write_error_names(options.out, text, "CUPTI_SUCCESS", "CUPTI_", "cupti_results.inc")


if __name__ == "__main__":
    main()
