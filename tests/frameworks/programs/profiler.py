"""A training loop that PyTorch's profiler looks at, three times: prints what it saw of the GPU each time."""
import collections
import os
import time

import torch
from torch.profiler import ProfilerActivity, profile

import gpt

if "LOCAL_RANK" in os.environ:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model = gpt.Gpt(layers=2).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
tokens, targets = gpt.batch(size=2)
graph = torch.cuda.CUDAGraph()
square = torch.zeros(256, 256, device="cuda")
torch.mm(square, square)
with torch.cuda.graph(graph):
    torch.mm(square, square)


def steps(count):
    for step in range(count):
        gpt.loss_of(model, tokens, targets).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        graph.replay()
    torch.cuda.synchronize()


for session in range(3):
    steps(4)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        steps(2)
    seen = collections.Counter(event.name for event in profiler.events() if str(event.device_type).endswith("CUDA"))
    print(f"session {session}: {sum(seen.values())} pieces of work: {sorted(seen.items())}", flush=True)
    time.sleep(2.5)  # the recorder comes back a second after a profiler has gone
steps(4)
