"""Cases of derivatives of the first three orders, mixed ones included.

The gradients of a case, one per float input, weighted by the seeds and summed, are what the next order differentiates.
"""

import torch

from case import Case, seed_like, tensor
from composites import attention, matmul_add_relu, normal, rms_norm
from elementwise import SINC, gelu, sinc
from reductions import prod

ORDERS = 3

LAYER_NORM = "as a formula under torch autograd; the third order of torch's own takes mean and deviation for constants"

# One zero, two, three, four, zeros of both signs, none.
ZEROS = tensor([
    [2.0, 0.0, 3.0, -1.5, 0.5], [0.0, 2.0, 0.0, -0.5, 3.0], [0.0, 1.5, 0.0, 2.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 3.0], [-0.0, 0.0, 4.0, -2.0, 1.5], [1.25, -2.0, 3.0, 0.5, -1.0],
])


def layer_norm(x, gamma, beta):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * gamma + beta


class Orders(Case):
    """Has as outputs the gradients of the first order, then those of the second and third; its seeds are that of `f` and the weights
    of the inputs' gradients."""

    def __init__(self, name, f, *inputs, rg=1e-9, ag=1e-13, note=None):
        super().__init__(name, f, *inputs, rf=rg, af=ag, note=note)
        tracked = [t for t in self.inputs if t.requires_grad]
        weights = [seed_like(t, 2 * i + 1) for i, t in enumerate(tracked)]
        self.seeds = [seed_like(self.outputs[0])] + weights
        value, found = (f(*self.inputs) * self.seeds[0]).sum(), []
        for _ in range(ORDERS):
            gradients = self.differentiate(value, tracked)
            found += gradients
            value = sum((g * w).sum() for g, w in zip(gradients, weights))
        self.outputs, self.gradients = found, [None]

    def differentiate(self, value, tracked):
        if not value.requires_grad:
            return [torch.zeros_like(t) for t in tracked]
        found = torch.autograd.grad(value, tracked, create_graph=True, allow_unused=True)
        return [torch.zeros_like(t) if g is None else g for g, t in zip(found, tracked)]


def cases():
    g = torch.Generator().manual_seed(11)
    n = lambda *shape: normal(g, *shape)
    bases, exponents = tensor([0.5, 1.0, 2.5, 3.0, 0.125]), tensor([2.0, 0.5, -1.5, 3.0, 1.0])
    return [
        Orders("silu_mul", lambda x, gate: x * torch.nn.functional.silu(gate), n(2, 3), n(3)),
        Orders("gelu", gelu, n(7)),
        Orders("tanh", torch.tanh, n(7)),
        Orders("sinc", sinc, tensor([0.0, 1e-9, -1e-4, 0.1, 0.5, -0.501, 1.0, 7.3]), note=SINC),
        Orders("sigmoid", torch.sigmoid, n(7)),
        Orders("softmax_row", lambda x: torch.softmax(x, 1), n(2, 4)),
        Orders("log_softmax_col", lambda x: torch.log_softmax(x, 0), n(3, 2)),
        Orders("logsumexp_row", lambda x: torch.logsumexp(x, 1), n(2, 4)),
        Orders("rms_norm", rms_norm, n(2, 4), n(4)),
        Orders("layer_norm", layer_norm, n(2, 4), n(4), n(4), note=LAYER_NORM),
        Orders("std1_row", lambda x: torch.std(x, 1, correction=1), n(2, 4)),
        Orders("norm_row", lambda x: torch.sqrt((x * x).sum(1)), n(2, 4)),
        Orders("hypot", lambda a, b: torch.sqrt(a * a + b * b), n(5), n(5)),
        Orders("logaddexp", lambda a, b: torch.log(torch.exp(a) + torch.exp(b)), n(5), n(5)),
        Orders("matmul_add_relu", matmul_add_relu, n(2, 3), n(3, 2), n(2)),
        Orders("attention", attention, n(2, 3), n(4, 3), n(4, 2)),
        Orders("pow", torch.pow, bases, exponents),
        Orders("prod_row", lambda x: prod(x, (1,)), ZEROS),
        Orders("prod_col", lambda x: prod(x, (0,)), ZEROS[:, :3].contiguous()),
        Orders("prod_all", lambda x: prod(x, (0, 1)), ZEROS[1:3, :2].contiguous()),
        Orders("prod_all", lambda x: prod(x, (0, 1)), ZEROS[:2, 1:3].contiguous()),
    ]
