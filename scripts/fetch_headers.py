"""Takes the headers out of wheels: fetch_headers.py FOLDER REQUIREMENT... puts what lies below include/ into FOLDER.

A wheel is a zip file, whose directory is at its end: where the index answers range requests, only the headers are
read of wheels that are hundreds of megabytes of libraries. Otherwise the whole wheel is downloaded and thrown away.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

GAP = 1 << 16  # bytes: entries nearer than this to each other are read in one request


def header_entries(archive):
    """Yields (entry, path below include/)."""
    for entry in archive.infolist():
        parts = pathlib.PurePosixPath(entry.filename).parts
        if not entry.is_dir() and "include" in parts and ".." not in parts:
            yield entry, pathlib.PurePosixPath(*parts[parts.index("include") + 1:])


def spans(entries):
    """The byte ranges that hold the entries, those close together joined."""
    joined = []
    for entry in sorted(entries, key=lambda e: e.header_offset):
        start = entry.header_offset
        end = start + 512 + len(entry.filename) + entry.compress_size  # a local header with its extra field
        if joined and start <= joined[-1][1] + GAP:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return joined


def unpack(archive, folder):
    count = 0
    for entry, path in header_entries(archive):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(entry))
        count += 1
    return count


def unpack_by_ranges(requirement, folder):
    """Uses parts of pip that are not for others to use: whoever calls this is ready for any exception."""
    from pip._internal.commands import create_command
    from pip._internal.network.lazy_wheel import LazyZipOverHTTP
    from pip._vendor.packaging.requirements import Requirement

    command = create_command("download")
    options, _ = command.parse_args(["-q", "--only-binary", ":all:", requirement])
    with command.main_context():
        session = command.get_default_session(options)
        wanted = Requirement(requirement)
        finder = command._build_package_finder(options, session)
        link = finder.find_best_candidate(wanted.name, wanted.specifier).best_candidate.link
        with LazyZipOverHTTP(link.url_without_fragment, session) as file, zipfile.ZipFile(file) as archive:
            for start, end in spans(entry for entry, _ in header_entries(archive)):
                file.seek(start)
                file.read(end - start)
            return unpack(archive, folder)


def unpack_download(requirement, folder):
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps",
                        "--only-binary", ":all:", "-d", work, requirement], check=True)
        (wheel,) = pathlib.Path(work).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return unpack(archive, folder)


def main(folder, *requirements):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for requirement in requirements:
        try:
            count = unpack_by_ranges(requirement, folder)
        except Exception as error:
            print(f"fetch_headers: no part of {requirement} to be had alone ({type(error).__name__}: {error})",
                  file=sys.stderr)
            count = unpack_download(requirement, folder)
        if count == 0:
            sys.exit(f"fetch_headers: {requirement} has no include folder")


if __name__ == "__main__":
    main(*sys.argv[1:])
