"""The host's time for one eager training step of a GPT: prints the median in nanoseconds, of as many steps as asked."""
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import gpt

model = gpt.Gpt().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
tokens, targets = gpt.batch(size=1)


def step():
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), torch.autocast("cuda", torch.bfloat16):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


for warm_up in range(30):
    step()
times = []
for timed in range(int(sys.argv[1])):
    begin = time.perf_counter_ns()
    step()
    times.append(time.perf_counter_ns() - begin)
print(int(statistics.median(times)))
