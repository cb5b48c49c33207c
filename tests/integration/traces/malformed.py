"""malformed.py MFUSHIM: every kind of damaged trace gives one line that names file and reason, exit code 1, no log."""

import gzip
import pathlib
import re
import sys
import tempfile

import mfushim

ROW = b'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}'
TRACE = b'{"schemaVersion":1,"traceEvents":[' + ROW + b"," + ROW + b"]}"
LARGE = b'{"traceEvents":[' + b",".join([ROW] * 60000) + b"]}"  # larger than the importer's window


def row_with(member):
    return b'{"traceEvents":[{"ph":"X",' + member + b"}]}"


def damaged_in_the_middle(data):
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 0xFF]) + data[len(data) // 2 + 1 :]


CUT = "cut off"
# Kind -> (content, what the message says).
KINDS = {
    "empty": (b"", "is empty"),
    "only white space": (b" \n\t", CUT),
    "plain text": (b"hello, trace", "expected '{'"),
    "a number": (b"12345 ", "expected '{'"),
    "a string": (b'"traceEvents"', "expected '{'"),
    "binary": (bytes(range(256)) * 16, "expected '{'"),
    "another file of ours": (b"\x89MFL\r\n\x1a\n" + bytes(56), "expected '{'"),
    "UTF-16": (TRACE.decode().encode("utf-16"), "expected '{'"),
    "no rows at all": (b'{"schemaVersion":1}', "not a Kineto trace"),
    "an empty array": (b"[]", "not a Kineto trace"),
    "an array of other things": (b'[{"file":"x.json"}]', "not a Kineto trace"),
    "rows that are no array": (b'{"traceEvents":{"ph":"X"}}', r"expected '\['"),
    "rows that are null": (b'{"traceEvents":null}', r"expected '\['"),
    "a row that is no object": (b'{"traceEvents":[1]}', "expected '{'"),
    "cut in the head": (TRACE[:12], CUT),
    "cut in a string": (TRACE[: TRACE.index(b"kernel") + 3], CUT),
    "cut in a number": (TRACE[: TRACE.index(b'"ts":1') + 6], CUT),
    "cut between rows": (TRACE[: TRACE.index(b"}},") + 3], CUT),
    "cut before the last bracket": (TRACE[:-1], CUT),
    "cut far behind": (LARGE[:-40], CUT),
    "cut gzip": (gzip.compress(TRACE)[:-20], CUT),
    "gzip cut far behind": (gzip.compress(LARGE)[:-100], CUT),
    "gzip without its end": (gzip.compress(TRACE)[:-4], CUT),
    "damaged gzip": (damaged_in_the_middle(gzip.compress(LARGE)), "cannot be read|expected|bad|unknown|control"),
    "gzip of nothing": (gzip.compress(b""), "is empty"),
    "gzip of text": (gzip.compress(b"hello, trace"), "expected '{'"),
    "text behind the end": (TRACE + b"}", "after the end"),
    "a second trace behind the first": (TRACE + TRACE, "after the end"),
    "missing colon": (TRACE.replace(b'"ts":1', b'"ts" 1'), "expected ':'"),
    "missing comma": (TRACE.replace(b'"ts":1,', b'"ts":1 '), "expected '}'"),
    "trailing comma in a row": (TRACE.replace(b"7}}", b"7},}"), "expected '\"'"),
    "trailing comma behind the rows": (TRACE.replace(b"]}", b",]}"), "expected '{'"),
    "single quotes": (TRACE.replace(b'"', b"'"), "expected '\"'"),
    "mismatched brackets": (TRACE.replace(b"}}]", b"}]}"), "expected"),
    "unknown word": (row_with(b'"ts":tru'), "bad number or word"),
    "leading zero": (row_with(b'"ts":007'), "bad number or word"),
    "two points": (row_with(b'"ts":1.2.3'), "bad number or word"),
    "nothing behind the point": (row_with(b'"ts":1.'), "bad number or word"),
    "empty exponent": (row_with(b'"ts":1e'), "bad number or word"),
    "hexadecimal": (row_with(b'"ts":0x10'), "bad number or word"),
    "missing value": (row_with(b'"ts":'), "expected a value"),
    "unknown escape": (row_with(rb'"name":"a\qb"'), "escape"),
    "bad unicode escape": (row_with(rb'"name":"\u12g4"'), "escape"),
    "line break in a string": (row_with(b'"name":"a\nb"'), "control character"),
    "zero byte in a string": (row_with(b'"name":"a\0b"'), "control character"),
    "zero byte between tokens": (row_with(b'"ts":1\0'), "expected"),
    "nested too deep": (row_with(b'"args":' + b"[" * 5000 + b"]" * 5000), "too deep"),
    "nested too deep in the head": (b'{"x":' + b'{"x":' * 5000, "too deep"),
    "key that is no string": (b'{1:2,"traceEvents":[]}', "expected '\"'"),
}


def check(program, content, what, folder):
    trace = folder / "trace.json"
    trace.write_bytes(content)
    logs = folder / "logs"
    logs.mkdir()
    done = mfushim.run(program, "import", "kineto", trace, "-o", logs)
    message = re.compile(rf"mfushim: {re.escape(str(trace))}(:0x[0-9a-f]+)?: .*({what}).*\n")
    if done.returncode != 1:
        yield f"exit code {done.returncode}"
    if done.stdout or not message.fullmatch(done.stderr):
        yield f"printed {done.stdout!r} {done.stderr!r}, not one line with {what!r}"
    if left := [path.name for path in logs.iterdir()]:
        yield f"left {left}"


def main(program):
    wrong = []
    for kind, (content, what) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            wrong += [f"{kind}: {fault}" for fault in check(program, content, what, pathlib.Path(folder))]
    print(f"{len(KINDS)} kinds of damage")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
