#!/usr/bin/env python3
"""Writes `forward NAME`, a line for every public function of cuDNN's header, for dispatcher.S.

forwards.py COMPILER INCLUDE_FOLDER... OUT
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "library"))
import name_stubs

compiler, *folders, out = sys.argv[1:]
names = name_stubs.functions(name_stubs.preprocess(compiler, folders, "cudnn.h"), r"cudnn\w+")
pathlib.Path(out).write_text("".join(f"forward {name}\n" for name in sorted(names)))
