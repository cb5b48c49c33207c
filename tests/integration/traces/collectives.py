"""collectives.py MFUSHIM: collectives of shared traces, within one rank and across the eight of a DLRM job."""

import sys

import mfushim

# Of the eight DLRM ranks, by exact arithmetic on the records of the collectives that all have in common: how long
# each rank waits for the last one, in us. The ends agree within 7 us.
WAITS = [5580, 11125, 3280, 9571, 6370, 6041, 3342, 1534]


def dlrm(program):
    report = mfushim.report(program, sorted((mfushim.SHARED / "param" / "dlrm_kineto").glob("*.gz")))
    if [rank["rank"] for rank in report["ranks"]] != list(range(8)):
        yield f"ranks {[rank['rank'] for rank in report['ranks']]}"
    if sum(c["calls"] for c in report["comm"]) != 8 * 8:
        yield f"{sum(c['calls'] for c in report['comm'])} collectives instead of 8 on 8 ranks"
    if report["overlap"]["wait_ns"] != 1000 * sum(WAITS):
        yield f"{report['overlap']['wait_ns']} ns of waiting instead of {sum(WAITS)} us"
    if report["coverage"]["rank_clock_residual_ns"] != 7000:
        yield f"clocks agree within {report['coverage']['rank_clock_residual_ns']} ns instead of 7 us"


def nccl_data(program):
    report = mfushim.report(program, [mfushim.SHARED / "hta" / "nccl_parser_config__nccl_data.json.gz"])
    # One collective for each of the trace's 21 NCCL kernels, which tell op and type as well.
    calls = {(c["op"], c["dtype"]): c["calls"] for c in report["comm"]}
    if calls != {("all_reduce", "f32"): 15, ("broadcast", "f32"): 3, ("broadcast", "i64"): 3}:
        yield f"collectives {calls}"
    if any(c["size"] != 2 for c in report["comm"]):
        yield "a communicator that is not of two ranks"


def main(program):
    wrong = [f"{test.__name__}: {fault}" for test in (dlrm, nccl_data) for fault in test(program)]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
