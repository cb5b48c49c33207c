"""Proves that each contract check can fail: plants one fault at a time in a folder of its own and expects the check to
name it, after seeing the same check pass without the fault."""

import pathlib
import subprocess
import tempfile
import unittest

import cpp_functions
import elf
import sources

OPENING = "// This file exists to be checked.\n"


def cpp(body):
    return OPENING + body


def long_function(lines):
    return cpp("int f() {\n" + "  g();\n" * (lines - 2) + "}\n")


class SourceChecks(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = pathlib.Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder.name

    def expect(self, check, good, bad, part):
        """check passes on the files good, and names part once the files bad are added to them."""
        self.assertEqual(list(check(self.tree(good))), [])
        breaches = list(check(self.tree({**good, **bad})))
        self.assertEqual(len(breaches), 1, breaches)
        self.assertIn(part, breaches[0])

    def include(self, path, include, allowed_at=None):
        """Including this from path is a breach, and from allowed_at it is none."""
        good = {
            "include/mfushim/format/a.hpp": cpp("#include <cstdint>\n"),
            "shim/hook.hpp": cpp('#include "mfushim/format/a.hpp"\n#include <dlfcn.h>\n'),
            "analyzer/read/r.hpp": cpp('#include "mfushim/format/a.hpp"\n'),
            "analyzer/report/t.hpp": cpp('#include "read/r.hpp"\n'),
            "analyzer/knowledge/gpus.hpp": cpp(""),
        }
        if allowed_at:
            good[allowed_at] = cpp(f"#include {include}\n")
        self.expect(sources.include_rules, good, {path: cpp(f"#include {include}\n")}, path)

    def test_include_rules(self):
        self.include("include/mfushim/format/b.hpp", "<cuda.h>", "shim/hooks_driver.cpp")
        self.include("include/mfushim/format/b.hpp", '"read/r.hpp"', "analyzer/model/m.cpp")
        self.include("analyzer/read/b.cpp", "<cuda_runtime_api.h>", "tests/sim/a.cpp")
        self.include("analyzer/read/b.cpp", "<nccl.h>", "shim/hooks_nccl.cpp")
        self.include("analyzer/read/b.cpp", '"shim/hook.hpp"', "shim/b.cpp")
        self.include("analyzer/passes/b.cpp", '"report/t.hpp"', "analyzer/commands/b.cpp")
        self.include("analyzer/knowledge/b.cpp", '"read/r.hpp"', "analyzer/main.cpp")
        self.include("analyzer/other/b.cpp", '"read/r.hpp"', "analyzer/passes/b.cpp")
        self.include("shim/b.cpp", '"analyzer/read/r.hpp"', "tests/unit/b.cpp")
        self.include("tests/sim/b.cpp", '"hook.hpp"', "shim/b.cpp")
        self.include("tests/sim/b.cpp", '"read/r.hpp"', "analyzer/read/c.cpp")

    def test_one_vendor_library_per_shim_file(self):
        good = {"shim/a.cpp": cpp("#include <cublas.h>\n#include <cublasXt.h>\n")}
        for two in ("#include <cuda.h>\n#include <nccl.h>\n", "#include <cuda.h>\n#include <cuda_runtime_api.h>\n",
                    "#include <cublas_api.h>\n#include <cublasLt.h>\n"):
            self.expect(sources.include_rules, good, {"shim/b.cpp": cpp(two)}, "shim/b.cpp")

    def test_sizes(self):
        good = {"a.cpp": long_function(60), "b.hpp": cpp("\n" * 399), "a.def": cpp("\n" * 900)}
        self.expect(sources.sizes, good, {"c.cpp": long_function(61)}, "f has 61 lines")
        self.expect(sources.sizes, good, {"c.hpp": cpp("\n" * 400)}, "401 lines")
        self.expect(sources.sizes, good, {"c.py": "def f():\n" + "    g()\n" * 60}, "f has 61 lines")

    def test_forbidden_words(self):
        for word in ("/wo" "rk/main", "py" "pi.org", "files.pythonho" "sted"):
            self.expect(sources.forbidden_words, {"a.md": "as in ../work/x\n"}, {"b.md": f"see {word}\n"}, "b.md:1")

    def test_opening_sentences(self):
        good = {"a.cpp": cpp(""), "a.h": "/* Says why\n   it exists. */\n",
                "b.hpp": "#pragma once\n" + cpp(""), "c.py": '"""Says why\nit exists."""\n',
                "d": "#!/bin/sh\n# This script does something.\n", "CMakeLists.txt": "# Builds the whole thing.\n"}
        for name, text in {"e.cpp": "#include <vector>\n", "e.hpp": "#pragma once\n// too short\n",
                           "e.py": "import os\n", "e": "#!/bin/sh\nexit 0\n"}.items():
            self.expect(sources.opening_sentences, good, {name: text}, name)

    def test_formatting(self):
        style = {".clang-format": "BasedOnStyle: Google\n", "a.cpp": cpp("int a = 1;\n")}
        self.expect(sources.formatting, style, {"b.cpp": cpp("int  a = 1;\n")}, "b.cpp:2")

    def test_functions_are_found(self):
        text = ("namespace a {\nstruct X {\n  int f() const {\n    return 1;\n  }\n};\ntemplate <class T>\n"
                "int g(T t) {\n  if (t) {\n  }\n  return '{';\n}\nconst int k[] = {1};\nenum class E { A = (1) };\n"
                "bool operator==(X, X) {\n}\n}\n")
        self.assertEqual(list(cpp_functions.functions(text)), [("f", 3, 3), ("g", 7, 6), ("operator==", 15, 2)])


class ElfChecks(unittest.TestCase):
    SOURCE = ("int getpid(void); int dlsym(void) { return getpid(); }\n"
              "int f(void) { return 1; } int g(void) { return 2; }\n")

    def library(self, source, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "planted.so")
        for name, text in {"a.c": source, "named.map": "NODE_1.0 { global: *; };",
                           "anonymous.map": "{ global: dlsym; f; local: *; };"}.items():
            pathlib.Path(folder.name, name).write_text(text)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, "a.c", *options], cwd=folder.name, check=True)
        return str(path)

    def setUp(self):
        self.good = self.library(self.SOURCE, "-Wl,--version-script=anonymous.map")
        self.named = self.library(self.SOURCE, "-Wl,--version-script=named.map")

    def rows(self, *names):
        script = pathlib.Path(self.good).with_name("rows")
        script.write_text("#!/bin/sh\n" + "".join(f"echo {name}\n" for name in names))
        script.chmod(0o755)
        return str(script)

    def test_exports(self):
        self.assertEqual(list(elf.exports(self.good, self.rows("f"))), [])
        self.assertEqual(list(elf.exports(self.good, self.rows("f", "h"))), ["h has a row but is not exported"])
        self.assertEqual(list(elf.exports(self.library(self.SOURCE), self.rows("f"))), ["g is exported without a row"])
        self.assertEqual(list(elf.exports(self.good, self.rows("f", "f"))), ["f has two rows"])

    def test_symbol_versions(self):
        self.assertEqual(list(elf.symbol_versions(self.good)), [])
        self.assertEqual(len(list(elf.symbol_versions(self.named))), 1)

    def test_late_loading(self):
        self.assertEqual(list(elf.late_loading(self.good)), [])
        large = self.library('__thread char a[65536] __attribute__((tls_model("initial-exec")));\n'
                             "char* f() { return a; }\n")
        self.assertIn("static TLS", list(elf.late_loading(large))[0])

    def test_needed(self):
        self.assertEqual(list(elf.needed(self.good)), [])
        maths = self.library("#include <math.h>\ndouble f(double x) { return sin(x); }\n", "-lm")
        self.assertIn("libm.so.6", list(elf.needed(maths))[0])

    def test_weak_needs(self):
        self.assertEqual(list(elf.weak_needs(self.good)), [])
        source = "#include <dlfcn.h>\n{}void* f(void) {{ return dlopen(0, 1); }}\n"
        self.assertEqual(list(elf.weak_needs(self.library(source.format("#pragma weak dlopen\n")))), [])
        self.assertIn("dlopen", list(elf.weak_needs(self.library(source.format(""))))[0])

    def test_glibc(self):
        self.assertEqual(list(elf.glibc(self.good)), [])
        newer = self.library('__asm__(".symver arc4random, arc4random@GLIBC_2.36");\nunsigned arc4random(void);\n'
                             "unsigned f(void) { return arc4random(); }\n")
        self.assertIn("2.36", list(elf.glibc(newer))[0])


if __name__ == "__main__":
    unittest.main()
