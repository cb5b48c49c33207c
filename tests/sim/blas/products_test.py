#!/usr/bin/env python3
"""The truth about the products of three programs: one line for each call, however deep it went.

products_test.py LT_EPILOGUE BLAS_FORMS BLAS_DOUBLE_TEST
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "library"))
import truth

# As tests/programs/lt_epilogue.cpp asks for them: api, m, n, k, batch, dtype, transposes.
PRODUCTS = [
    ("cublasLtMatmul", 512, 256, 128, 1, "CUDA_R_16BF", "TN"),
    ("cublasLtMatmul", 512, 256, 128, 1, "CUDA_R_16BF", "TN"),
    ("cublasLtMatmul", 256, 512, 64, 1, "CUDA_R_16F", "TN"),
    ("cublasLtMatmul", 256, 256, 256, 1, "CUDA_R_16BF", "TN"),
    ("cublasLtMatmul", 128, 128, 64, 8, "CUDA_R_16F", "TN"),
    ("cublasLtMatmul", 128, 256, 64, 1, "CUDA_R_32F", "TN"),
    ("cublasLtMatmul", 128, 128, 16384, 1, "CUDA_R_16BF", "TN"),
    ("cublasLtMatmul", 512, 512, 256, 1, "CUDA_R_8F_E4M3", "TN"),
    ("cublasSgemm_v2", 256, 128, 64, 1, "CUDA_R_32F", "NN"),
    ("cublasSgemmStridedBatched", 64, 64, 32, 16, "CUDA_R_32F", "NT"),
    ("cublasDgemm_v2", 128, 128, 128, 1, "CUDA_R_64F", "TN"),
    ("cublasGemmEx", 256, 256, 512, 1, "CUDA_R_16F", "NN"),
]

# As tests/programs/blas_forms asks for them. Its sizes, and what of them each kind of product has.
M, N, K, BATCH = 48, 32, 64, 3
GENERAL, UPDATE, TWO_SIDED = (M, N, K), (N, N, K), (M, N, 0)
GROUPS = [(48, 32, 64, 2, "TN"), (16, 8, 24, 1, "NN"), (64, 64, 64, 3, "NT")]
REAL, COMPLEX = "SD", "CZ"
TYPES = {"S": "CUDA_R_32F", "D": "CUDA_R_64F", "C": "CUDA_C_32F", "Z": "CUDA_C_64F", "H": "CUDA_R_16F",
         "T": "CUDA_R_16BF"}
# Kind of product, letters it comes with, sizes, interfaces that have it besides cublas_api.h.
LEVEL_3 = [("syrk", REAL + COMPLEX, UPDATE, "old xt"), ("syr2k", REAL + COMPLEX, UPDATE, "old xt"),
           ("syrkx", REAL + COMPLEX, UPDATE, "xt"), ("herk", COMPLEX, UPDATE, "old xt"),
           ("her2k", COMPLEX, UPDATE, "old xt"), ("herkx", COMPLEX, UPDATE, "xt"),
           ("symm", REAL + COMPLEX, TWO_SIDED, "old xt"), ("hemm", COMPLEX, TWO_SIDED, "old xt"),
           ("trmm", REAL + COMPLEX, TWO_SIDED, "old xt"), ("trsm", REAL + COMPLEX, TWO_SIDED, "old xt")]
UNVERSIONED = ("syrkx", "herkx")  # exported without _v2


def product(api, kind, sizes, dtype, transposes="NN", side="L", batch=1, repeat=1, output=None):
    return (api, kind, side, *sizes, batch, repeat, dtype, output or dtype, transposes)


def of_general():
    for letter in "SDCZH":
        yield f"cublas{letter}gemm" + ("" if letter == "H" else "_v2"), "gemm", TYPES[letter], 1
        for form in ("Batched", "StridedBatched"):
            yield f"cublas{letter}gemm{form}", "gemm", TYPES[letter], BATCH
    for name, kind, dtype in (("cublasSgemmEx", "gemm", "CUDA_R_16BF"), ("cublasCgemmEx", "gemm", "CUDA_C_32F"),
                              ("cublasGemmEx", "gemm", "CUDA_R_16BF"), ("cublasCgemm3m", "gemm3m", "CUDA_C_32F"),
                              ("cublasCgemm3mEx", "gemm3m", "CUDA_C_32F"), ("cublasZgemm3m", "gemm3m", "CUDA_C_64F")):
        yield name, kind, dtype, 1
    for name, kind, dtype in (("cublasGemmBatchedEx", "gemm", "CUDA_R_16BF"),
                              ("cublasGemmStridedBatchedEx", "gemm", "CUDA_R_16BF"),
                              ("cublasCgemm3mBatched", "gemm3m", "CUDA_C_32F"),
                              ("cublasCgemm3mStridedBatched", "gemm3m", "CUDA_C_32F")):
        yield name, kind, dtype, BATCH


def with_handle():
    """Each function but its 64-bit twin."""
    for name, kind, dtype, batch in of_general():
        yield product(name, kind, GENERAL, dtype, "TN", batch=batch)
    for letter, dtype in (("S", "CUDA_R_32F"), ("D", "CUDA_R_64F"), ("", "CUDA_R_16BF")):
        name = f"cublas{letter}gemmGroupedBatched" if letter else "cublasGemmGroupedBatchedEx"
        for *sizes, repeat, transposes in GROUPS:
            yield product(name, "gemm", sizes, dtype, transposes, repeat=repeat)
    for kind, letters, sizes, _ in LEVEL_3:
        for letter in letters:
            side = "R" if sizes == TWO_SIDED and letter in "DZ" else "L"
            version = "" if kind in UNVERSIONED else "_v2"
            yield product(f"cublas{letter}{kind}{version}", kind, sizes, TYPES[letter], side=side)
            if kind == "trsm":
                yield product(f"cublas{letter}trsmBatched", kind, sizes, TYPES[letter], side=side, batch=BATCH)
    for name in ("cublasCsyrkEx", "cublasCsyrk3mEx", "cublasCherkEx", "cublasCherk3mEx"):
        yield product(name, name[7:11], UPDATE, "CUDA_C_32F")
    for letters in ("S", "D", "C", "Z", "HSH", "HSS", "TSS", "TST"):
        types = {"dtype": TYPES[letters[0]], "output": TYPES[letters[-1]]}
        if len(letters) == 1:
            yield product(f"cublas{letters}gemv_v2", "gemv", TWO_SIDED, **types)
        for form in ("Batched", "StridedBatched"):
            yield product(f"cublas{letters}gemv{form}", "gemv", TWO_SIDED, batch=BATCH, **types)


def every_form():
    for one in with_handle():
        yield one
        yield (one[0] + "_64", *one[1:])
    yield product("cublasUint8gemmBias", "gemm", GENERAL, "CUDA_R_8U", "TN")
    for letter in REAL + COMPLEX:
        yield product(f"cublas{letter}gemm", "gemm", GENERAL, TYPES[letter], "TN")
        yield product(f"cublas{letter}gemv", "gemv", TWO_SIDED, TYPES[letter])
        yield product(f"cublasXt{letter}gemm", "gemm", GENERAL, TYPES[letter], "TN")
        yield product(f"cublasXt{letter}spmm", "symm", TWO_SIDED, TYPES[letter])
    for kind, letters, sizes, interfaces in LEVEL_3:
        for letter in letters:
            if "old" in interfaces:
                side = "R" if sizes == TWO_SIDED else "L"
                transposes = "TN" if kind in ("trmm", "trsm") else "NN"
                yield product(f"cublas{letter}{kind}", kind, sizes, TYPES[letter], transposes, side)
            yield product(f"cublasXt{letter}{kind}", kind, sizes, TYPES[letter])
    for dtype, output, batch in (("CUDA_R_16BF", None, 1), ("CUDA_R_16BF", None, 5), ("CUDA_R_16BF", None, 5),
                                 ("CUDA_R_16BF", "CUDA_R_32F", 1), ("CUDA_R_16F", None, 1),
                                 ("CUDA_R_8F_E4M3", "CUDA_R_16BF", 1), ("CUDA_R_4F_E2M1", "CUDA_R_16BF", 1),
                                 ("CUDA_R_16BF", None, 4)):
        yield product("cublasLtMatmul", "gemm", GENERAL, dtype, "TN", batch=batch, output=output)


def real_flops(p):
    """Multiplications and additions of one real product, by the definition of the BLAS routine."""
    m, n, k = p["m"], p["n"], p["k"]
    side = n if p["side"] == "R" else m
    if p["kind"] in ("gemm", "gemm3m"):
        return 2 * m * n * k
    if p["kind"] == "gemv":
        return 2 * m * n
    if p["kind"] in ("symm", "hemm"):
        return 2 * m * n * side
    if p["kind"] in ("trmm", "trsm"):
        return m * n * side
    of_a_triangle = n * (n + 1) // 2  # elements, each 2k, or twice that
    return of_a_triangle * 2 * k * (2 if p["kind"] in ("syr2k", "her2k") else 1)


def shape(p):
    return (p["api"], p["kind"], p["side"], p["m"], p["n"], p["k"], p["batch"], p["repeat"], p["dtype"], p["dtype_d"],
            p["transa"] + p["transb"])


def equal(found, expected):
    for a, b in zip(found, expected):
        assert a == b, (a, b)
    assert len(found) == len(expected), (len(found), len(expected))


def check_sums(lines):
    """FLOPs by formula, launches by the kernels that ran; returns the products."""
    products, kernels = truth.of_kind(lines, "gemm"), truth.of_kind(lines, "kernel")
    for p in products:
        terms = 4 if p["dtype"].startswith("CUDA_C_") else 1
        assert p["flops"] == terms * real_flops(p) * p["batch"] * p["repeat"], p
    assert sum(p["launches"] for p in products) == len(kernels), len(kernels)
    assert sum(k["flops"] for k in kernels) == sum(p["flops"] for p in products)
    return products


def main():
    lt_epilogue, blas_forms, blas_double_test = sys.argv[1:]
    lines = truth.of_run([lt_epilogue])
    products = check_sums(lines)
    equal([(p["api"], p["m"], p["n"], p["k"], p["batch"], p["dtype"], p["transa"] + p["transb"]) for p in products],
          PRODUCTS)
    assert max(p["launches"] for p in products) == 2, "the long k was not split"
    # Kernels made at run time come by cuLaunchKernelEx, those of cuBLAS's own module by cuLaunchKernel.
    names = {launch["corr"]: launch["api"] for launch in truth.of_kind(lines, "launch")}
    for k in truth.of_kind(lines, "kernel"):
        assert (names[k["corr"]] == "cuLaunchKernelEx") == k["name"].startswith("nvjet"), k

    products = check_sums(truth.of_run([blas_forms], gpus=2))
    equal(sorted(map(shape, products)), sorted(every_form()))
    assert {p["launches"] for p in products if p["api"].startswith("cublasXt")} == {2}, "not on both GPUs"

    lines = truth.of_run([blas_double_test])
    [empty] = check_sums(lines)
    assert (empty["m"], empty["launches"]) == (0, 0), empty
    stubs = [stub["function"] for stub in truth.of_kind(lines, "stub")]
    assert stubs == ["cublasSaxpy_v2"], stubs


main()
