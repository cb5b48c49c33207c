"""A small convolutional network, by cuDNN: convolution, batch normalisation, pooling, forward and backward. Its first batch
is more than the GPU's memory holds; it catches the error, and goes on with less."""
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                      nn.Linear(64, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for size in (1 << 26, 16, 16, 16):
    try:
        images = torch.ones(size, 3, 32, 32, device="cuda")
    except torch.cuda.OutOfMemoryError:
        print(f"{size} images do not fit")
        continue
    loss = model(images).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(f"done: loss {loss.item():.3f}")
