"""What Python does differently in the tests, bare and recorded alike.

It looks for garbage less often: that takes a fifth of an import of PyTorch, and finds none there. With LEAVE_GARBAGE=1 nor does
it at its end, a quarter of a short run. And it waits a moment before it ends: while a thread of autograd still drops its last
graph, Python 3.11 can abort as it ends.
"""
import atexit
import gc
import os
import sys
import time

gc.set_threshold(50_000)  # new objects, where Python's own is 700


@atexit.register
def let_autograd_finish():
    if "torch" in sys.modules:
        time.sleep(0.2)
    if os.environ.get("LEAVE_GARBAGE"):
        gc.freeze()
