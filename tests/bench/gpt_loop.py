"""The host's time for eager training steps of a GPT: for each number of steps read from standard input, prints their
median in nanoseconds.
"""
import pathlib
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "frameworks" / "programs"))
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


for line in sys.stdin:
    times = []
    for timed in range(int(line)):
        begin = time.perf_counter_ns()
        step()
        times.append(time.perf_counter_ns() - begin)
    print(int(statistics.median(times)), flush=True)
