"""Tensor parallelism by DTensor: the feed-forward layers split over two GPUs, by columns and then by rows."""
import os

import torch
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = init_device_mesh("cuda", (int(os.environ["WORLD_SIZE"]),))
model = nn.Sequential(*(nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)) for layer in range(2))).cuda()
for layer in model:
    parallelize_module(layer, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
for step in range(3):
    loss = model(torch.ones(256, 512, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
if distributed.get_rank() == 0:
    print("done")
distributed.destroy_process_group()
