"""Data-parallel training of a small GPT: one process per GPU, gradients reduced while the backward pass goes on."""
import argparse
import os

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

import gpt

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=3)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--length", type=int, default=256)
parser.add_argument("--backend", default="nccl")
options = parser.parse_args()

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
distributed.init_process_group(options.backend)
model = DistributedDataParallel(gpt.Gpt(length=options.length).cuda(), device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
for step in range(options.steps):
    tokens, targets = gpt.batch(options.batch, options.length)
    with torch.autocast("cuda", torch.bfloat16):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
if distributed.get_rank() == 0:
    print(f"{distributed.get_world_size()} ranks, loss {loss.item():.3f}")
distributed.destroy_process_group()
