"""Collectives alone: nothing that PyTorch computes itself."""
import os

import torch
from torch import distributed

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
distributed.init_process_group("nccl")
x, gathered = torch.empty(1 << 20, device="cuda"), torch.empty(2 << 20, device="cuda")
for step in range(3):
    distributed.all_reduce(x)
    distributed.all_gather_into_tensor(gathered, x)
    distributed.reduce_scatter_tensor(x, gathered)
    distributed.broadcast(x, 0)
torch.cuda.synchronize()
if rank == 0:
    print("done")
distributed.destroy_process_group()
