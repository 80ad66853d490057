"""The formulas of `declarations.py`, compiled by PyTorch: reads requests, prints times and sums.

Usage: python3 benches/families/pytorch.py DEVICE THREADS [compile]

A request is a line `NAME DTYPE CONTENT:SHAPE ...`; the answer is a line with the milliseconds of the op and of a
step, and for each result and each gradient the sum of its elements and of their absolute values. With `compile`
times are left out, so that several processes can fill the cache of compiled kernels first.
"""

import sys
import time

import torch

import declarations

PRIME = 2**31 - 1
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}


def pseudo_random(count, seed, device):
    index = torch.arange(count, dtype=torch.int64, device=device)
    first = (index * 16_807 + seed * 7_919 + 12_345) % PRIME
    second = (first * first + 48_271) % PRIME
    return second * second % PRIME


def argument(at, word, dtype, device):
    content, shape = word.split(":")
    shape = [int(size) for size in shape.split(",")]
    count = 1
    for size in shape:
        count *= size
    numbers = pseudo_random(count, at, device)
    if content == "float":
        unit = (numbers.double() / PRIME * 2 - 1).float().to(dtype)
        return unit.reshape(shape).requires_grad_()
    if content == "bool":
        return (numbers % 2 == 1).reshape(shape)
    return (numbers % int(content)).reshape(shape)


class Clock:
    def __init__(self, device):
        self.device = device
        self.calls = 1 if device == "cpu" else 5

    def sync(self):
        if self.device != "cpu":
            torch.cuda.synchronize()

    def median(self, call):
        """The median of several times after two, in milliseconds for a call."""
        times = []
        for _ in range(9):
            self.sync()
            start = time.perf_counter()
            for _ in range(self.calls):
                call()
            self.sync()
            times.append((time.perf_counter() - start) * 1e3 / self.calls)
        return sorted(times[2:])[3]


def measure(line, device, times):
    name, dtype, *words = line.split()
    args = [argument(at, word, DTYPES[dtype], device) for at, word in enumerate(words)]
    tracked = [arg for arg in args if arg.requires_grad]
    torch.compiler.reset()
    function = torch.compile(getattr(declarations, name), dynamic=False)

    def forward():
        with torch.no_grad():
            return function(*args)

    results = forward()
    seeds = [torch.ones_like(result) for result in results]

    def step():
        return torch.autograd.grad(function(*args), tracked, seeds)

    gradients = step()
    sums = [f"{found.double().sum().item()!r} {found.double().abs().sum().item()!r}" for found in [*results, *gradients]]
    del results, gradients
    clock = Clock(device)
    figures = [str(clock.median(call)) for call in (forward, step)] if times else []
    return " ".join(figures + sums)


def main():
    device, threads, *rest = sys.argv[1:]
    torch.set_num_threads(int(threads))
    for line in sys.stdin:
        try:
            print(measure(line, device, times=rest != ["compile"]), flush=True)
        except Exception as error:  # one formula that PyTorch can't compile is a line, not the end
            print("error", " ".join(str(error).split())[:200], flush=True)
        if device != "cpu":
            torch.cuda.empty_cache()


main()
