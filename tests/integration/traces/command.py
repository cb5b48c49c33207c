"""command.py MFUSHIM: what `mfushim import` does with its arguments, and that it makes all logs or none."""

import gzip
import pathlib
import sys
import tempfile

import mfushim

TRACE = b'{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]}'


class Folder:
    """A good trace, a cut one, and an empty directory for logs."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.logs = self.path / "logs"
        self.logs.mkdir()
        (self.path / "good.json").write_bytes(TRACE)
        (self.path / "zipped.pt.trace.json.gz").write_bytes(gzip.compress(TRACE))
        (self.path / "unnamed").write_bytes(gzip.compress(TRACE))
        (self.path / "cut.json").write_bytes(TRACE[:-3])
        (self.path / "deeper").mkdir()
        (self.path / "deeper" / "good.json").write_bytes(TRACE)

    def left(self):
        return sorted(path.name for path in self.logs.iterdir())


def import_all(program, folder):
    names = ["good.json", "zipped.pt.trace.json.gz", "unnamed"]
    done = mfushim.run(program, "import", "kineto", *(folder.path / name for name in names), "-o", folder.logs)
    return (done.returncode, done.stdout, done.stderr) == (0, "", "") and folder.left() == [
        "good.mfl", "unnamed.mfl", "zipped.pt.trace.mfl"]


def keeps_what_is_there(program, folder):
    (folder.logs / "good.mfl").write_bytes(b"mine")
    done = mfushim.run(program, "import", "kineto", folder.path / "good.json", "-o", folder.logs)
    return (done.returncode == 1 and "exists already" in done.stderr and folder.left() == ["good.mfl"]
            and (folder.logs / "good.mfl").read_bytes() == b"mine")


def fails(code, text, *arguments):
    """A test that these arguments end with this exit code and one line, and leave nothing."""

    def test(program, folder):
        done = mfushim.run(program, "import", *(str(argument).format(folder.path) for argument in arguments))
        return (done.returncode == code and text in done.stderr and done.stderr.count("\n") == 1
                and done.stderr.startswith("mfushim: ") and folder.left() == [])

    return test


TESTS = {
    "plain, gzip, and gzip without its suffix": import_all,
    "nothing is overwritten": keeps_what_is_there,
    "all or none": fails(1, "cut off", "kineto", "{}/good.json", "{}/cut.json", "-o", "{}/logs"),
    "two traces of one name": fails(1, "same log", "kineto", "{}/good.json", "{}/deeper/good.json", "-o", "{}/logs"),
    "no such trace": fails(1, "No such file", "kineto", "{}/absent.json", "-o", "{}/logs"),
    "a directory as trace": fails(1, "is a directory", "kineto", "{}/deeper", "-o", "{}/logs"),
    "no such directory": fails(1, "not a directory", "kineto", "{}/good.json", "-o", "{}/absent"),
    "a file as directory": fails(1, "not a directory", "kineto", "{}/good.json", "-o", "{}/cut.json"),
    "unknown form": fails(2, "did you mean 'kineto'", "kinetto", "{}/good.json", "-o", "{}/logs"),
    "no directory": fails(2, "output", "kineto", "{}/good.json"),
    "no trace": fails(2, "FILE", "kineto", "-o", "{}/logs"),
    "unknown option": fails(2, "--output", "kineto", "{}/good.json", "--outptu", "{}/logs"),
}


def main(program):
    wrong = []
    for name, test in TESTS.items():
        with tempfile.TemporaryDirectory() as path:
            if not test(program, Folder(path)):
                wrong.append(name)
    if wrong:
        sys.exit("failed: " + ", ".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
