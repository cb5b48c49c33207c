"""Oddities of time stamps."""

from casebook import case, kernel, trace


@case
def integer_stamps(load):
    assert load(trace(kernel(5, 2))).gpu() == [(5000, 2000)]


@case
def stamps_beyond_a_double(load):
    # 2^53 ns are 104 days: as doubles these two ends would be one.
    log = load(trace(kernel("1712195495519866.832", "130.758"), kernel("1712195495519866.833", "130.758")))
    assert log.gpu() == [(1712195495519866832, 130758), (1712195495519866833, 130758)]


@case
def stamps_in_strings(load):
    assert load(trace(kernel('"5.25"', '"2.5"'))).gpu() == [(5250, 2500)]


@case
def stamps_with_exponents(load):
    assert load(trace(kernel("1.5e3", "25E-1"), kernel("0.02e+2", "1e0"))).gpu() == [(2000, 1000), (1500000, 2500)]


@case
def digits_below_a_nanosecond(load):
    # 1.0009 + 2.0009 = 3.0018: the end is exact and then cut, 1000 -> 3001 ns.
    assert load(trace(kernel("1.0009", "2.0009"))).gpu() == [(1000, 2001)]
    assert load(trace(kernel("1.0001", "2.0001"))).gpu() == [(1000, 2000)]
    # 0.9 ns + 0.1 ns, the latter with more digits than are kept.
    assert load(trace(kernel("0.0009", "0.000100000000000000000000001"))).gpu() == [(0, 1)]


@case
def no_duration_is_none(load):
    assert load(trace(kernel(5, None))).gpu() == [(5000, 0)]


@case
def zero_duration_is_kept(load):
    assert load(trace(kernel(5, 0), kernel(5, "-0"))).gpu() == [(5000, 0), (5000, 0)]


@case
def negative_duration_is_quarantined(load):
    log = load(trace(kernel(5, 1), kernel(6, -1), kernel(7, "-0.0001")))
    assert log.gpu() == [(5000, 1000)]
    assert log.lost() == {("gpu_invalid", "row whose duration is negative"): 2}


@case
def negative_stamp_is_quarantined(load):
    log = load(trace(kernel(-5, 1), kernel(5, 1)))
    assert log.gpu() == [(5000, 1000)]
    assert log.lost() == {("gpu_invalid", "row whose time stamp is negative"): 1}


@case
def stamps_that_are_none(load):
    log = load(trace(kernel("NaN", 1), kernel(1, "Infinity"), kernel("null", 1), kernel('"soon"', 1), kernel(5, 1)))
    assert log.gpu() == [(5000, 1000)]
    assert log.lost() == {("import_skipped", "row whose time stamp is not a number in range"): 3,
                          ("import_skipped", "row whose duration is not a number in range"): 1}


@case
def stamps_out_of_range(load):
    # 2^63 ns are 9223372036854775.808 us.
    log = load(trace(kernel("9223372036854775.807", 0), kernel("9223372036854775.808", 0),
                     kernel("9223372036854775.807", "0.001"), kernel("1e400", 0), kernel(1, "1e99999999999")))
    assert log.gpu() == [(2**63 - 1, 0)]
    assert sum(log.lost().values()) == 4


@case
def no_stamp(load):
    log = load(trace('{"ph":"X","cat":"kernel","name":"k","dur":1}', kernel(5, 1)))
    assert log.gpu() == [(5000, 1000)]
    assert log.lost() == {("import_skipped", "row without a time stamp"): 1}
