"""What a trace says beside its rows, and what rows of the framework tell."""

from casebook import call, case, kernel, operator, row, trace


@case
def the_array_form(load):
    assert load(f"[{kernel(5, 1)}]".encode()).gpu() == [(5000, 1000)]


@case
def byte_order_mark(load):
    assert load(b"\xef\xbb\xbf" + trace(kernel(5, 1))).gpu() == [(5000, 1000)]


@case
def rank_and_job(load):
    head = '"distributedInfo":{"backend":"nccl","rank":3,"world_size":8,"pg_config":[{"ranks":[0]}]},'
    facts = dict(load(trace(kernel(5, 1), head=head)).fields("fact", "key", "value"))
    assert facts['"rank"'] == '"3"' and facts['"world_size"'] == '"8"'


@case
def no_rank(load):
    facts = dict(load(trace(kernel(5, 1))).fields("fact", "key", "value"))
    assert '"rank"' not in facts


@case
def devices_with_records_only(load):
    head = ('"deviceProperties":[{"id":0,"name":"A"},{"id":1,"name":"NVIDIA H100","totalGlobalMem":85,"computeMajor":9,'
            '"computeMinor":0,"numSms":132}],')
    log = load(trace(row("kernel", 1, 1, '{"device":1}'), head=head))
    assert log.fields("device", "index", "name", "compute_capability", "sm_count") == [
        ("1", '"NVIDIA H100"', "90", "132")]


@case
def a_clock_that_does_not_count_from_1970(load):
    log = load(trace(kernel(5, 1), call("cudaLaunchKernel", 2, 1), head='"baseTimeNanoseconds":1000000000000,'))
    assert log.gpu() == [(5000, 1000)]  # device stamps stay as they are
    assert log.fields("gpu_time", "source", "offset_ns") == [("imported", "1000000000000")]
    assert log.fields("clock_anchor", "ticks", "realtime_ns") == [("2000", "1000000002000")]


@case
def large_members_that_no_one_reads(load):
    junk = '"stackFrames":{' + ",".join(f'"{i}":{{"name":"f","parent":[{i}]}}' for i in range(60000)) + "},"
    assert load(trace(kernel(5, 1), head=junk)).gpu() == [(5000, 1000)]


@case
def a_row_larger_than_the_window(load):
    assert load(trace(row("kernel", 5, 1, '{"stack":"' + "x" * 5_000_000 + '","correlation":7}'))).fields(
        "gpu_kernel", "correlation") == [("7",)]


@case
def products(load):
    # PyTorch is row-major: (n x k) (k x m) there is m x n x k for cuBLAS.
    log = load(trace(
        operator("aten::mm", 1, 1, '{"Input Dims":[[4,8],[8,3]],"Input type":["c10::BFloat16","c10::BFloat16"]}'),
        operator("aten::addmm", 3, 1, '{"Input Dims":[[3],[4,8],[8,3],[],[]],"Input type":["float","float","float","",""]}'),
        operator("aten::bmm", 5, 1, '{"Input Dims":[[2,4,8],[2,8,3]],"Input type":["c10::Half","c10::Half"]}'),
        operator("aten::mm", 7, 1, '{"Input Dims":[[4,8],[9,3]]}'),
        operator("aten::mm", 9, 1, '{"Sequence number":5}')))
    assert log.fields("gemm_shape", "m", "n", "k", "batch", "a", "epilogue") == [
        ("3", "4", "8", "1", "bf16", "0"), ("3", "4", "8", "1", "f32", "4"), ("3", "4", "8", "2", "f16", "0")]
    assert log.spans("gemm") == [(1000, 1000), (3000, 1000), (5000, 1000)]


@case
def transposed_factors(load):
    # The right factor lies in memory column by column: for cuBLAS, whose first factor it is, transposed.
    log = load(trace(operator("aten::mm", 1, 1, '{"Input Dims":[[4,8],[8,3]],"Input Strides":[[8,1],[1,8]]}')))
    assert log.fields("gemm_shape", "trans_a", "trans_b") == [("t", "n")]


@case
def calls_inside_products(load):
    product = '{"Input Dims":[[4,8],[8,3]],"Input type":["float","float"]}'
    log = load(trace(call("cudaLaunchKernel", 2, 1), call("cudaLaunchKernel", 9, 1), operator("aten::mm", 1, 5, product),
                     operator("aten::mv", 20, 9, product), operator("aten::addmv", 21, 2, product),
                     call("cudaLaunchKernel", 22, 1), call("cudaLaunchKernel", 23, 1, thread="12")))
    # The product is the thread's first call; a launch knows how many calls back the one around it began.
    assert log.fields("launch", "start", "sequence", "parent") == [
        ("2000", "2", "1"), ("9000", "3", "0"), ("22000", "5", "1"), ("23000", "1", "0")]
    assert log.spans("gemm") == [(1000, 5000), (20000, 9000)]


def convolution(name, start, sizes, values):
    texts = ",".join(f'"{value}"' for value in values)
    return operator(name, start, 9, f'{{"Input Dims":{sizes},"Input type":["c10::Half"],"Concrete Inputs":[{texts}]}}')


@case
def convolutions(load):
    # 9 x 8 points, padded to 11 x 12; windows of 3 x 3 and steps of 2 x 1: (11 - 3) / 2 + 1 by 12 - 3 + 1.
    sizes, dilated = "[[5,4,9,8],[6,2,3,3],[]]", ["", "", "", "[1]", "[0, 0]", "[2, 2]", "False", "[0]", "1"]
    forward = ["", "", "", "[2, 1]", "[1, 2]", "[1]", "False", "[0, 0]", "2"]
    log = load(trace(
        convolution("aten::convolution", 1, sizes, forward),
        operator("aten::mm", 2, 1, '{"Input Dims":[[4,8],[8,3]]}'),  # inside: how it is done
        # A window of 3 at every second point reaches over 5: 9 - 5 + 1 by 8 - 5 + 1.
        convolution("aten::convolution", 11, "[[5,4,9,8],[6,4,3,3],[]]", dilated),
        convolution("aten::convolution", 21, sizes, ["", "", "", "[2", *forward[4:]]),
        convolution("aten::convolution", 31, sizes, [*forward[:6], "True", *forward[7:]]),
        operator("aten::convolution", 41, 9, '{"Input Dims":[[5,4,9,8],[6,2,3,3]]}')))
    assert log.fields("operation_shape", "operation", "batch", "groups", "m", "n", "k", "window", "dtype") == [
        ("conv_fwd", "5", "2", "6", "50", "4", "9", "f16"), ("conv_fwd", "5", "1", "6", "20", "4", "9", "f16")]
    assert log.spans("operation") == [(1000, 9000), (11000, 9000)] and not log.spans("gemm")


@case
def gradients_of_convolutions(load):
    sizes = "[[5,6,5,10],[5,4,9,8],[6,2,3,3],[]]"
    values = ["", "", "", "[0]", "[2, 1]", "[1, 2]", "[1]", "False", "[0]", "2"]
    log = load(trace(convolution("aten::convolution_backward", 1, sizes, [*values, "[True, True, False]"]),
                     convolution("aten::convolution_backward", 11, sizes, [*values, "[False, True, True]"])))
    assert log.fields("operation_shape", "operation", "m", "n", "k", "window") == [
        ("conv_dgrad", "6", "50", "4", "9"), ("conv_wgrad", "6", "50", "4", "9")]
    assert log.fields("operation", "subject", "sequence") == [("1", "1"), ("2", "1"), ("2", "2")]


@case
def collectives(load):
    # The span inside the first call tells of the same collective once more: it is no call of its own.
    def comms(start, name, count_in, count_out, more=""):
        return operator("record_param_comms", start, 9, f'{{"Collective name":"{name}","dtype":"Float",'
                        f'"In msg nelems":{count_in},"Out msg nelems":{count_out},"Group size":4,'
                        f'"Process Group Name":"1","Process Group Ranks":"[0, 2, 4, 6]"{more}}}')

    log = load(trace(
        comms(10, "allreduce", 100, 100), row("user_annotation", 11, 5, '{"Input Dims":[[100]]}', "nccl:all_reduce", "11", "10"),
        comms(20, "_allgather_base", 100, 400), comms(30, "_reduce_scatter_base", 400, 100),
        comms(40, "all_to_all", 400, 400), comms(50, "allreduce", 100, 100), comms(60, "wait", 0, 0),
        comms(70, "send", 5, 5, ',"Dst Rank":2'), head='"distributedInfo":{"rank":4,"world_size":8},'))
    shapes = {shape["id"]: shape for shape in log.records["collective_shape"]}
    # Counts as the arguments of NCCL's calls: per rank for the gathering and scattering ones.
    assert [(c["start"], c["number"], *(shapes[c["subject"]][name] for name in ("op", "dtype", "count", "peer")))
            for c in log.records["collective"]] == [
        ("10000", "0", "all_reduce", "f32", "100", "-1"), ("20000", "1", "all_gather", "f32", "100", "-1"),
        ("30000", "2", "reduce_scatter", "f32", "100", "-1"), ("40000", "3", "all_to_all", "f32", "100", "-1"),
        ("50000", "4", "all_reduce", "f32", "100", "-1"), ("70000", "5", "send", "f32", "5", "2")]
    assert ("2", "4", '"1"') in log.fields("communicator", "rank", "size", "name")


@case
def collectives_that_tell_input_sizes_only(load):
    log = load(trace(
        operator("record_param_comms", 10, 9, '{"Input Dims":[[],[]],"Input type":["TensorList",""]}'),
        row("user_annotation", 11, 5, '{"Input Dims":[[10,20],[5]],"Input type":["c10::Half","c10::Half"]}',
            "nccl:all_reduce", "11", "10"), head='"distributedInfo":{"rank":1,"world_size":2},'))
    assert log.fields("collective_shape", "op", "dtype", "count") == [("all_reduce", "f16", "205")]
    assert log.fields("communicator", "rank", "size") == [("1", "2")]


@case
def equal_groups_have_equal_hashes(load):
    def hash_on(rank, group):
        arguments = (f'{{"Collective name":"allreduce","dtype":"Float","In msg nelems":1,"Out msg nelems":1,"Group size":2,'
                     f'"Process Group Name":"{group}","Process Group Ranks":"[0, 1]"}}')
        log = load(trace(operator("record_param_comms", 1, 1, arguments), head=f'"distributedInfo":{{"rank":{rank}}},'))
        return log.fields("communicator", "hash")

    assert hash_on(0, "a") == hash_on(1, "a") != hash_on(0, "b")


@case
def annotations_become_marks(load):
    log = load(trace(row("user_annotation", 1, 2, "{}", "ProfilerStep#7", "11", "10")))
    assert log.spans("mark") == [(1000, 2000)] and ('"ProfilerStep#7"',) in log.fields("name", "text")


@case
def steps_among_the_operators(load):
    log = load(trace(row("Operator", 1, 2, "{}", "ProfilerStep#7", "11", "10"), row("Operator", 1, 1, "{}", "aten::add")))
    assert log.spans("mark") == [(1000, 2000)]
