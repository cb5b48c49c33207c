"""Asks for more memory than the GPU has, catches the error, and goes on."""
import torch

x = torch.ones(1024, 1024, device="cuda")
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.cuda.OutOfMemoryError:
    print("out of memory, as it should be")
y = x @ x
torch.cuda.synchronize()
print("and on:", tuple(y.shape))
