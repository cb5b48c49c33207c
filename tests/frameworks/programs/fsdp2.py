"""Fully sharded training: parameters gathered before each block, gradients reduced to their shards after it."""
import os

import torch
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

import gpt

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = init_device_mesh("cuda", (int(os.environ["WORLD_SIZE"]),))
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
with torch.device("cuda"):
    model = gpt.Gpt(layers=2)
for block in model.blocks:
    fully_shard(block, mesh=mesh, mp_policy=policy)
fully_shard(model, mesh=mesh, mp_policy=policy)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
for step in range(3):
    tokens, targets = gpt.batch()
    loss = gpt.loss_of(model, tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
if distributed.get_rank() == 0:
    print(f"done: loss {loss.item():.3f}")
distributed.destroy_process_group()
