"""Hugging Face's Trainer on a small Llama."""
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback, Trainer, TrainingArguments
from transformers.utils import logging

logging.set_verbosity_error()


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        tokens = torch.full((128,), index % 1000)
        return {"input_ids": tokens, "labels": tokens}


config = LlamaConfig(vocab_size=1000, hidden_size=256, intermediate_size=688, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, max_position_embeddings=256)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, per_device_train_batch_size=8, max_steps=5, bf16=True, report_to=[],
                                  save_strategy="no", disable_tqdm=True, logging_strategy="no")
    trainer = Trainer(model=LlamaForCausalLM(config), args=arguments, train_dataset=Tokens())
    trainer.remove_callback(PrinterCallback)  # it prints how long things took
    trainer.train()
print("done")
