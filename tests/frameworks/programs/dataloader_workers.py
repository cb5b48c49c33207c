"""Data loaders with worker processes, forked and spawned, and pinned memory."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((256,), float(index)), index % 10


def main():
    model = nn.Linear(256, 10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for start in ("fork", "spawn"):
        loader = DataLoader(Numbers(), batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context=start)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"{start}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
