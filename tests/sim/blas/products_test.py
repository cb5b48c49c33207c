#!/usr/bin/env python3
"""The truth about the products of two programs: one line for each call, however deep it went.

products_test.py LT_EPILOGUE BLAS_DOUBLE_TEST
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


# As blas_double_test.cpp asks for them: every function once, 48 x 32 x 64, batched by 3.
SIZES = (48, 32, 64)
TYPED = [("cublasSgemm", "CUDA_R_32F"), ("cublasDgemm", "CUDA_R_64F"), ("cublasCgemm", "CUDA_C_32F"),
         ("cublasZgemm", "CUDA_C_64F"), ("cublasHgemm", "CUDA_R_16F"), ("cublasCgemm3m", "CUDA_C_32F")]
UNVERSIONED = ("cublasHgemm", "cublasCgemm3m")  # exported without _v2
EX_FUNCTIONS = [("cublasSgemmEx", 1, "CUDA_R_16BF"), ("cublasCgemmEx", 1, "CUDA_C_32F"),
                ("cublasCgemm3mEx", 1, "CUDA_C_32F"), ("cublasGemmEx", 1, "CUDA_R_16BF"),
                ("cublasGemmBatchedEx", 3, "CUDA_R_16BF"), ("cublasGemmStridedBatchedEx", 3, "CUDA_R_16BF")]


def shape(p):
    return p["api"], p["m"], p["n"], p["k"], p["batch"], p["dtype"], p["transa"] + p["transb"]


def every_function():
    functions = []
    for stem, dtype in TYPED:
        functions += [(stem + ("" if stem in UNVERSIONED else "_v2"), 1, dtype),
                      (stem + "Batched", 3, dtype), (stem + "StridedBatched", 3, dtype)]
    functions += [("cublasZgemm3m", 1, "CUDA_C_64F"), *EX_FUNCTIONS]
    return [(name + twin, *SIZES, batch, dtype, "NN")
            for name, batch, dtype in functions for twin in ("", "_64")]


def check_asked(products, expected):
    for found, asked in zip(map(shape, products), expected):
        assert found == asked, (found, asked)
    assert len(products) == len(expected), (len(products), len(expected))


def check_sums(lines):
    """FLOPs by formula, launches by the kernels that ran; returns the products."""
    products, kernels = truth.of_kind(lines, "gemm"), truth.of_kind(lines, "kernel")
    for p in products:
        per_term = 8 if p["dtype"].startswith("CUDA_C_") else 2
        assert p["flops"] == per_term * p["m"] * p["n"] * p["k"] * p["batch"], p
    assert sum(p["launches"] for p in products) == len(kernels), len(kernels)
    assert sum(k["flops"] for k in kernels) == sum(p["flops"] for p in products)
    return products


def main():
    lt_epilogue, blas_double_test = sys.argv[1:]
    lines = truth.of_run([lt_epilogue])
    products = check_sums(lines)
    check_asked(products, PRODUCTS)
    assert max(p["launches"] for p in products) == 2, "the long k was not split"
    # Kernels made at run time come by cuLaunchKernelEx, those of cuBLAS's own module by cuLaunchKernel.
    names = {launch["corr"]: launch["api"] for launch in truth.of_kind(lines, "launch")}
    for k in truth.of_kind(lines, "kernel"):
        assert (names[k["corr"]] == "cuLaunchKernelEx") == k["name"].startswith("nvjet"), k

    lines = truth.of_run([blas_double_test])
    *products, empty = check_sums(lines)
    check_asked(products, every_function())
    assert (empty["m"], empty["launches"]) == (0, 0), empty
    stubs = [stub["function"] for stub in truth.of_kind(lines, "stub")]
    assert stubs == ["cublasSaxpy_v2"], stubs


main()
