"""Activation checkpointing: each block's forward pass is done again in the backward pass. The model is saved midway."""
import os
import tempfile

import torch
from torch.utils.checkpoint import checkpoint

import gpt


class Checkpointed(gpt.Gpt):
    def forward(self, tokens):
        x = self.embed(tokens) + self.position.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(self.norm(x))


with torch.device("cuda"):
    model = Checkpointed(layers=2, vocabulary=4000)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
for step in range(3):
    tokens, targets = gpt.batch(vocabulary=4000)
    with torch.autocast("cuda", torch.bfloat16):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if step == 1:
        with tempfile.TemporaryDirectory() as folder:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, f"{folder}/step.pt")
            print(f"saved {os.path.getsize(f'{folder}/step.pt') >> 20} MiB")
print(f"done: loss {loss.item():.3f}")
