"""The model of `examples/gpt` in PyTorch: prints letters a second of the training and of writing one text, the milliseconds a
letter of this text, letters a second of 16 texts, and the memory of the training in MiB, one number a line.

Usage: python3 benches/gpt/pytorch.py [DEVICE [THREADS]]
"""

import gzip
import sys
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, WIDTH, HIDDEN, LAYERS, HEADS, GROUPS, DROPOUT = 128, 128, 352, 4, 4, 2, 0.05
SIZE = WIDTH // HEADS
BATCH, LENGTH, STEPS, LETTERS = 16, 128, 30, 200
TEXT = Path(__file__).parent / "../../examples/data/new_testament.txt.gz"


def rotary(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm = nn.RMSNorm(WIDTH, eps=1e-6)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, GROUPS * SIZE, bias=False)
        self.value = nn.Linear(WIDTH, GROUPS * SIZE, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)
        self.network_norm = nn.RMSNorm(WIDTH, eps=1e-6)
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x, cos, sin, cache):
        b, t, _ = x.shape
        y = self.attention_norm(x)
        query = rotary(self.query(y).view(b, t, HEADS, SIZE).transpose(1, 2), cos, sin)
        key = rotary(self.key(y).view(b, t, GROUPS, SIZE).transpose(1, 2), cos, sin)
        value = self.value(y).view(b, t, GROUPS, SIZE).transpose(1, 2)
        if cache is not None:
            if cache:
                key, value = torch.cat((cache[0], key), 2), torch.cat((cache[1], value), 2)
            cache[:] = key, value
        found = F.scaled_dot_product_attention(query, key, value, is_causal=t > 1, enable_gqa=True)
        x = x + F.dropout(self.output(found.transpose(1, 2).reshape(b, t, WIDTH)), DROPOUT, self.training)
        y = self.network_norm(x)
        return x + F.dropout(self.down(F.silu(self.gate(y)) * self.up(y)), DROPOUT, self.training)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-6)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, 0.0, 0.02)

    def forward(self, tokens, caches=None):
        past = caches[0][0].shape[2] if caches and caches[0] else 0
        positions = torch.arange(past, past + tokens.shape[1], device=tokens.device).float()
        frequencies = 10000.0 ** (-torch.arange(SIZE // 2, device=tokens.device).float() * 2 / SIZE)
        angles = positions[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()
        x = self.table(tokens)
        for i, block in enumerate(self.blocks):
            x = block(x, cos, sin, None if caches is None else caches[i])
        return F.linear(self.norm(x), self.table.weight)


def resident(what):
    for line in open("/proc/self/status"):
        if line.startswith(what):
            return float(line.split()[1]) / 1024
    return float("nan")


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def train(model, text, device):
    compiled = torch.compile(model)
    fused = device == "cuda"
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=fused)

    def step():
        starts = torch.randint(0, len(text) - LENGTH - 1, (BATCH, 1), device=device)
        batch = text[starts + torch.arange(LENGTH + 1, device=device)]
        logits = compiled(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()

    for _ in range(5):
        step()
    wait(device)
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    wait(device)
    return STEPS * BATCH * LENGTH / (time.perf_counter() - start)


@torch.no_grad()
def write(model, texts, letters, is_read, device):
    tokens = torch.tensor([list(b"And Jesus said")] * texts, device=device)
    caches, written = [[] for _ in range(LAYERS)], []
    wait(device)
    start = time.perf_counter()
    for _ in range(letters):
        logits = model(tokens, caches)[:, -1:] / 0.8
        noise = -torch.log(-torch.log(torch.rand_like(logits)))
        tokens = torch.argmax(logits + noise, dim=-1)
        if is_read:
            tokens.tolist()
        written.append(tokens)
    torch.cat(written, 1).tolist()
    return texts * letters / (time.perf_counter() - start)


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    if len(sys.argv) > 2:
        torch.set_num_threads(int(sys.argv[2]))
    torch.manual_seed(0)
    text = torch.tensor(list(gzip.open(TEXT).read()), device=device)
    before = resident("VmRSS")
    model = Gpt().to(device)
    print(train(model, text, device))
    memory = resident("VmHWM") - before
    model.eval()
    write(model, 1, 20, True, device)
    rate = write(model, 1, LETTERS, True, device)
    print(rate, 1000 / rate, sep="\n")
    write(model, 16, 20, False, device)
    print(write(model, 16, LETTERS, False, device))
    print(memory)


main()
