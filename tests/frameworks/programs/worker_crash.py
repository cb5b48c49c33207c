"""One rank of two ends with sys.exit in the middle of training; torchrun ends the other with SIGTERM."""
import os
import sys

import torch
from torch import distributed

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
distributed.init_process_group("nccl")
x = torch.ones(1024, 1024, device="cuda")
for step in range(3):
    y = x @ x
    distributed.all_reduce(y)
torch.cuda.synchronize()
if rank == 1:
    sys.exit(3)
distributed.all_reduce(y)  # never ends: the peer is gone
torch.cuda.synchronize()
