"""The cases of `case.rs` in PyTorch: prints milliseconds of the forward op and of a step.

Usage: python3 benches/products/pytorch.py [DEVICE [THREADS [highest|high [WORD]]]]
"""

import functools
import sys
import time

import torch
import torch.nn.functional as F
from torch._higher_order_ops.associative_scan import associative_scan
from torch.nn.attention.flex_attention import create_block_mask, flex_attention


def right_transposed(x, y):
    return x @ y.mT


def left_transposed(x, y):
    return x.mT @ y


def linear_gelu(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias))


def swiglu(x, gate, up, down):
    return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)


def full(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def flex(q, k, v, score=None, mask=None, **options):
    """FlexAttention, with the blocks of a mask made once for each size."""
    blocks = mask and blocks_of(mask, q.shape[-2])
    return flex_attention(q, k, v, score_mod=score, block_mask=blocks, **options)


@functools.cache
def blocks_of(mask, size):
    return create_block_mask(mask, None, None, size, size, device="cuda")


def is_causal(b, h, t, s):
    return s <= t


def is_near(b, h, t, s):
    return (s <= t) & (t - s < 512)


def window(q, k, v):
    return flex(q, k, v, mask=is_near)


def with_slope(score, b, h, t, s):
    return score + torch.exp2(-0.5 * (h + 1)) * (s - t)


def alibi(q, k, v):
    return flex(q, k, v, score=with_slope, mask=is_causal)


def capped(q, k, v):
    return flex(q, k, v, score=lambda score, b, h, t, s: 20.0 * torch.tanh(score / 20.0), mask=is_causal)


def grouped(q, k, v):
    return flex(q.flatten(1, 2), k, v, mask=is_causal, enable_gqa=True)


def conv3x3(x, weight):
    return F.conv2d(x, weight, padding=1)


def conv3x3_s2(x, weight):
    return F.conv2d(x, weight, stride=2, padding=1)


def conv1x1(x, weight):
    return F.conv2d(x, weight)


def conv7x7(x, weight):
    return F.conv2d(x, weight, stride=2, padding=3)


def depthwise(x, weight):
    return F.conv2d(x, weight, padding=1, groups=x.shape[1])


def audio(x, weight):
    return F.conv1d(x, weight, padding=4)


def causal_conv(x, weight):
    t = x.shape[2]
    return F.conv1d(x, weight[:, None], padding=weight.shape[1] - 1, groups=x.shape[1])[..., :t]


def max_pool(x, _):
    return F.max_pool2d(x, 3, 2, 1)


def avg_pool(x, _):
    return F.avg_pool2d(x, 2)


def max_pool2x2(x, _):
    return F.max_pool2d(x, 2)


def avg_pool3x3(x, _):
    return F.avg_pool2d(x, 3, 1, 1)


def lp_pool(x, _):
    return F.lp_pool2d(x, 2.0, 2)


def pad(x, _):
    return F.pad(x, (1, 1))


def cumsum(x, _):
    return x.cumsum(-1)


def cumsum_columns(x, _):
    return x.cumsum(0)


def cumprod(x, _):
    return x.cumprod(-1)


def cummax(x, _):
    return x.cummax(-1)[0]


def logcumsumexp(x, _):
    return x.logcumsumexp(-1)


def linear_recurrence(decay, x, dim):
    """PyTorch has no recurrence but as an associative scan, of which it makes kernels by itself."""

    def join(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]

    return associative_scan(join, (decay, x), dim, combine_mode="generic")[1]


def selective(u, delta, a, b, c):
    step = F.softplus(delta)
    decay = torch.exp(-step[..., None] * torch.exp(a))
    h = linear_recurrence(decay, (step * u)[..., None] * b[:, :, None, :], 1)
    return (h * c[:, :, None, :]).sum(-1)


def gated_attention(q, k, v, gate):
    x = k[..., :, None] * v[..., None, :]
    h = linear_recurrence(torch.sigmoid(gate)[..., None].expand_as(x), x, 2)
    return (q[..., None] * h).sum(-2)


def gated_average(x, gate):
    z = torch.sigmoid(gate)
    return F.silu(linear_recurrence(1 - z, z * x, 1))


def running_mean(x, w):
    weight = torch.exp(w)
    return (weight * x).cumsum(0) / weight.cumsum(0)


def copy(x, _):
    return x * 1.5


def sort(x, _):
    return torch.sort(x, dim=-1, stable=True)[0]


def sort_columns(x, _):
    return x.msort()


def topk50(x, _):
    return x.topk(50)[0]


def median(x, _):
    return x.median(-1)[0]


def search(x, edges):
    edges = torch.arange(len(edges), device=x.device) / len(edges) * 2.0 - 1.0
    return x + torch.searchsorted(edges, x.detach())


def ids(u, table):
    return ((u * 1000.0 % 1.0) * len(table)).long().clamp(max=len(table) - 1)


def gather_rows(x, table, u):
    return table[ids(u.detach(), table)]


def segment_sum(x, table, u):
    return torch.zeros_like(table).index_add(0, ids(u.detach(), table), x)


def segment_mean(x, table, u):
    return torch.zeros_like(table).index_reduce(0, ids(u.detach(), table), x, "mean", include_self=False)


def segment_max(x, table, u):
    return torch.zeros_like(table).index_reduce(0, ids(u.detach(), table), x, "amax", include_self=False)


def dropout(x, _):
    return F.dropout(x, 0.1)


def gelu_dropout(x, _):
    return F.dropout(F.gelu(x), 0.1)


def dropout_add_norm(x, residual):
    return F.layer_norm(residual + F.dropout(x, 0.1), x.shape[-1:])


def channel_dropout(x, _):
    return F.dropout2d(x, 0.1)


def noise(x, std):
    return x + std * torch.randn_like(x)


def gumbel(x, _):
    return F.gumbel_softmax(x)


def attention_dropout(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)


def rotary_halves(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def rotary_pairs(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)


def geglu(x, _):
    a, b = x.chunk(2, -1)
    return a * F.gelu(b)


def heads(*shape):
    return [list(shape)] * 3


CASES = [
    (torch.matmul, "f32", [[1024, 1024], [1024, 1024]]),
    (torch.matmul, "f32", [[512, 1024], [1024, 1024]]),
    (torch.matmul, "f32", [[8192, 128], [128, 512]]),
    (torch.matmul, "f32", [[64, 2048], [2048, 2048]]),
    (torch.matmul, "f32", [[16384, 64], [64, 64]]),
    (torch.matmul, "f32", [[64, 16384], [16384, 64]]),
    (torch.matmul, "f32", [[64, 64, 64], [64, 64, 64]]),
    (torch.matmul, "f32", [[256, 32, 32], [256, 32, 32]]),
    (left_transposed, "f32", [[1024, 512], [1024, 1024]]),
    (right_transposed, "f32", [[512, 1024], [1024, 1024]]),
    (torch.matmul, "bf16", [[512, 1024], [1024, 1024]]),
    (right_transposed, "bf16", [[512, 1024], [1024, 1024]]),
    (linear_gelu, "f32", [[512, 1024], [1024, 1024], [1024]]),
    (swiglu, "f32", [[256, 1024], [2816, 1024], [2816, 1024], [1024, 2816]]),
    (full, "f32", heads(4, 16, 128, 64)),
    (full, "f32", heads(1, 8, 1024, 64)),
    (causal, "f32", heads(1, 8, 1024, 64)),
    (full, "f32", heads(1, 2, 4096, 64)),
    (causal, "f32", heads(1, 2, 4096, 64)),
    (causal, "f32", heads(1, 2, 4096, 128)),
    (conv3x3, "f32", [[1, 64, 56, 56], [64, 64, 3, 3]]),
    (conv3x3, "f32", [[8, 256, 14, 14], [256, 256, 3, 3]]),
    (conv3x3_s2, "f32", [[4, 128, 56, 56], [128, 128, 3, 3]]),
    (conv1x1, "f32", [[4, 256, 56, 56], [64, 256, 1, 1]]),
    (conv7x7, "f32", [[4, 3, 224, 224], [64, 3, 7, 7]]),
    (depthwise, "f32", [[4, 96, 56, 56], [96, 1, 3, 3]]),
    (audio, "f32", [[4, 128, 4096], [128, 128, 9]]),
    (causal_conv, "f32", [[4, 768, 1024], [768, 4]]),
    (max_pool, "f32", [[4, 64, 112, 112], [1]]),
    (avg_pool, "f32", [[4, 64, 112, 112], [1]]),
    (max_pool2x2, "f32", [[4, 64, 112, 112], [1]]),
    (avg_pool3x3, "f32", [[4, 64, 112, 112], [1]]),
    (lp_pool, "f32", [[4, 64, 112, 112], [1]]),
    (pad, "f32", [[4096, 1022], [1]]),
    (rotary_halves, "f32", [[4, 8, 1024, 128], [1024, 64], [1024, 64]]),
    (rotary_pairs, "f32", [[4, 8, 1024, 128], [1024, 64], [1024, 64]]),
    (geglu, "f32", [[2048, 4096], [1]]),
    (cumsum, "f32", [[4096, 1024], [1]]),
    (cumsum, "f32", [[1, 4194304], [1]]),
    (cumsum_columns, "f32", [[1024, 4096], [1]]),
    (cumprod, "f32", [[4096, 1024], [1]]),
    (cummax, "f32", [[4096, 1024], [1]]),
    (logcumsumexp, "f32", [[4096, 1024], [1]]),
    (selective, "f32", [[2, 512, 256], [2, 512, 256], [256, 16], [2, 512, 16], [2, 512, 16]]),
    (gated_attention, "f32", [[1, 4, 512, 32], [1, 4, 512, 32], [1, 4, 512, 32], [1, 4, 512, 32]]),
    (gated_average, "f32", [[4, 512, 1024], [4, 512, 1024]]),
    (running_mean, "f32", [[1024, 4096], [1024, 4096]]),
    (copy, "f32", [[4096, 1024], [1]]),
    (sort, "f32", [[4096, 1024], [1]]),
    (sort, "f32", [[1, 1000000], [1]]),
    (sort_columns, "f32", [[1024, 4096], [1]]),
    (topk50, "f32", [[64, 128000], [1]]),
    (median, "f32", [[4096, 1024], [1]]),
    (search, "f32", [[1000000], [10000]]),
    (gather_rows, "f32", [[100000, 64], [10000, 64], [100000]]),
    (segment_sum, "f32", [[100000, 64], [10000, 64], [100000]]),
    (segment_max, "f32", [[100000, 64], [10000, 64], [100000]]),
    (dropout, "f32", [[4096, 1024], [1]]),
    (gelu_dropout, "f32", [[4096, 1024], [1]]),
    (dropout_add_norm, "f32", [[4096, 1024], [4096, 1024]]),
    (noise, "f32", [[4096, 1024], [1]]),
    (gumbel, "f32", [[4096, 1024], [1]]),
]

GPU_CASES = [
    (torch.matmul, "f32", [[256, 256], [256, 256]]),
    (torch.matmul, "bf16", [[512, 512], [512, 512]]),
    (torch.matmul, "bf16", [[1024, 1024], [1024, 1024]]),
    (torch.matmul, "f32", [[4096, 4096], [4096, 4096]]),
    (torch.matmul, "bf16", [[4096, 4096], [4096, 4096]]),
    (left_transposed, "bf16", [[4096, 4096], [4096, 4096]]),
    (right_transposed, "bf16", [[4096, 4096], [4096, 4096]]),
    (torch.matmul, "bf16", [[64, 1024, 1024], [64, 1024, 1024]]),
    (torch.matmul, "bf16", [[8192, 512], [512, 8192]]),
    (linear_gelu, "f32", [[8192, 4096], [4096, 4096], [4096]]),
    (linear_gelu, "bf16", [[8192, 4096], [4096, 4096], [4096]]),
    (swiglu, "f32", [[8192, 4096], [11008, 4096], [11008, 4096], [4096, 11008]]),
    (swiglu, "bf16", [[8192, 4096], [11008, 4096], [11008, 4096], [4096, 11008]]),
    (full, "f32", heads(4, 16, 4096, 64)),
    (full, "bf16", heads(4, 16, 4096, 64)),
    (full, "bf16", heads(4, 16, 4096, 128)),
    (causal, "f32", heads(4, 16, 4096, 64)),
    (causal, "bf16", heads(4, 16, 4096, 64)),
    (causal, "bf16", heads(4, 16, 4096, 128)),
    (causal, "bf16", heads(1, 12, 8192, 64)),
    (window, "bf16", heads(4, 16, 4096, 64)),
    (alibi, "bf16", heads(4, 16, 4096, 64)),
    (capped, "bf16", heads(4, 16, 4096, 64)),
    (grouped, "bf16", [[4, 4, 4, 4096, 64], [4, 4, 4096, 64], [4, 4, 4096, 64]]),
    (full, "bf16", heads(1, 16, 16384, 128)),
    (causal, "bf16", heads(1, 16, 16384, 128)),
    (conv3x3, "f32", [[64, 64, 56, 56], [64, 64, 3, 3]]),
    (conv3x3, "bf16", [[64, 64, 56, 56], [64, 64, 3, 3]]),
    (conv3x3, "bf16", [[64, 256, 14, 14], [256, 256, 3, 3]]),
    (conv3x3_s2, "bf16", [[64, 128, 56, 56], [128, 128, 3, 3]]),
    (conv1x1, "bf16", [[64, 256, 56, 56], [64, 256, 1, 1]]),
    (conv7x7, "bf16", [[64, 3, 224, 224], [64, 3, 7, 7]]),
    (depthwise, "bf16", [[64, 96, 112, 112], [96, 1, 3, 3]]),
    (audio, "bf16", [[32, 256, 16384], [256, 256, 9]]),
    (causal_conv, "bf16", [[32, 2048, 4096], [2048, 4]]),
    (max_pool, "bf16", [[64, 64, 112, 112], [1]]),
    (avg_pool, "bf16", [[64, 64, 112, 112], [1]]),
    (max_pool2x2, "bf16", [[64, 64, 112, 112], [1]]),
    (avg_pool3x3, "bf16", [[64, 64, 112, 112], [1]]),
    (lp_pool, "bf16", [[64, 64, 112, 112], [1]]),
    (pad, "f32", [[32768, 4094], [1]]),
    (rotary_halves, "bf16", [[8, 32, 4096, 128], [4096, 64], [4096, 64]]),
    (rotary_pairs, "bf16", [[8, 32, 4096, 128], [4096, 64], [4096, 64]]),
    (rotary_pairs, "f32", [[8, 32, 4096, 128], [4096, 64], [4096, 64]]),
    (geglu, "bf16", [[16384, 16384], [1]]),
    (cumsum, "f32", [[32768, 4096], [1]]),
    (cumsum, "bf16", [[32768, 4096], [1]]),
    (cumsum, "f32", [[64, 1048576], [1]]),
    (cumsum_columns, "f32", [[4096, 32768], [1]]),
    (cummax, "f32", [[32768, 4096], [1]]),
    (cumsum, "f32", [[1, 100000000], [1]]),
    (logcumsumexp, "f32", [[32768, 4096], [1]]),
    (selective, "f32", [[8, 2048, 2048], [8, 2048, 2048], [2048, 16], [8, 2048, 16], [8, 2048, 16]]),
    (selective, "bf16", [[8, 2048, 2048], [8, 2048, 2048], [2048, 16], [8, 2048, 16], [8, 2048, 16]]),
    (gated_attention, "f32", [[4, 8, 2048, 64], [4, 8, 2048, 64], [4, 8, 2048, 64], [4, 8, 2048, 64]]),
    (gated_average, "f32", [[16, 2048, 2048], [16, 2048, 2048]]),
    (gated_average, "bf16", [[16, 2048, 2048], [16, 2048, 2048]]),
    (running_mean, "f32", [[4096, 32768], [4096, 32768]]),
    (copy, "f32", [[4096, 128000], [1]]),
    (topk50, "f32", [[4096, 128000], [1]]),
    (topk50, "bf16", [[4096, 128000], [1]]),
    (topk50, "f32", [[1, 4194304], [1]]),
    (sort, "f32", [[32768, 1024], [1]]),
    (sort, "f32", [[4096, 4096], [1]]),
    (sort, "bf16", [[4096, 16384], [1]]),
    (sort, "f32", [[1, 16777216], [1]]),
    (sort_columns, "f32", [[1024, 32768], [1]]),
    (median, "f32", [[4096, 4096], [1]]),
    (search, "f32", [[16777216], [65536]]),
    (gather_rows, "f32", [[1000000, 64], [100000, 64], [1000000]]),
    (segment_sum, "f32", [[1000000, 64], [100000, 64], [1000000]]),
    (segment_sum, "bf16", [[1000000, 64], [100000, 64], [1000000]]),
    (segment_sum, "f32", [[1000000, 64], [100, 64], [1000000]]),
    (segment_sum, "f32", [[1000000, 8], [100000, 8], [1000000]]),
    (segment_sum, "f32", [[65536, 1024], [50000, 1024], [65536]]),
    (segment_mean, "f32", [[1000000, 64], [100000, 64], [1000000]]),
    (segment_max, "f32", [[1000000, 64], [100000, 64], [1000000]]),
    (dropout, "f32", [[32768, 4096], [1]]),
    (dropout, "bf16", [[32768, 4096], [1]]),
    (gelu_dropout, "bf16", [[32768, 4096], [1]]),
    (dropout_add_norm, "f32", [[32768, 4096], [32768, 4096]]),
    (dropout_add_norm, "bf16", [[32768, 4096], [32768, 4096]]),
    (channel_dropout, "bf16", [[64, 256, 56, 56], [1]]),
    (noise, "f32", [[32768, 4096], [1]]),
    (gumbel, "f32", [[32768, 4096], [1]]),
    (attention_dropout, "bf16", [[4, 16, 4096, 64], [4, 16, 4096, 64], [4, 16, 4096, 64]]),
]


def middle(call, calls, wait):
    times = []
    for _ in range(6):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        times.append((time.perf_counter() - start) * 1e3 / calls)
    return sorted(times[1:])[2]


def main():
    device, threads, precision, only = (sys.argv[1:] + ["cpu", "0", "highest", ""][len(sys.argv) - 1 :])[:4]
    if int(threads):
        torch.set_num_threads(int(threads))
    torch.set_float32_matmul_precision(precision)
    is_cpu = device == "cpu"
    calls, wait = (1, lambda: None) if is_cpu else (10, torch.cuda.synchronize)
    for op, dtype, shapes in CASES if is_cpu else GPU_CASES:
        name = "product" if op is torch.matmul else op.__name__
        sizes = "*".join("x".join(map(str, shape)) for shape in shapes[:2])
        if only not in f"{name} {dtype} {sizes}":
            continue
        kind = {"f32": torch.float32, "bf16": torch.bfloat16}[dtype]
        args = [(torch.randn(shape, device=device) * 0.1).to(kind) for shape in shapes]
        tracked = [arg.clone().requires_grad_() for arg in args]
        run = op if is_cpu else torch.compile(op, dynamic=False)
        try:
            ones = torch.ones_like(run(*args))
            forward = middle(lambda: run(*args), calls, wait)
            step = middle(lambda: torch.autograd.grad(run(*tracked), tracked, ones, allow_unused=True), calls, wait)
            print(name, dtype, sizes, f"{forward:.3f} {step:.3f}", flush=True)
        except RuntimeError as error:
            print(f"{name} {dtype} {sizes}: {error}", file=sys.stderr, flush=True)


main()
