"""Contract checks on the tracked source files: each takes the project's root and yields the breaches it finds."""

import ast
import os
import pathlib
import re
import subprocess

import cpp_functions

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
CPP = {".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".S"}
SCRIPTS = {".py", ".sh", ".cmake"}

# What may be longer than the limits: path -> why. Empty at best.
TOO_LONG_ON_PURPOSE = {}

VENDOR_HEADER = re.compile(r"(cuda|cublas|cudnn|nccl|cupti|cusolver|cusparse|cufft|curand|nvrtc|nvml|generated_cuda"
                           r"|driver_types|library_types|vector_types)\w*(\.h|/)")
# Which library a vendor's header describes, by how its name begins; cuBLAS has a header for each generation of its API.
VENDOR_LIBRARY = re.compile(r"cuda_runtime|cublasLt|[a-z]+")

# The analyzer's folders, left to right; each may include itself and what is left of it. knowledge includes only itself.
LAYERS = ["knowledge", "read", "model", "passes", "report", "commands"]

# Written in pieces so that this file does not contain them.
FORBIDDEN = re.compile("|".join([r"(?<![\w.~])/wo" r"rk/", r"(?<![\w.])/ro" r"ot/", r"/tmp/bri" r"efs",
                                 r"py" r"pi\.org", r"pythonho" r"sted", r"np" r"mjs\.", r"crat" r"es\.io",
                                 r"proxy\.gol" r"ang"]))


def tracked(root):
    """The files git knows, or, where there is no repository, all files below root."""
    root = pathlib.Path(root)
    if (root / ".git").exists():
        listing = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True)
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    return [pathlib.PurePosixPath(n) for n in sorted(names) if (root / n).is_file()]


def is_script(root, path):
    return path.suffix in SCRIPTS or path.name == "CMakeLists.txt" or (
        path.suffix == "" and (root / path).read_bytes()[:2] == b"#!")


def code_files(root):
    root = pathlib.Path(root)
    for path in tracked(root):
        if path.suffix in CPP or path.suffix == ".def" or is_script(root, path):
            yield path, (root / path).read_text()


def area(path):
    """The part of the house that a file belongs to."""
    return path.parts[:2] if path.parts[0] == "tests" else path.parts[:1]


def resolve(files, path, include):
    """The project file that an #include names, or None: beside the file, in its own part of the house, elsewhere."""
    name = pathlib.PurePosixPath(os.path.normpath(path.parent / include))
    if name in files:
        return name
    candidates = [f for f in files if f"/{f}".endswith(f"/{include}")]
    candidates.sort(key=lambda f: (area(f) != area(path), f))
    return candidates[0] if candidates else None


def include_breach(path, include, target):
    """Why this file must not include that; target is the project file meant, or None."""
    top, vendor = path.parts[0], target is None and VENDOR_HEADER.match(include)
    into = target.parts if target else ()
    if top == "include":
        if vendor or (target and target.parts[:3] != ("include", "mfushim", "format")):
            return "the log format includes only itself and the standard library"
    elif top == "shim":
        if target and into[0] == "include" or target is None or into[0] == "shim":
            return None
        return "the shim includes only the log format and itself"
    elif top == "analyzer":
        if vendor:
            return "the analyzer never includes a vendor header"
        if into[:1] in (("shim",), ("tests",)):
            return "the analyzer includes neither shim nor tests"
        return layer_breach(path, into)
    elif path.parts[:2] == ("tests", "sim") and into[:1] in (("shim",), ("analyzer",)):
        return "the simulator never includes shim or analyzer"
    return None


def layer_breach(path, into):
    if len(into) < 3 or into[0] != "analyzer" or len(path.parts) < 3:
        return None
    here, there = path.parts[1], into[1]
    for folder in (here, there):
        if folder not in LAYERS:
            return f"analyzer/{folder} has no place in the order of folders"
    if here != there and (here == "knowledge" or LAYERS.index(there) > LAYERS.index(here)):
        return f"{here} must not include {there}: left to right only ({' -> '.join(LAYERS[1:])})"
    return None


def include_rules(root):
    files = set(tracked(root))
    for path, text in code_files(root):
        if path.suffix not in CPP:
            continue
        vendor = set()
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            include = match.group(2)
            target = resolve(files, path, include)
            if target is None and VENDOR_HEADER.match(include):
                vendor.add(VENDOR_LIBRARY.match(include).group())
            breach = include_breach(path, include, target)
            if breach:
                yield f"{path}:{number}: {include}: {breach}"
        if path.parts[0] == "shim" and len(vendor) > 1:
            yield f"{path}: one vendor library's headers per file of the shim, not {' and '.join(sorted(vendor))}"


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def sizes(root):
    for path, text in code_files(root):
        if path.suffix == ".def" or str(path) in TOO_LONG_ON_PURPOSE:
            continue
        lines = text.count("\n")
        if lines > MAX_FILE_LINES:
            yield f"{path}: {lines} lines (limit {MAX_FILE_LINES})"
        functions = ()
        if path.suffix == ".py":
            functions = python_functions(text)
        elif path.suffix in CPP - {".S"}:
            functions = cpp_functions.functions(text)
        for name, line, length in functions:
            if length > MAX_FUNCTION_LINES:
                yield f"{path}:{line}: {name} has {length} lines (limit {MAX_FUNCTION_LINES})"


def forbidden_words(root):
    root = pathlib.Path(root)
    for path in tracked(root):
        try:
            lines = (root / path).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            match = FORBIDDEN.search(line)
            if match:
                yield f"{path}:{number}: '{match.group()}' belongs to one machine or registry, not to the project"


def opening(text):
    """The words of the comment that opens a file, shebang and #pragma once aside."""
    text = re.sub(r"\A(\s*(#!|#pragma once).*\n)*\s*", "", text)
    block = re.match(r'/\*(.*?)\*/|"""(.*?)"""', text, re.DOTALL)
    if block:
        return (block.group(1) or block.group(2)).split()
    lines = re.match(r"((//|#(?!\s*(include|define|if|ifndef)\b)).*\n)*", text).group()
    return re.sub(r"^(//|#)", "", lines, flags=re.MULTILINE).split()


def opening_sentences(root):
    for path, text in code_files(root):
        words = opening(text)
        if len(words) < 2 or not any(re.search(r"[.:!?)]$", w) for w in words):
            yield f"{path}: does not open with a sentence on why it exists"


def formatting(root):
    root = pathlib.Path(root)
    files = [str(p) for p in tracked(root) if p.suffix in CPP - {".S"}]
    if files:
        run = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
        places = [line for line in run.stderr.splitlines() if "error:" in line]
        seen = set()
        for place in places:
            name = place.split(":")[0]
            if name not in seen:
                yield place
            seen.add(name)
