"""Gives the GPU some work, and ends in the way that its argument says. A second argument is the rank that does so, while the
others go on until they are ended."""
import os
import signal
import sys
import time

import torch
from torch import distributed

x = torch.ones(512, 512, device="cuda")
for step in range(20):
    y = (x @ x).relu()
torch.cuda.synchronize()
time.sleep(0.5)  # whoever writes down what happened does so a few times a second
print("worked", flush=True)
how, *ranks = sys.argv[1:]
if ranks:
    distributed.init_process_group("gloo")
    distributed.barrier()
    if os.environ["RANK"] not in ranks:
        time.sleep(600)
if how == "exception":
    raise RuntimeError("as told")
if how == "sys.exit":
    sys.exit(3)
if how == "os._exit":
    os._exit(4)
if how.startswith("SIG"):
    os.kill(os.getpid(), getattr(signal, how))
