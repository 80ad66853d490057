#!/usr/bin/env python3
"""Makes samples of linear algebra and Fourier transforms from PyTorch's OpInfo: python tests/opinfo/make.py FOLDER

The form is that of the other samples: one safetensors file for each operator, whose metadata list the samples. At most
16 samples an operator, in f64, with gradients of the results weighted by seeds. Complex tensors are pairs of floats in
a last axis. Results whose signs are free are replaced by what is defined: see `DEFINED`.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.testing._internal.common_methods_invocations import op_db

MOST_SAMPLES, MOST_EMPTY, MOST_ELEMENTS = 16, 4, 500

# The operators, and what is compared of their results.
DEFINED = {
    "cholesky": None,
    "cholesky_solve": None,
    "fft.fft": None,
    "fft.fftshift": None,
    "fft.ifft": None,
    "fft.ifftshift": None,
    "fft.irfft": None,
    "fft.rfft": None,
    "linalg.cholesky": None,
    "linalg.det": None,
    "linalg.eigh": lambda values, vectors: (values, vectors.abs()),
    "linalg.eigvalsh": None,
    "linalg.inv": None,
    "linalg.lstsq": lambda solution, *_: (solution,),
    "linalg.matrix_norm": None,
    "linalg.pinv": None,
    "linalg.qr": lambda q, r: (q @ r, q.abs(), r.abs()),
    "linalg.slogdet": None,
    "linalg.solve": None,
    "linalg.solve_triangular": None,
    "linalg.svd": lambda u, s, vh: (u.abs(), s, vh.abs()),
    "linalg.svdvals": None,
}

# Arguments that would choose something else than the function has.
KWARGS = {"linalg.lstsq": {"driver": "gelsd"}, "linalg.svd": {"full_matrices": False}, "linalg.qr": {"mode": "reduced"}}


def symmetric(x):
    return (x + x.mT) / 2


def few(x):
    return x[:2] if x.dim() == 3 else x


def triangles(b, l, upper=False):
    """PyTorch's gradient has numbers also in the triangle that is not read."""
    return torch.cholesky_solve(b, l.triu() if upper else l.tril(), upper=upper)


CALLED = {"cholesky_solve": triangles}
PREPARED = {"linalg.eigh": symmetric, "linalg.eigvalsh": symmetric}
PREPARED |= {name: few for name in DEFINED if name.startswith("fft.")}


def real(value):
    return torch.view_as_real(value.resolve_conj()) if torch.is_complex(value) else value


class Writer:
    def __init__(self):
        self.tensors = {}

    def value(self, name, value):
        if isinstance(value, torch.Tensor):
            stored = real(value.detach()).contiguous().clone()
            self.tensors[name] = stored
            return {"tensor": name, "shape": list(stored.shape), "dtype": str(stored.dtype).removeprefix("torch.")}
        if isinstance(value, (list, tuple)):
            return [self.value(f"{name}.{i}", one) for i, one in enumerate(value)]
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        return {"py": str(value)}


def leaf(x):
    is_float = isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())
    return x.detach().clone().requires_grad_() if is_float else x


def write(writer, n, op, sample):
    """The sample, or None if PyTorch takes it as an error, or gives results that are not finite."""
    prepare = PREPARED.get(op.name, lambda x: x)
    inputs = [leaf(prepare(sample.input)), *[leaf(arg) for arg in sample.args]]
    kwargs = {**{name: leaf(arg) for name, arg in sample.kwargs.items()}, **KWARGS.get(op.name, {})}
    try:
        results = CALLED.get(op.name, op.op)(*inputs, **kwargs)
    except RuntimeError:
        return None
    results = results if isinstance(results, tuple) else (results,)
    defined = DEFINED[op.name]
    results = defined(*results) if defined else results
    floats = [real(result) for result in results]
    torch.manual_seed(n)
    seeds = [torch.randn_like(result) for result in floats]
    every = [*inputs, *kwargs.values()]
    leaves = [x for x in every if isinstance(x, torch.Tensor) and x.requires_grad]
    loss = sum((result * seed).sum() for result, seed in zip(floats, seeds) if result.requires_grad)
    found = torch.autograd.grad(loss, leaves, allow_unused=True) if isinstance(loss, torch.Tensor) else []
    tensors = [*floats, *[gradient for gradient in found if gradient is not None]]
    if not all(torch.isfinite(real(x)).all() for x in tensors):
        return None
    if sum(x.numel() for x in [*tensors, *leaves]) > MOST_ELEMENTS:
        return None
    return {
        "n": n,
        "input": writer.value(f"s{n}.in", inputs[0]),
        "args": [writer.value(f"s{n}.arg.{i}", arg) for i, arg in enumerate(inputs[1:])],
        "kwargs": {name: writer.value(f"s{n}.{name}", arg) for name, arg in kwargs.items()},
        "outputs": [writer.value(f"s{n}.out.{i}", result) for i, result in enumerate(floats)],
        "seeds": [writer.value(f"s{n}.seed.{i}", seed) for i, seed in enumerate(seeds)],
        "grads": [writer.value(f"s{n}.grad.{i}", gradient) for i, gradient in enumerate(found)],
    }


def chosen(op, writer, samples):
    """Samples that differ in shapes or in other arguments, few of them without elements."""
    seen, found, empty = set(), [], 0
    for sample in samples:
        one = write(writer, len(found), op, sample)
        if one is None:
            continue
        is_empty = any(0 in of["shape"] for of in one["outputs"])
        form = json.dumps({**one, "n": 0}).replace(f"s{one['n']}.", "")
        if form in seen or (is_empty and empty == MOST_EMPTY):
            continue
        seen.add(form)
        empty += is_empty
        found.append(one)
    count = min(len(found), MOST_SAMPLES)
    return [found[i * len(found) // count] for i in range(count)]


def save(folder, op, dtype, variant):
    torch.manual_seed(0)
    writer = Writer()
    samples = chosen(op, writer, op.sample_inputs("cpu", dtype, requires_grad=False))
    metadata = {"op": op.name, "variant": variant, "samples": json.dumps(samples)}
    kept = {name: x for name, x in writer.tensors.items() if f'"{name}"' in metadata["samples"]}
    name = f"{op.name} {variant}".strip().replace(".", "_").replace(" ", "_")
    save_file(kept, folder / f"{name}.safetensors", metadata)
    print(f"{name}: {len(samples)} samples")


def main():
    folder = Path(sys.argv[1])
    for op in op_db:
        # There is no pseudoinverse for symmetric matrices only.
        if op.name not in DEFINED or op.variant_test_name == "hermitian":
            continue
        # The transforms that take complex numbers take real ones too.
        takes_complex = op.name in ("fft.fft", "fft.ifft", "fft.irfft")
        save(folder, op, torch.float64, op.variant_test_name)
        if takes_complex:
            save(folder, op, torch.complex128, "complex")


main()
