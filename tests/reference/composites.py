"""Cases of whole ops, as their users would declare them."""

import math

import torch
import torch.nn.functional as F

from case import F64, Case


def normal(generator, *shape):
    """Values of three decimals, so that the file stays small."""
    return torch.round(torch.randn(shape, generator=generator, dtype=F64) * 1000) / 1000


def rms_norm(x, gamma):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gamma


def add_rms_norm(x, residual, gamma):
    s = x + residual
    return rms_norm(s, gamma), s


def layer_norm(x, gamma, beta):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps=1e-5)


def attention(q, k, v):
    return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1) @ v


def group_norm(x, gamma, beta):
    return F.group_norm(x, 2, gamma, beta, eps=1e-5)


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def matmul_add_relu(a, b, c):
    return F.relu(a @ b + c)


def cross_entropy(logits, target):
    return F.cross_entropy(logits, target, reduction="none")


def cases():
    g = torch.Generator().manual_seed(7)
    n = lambda *shape: normal(g, *shape)
    ids = torch.tensor([[1, 3, 1], [5, 1, 0]])
    # Sums of a few products of order one cancel to this.
    near = {"af": 1e-14, "ag": 1e-13}
    return [
        Case("silu_mul", lambda x, gate: x * F.silu(gate), n(3, 5), n(3, 5), **near),
        Case("silu_mul", lambda x, gate: x * F.silu(gate), n(2, 1, 4), n(3, 1), **near),
        Case("rms_norm", rms_norm, n(3, 5), n(5), **near),
        Case("rms_norm", rms_norm, n(2, 2, 3), n(3), **near),
        Case("add_rms_norm", add_rms_norm, n(3, 5), n(3, 5), n(5), **near),
        Case("layer_norm", layer_norm, n(3, 5), n(5), n(5), **near),
        Case("layer_norm", layer_norm, n(2, 2, 3), n(3), n(3), **near),
        Case("cross_entropy", cross_entropy, n(4, 5), torch.tensor([2, 0, 4, 2]), **near),
        Case("embedding", lambda w, i: w[i], n(6, 4), ids, **near),
        Case("pick", lambda x, i: x.gather(1, i[:, None])[:, 0], n(3, 4), torch.tensor([3, 0, 3]), **near),
        Case("matmul", torch.matmul, n(3, 4), n(4, 5), **near),
        Case("matmul", torch.matmul, n(2, 3, 4), n(2, 4, 5), **near),
        Case("matmul", torch.matmul, n(2, 1, 3, 4), n(3, 4, 2), **near),
        Case("matmul_nt", lambda a, b: a @ b.T, n(3, 4), n(5, 4), **near),
        Case("matmul_tn", lambda a, b: a.T @ b, n(4, 3), n(4, 5), **near),
        Case("outer", torch.outer, n(3), n(4), **near),
        Case("dot", torch.dot, n(7), n(7), **near),
        Case("matmul_add_relu", matmul_add_relu, n(3, 4), n(4, 5), n(5), **near),
        Case("matmul_add_relu", matmul_add_relu, n(2, 3, 4), n(4, 5), n(5), **near),
        Case("matmul_add_relu", matmul_add_relu, n(2, 3, 4), n(2, 4, 5), n(5), **near),
        Case("attention", attention, n(4, 3), n(5, 3), n(5, 2), **near),
        Case("attention", attention, n(2, 2, 3, 4), n(2, 2, 5, 4), n(2, 2, 5, 2), **near),
        Case("group_norm", group_norm, n(2, 6, 2, 3), n(6), n(6), **near),
        Case("rotary", rotary, n(2, 3, 6), n(3, 3), n(3, 3), **near),
        Case("iota", lambda x: x * torch.arange(x.shape[-1]), n(2, 5)),
        Case("len", lambda x: x / x.shape[-1], n(2, 5)),
    ]
