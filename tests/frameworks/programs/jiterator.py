"""A kernel compiled from source by NVRTC."""
import torch

square_plus = torch.cuda.jiterator._create_jit_fn("template <typename T> T square_plus(T x, T y) { return x * x + y; }")
x = torch.ones(1000, device="cuda")
for step in range(3):
    y = square_plus(x, x)
torch.cuda.synchronize()
print("done:", tuple(y.shape))
