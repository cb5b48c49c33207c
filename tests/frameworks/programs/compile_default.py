"""torch.compile as it is by default: Triton kernels of Inductor's, launched through its own launcher."""
import torch

import gpt

torch.manual_seed(0)
with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
step_loss = torch.compile(gpt.loss_of)
for step in range(3):
    tokens, targets = gpt.batch()
    with torch.autocast("cuda", torch.bfloat16):
        loss = step_loss(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print(f"done: loss {loss.item():.3f}")
