"""The programs, one row each: what a test must know about a script that knows nothing of the tests."""
import dataclasses
import fractions

from training import Training, gpt_training

BOTH = ("torch@2.15", "torch@2.6")


@dataclasses.dataclass(frozen=True)
class Program:
    ranks: int = 1
    torchrun: bool = False  # starts them; else each is started by itself, as srun and mpirun do
    exit_code: int = 0
    frameworks: tuple = BOTH  # where it is run
    # How often what FlopCounterMode counts once runs. More than 1 where a step is captured into a graph, which the counter
    # counts once, however often it is replayed; less of a DTensor, whose products it counts whole on each rank.
    runs_per_counted: fractions.Fraction = fractions.Fraction(1)
    # FLOPs of one forward call of FlashAttention, 4 x batch x heads x queries x keys x size of a head; the mean where calls
    # differ. None where the program calls none, or all by cuDNN.
    attention: fractions.Fraction | int | None = None
    training: Training | None = None  # what the script's sizes say of its steps, to compare what is inferred
    compiled: bool = False  # compiles kernels, by torch.compile
    compilers: bool = False  # in processes of their own, as Inductor does unless told otherwise
    only_door: str | None = None  # by which all its launches come
    observed: bool = True  # run again under PyTorch's own observers
    # What is compared of each thread's sequence of public CUDA calls: all, or, where threads race (a watchdog, a loader of
    # data, memory that autograd's thread frees), those that give the GPU work; None where even that depends on when a
    # process is killed.
    calls: str | None = "sequence"


GPT_ATTENTION = 4 * 8 * 8 * 256 * 256 * 64  # of programs/gpt.py, as it stands and with its batch
LLAMA_ATTENTION = 4 * 8 * 4 * 128 * 128 * 64  # of programs/hf_trainer.py


def gpt(layers=4, batch=8, vocabulary=32000, **others):
    return gpt_training(512, 256, batch, vocabulary, layers=layers, **others)


PROGRAMS = {
    # One GPU
    "gpt_eager": Program(attention=GPT_ATTENTION, training=gpt()),
    "gpt_fp16_scaler": Program(attention=GPT_ATTENTION, training=gpt()),
    "gpt_tf32": Program(),
    "grad_accumulation": Program(attention=GPT_ATTENTION // 4, training=gpt(layers=2, batch=2, steps=2, micro_batches=4)),
    "checkpointing": Program(attention=GPT_ATTENTION, calls="work",
                             training=gpt(layers=2, vocabulary=4000, checkpoint=True)),
    "cuda_graph_step": Program(runs_per_counted=fractions.Fraction(3 + 5, 3 + 1)),
    "dataloader_workers": Program(calls="work"),
    # Two layers, 16 tokens at first and then one at a time
    "generate": Program(attention=fractions.Fraction(4 * 8 * 64 * (16 * 16 + sum(range(17, 24))), 8)),
    "hf_trainer": Program(attention=LLAMA_ATTENTION, calls="work", training=Training(
        tokens=8 * 128, layers=2, layer=2 * 256**2 + 2 * 256 * 128 + 3 * 256 * 688, head=256 * 1000,
        attention=LLAMA_ATTENTION, steps=5)),
    "convolution": Program(),
    "sdpa_cudnn": Program(),
    "fp8_grouped": Program(),
    "elementwise": Program(only_door="symbol"),
    "own_kernels": Program(only_door="dlsym"),
    "compile_default": Program(attention=GPT_ATTENTION, training=gpt(layers=2), compiled=True, compilers=True),
    "compile_reduce_overhead": Program(attention=GPT_ATTENTION, compiled=True, calls="work"),
    # Two GPUs
    "ddp": Program(ranks=2, torchrun=True, attention=GPT_ATTENTION, training=gpt(data_parallel=2), calls="work"),
    "fsdp2": Program(ranks=2, attention=GPT_ATTENTION, training=gpt(layers=2, data_parallel=2), calls="work"),
    "tensor_parallel": Program(ranks=2, calls="work", runs_per_counted=fractions.Fraction(1, 2)),
    "zero1": Program(ranks=2, attention=GPT_ATTENTION, calls="work",
                     training=gpt(layers=2, vocabulary=4000, data_parallel=2)),
    "pipeline": Program(ranks=2, calls="work"),
    "moe_all_to_all": Program(ranks=2, calls="work"),
    "collectives": Program(ranks=2, calls="work", only_door="getproc"),
    "worker_crash": Program(ranks=2, torchrun=True, exit_code=1, observed=False, calls=None),
}

# What is different under one framework.
DIFFERENT = {

    ("torch@2.6", "own_kernels"): {"only_door": None},  # Triton 3.2 links the driver, later ones look it up
}


def program(framework, name):
    return dataclasses.replace(PROGRAMS.get(name, Program()), **DIFFERENT.get((framework, name), {}))
