"""torch.compile with CUDA graphs of its own making."""
import torch

import gpt

with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
step_loss = torch.compile(gpt.loss_of, mode="reduce-overhead")
for step in range(6):
    tokens, targets = gpt.batch()
    torch.compiler.cudagraph_mark_step_begin()
    with torch.autocast("cuda", torch.bfloat16):
        loss = step_loss(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print(f"done: loss {loss.item():.3f}")
