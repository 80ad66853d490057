"""Cases of quantization per tensor, channel and block, to ints of 8 and 4 bits."""

import torch

from case import Case

F32 = torch.float32
# Ties of both parities if the scale is a power of 2, both ends and beyond.
POINTS = [0.0, -0.0, 0.25, 0.75, 1.25, -0.25, -0.75, 31.75, 31.5, 32.0, -32.0, -32.25, -31.75, 1e6, -1e6, 1.9, 0.6, -2.3, 4.1, 3.4]
RANGES = {("int8", "symmetric"): (-127, 127), ("int8", "affine"): (-128, 127), ("int4", "symmetric"): (-7, 7), ("int4", "affine"): (-8, 7)}


def blocks(x, size):
    """Each block as a channel of axis 0."""
    return x.reshape(-1, size)


def quantized(level, x, scale, zero_point):
    """The ints of 8 bits, and the floats that they stand for."""
    if level == "tensor":
        q = torch.quantize_per_tensor(x, scale.item(), int(zero_point.item()), torch.qint8)
        return q.int_repr().long(), q.dequantize()
    kind, number = level.split(":")
    rows, axis = (blocks(x, int(number)), 0) if kind == "block" else (x, int(number))
    q = torch.quantize_per_channel(rows, scale.reshape(-1).double(), zero_point.reshape(-1), axis, torch.qint8)
    return q.int_repr().long().reshape(x.shape), q.dequantize().reshape(x.shape)


def faked(level, low, high, x, scale, zero_point):
    if level == "tensor":
        return torch.fake_quantize_per_tensor_affine(x, scale.item(), int(zero_point.item()), low, high)
    kind, number = level.split(":")
    rows, axis = (blocks(x, int(number)), 0) if kind == "block" else (x, int(number))
    scale, zero_point = scale.reshape(-1).float(), zero_point.reshape(-1).int()
    return torch.fake_quantize_per_channel_affine(rows, scale, zero_point, axis, low, high).reshape(x.shape)


class Quantize(Case):
    """Of `x`, scales and zero points the outputs are the ints and the floats."""

    def __init__(self, level, x, scale, zero_point):
        name = f"quantize int8 affine {level}"
        super().__init__(name, lambda *args: quantized(level, *args), x, scale, zero_point, rf=0.0, af=0.0, grad=False)


class Fake(Case):
    """Of `x`, scales and zero points the output is what `x` goes back as. The scales have no gradient."""

    def __init__(self, value, mode, level, x, scale, zero_point):
        low, high = RANGES[value, mode]
        scale = scale.to(F32)
        run = lambda x: faked(level, low, high, x, scale, zero_point)
        super().__init__(f"fake {value} {mode} {level}", run, x, rf=0.0, af=0.0, rg=0.0, ag=0.0)
        self.inputs += [scale, zero_point]
        self.gradients += [None, None]


def scales(shape, g):
    """Powers of 2 and other numbers."""
    numbers = torch.tensor([0.5, 0.11, 2.0, 0.037, 0.25, 0.3])
    return numbers[torch.randint(len(numbers), shape, generator=g)].to(F32)


def cases():
    g = torch.Generator().manual_seed(7)
    points = torch.tensor(POINTS, dtype=F32).reshape(4, 5)
    many = torch.randn(3, 4, 6, generator=g) * 4
    found = []
    for x in (points, many):
        shapes = {"tensor": (), "block:3" if x.shape[-1] == 6 else "block:5": None}
        shapes |= {f"channel:{axis}": (size,) for axis, size in enumerate(x.shape)}
        for level, shape in shapes.items():
            if shape is None:
                size = int(level.split(":")[1])
                shape = (*x.shape[:-1], x.shape[-1] // size)
            for value, mode in RANGES:
                zero_point = torch.randint(-8, 8, shape, generator=g) * (1 if mode == "affine" else 0)
                scale = scales(shape, g)
                found.append(Fake(value, mode, level, x, scale, zero_point))
                if (value, mode) == ("int8", "affine"):
                    found.append(Quantize(level, x, scale, zero_point))
    return found
