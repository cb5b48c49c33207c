"""Takes one protection of the recorder out at a time, rebuilds it, and shows which tests notice. For developers: it edits
the sources of this tree and puts them back. A protection whose loss no test notices is a failure.

Usage: mutations.py BUILD [NAME...]
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TESTS = r"^(events$|coverage\.|unit\.doors|contract\.(symbol_versions|late_loading)|three_ways\.cudnn_forms)"

# Name: what it protects from, file, text, and what stands in its place without the protection.
MUTATIONS = {
    "questions about events are relaxed": (
        "captures of other threads", "shim/event_timing.cpp",
        "  r.call.cuThreadExchangeStreamCaptureMode(&mode);\n", ""),
    "substitution in cuGetProcAddress": (
        "static runtimes and whatever else looks up there", "shim/redirect.cpp",
        "  if (genuine == nullptr) return genuine;\n", "  if (version >= 0) return genuine;\n"),
    "filter of dlsym": (
        "raw look-ups by handle", "shim/redirect.cpp",
        "  const Api* const api = find_name(name);\n", "  const Api* const api = nullptr;\n"),
    "cuGetProcAddress hands out itself": (
        "look-ups by a cuGetProcAddress that was looked up", "shim/redirect.cpp",
        "  if (genuine == nullptr) return genuine;\n",
        '  if (genuine == nullptr || name == "cuGetProcAddress") return genuine;\n'),
    "no place for an answer": (
        "the probe for the empty name, which need not give one", "shim/hooks_driver.cpp",
        "symbol != nullptr && function != nullptr", "symbol != nullptr"),
    "per-thread flag": (
        "the wrong default stream", "shim/redirect.cpp",
        "(flags & kPerThreadStream) != 0", "false"),
    "version chooses the variant": (
        "another ABI's arguments", "shim/redirect.cpp",
        "if (v.since > asked || (", "if (("),
    "newer than known is left alone": (
        "arguments that no row describes", "shim/redirect.cpp",
        "chosen != nullptr && asked <= kKnown", "chosen != nullptr"),
    "newer than known is told": (
        "a gap that nobody hears of", "shim/unhooked.cpp",
        "  name = name.substr(0, sizeof Unhooked::name - 1);\n", "  if (version >= 0) return;\n"),
    "real function by the caller's module": (
        "extensions opened RTLD_LOCAL, trampolines, two majors", "shim/resolve.cpp",
        "    if (void* const needed = open_needed(module, stem)) return provider_for(needed);\n", ""),
    "real function by the caller's other libraries": (
        "a second provider of the same names", "shim/resolve.cpp",
        "      if (function != nullptr && !is_own(function)) return provider_of(function);\n", ""),
    "what is preloaded after us": (
        "another preload that loses its calls", "shim/resolve.cpp",
        "if (void* const other = index < kApiCount", "if (void* const other = index < 0"),
    "the driver meets no hook": (
        "endless recursion in the driver", "shim/resolve.cpp",
        "    if (name.starts_with(stem)) return true;\n", "    if (name.starts_with(stem)) return false;\n"),
    "dlsym jumps": (
        "RTLD_NEXT that means next after the recorder", "shim/arch/x86_64/dlsym.S",
        "        jmp *mfushim_real_dlsym(%rip)\n",
        "        subq $8, %rsp\n        call *mfushim_real_dlsym(%rip)\n        addq $8, %rsp\n        ret\n"),
    "global look-ups that meet only us": (
        "functions that are found though no library has them", "shim/redirect.cpp",
        '  return {nullptr, dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)};\n', "  return {nullptr, handle};\n"),
    "no allocation in the filter": (
        "an allocator that looks functions up", "shim/redirect.cpp",
        "  const Api* const api = find_name(name);\n",
        "  const Api* const api = find_name(name);\n  void* volatile made = __builtin_malloc(1);\n"
        "  __builtin_free(made);\n"),
    "real dlsym from the first look-up on": (
        "look-ups before any constructor of ours", "shim/redirect.cpp", "  load_real_dlsym();\n", ""),
    "nested calls are one": (
        "one launch, product or collective counted twice", "shim/rows.hpp",
        "  return row.api_class != kLaunch || !outer.details.filled;\n",
        "  return row.api_class == kCopy && !outer.details.filled;\n"),
    "a product inside an operation is part of it": (
        "one operation counted as a product too", "shim/rows.hpp",
        "    return row.api_class == kGemm && outer.api_class == kOperation;\n", "    return false;\n"),
    "a link is its module's": (
        "one module's calls that go where another's do", "shim/links.hpp",
        "reinterpret_cast<std::uintptr_t>(caller) - link->code.begin >= link->code.size) [[unlikely]]", "false)"),
    "anonymous version node": (
        "a recorder that loads and sees nothing", "shim/exports.map",
        "{", "MFUSHIM_1.0 {"),
    "bindings are looked at": (
        "RTLD_DEEPBIND unsaid", "shim/blind_spots.cpp",
        "  if (loads != g_loads || at_end) find_unbound_modules();\n", ""),
    "namespaces are looked for": (
        "dlmopen unsaid", "shim/blind_spots.cpp",
        "  if (loads != g_loads) find_other_namespaces();\n", ""),
}


def build_and_test(build):
    """Names of the tests that failed; the compiler's last words where it does not build."""
    built = subprocess.run(["ninja", "-C", build, "mfushim_shim"], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return None, built.stdout[-600:]
    tested = subprocess.run(["ctest", "--test-dir", build, "--timeout", "60", "-R", TESTS], capture_output=True,
                            text=True, check=False)
    return re.findall(r"^\s*\d+ - (\S+) \(", tested.stdout, re.MULTILINE), tested.stdout[-600:]


def main(build, *wanted):
    unnoticed = []
    for name in wanted or MUTATIONS:
        against, file, old, new = MUTATIONS[name]
        path = SOURCE / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) < 1:
            sys.exit(f"{name}: {file} has no {old!r}")
        try:
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
            failed, said = build_and_test(build)
        finally:
            path.write_text(text, encoding="utf-8")
        if failed is None:
            print(f"| {name} | does not build: {said} |", flush=True)
        else:
            print(f"| {name} | {against} | {', '.join(failed) or 'NONE'} |", flush=True)
        if not failed:
            unnoticed.append(name)
    failed, said = build_and_test(build)
    print(f"whole again: {failed or 'all tests pass'}")
    return 1 if unnoticed or failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
