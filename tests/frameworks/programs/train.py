"""Trains a small GPT as its arguments say: compiled, with each block's forward pass done again in the backward pass, several
batches to a step, or its weights split over all GPUs (tensor parallelism by DTensor)."""
import argparse
import os

import torch
from torch import distributed, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

parser = argparse.ArgumentParser()
for name in ("steps", "layers", "width", "heads", "length", "batch", "vocabulary", "accumulate"):
    parser.add_argument(f"--{name}", type=int, required=True)
for name in ("compile", "checkpoint", "tensor-parallel"):
    parser.add_argument(f"--{name}", action="store_true")
options = parser.parse_args()


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.head_size = width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.proj = (nn.Linear(width, width) for weight in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        normed = self.norm1(x)
        q, k, v = (weight(normed).unflatten(2, (-1, self.head_size)).transpose(1, 2)
                   for weight in (self.query, self.key, self.value))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(attended.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(options.vocabulary, options.width)
        self.blocks = nn.ModuleList(Block(options.width, options.heads) for layer in range(options.layers))
        self.head = nn.Linear(options.width, options.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if options.checkpoint else block(x)
        return self.head(x)


def split(model):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh("cuda", (int(os.environ["WORLD_SIZE"]),))
    plan = {f"blocks.*.{name}": ColwiseParallel() for name in ("query", "key", "value", "up")}
    plan |= {f"blocks.*.{name}": RowwiseParallel() for name in ("proj", "down")}
    parallelize_module(model.cuda(), mesh, plan | {"head": ColwiseParallel(output_layouts=Replicate())})


def loss_of(model, tokens, targets):
    return functional.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())


model = Gpt()
if options.tensor_parallel:
    split(model)
model.cuda()
of_kind = {}  # a kernel updates all parameters of one kind, and does not take both
for parameter in model.parameters():
    of_kind.setdefault(type(parameter.data), []).append(parameter)
optimizer = torch.optim.AdamW([{"params": parameters} for parameters in of_kind.values()], lr=1e-4, fused=True)
step_loss = torch.compile(loss_of) if options.compile else loss_of
for step in range(options.steps):
    for part in range(options.accumulate):
        tokens = torch.randint(options.vocabulary, (options.batch, options.length + 1)).cuda()
        with torch.autocast("cuda", torch.bfloat16):
            loss = step_loss(model, tokens[:, :-1], tokens[:, 1:])
        (loss / options.accumulate).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
torch.cuda.synchronize()
if options.tensor_parallel:
    distributed.destroy_process_group()
