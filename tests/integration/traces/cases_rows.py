"""Which rows count, and what they say."""

from casebook import GPU, call, case, kernel, row, trace


@case
def no_device_work(load):
    log = load(trace(call("cudaLaunchKernel", 1, 2)))
    assert log.gpu() == [] and log.spans("launch") == [(1000, 2000)] and not log.records["queue"]


@case
def no_rows(load):
    assert load(trace()).gpu() == []


@case
def all_category_names(load):
    rows = [row(category, i, 1) for i, category in enumerate(
        ["kernel", "Kernel", "KERNEL", "gpu_memcpy", "Memcpy", "memcpy", "gpu_memset", "Memset", "memset"])]
    log = load(trace(*rows))
    assert [len(log.records[kind]) for kind in GPU] == [3, 3, 3] and not log.lost()


@case
def rows_that_are_no_device_work(load):
    names = ["gpu_user_annotation", "cuda_sync", "overhead", "python_function", "Trace", "cuda_profiler_range"]
    log = load(trace(*(row(name, 1, 1) for name in names)))
    assert log.gpu() == [] and not log.lost()


@case
def only_complete_events(load):
    rows = [kernel(1, 1).replace('"ph":"X"', f'"ph":"{phase}"') for phase in "BEisfMCb"]
    assert load(trace(*rows, kernel(9, 1))).gpu() == [(9000, 1000)]


@case
def another_accelerator(load):
    log = load(trace(row("mtia_ccp_events", 1, 1), row("mtia_ccp_events", 2, 1), kernel(5, 1)))
    assert log.gpu() == [(5000, 1000)]
    assert log.lost() == {("import_skipped", "row of category mtia_ccp_events"): 2}


@case
def exact_duplicates_are_kept(load):
    assert load(trace(kernel(5, 1, 3), kernel(5, 1, 3))).gpu() == [(5000, 1000)] * 2


@case
def disorder_is_put_in_order(load):
    log = load(trace(kernel(9, 1), kernel(5, 1), call("cudaLaunchKernel", 8, 1), call("cudaLaunchKernel", 4, 1)))
    assert log.fields("gpu_kernel", "start") == [("5000",), ("9000",)]
    assert log.fields("launch", "start", "sequence") == [("4000", "1"), ("8000", "2")]


@case
def many_records_of_one_launch(load):
    rows = [kernel(5 + i, 1, 42) for i in range(300)]
    log = load(trace(call("cudaGraphLaunch", 1, 2, 42), *rows))
    assert set(log.fields("gpu_kernel", "correlation")) == {("42",)} and len(log.records["gpu_kernel"]) == 300
    assert log.fields("graph_launch", "correlation") == [("42",)]


@case
def a_record_without_a_launch(load):
    assert load(trace(kernel(5, 1, 43), call("cudaLaunchKernel", 1, 2, 42))).fields(
        "gpu_kernel", "correlation") == [("43",)]


@case
def calls_become_their_records(load):
    names = {"cudaLaunchKernel": "launch", "cuLaunchKernelEx": "launch", "hipExtModuleLaunchKernel": "launch",
             "hipGraphLaunch": "graph_launch", "cudaMemcpyAsync": "copy", "hipMemcpyWithStream": "copy",
             "cudaMemsetAsync": "set", "cudaStreamSynchronize": "sync", "hipDeviceSynchronize": "sync",
             "cudaMalloc": "call"}
    log = load(trace(*(call(name, i, 0.5) for i, name in enumerate(names))))
    found = {kind: len(log.records[kind]) for kind in set(names.values())}
    assert found == {kind: list(names.values()).count(kind) for kind in found}


@case
def queries_only_when_they_stall(load):
    log = load(trace(call("cudaEventQuery", 1, 99.999), call("cudaEventQuery", 200, 100)))
    assert log.spans("call") == [(200000, 100000)]


@case
def old_rows_tell_stream_and_device_by_their_lane(load):
    log = load(trace(row("Kernel", 1, 1, "{}", thread='"stream 9"', process="2"), row("Kernel", 1, 1, '{"stream":-3}')))
    assert log.fields("queue", "device", "stream") == [("2", "9"), ("0", "-3")]


@case
def launch_configuration(load):
    arguments = '{"grid":[7,2,1],"block":[128,4,2],"registers per thread":32,"shared memory":48,"device":1,"stream":5}'
    log = load(trace(row("kernel", 1, 1, arguments)))
    assert log.fields("launch_config", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers",
                      "shared_dynamic") == [("7", "2", "1", "128", "4", "2", "32", "48")]


@case
def arguments_before_the_category(load):
    log = load(trace('{"args":{"correlation":9,"device":3,"stream":4},"dur":1,"ts":5,"tid":0,"pid":0,"name":"k",'
                     '"cat":"kernel","ph":"X"}'))
    assert log.gpu() == [(5000, 1000)] and log.fields("queue", "device", "stream") == [("3", "4")]


@case
def the_last_of_two_equal_keys_counts(load):
    assert load(trace('{"ph":"B","ph":"X","cat":"x","cat":"kernel","name":"k","ts":1,"ts":5,"dur":9,"dur":1}')).gpu() == [
        (5000, 1000)]


@case
def members_of_unexpected_types(load):
    log = load(trace('{"ph":"X","cat":"kernel","name":null,"pid":[],"tid":{"a":1},"ts":5,"dur":1,"args":"none"}',
                     '{"ph":"X","cat":"kernel","name":7,"ts":6,"dur":1,"args":{"device":"x","stream":{},"grid":[1],'
                     '"block":"8","correlation":-4}}'))
    assert log.gpu() == [(5000, 1000), (6000, 1000)]


@case
def numbers_that_are_none_in_arguments(load):
    log = load(trace(row("kernel", 5, 1, '{"a":NaN,"b":-Infinity,"c":inf,"d":[nan,{"e":Infinity}],"correlation":7}')))
    assert log.fields("gpu_kernel", "correlation") == [("7",)]


@case
def large_correlation_ids_keep_their_low_bits(load):
    log = load(trace(kernel(5, 1, 2**32 + 7), call("cudaLaunchKernel", 1, 2, 2**32 + 7)))
    assert log.fields("gpu_kernel", "correlation") == log.fields("launch", "correlation") == [("7",)]


@case
def names_are_unescaped_and_valid(load):
    log = load(trace(row("kernel", 1, 1, name=r"a\"b\\\/\u00e9\ud83d\ude00")) )
    assert log.fields("name", "text") == [(r'"a\"b\\/é😀"',)]
    log = load(trace(row("kernel", 1, 1, name=r"\ud83d!")).replace(b"!", b"\xff!"))
    assert log.fields("name", "text") == [('"\ufffd\ufffd!"',)]
