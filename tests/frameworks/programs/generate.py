"""Decoding with a cache of keys and values: one token at a time."""
import torch
from torch.nn import functional

import gpt


@torch.inference_mode()
def main():
    model = gpt.Gpt(layers=2).cuda().bfloat16()
    tokens, _ = gpt.batch(size=1, length=16)
    caches = [None] * len(model.blocks)
    x, position = tokens, 0
    for new in range(8):
        h = model.embed(x) + model.position.weight[position:position + x.shape[1]]
        for i, block in enumerate(model.blocks):
            q, k, v = (part.view(1, x.shape[1], block.heads, -1).transpose(1, 2)
                       for part in block.qkv(block.norm1(h)).split(512, dim=2))
            if caches[i] is not None:
                k, v = (torch.cat(pair, dim=2) for pair in zip(caches[i], (k, v)))
            caches[i] = (k, v)
            attended = functional.scaled_dot_product_attention(q, k, v, is_causal=new == 0)
            h = h + block.proj(attended.transpose(1, 2).flatten(2))
            h = h + block.down(functional.gelu(block.up(block.norm2(h))))
        position += x.shape[1]
        x = model.head(model.norm(h[:, -1:])).argmax(-1)
    print("generated", position - 15, "tokens")


main()
