"""Two stages of a pipeline: activations sent forward, gradients sent back."""
import os

import torch
from torch import distributed, nn

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
distributed.init_process_group("nccl")
stage = nn.Sequential(nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 512)).cuda()
optimizer = torch.optim.SGD(stage.parameters(), lr=1e-3)
for step in range(3):
    for micro in range(4):
        if rank == 0:
            out = stage(torch.ones(64, 512, device="cuda"))
            distributed.send(out.detach(), 1)
            gradient = torch.empty_like(out)
            distributed.recv(gradient, 1)
            out.backward(gradient)
        else:
            x = torch.empty(64, 512, device="cuda")
            distributed.recv(x, 0)
            x.requires_grad_()
            stage(x).square().mean().backward()
            distributed.send(x.grad, 0)
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
if rank == 0:
    print("done")
distributed.destroy_process_group()
