"""Rates of PyTorch for the ops of benches/gpu, on the GPU of this machine.

A line is `op dtype shape`, then forward and backward of eager and of torch.compile: GB/s of the least traffic, TFLOP/s for products.
Shapes are given as arguments (`32768x4096`); without any, the first one of the benchmark.
"""
import sys, torch, torch.nn.functional as F

torch.manual_seed(0)
torch._dynamo.config.cache_size_limit = 1000
DEVICE = "cuda"
NAMES = {torch.float32: "f32", torch.bfloat16: "bf16"}


def seconds(run, runs=10):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    found = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(runs):
            run()
        end.record()
        torch.cuda.synchronize()
        found.append(start.elapsed_time(end) / runs / 1e3)
    return sorted(found)[2]


def rates(function, args, forward, backward):
    found = []
    for compiled in (False, True):
        torch._dynamo.reset()
        f = torch.compile(function, dynamic=False) if compiled else function
        with torch.no_grad():
            found.append(forward / seconds(lambda: f(*args)))
        tracked = [a.detach().clone().requires_grad_() for a in args]
        results = f(*tracked)
        results = results if isinstance(results, tuple) else (results,)
        grads = [torch.randn_like(r) for r in results]
        found.append(backward / seconds(lambda: torch.autograd.grad(results, tracked, grads, retain_graph=True)))
        del tracked, results, grads
    return found


def add_rms_norm(x, residual, w):
    s = x + residual
    return F.rms_norm(s, (s.shape[-1],), w, 1e-6), s


def cases(rows, cols, dtype):
    x = torch.randn(rows, cols, device=DEVICE, dtype=dtype)
    y = torch.randn(rows, cols, device=DEVICE, dtype=dtype)
    w, b = (torch.randn(cols, device=DEVICE, dtype=dtype) for _ in range(2))
    target = (torch.arange(rows, device=DEVICE) * 7919) % cols
    yield "silu_mul", lambda x, g: x * F.silu(g), (x, y), 3, 5
    yield "softmax", lambda x: F.softmax(x, -1), (x,), 2, 3
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (cols,), w, b, 1e-5), (x, w, b), 2, 3
    yield "rms_norm", lambda x, w: F.rms_norm(x, (cols,), w, 1e-6), (x, w), 2, 3
    yield "add_rms_norm", add_rms_norm, (x, y, w), 4, 4
    yield "cross_entropy", lambda x: F.cross_entropy(x, target, reduction="none"), (x,), 1, 2


shapes = [tuple(map(int, shape.split("x"))) for shape in sys.argv[1:]] or [(32768, 4096)]
for dtype, name in NAMES.items():
    x = torch.randn(1 << 27, device=DEVICE, dtype=dtype)
    out = torch.empty_like(x)
    print("copy", name, round(2 * x.nbytes / seconds(lambda: out.copy_(x)) / 1e9), flush=True)
    del x, out
    for rows, cols in shapes:
        for op, f, args, forward, backward in cases(rows, cols, dtype):
            size = rows * cols * dtype.itemsize / 1e9
            found = rates(f, args, forward * size, backward * size)
            print(op, name, f"{rows}x{cols}", *(round(r) for r in found), flush=True)
    n = 4096
    a, b = (torch.randn(n, n, device=DEVICE, dtype=dtype) for _ in range(2))
    bias = torch.randn(n, device=DEVICE, dtype=dtype)
    found = rates(lambda a, b, c: F.relu(a @ b + c), (a, b, bias), 2 * n**3 / 1e12, 4 * n**3 / 1e12)
    print("matmul_add_relu", name, f"{n}x{n}", *(round(r, 1) for r in found), flush=True)
