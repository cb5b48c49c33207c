"""Kernels of the user's own: one by Triton, one compiled from source by NVRTC."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


square_plus = torch.cuda.jiterator._create_jit_fn("template <typename T> T square_plus(T x, T y) { return x * x + y; }")
x, y, out = (torch.empty(10000, device="cuda") for tensor in range(3))
for repeat in range(5):
    add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    y = square_plus(x, out)
torch.cuda.synchronize()
print("done:", tuple(y.shape))
