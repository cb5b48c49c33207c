"""Training in fp16 with a gradient scaler, which asks the GPU after each step whether a gradient overflowed."""
import torch

import gpt

with torch.device("cuda"):
    model = gpt.Gpt()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
scaler = torch.amp.GradScaler("cuda")
for step in range(3):
    tokens, targets = gpt.batch()
    with torch.autocast("cuda", torch.float16):
        loss = gpt.loss_of(model, tokens, targets)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
print(f"done: loss {loss.item():.3f}")
