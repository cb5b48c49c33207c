"""Has Python look for garbage less often in the tests: it takes a fifth of an import of PyTorch, and finds none there."""
import gc

gc.set_threshold(50_000)  # new objects, where Python's own is 700
