"""Elementwise kernels and reductions alone: nothing that a library does."""
import torch

x = torch.ones(1 << 20, device="cuda")
for step in range(10):
    x = torch.nn.functional.gelu(x * 2 + 1)
    total = x.sum()
print(f"done: {total.item():.3f}")
