"""A tiny Llama of the library transformers, and what it gives: `python tests/reference/llama.py`.

Writes `llama.safetensors`, the checkpoint in bf16, and `llama_results.safetensors`: tokens and their logits, and the losses of
20 steps of a training on pieces of the text of `examples/gpt`, in f64.

Made with torch 2.15.0 and transformers 5.24.0.
"""

import gzip
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaRMSNorm

FOLDER = Path(__file__).parent
STEPS, PIECES, LETTERS = 20, 2, 32


def model():
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=88,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
    )
    llama = LlamaForCausalLM(config).double()
    with torch.no_grad():
        for name, weight in llama.named_parameters():
            mean, std = (1.0, 0.2) if "norm" in name else (0.0, 0.2)
            weight.copy_(torch.normal(mean, std, weight.shape).bfloat16().double())
    # The library computes angles and norms in f32.
    llama.model.rotary_emb.forward = angles
    LlamaRMSNorm.forward = norm
    return llama


def norm(self, x):
    return torch.nn.functional.rms_norm(x, self.weight.shape, self.weight, self.variance_epsilon)


def angles(x, position_ids):
    size = 8
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angle = position_ids[:, :, None].double() * frequency
    angle = torch.cat((angle, angle), dim=-1)
    return angle.cos(), angle.sin()


def pieces(text, step):
    starts = [1000 * step + 500 * i for i in range(PIECES)]
    return torch.stack([text[start : start + LETTERS + 1] for start in starts])


def losses(llama):
    text = gzip.open(FOLDER / "../../examples/data/new_testament.txt.gz").read()
    text = torch.tensor(list(text), dtype=torch.int64)
    optimizer = torch.optim.AdamW(llama.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    found = []
    for step in range(STEPS):
        batch = pieces(text, step)
        logits = llama(batch[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(llama.parameters(), 1.0)
        optimizer.step()
        found.append(loss.detach())
    return torch.stack(found)


torch.manual_seed(0)
llama = model()
tokens = torch.randint(0, 128, (2, 16))
state = {name: weight.detach().bfloat16() for name, weight in llama.named_parameters()}
save_file(state, FOLDER / "llama.safetensors", metadata={"format": "pt"})
with torch.no_grad():
    results = {"tokens": tokens, "logits": llama(tokens).logits}
results["losses"] = losses(llama)
save_file(results, FOLDER / "llama_results.safetensors")
print(results["losses"])
