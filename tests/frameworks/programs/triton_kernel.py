"""A Triton kernel of the user's own."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


x, y = torch.empty(10000, device="cuda"), torch.empty(10000, device="cuda")
out = torch.empty_like(x)
for repeat in range(5):
    add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
torch.cuda.synchronize()
print("done:", tuple(out.shape))
