#!/usr/bin/env python3
"""The truth about lt_epilogue's products: one line for each call of the program, however deep it went."""
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


def main():
    lines = truth.of_run(sys.argv[1:])
    products = truth.of_kind(lines, "gemm")
    found = [(p["api"], p["m"], p["n"], p["k"], p["batch"], p["dtype"], p["transa"] + p["transb"])
             for p in products]
    assert found == PRODUCTS, found
    for p in products:
        assert p["flops"] == 2 * p["m"] * p["n"] * p["k"] * p["batch"], p

    kernels = truth.of_kind(lines, "kernel")
    assert sum(p["launches"] for p in products) == len(kernels), (products, kernels)
    assert max(p["launches"] for p in products) == 2, "the long k was not split"
    assert sum(k["flops"] for k in kernels) == sum(p["flops"] for p in products)
    # Kernels made at run time come by cuLaunchKernelEx, those of cuBLAS's own module by cuLaunchKernel.
    names = {launch["corr"]: launch["api"] for launch in truth.of_kind(lines, "launch")}
    for k in kernels:
        assert (names[k["corr"]] == "cuLaunchKernelEx") == k["name"].startswith("nvjet"), k


main()
