"""Eager training of a small GPT: autocast to bf16, flash attention, clipping, AdamW fused."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import gpt

model = gpt.Gpt().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
for step in range(3):
    tokens, targets = gpt.batch()
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), torch.autocast("cuda", torch.bfloat16):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
print(f"done: loss {loss.item():.3f}")
