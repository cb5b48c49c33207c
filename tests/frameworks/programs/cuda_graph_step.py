"""A whole training step, optimizer included, captured into one CUDA graph and replayed."""
import torch

import gpt

with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True)
tokens, targets = gpt.batch()


def step():
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for warm_up in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for replay in range(5):
    graph.replay()
print(f"done: loss {loss.item():.3f}")
