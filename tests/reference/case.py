"""One reference case: runs a function under autograd and prints inputs, outputs and gradients as a line."""

import torch

F64 = torch.float64
SEEDS = [1.0, -0.5, 2.0, 0.25, -1.5, 3.0, -0.75, 0.5, 1.25, -2.0, 0.125]


def tensor(values):
    return torch.tensor(values, dtype=F64)


def seed_like(out, start=0):
    """An output gradient with no symmetry, of few digits."""
    picks = [SEEDS[(start + i) % len(SEEDS)] for i in range(out.numel())]
    return tensor(picks).reshape(out.shape)


def number(value, kind):
    if kind == "f":
        text = repr(float(value))
        return text[:-2] if text.endswith(".0") else text
    return str(int(value))


def show(t):
    if t is None:
        return "-"
    t = t.detach()
    kind = "f" if t.is_floating_point() else "b" if t.dtype == torch.bool else "i"
    shape = ",".join(str(n) for n in t.shape)
    return " ".join([f"{kind}[{shape}]"] + [number(v, kind) for v in t.reshape(-1).tolist()])


class Case:
    """`f(*inputs)` gives a tensor or a tuple. Float inputs are differentiated, unless `grad` is false; if it is a
    list, those at its places are.

    Tolerances: relative and absolute, forward and gradient; the absolute ones cover subnormals by default, and what
    cancels where a case says more. A note says where the values are not those of torch's own function of that name.
    """

    def __init__(self, name, f, *inputs, rf=1e-12, af=1e-300, rg=1e-9, ag=1e-300, grad=True, note=None):
        self.name, self.tolerances, self.note = name, (rf, af, rg, ag), note
        self.inputs = [t.detach().clone() for t in inputs]
        places = range(len(inputs)) if grad is True else grad or ()
        tracked = [t for i, t in enumerate(self.inputs) if t.is_floating_point() and i in places]
        for t in tracked:
            t.requires_grad_()
        outputs = f(*self.inputs)
        self.outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        self.seeds, self.gradients = [None] * len(self.outputs), [None] * len(self.inputs)
        floats = [out for out in self.outputs if out.is_floating_point()]
        if tracked and all(out.requires_grad for out in floats):
            self.seeds = [seed_like(out, 3 * i) if out.requires_grad else None for i, out in enumerate(self.outputs)]
            seeds = [seed for seed in self.seeds if seed is not None]
            found = iter(torch.autograd.grad(floats, tracked, seeds))
            self.gradients = [next(found) if t.requires_grad else None for t in self.inputs]

    def line(self):
        parts = [self.name, " ".join(f"{t:g}" for t in self.tolerances)]
        for tensors in (self.inputs, self.seeds, self.outputs, self.gradients):
            parts.append("; ".join(show(t) for t in tensors))
        note = f"# {self.name}: {self.note}\n" if self.note else ""
        return note + " | ".join(parts)
