"""Four backward passes to each step of the optimizer."""
import torch

import gpt

with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
for step in range(2):
    for part in range(4):
        tokens, targets = gpt.batch(size=2)
        with torch.autocast("cuda", torch.bfloat16):
            loss = gpt.loss_of(model, tokens, targets) / 4
        loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print(f"done: loss {loss.item():.3f}")
