"""Attention by cuDNN's graph interface, forward and backward."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

q, k, v = (torch.ones(4, 8, 256, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for tensor in range(3))
for step in range(3):
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        out = scaled_dot_product_attention(q, k, v, is_causal=True)
    out.sum().backward()
print(f"done: {tuple(out.shape)}, gradient {q.grad.norm().item():.3f}")
