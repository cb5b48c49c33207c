#!/usr/bin/env python3
"""The truth about what cudnn_forms executes: one line for each operation, with its FLOPs by the textbook.

operations_test.py CUDNN_FORMS
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "library"))
import truth

EXECUTE, HALF, BF16, FLOAT = "cudnnBackendExecute", "CUDNN_DATA_HALF", "CUDNN_DATA_BFLOAT16", "CUDNN_DATA_FLOAT"
# 2 x images x output channels x input channels of a group x output points x filter points.
GRAPH_CONVOLUTION = 2 * 8 * 64 * (32 // 2) * (28 * 28) * (3 * 3)
OLDER_CONVOLUTION = 2 * 4 * 24 * (16 // 4) * (16 * 16) * (5 * 5)
PRODUCT = 2 * 2 * 128 * 96 * 64
SCORES, CONTEXT = 2 * 4 * 8 * 256 * 512 * 64, 2 * 4 * 8 * 256 * 512 * 32
# Per direction: 4 gates of the input and the 32 projected values, and the projection of 64; two directions, of which
# the second layer sees both.
WEIGHTS = 2 * (4 * 64 * (48 + 32) + 32 * 64) + 2 * (4 * 64 * (2 * 32 + 32) + 32 * 64)
RECURRENT = 2 * (20 + 17 + 11) * WEIGHTS

OPERATIONS = [
    (EXECUTE, "conv_fwd", HALF, GRAPH_CONVOLUTION, 0),
    (EXECUTE, "conv_dgrad", HALF, GRAPH_CONVOLUTION, 0),
    (EXECUTE, "conv_wgrad", HALF, GRAPH_CONVOLUTION, 0),
    (EXECUTE, "matmul", BF16, PRODUCT, 0),
    (EXECUTE, "matmul", BF16, PRODUCT, 0),
    (EXECUTE, "other", FLOAT, 0, 0),
    (EXECUTE, "matmul", BF16, SCORES, 0),
    (EXECUTE, "matmul", BF16, CONTEXT, 0),
    (EXECUTE, "sdpa_fwd", BF16, SCORES + CONTEXT, 0),
    (EXECUTE, "sdpa_bwd", BF16, 3 * SCORES + 2 * CONTEXT, 0),
    (EXECUTE, "unknown", FLOAT, 0, 0),
    ("cudnnBackendPopulateCudaGraph", "conv_fwd", HALF, GRAPH_CONVOLUTION, 1),
    ("cudnnBackendUpdateCudaGraph", "conv_fwd", HALF, GRAPH_CONVOLUTION, 1),
    ("cudnnConvolutionForward", "conv_fwd", FLOAT, OLDER_CONVOLUTION, 0),
    ("cudnnConvolutionBiasActivationForward", "conv_fwd", FLOAT, OLDER_CONVOLUTION, 0),
    ("cudnnConvolutionBackwardData", "conv_dgrad", FLOAT, OLDER_CONVOLUTION, 0),
    ("cudnnConvolutionBackwardFilter", "conv_wgrad", FLOAT, OLDER_CONVOLUTION, 0),
    ("cudnnRNNForward", "rnn_fwd", HALF, RECURRENT, 0),
    ("cudnnRNNBackwardData_v8", "rnn_dgrad", HALF, RECURRENT, 0),
    ("cudnnRNNBackwardWeights_v8", "rnn_wgrad", HALF, RECURRENT, 0),
]


def main():
    lines = truth.of_run([sys.argv[1]])
    found = [tuple(o[key] for key in ("api", "kind", "dtype", "flops", "captured"))
             for o in truth.of_kind(lines, "operation")]
    for one, expected in zip(found, OPERATIONS):
        assert one == expected, (one, expected)
    assert len(found) == len(OPERATIONS), (len(found), len(OPERATIONS))
    # The one node of the graph ran three times.
    kernels = truth.of_kind(lines, "kernel")
    executed = sum(flops for _, _, _, flops, captured in OPERATIONS if not captured)
    assert sum(k["flops"] for k in kernels) == executed + 3 * GRAPH_CONVOLUTION
    # A product alone is left to cuBLASLt, and is cuDNN's all the same.
    assert sum(k["name"].startswith("nvjet") for k in kernels) == 2
    assert not truth.of_kind(lines, "gemm") and not truth.of_kind(lines, "stub")


main()
