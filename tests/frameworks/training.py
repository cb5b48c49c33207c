"""What a training program's own configuration says of its work: arithmetic on sizes that the script states."""
import dataclasses

PEAK = 989.4e12  # FLOP/s of the simulated H100 in bf16 and fp16, dense, by its data sheet


@dataclasses.dataclass(frozen=True)
class Training:
    """A transformer. A weight of n numbers multiplies each token with 2n FLOPs, once forward and twice backward."""
    tokens: int  # of one micro-batch of one process
    layers: int
    layer: int  # numbers in the matrices of one layer
    head: int  # numbers in the output's matrix
    attention: int  # FLOPs of one layer's forward attention of one micro-batch: 4 x batch x heads x queries x keys x head size
    steps: int = 3
    micro_batches: int = 1
    again: int = 0  # numbers in the matrices of a layer whose forward products checkpointing does again
    tensor_parallel: int = 1
    data_parallel: int = 1

    def products(self):
        """FLOPs of matrix products that the model needs for one step of one process."""
        forward = 2 * self.tokens * (self.layers * self.layer + self.head)
        return 3 * forward * self.micro_batches // self.tensor_parallel

    def products_again(self):
        return 2 * self.tokens * self.layers * self.again * self.micro_batches // self.tensor_parallel

    def attended(self, forwards):
        """FLOPs of so many times the forward attention of one step of one process, over the full square."""
        return forwards * self.attention * self.layers * self.micro_batches // self.tensor_parallel

    def needed(self):
        return self.products(), self.attended(3)  # backward: four products where forward has two

    def executed(self):
        # The backward pass computes the scores again, a fifth product; checkpointing the forward pass.
        return self.products() + self.products_again(), self.attended(3.5 + (self.again > 0))

    def processes(self):
        return self.tensor_parallel * self.data_parallel

    def tokens_per_step(self):
        return self.tokens * self.micro_batches * self.data_parallel


def gpt_training(width, length, batch, vocabulary, checkpoint=False, **others):
    """A model as in programs/gpt.py, whose layers have matrices of 3, 1, 4 and 4 times the width squared. Checkpointing does
    all of a layer again but the last product: no gradient needs what comes out of it."""
    return Training(tokens=batch * length, layer=12 * width**2, head=width * vocabulary,
                    attention=4 * batch * length**2 * width, again=8 * width**2 if checkpoint else 0, **others)
