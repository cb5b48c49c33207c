"""Products in fp8 with scales, and a group of products in one call."""
import torch

a = torch.ones(256, 512, device="cuda").to(torch.float8_e4m3fn)
b = torch.ones(1024, 512, device="cuda").to(torch.float8_e4m3fn).t()
scale = torch.ones((), device="cuda")
for step in range(3):
    out = torch._scaled_mm(a, b, scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16)
print("scaled:", tuple(out.shape))
if hasattr(torch, "_grouped_mm"):  # younger than 2.6
    x = torch.ones(4, 64, 128, device="cuda", dtype=torch.bfloat16)
    w = torch.ones(4, 256, 128, device="cuda", dtype=torch.bfloat16)
    for step in range(3):
        grouped = torch._grouped_mm(x, w.transpose(-2, -1))
    print("grouped:", tuple(grouped.shape))
torch.cuda.synchronize()
