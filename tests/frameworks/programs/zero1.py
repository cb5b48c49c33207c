"""Data-parallel training whose optimizer's state is sharded (ZeRO stage 1)."""
import os

import torch
from torch import distributed
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

import gpt

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
distributed.init_process_group("cpu:gloo,cuda:nccl")
model = DistributedDataParallel(gpt.Gpt(layers=2, vocabulary=4000).cuda(), device_ids=[rank])
optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-4)
for step in range(3):
    tokens, targets = gpt.batch(vocabulary=4000)
    with torch.autocast("cuda", torch.bfloat16):
        loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
if rank == 0:
    print(f"done: loss {loss.item():.3f}")
distributed.destroy_process_group()
