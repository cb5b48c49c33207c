"""Training in fp32, first on the CUDA cores, then with TF32 allowed; AdamW with the foreach implementation."""
import torch

import gpt

with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
for precision in ("highest", "high"):
    torch.set_float32_matmul_precision(precision)
    for step in range(2):
        tokens, targets = gpt.batch()
        loss = gpt.loss_of(model, tokens, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    print(f"{precision}: loss {loss.item():.3f}")
