"""Cases of affine quantization per tensor to 8 bits."""

import torch

from case import Case

F32 = torch.float32
# Ties of both parities, both ends and beyond. Infinities and NaN are 0 or 255 in torch, as the vector unit has it.
POINTS = [0.0, -0.0, 0.05, 0.15, 0.25, 0.35, -0.05, -0.15, 1.23456, 24.5, 24.549, 24.55, 25.0, -1.0, -1.05, 300.0, -300.0]


class Quantize(Case):
    """Of `x`, scale and zero point the outputs are the elements and what they stand for."""

    def __init__(self, x, scale, zero_point):
        x = torch.tensor(x, dtype=F32)
        scalars = torch.tensor(scale, dtype=torch.float64), torch.tensor(zero_point)
        super().__init__("quantize", self.run, x, *scalars, rf=0.0, af=0.0, grad=False)

    def run(self, x, scale, zero_point):
        q = torch.quantize_per_tensor(x, scale.item(), zero_point.item(), torch.quint8)
        return q.int_repr().to(torch.int64), q.dequantize()


def cases():
    g = torch.Generator().manual_seed(5)
    many = (torch.randn(40, generator=g) * 3).tolist()
    scales = [(0.1, 10), (0.5, 0), (0.02, 128), (3.0, 255), (1e-3, 7), (1e30, 3)]
    return [Quantize(points, *how) for points in (POINTS, many) for how in scales]
