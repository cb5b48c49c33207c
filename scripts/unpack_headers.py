"""Takes the headers out of one wheel: unpack_headers.py WHEEL FOLDER puts what lies below include/ into FOLDER."""

import pathlib
import sys
import zipfile


def main(wheel, folder):
    count = 0
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = pathlib.PurePosixPath(entry.filename).parts
            if entry.is_dir() or "include" not in parts or ".." in parts:
                continue
            target = pathlib.Path(folder, *parts[parts.index("include") + 1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))
            count += 1
    if count == 0:
        sys.exit(f"unpack_headers.py: {wheel} has no include folder")


if __name__ == "__main__":
    main(*sys.argv[1:])
