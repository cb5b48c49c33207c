"""Checks that every function NCCL exports is a row with its twin, or needs none: nccl_names.py ROWS NAMES."""

import csv
import pathlib
import re
import sys

SKIPPED = 77

# Without a row, and why.
NO_ROW = {
    r"ncclGet(Version|ErrorString|LastError)": "tells what is known already",
    r"nccl(Comm)?GetUniqueId": "makes a name; the communicator of that name is seen when ranks join it",
    r"ncclComm(Count|CuDevice|UserRank|GetAsyncError|MemStats|QueryProperties)": "asks about a communicator",
    r"ncclRedOp(CreatePreMulSum|Destroy)": "names a reduction; a collective with it is recorded as custom",
    r"ncclResetDebugInit(Internal)?|ncclSetEncryption|ncclParam\w+": "settings",
    r"nccl(WinGetUserPtr|GetLsaDevicePointer|Get(Lsa)?MultimemDevicePointer|GetPeerDevicePointer)": "gives an address",
    r"ncclGet(CftDevice|MultimemDevice|PeerDevice)LeInfo": "asks about a window's memory",
    r"ncclTeam\w+": "computes which ranks are near",
    r"ncclDevComm(Create|Destroy)": "for kernels of the program's own, whose launches are recorded",
    r"nccl(GinBarrier|GinInboxA2A|GinOutbox|LLA2A|LsaBarrier)CreateRequirement|ncclLLA2ACalcSlots":
        "fills in what a device communicator will need",
}


def code(version):
    """NCCL_VERSION_CODE of "2.18.3-cu12"; all that are here are 2.9 or later."""
    major, minor, patch = map(int, version.split("-")[0].split("."))
    return major * 10000 + minor * 100 + patch


def reasons(name):
    return [pattern for pattern in NO_ROW if re.fullmatch(pattern, name)]


def breaches(rows, names):
    since = dict(re.findall(r"^MFUSHIM_API\((\w+), \w+, (\d+), \d+\)", rows.read_text(), re.MULTILINE))
    with open(names, newline="", encoding="utf-8") as file:
        first = {row["name"]: code(row["first_version"]) for row in csv.DictReader(file)}
    seen = sorted(set(first.values()))
    before = dict(zip(seen, [0, *seen]))
    for name, version in first.items():
        if (name in since) == bool(reasons(name)):
            yield f"{name}: {'a row that needs none' if name in since else 'neither a row nor a reason to have none'}"
        elif name in since and not before[version] < int(since[name]) <= version and (since[name], version) != ("0", seen[0]):
            yield f"{name}: since {since[name]}, though the libraries of {before[version]} lack it and {version} has it"
    for name, version in since.items():
        twin = name.removeprefix("p") if name.startswith("p") else "p" + name
        if since.get(twin) != version:
            yield f"{name}: no row of {twin} since {version}"
        if name.removeprefix("p") not in first:
            yield f"{name}: a row that no library exports"
    matched = {pattern for name in first for pattern in reasons(name)}
    for pattern in NO_ROW.keys() - matched:
        yield f"{pattern}: no function is named like that"


def main(rows, names):
    if not pathlib.Path(names).exists():
        print(f"skipped: no {names}")
        return SKIPPED
    found = list(breaches(pathlib.Path(rows), names))
    print("\n".join(found) or "every function is a row or needs none")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
