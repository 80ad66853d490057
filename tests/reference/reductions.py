"""Cases of the reductions: over rows (`_row`: the last dim), columns (`_col`: the first) and both (`_all`) of matrices."""

import math

import torch

from case import Case, tensor

INF, NAN = math.inf, math.nan

PLAIN = tensor([[0.3, -1.2, 2.5, 0.7, 1.9], [-0.4, 1.1, -2.2, 3.3, -0.6], [5.0, 4.5, -7.25, 0.125, 0.01], [-3.0, -2.0, -1.0, -4.0, -2.5]])
TIES = tensor([[1.0, 3.0, 3.0, -2.0], [0.0, 0.0, 0.0, 0.0], [2.0, -2.0, 2.0, -2.0], [-1.5, 1.0, 1.0, 1.0]])
ZEROS = tensor([[0.0, 2.0, 3.0], [1.5, 0.0, 0.0], [4.0, 2.0, -0.5], [0.0, 0.0, 0.0], [-0.0, 1.0, 2.0]])
CONSTANT = tensor([[2.5, 2.5, 2.5, 2.5], [-1.0, -1.0, -1.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
LIMITS = tensor([[INF, 1.0, 2.0], [-INF, 1.0, 2.0], [INF, -INF, 0.5], [INF, INF, 1.0], [NAN, 1.0, 5.0], [3.0, NAN, INF], [-INF, -INF, -INF]])
# Without cancellation: the order of a sum is not specified.
LARGE = tensor([[1000.0, 999.0, 0.0], [-1000.0, -1001.0, -1000.5], [1e150, 3e149, 1e140]])
SINGLE = tensor([[0.7], [-2.0], [0.0]])
FLAGS = torch.tensor([[True, True, True], [False, True, False], [False, False, False]])

DIMS = {"row": (1,), "col": (0,), "all": (0, 1)}


def prod(x, dims):
    for dim in sorted(dims, reverse=True):
        x = torch.prod(x, dim)
    return x


def std(x, dims, correction):
    return torch.std(x, dims, correction=correction)


def arg(f):
    return lambda x, dims: f(x) if len(dims) == 2 else f(x, dims[0])


def folds():
    """Name, function, matrices and tolerances."""
    sums = [PLAIN, TIES, ZEROS, CONSTANT, LIMITS, LARGE, SINGLE]
    finite = [PLAIN, TIES, CONSTANT, SINGLE]
    cancel = {"af": 1e-14, "ag": 1e-14}
    return [
        ("sum", lambda x, d: torch.sum(x, d), sums, {"af": 1e-14}),
        ("mean", lambda x, d: torch.mean(x, d), sums, {"af": 1e-14}),
        ("prod", prod, [PLAIN, TIES, ZEROS, CONSTANT, SINGLE], {}),
        ("max", lambda x, d: torch.amax(x, d), sums, {}),
        ("min", lambda x, d: torch.amin(x, d), sums, {}),
        ("argmax", arg(torch.argmax), sums, {"grad": False}),
        ("argmin", arg(torch.argmin), sums, {"grad": False}),
        ("logsumexp", lambda x, d: torch.logsumexp(x, d), finite + [ZEROS, LIMITS, LARGE], {"ag": 1e-18}),
        # Centred values cancel in rows that are constant.
        ("var0", lambda x, d: torch.var(x, d, correction=0), finite + [ZEROS], cancel),
        ("var1", lambda x, d: torch.var(x, d, correction=1), [PLAIN, TIES, CONSTANT], cancel),
        ("std0", lambda x, d: std(x, d, 0), finite + [ZEROS], cancel),
        ("std1", lambda x, d: std(x, d, 1), [PLAIN, TIES, CONSTANT], cancel),
        ("norm", lambda x, d: torch.linalg.vector_norm(x, dim=d), finite + [ZEROS], {}),
    ]


def cases():
    found = []
    for name, f, matrices, options in folds():
        for side, dims in DIMS.items():
            for x in matrices if side == "row" else matrices[:3]:
                found.append(Case(f"{name}_{side}", lambda x, f=f, dims=dims: f(x, dims), x, **options))
    for name, f in [("any", torch.any), ("all", torch.all)]:
        found.append(Case(f"{name}_row", lambda x, f=f: f(x, 1), FLAGS))
        found.append(Case(f"{name}_col", lambda x, f=f: f(x, 0), FLAGS))
        found.append(Case(f"{name}_all", lambda x, f=f: f(x), FLAGS))
    for x in [PLAIN, TIES, CONSTANT, ZEROS, LIMITS, LARGE, SINGLE]:
        for side, dim in [("row", 1), ("col", 0)]:
            # seed - sum(seed * out) cancels.
            found.append(Case(f"softmax_{side}", lambda x, dim=dim: torch.softmax(x, dim), x, ag=1e-15))
            found.append(Case(f"log_softmax_{side}", lambda x, dim=dim: torch.log_softmax(x, dim), x, af=1e-15, ag=1e-15))
    return found
