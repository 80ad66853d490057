"""Cases of the ops of examples/gallery, written with PyTorch's operations as the papers have them."""

import math

import torch
import torch.nn.functional as F

from case import Case, tensor


def numbers(*shape, start=0, scale=1.0):
    """Numbers without a pattern, of few digits, all different."""
    count = math.prod(shape)
    values = [scale * round(1.9 * math.sin(1.7 * (i + start) + 0.3 * ((i + start) % 7)), 3) for i in range(count)]
    return tensor(values).reshape(shape)


def axial_rotary(x):
    """Channels as complex numbers, which turn."""
    *_, h, w, channels = x.shape
    f = channels // 4
    frequency = 100.0 ** (-torch.arange(f, dtype=x.dtype) / f)
    rows = torch.arange(h, dtype=x.dtype)[:, None, None] * frequency
    columns = torch.arange(w, dtype=x.dtype)[None, :, None] * frequency
    angle = torch.cat([rows.expand(h, w, f), columns.expand(h, w, f)], -1)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], 2 * f, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).reshape(x.shape)


def gated_attention(q, k, v, gate):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True) * torch.sigmoid(gate)


def differential_attention(q, k, v, factor):
    (q1, q2), (k1, k2) = q.chunk(2, -1), k.chunk(2, -1)
    first, second = (F.scaled_dot_product_attention(*pair, v, is_causal=True) for pair in ((q1, k1), (q2, k2)))
    return first - factor * second


def sigmoid_attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.tril(torch.sigmoid(scores - math.log(k.shape[-2]))) @ v


def dynamic_tanh(x, alpha, gamma, beta):
    return torch.tanh(alpha * x) * gamma + beta


def mamba2(x, dt, a, key, query):
    """A loop over tokens. The state has heads, channels and `n`."""
    state, results = torch.zeros(x.shape[0], *x.shape[2:], key.shape[-1], dtype=x.dtype), []
    for t in range(x.shape[1]):
        step = dt[:, t, :, None, None]
        state = torch.exp(step * a[:, None, None]) * state + step * x[:, t, :, :, None] * key[:, t, None, None, :]
        results.append((state * query[:, t, None, None, :]).sum(-1))
    return torch.stack(results, 1)


def rwkv6(query, key, value, decay, bonus):
    """A loop over tokens, as in the paper: the result reads the state before it decays."""
    state, results = torch.zeros(query.shape[0], query.shape[-1], value.shape[-1], dtype=query.dtype), []
    for t in range(query.shape[1]):
        new = key[:, t, :, None] * value[:, t, None, :]
        results.append((query[:, t, None, :] @ (state + bonus[:, None] * new))[:, 0])
        state = torch.exp(-torch.exp(decay[:, t]))[:, :, None] * state + new
    return torch.stack(results, 1)


def fourier_mixing(x):
    return torch.fft.fft2(x).real


def sparsemax(x):
    """The threshold by bisection, and a last step that is differentiated."""
    low, high = x.max(-1, keepdim=True).values - 1, x.max(-1, keepdim=True).values
    for _ in range(80):
        middle = (low + high) / 2
        is_low = torch.clamp(x - middle, min=0).sum(-1, keepdim=True) > 1
        low, high = torch.where(is_low, middle, low), torch.where(is_low, high, middle)
    kept = (x > low).detach()
    threshold = ((x * kept).sum(-1, keepdim=True) - 1) / kept.sum(-1, keepdim=True)
    return torch.clamp(x - threshold, min=0)


def entmax15(x):
    """The threshold by bisection, and a step of Newton's method, whose derivative is that of the threshold."""
    half = x / 2
    low, high = half.max(-1, keepdim=True).values - 1, half.max(-1, keepdim=True).values
    for _ in range(80):
        middle = (low + high) / 2
        is_low = torch.clamp(half - middle, min=0).square().sum(-1, keepdim=True) > 1
        low, high = torch.where(is_low, middle, low), torch.where(is_low, high, middle)
    low = low.detach()
    over = torch.clamp(half - low, min=0)
    threshold = low + (over.square().sum(-1, keepdim=True) - 1) / (2 * over.sum(-1, keepdim=True).detach())
    return torch.clamp(half - threshold, min=0).square()


def sinkhorn_step(cost, log_a, log_b, g):
    eps = 0.05
    f = eps * (log_a - torch.logsumexp((g[None, :] - cost) / eps, 1))
    return f, eps * (log_b - torch.logsumexp((f[:, None] - cost) / eps, 0))


def focal_loss(logits, target):
    entropy = F.cross_entropy(logits, target, reduction="none")
    return (1 - torch.exp(-entropy)) ** 2 * entropy


def simpo_loss(chosen, rejected, chosen_mask, rejected_mask):
    def average(x, mask):
        return (x * mask).sum(1) / mask.sum(1)

    return -F.logsigmoid(2.0 * (average(chosen, chosen_mask) - average(rejected, rejected_mask)) - 0.5)


def dapo_loss(policy, old, rewards, mask):
    advantage = ((rewards - rewards.mean()) / (rewards.std(correction=0) + 1e-4))[:, None]
    ratio = torch.exp(policy - old)
    gain = torch.minimum(ratio * advantage, torch.clamp(ratio, 0.8, 1.28) * advantage)
    return -(gain * mask).sum() / mask.sum()


def vector_quantize(x, codebook):
    code = torch.cdist(x, codebook).argmin(1).detach()
    nearest = codebook[code]
    loss = F.mse_loss(nearest, x.detach(), reduction="none") + 0.25 * F.mse_loss(x, nearest.detach(), reduction="none")
    return x + (nearest - x).detach(), code, loss.mean(1)


def k_means_step(x, centers):
    nearest = torch.cdist(x, centers).argmin(1)
    means = [x[nearest == i].mean(0) if (nearest == i).any() else centers[i] for i in range(len(centers))]
    return torch.stack(means)


def render_distances(distance, step, colour):
    """VolSDF's density, and the sum over samples as NeRF writes it."""
    beta = 0.1
    density = (0.5 + 0.5 * torch.sign(-distance) * -torch.expm1(-distance.abs() / beta)) / beta
    alpha = 1 - torch.exp(-density * step)
    light = torch.cumprod(torch.cat([torch.ones_like(alpha[..., :1]), 1 - alpha[..., :-1]], -1), -1)
    return ((light * alpha)[..., None, :] * colour).sum(-1)


def kan_layer(x, spline, weight):
    """The basis by the recursion of Cox and de Boor."""
    cells = spline.shape[1] - 3
    knots = torch.arange(-3, cells + 4, dtype=x.dtype) * (2 / cells) - 1
    x_ = x[:, :, None]
    basis = ((x_ >= knots[:-1]) & (x_ < knots[1:])).to(x.dtype)
    for k in range(1, 4):
        left = (x_ - knots[: -k - 1]) / (knots[k:-1] - knots[: -k - 1]) * basis[:, :, :-1]
        right = (knots[k + 1 :] - x_) / (knots[k + 1 :] - knots[1:-k]) * basis[:, :, 1:]
        basis = left + right
    return torch.einsum("big,igo->bo", basis, spline) + F.silu(x) @ weight


def gravity(x, mass):
    """Newton's law, pair by pair."""
    results = []
    for i in range(len(mass)):
        away = x - x[:, i : i + 1]
        squares = away.square().sum(0) + 0.1**2
        results.append((mass * away / (squares * squares.sqrt())).sum(1))
    return torch.stack(results, 1)


def gray_scott(x):
    """The stencil as a convolution that goes around."""
    kernel = tensor([[0, 1, 0], [1, -4, 1], [0, 1, 0]])[None, None]
    around = F.conv2d(F.pad(x[:, None], (1, 1, 1, 1), mode="circular"), kernel)[:, 0]
    u, v = x
    eaten = u * v * v
    return torch.stack([u + 0.16 * around[0] + 0.037 * (1 - u) - eaten, v + 0.08 * around[1] + eaten - 0.097 * v])


def cases():
    mask = tensor([[1, 1, 0, 1], [1, 0, 0, 0]])
    target = torch.tensor([2, 0, 1])
    # Where terms cancel, the rest is as wrong as the terms: these have an absolute part.
    sums = {"af": 1e-13, "ag": 1e-11}
    return [
        Case("axial_rotary", axial_rotary, numbers(2, 3, 8), **sums),
        Case("gated_attention", gated_attention, *(numbers(2, 4, 3, start=i) for i in range(4)), **sums),
        Case("differential_attention", differential_attention, numbers(4, 6), numbers(4, 6, start=5), numbers(4, 3, start=9), tensor(0.7), **sums),
        Case("sigmoid_attention", sigmoid_attention, *(numbers(2, 4, 3, start=i) for i in range(3)), **sums),
        Case("dynamic_tanh", dynamic_tanh, numbers(3, 4), tensor(0.6), numbers(4, start=2), numbers(4, start=3), **sums),
        Case("mamba2", mamba2, numbers(1, 5, 2, 2), numbers(1, 5, 2, start=1).abs(), -numbers(2, start=2).abs(), numbers(1, 5, 3, start=3), numbers(1, 5, 3, start=4), **sums),
        Case("rwkv6", rwkv6, *(numbers(2, 5, 3, start=i) for i in range(4)), numbers(3, start=9), **sums),
        Case("fourier_mixing", fourier_mixing, numbers(2, 5, 6), **sums),
        Case("sparsemax", sparsemax, numbers(4, 5), **sums),
        Case("entmax15", entmax15, numbers(4, 5), **sums),
        Case("sinkhorn_step", sinkhorn_step, numbers(3, 4, scale=0.2), numbers(3, start=1), numbers(4, start=2), numbers(4, start=3, scale=0.1), **sums),
        Case("focal_loss", focal_loss, numbers(3, 4), target, **sums),
        Case("simpo_loss", simpo_loss, numbers(2, 4), numbers(2, 4, start=3), mask, mask.flip(1), grad=[0, 1], **sums),
        Case("dapo_loss", dapo_loss, numbers(2, 4, scale=0.2), numbers(2, 4, start=3, scale=0.2), tensor([1, 0.25]), mask, grad=[0], **sums),
        Case("render_distances", render_distances, numbers(2, 5, scale=0.1), numbers(2, 5, start=2, scale=0.1).abs(), numbers(2, 3, 5, start=3), **sums),
        Case("kan_layer", kan_layer, numbers(3, 2, scale=0.5), numbers(2, 7, 2, start=1), numbers(2, 2, start=2), **sums),
        Case("gravity", gravity, numbers(3, 5), numbers(5, start=2).abs(), **sums),
        Case("gray_scott", gray_scott, numbers(2, 4, 5).abs(), **sums),
        Case("k_means_step", k_means_step, numbers(9, 2), tensor([[-1, 0.25], [0.5, 1], [9, 9]]), **sums),
        Case("vector_quantize", vector_quantize, numbers(5, 3), numbers(4, 3, start=4), **sums),
    ]
