"""Trains the network of examples/digits in PyTorch and writes the losses of its first steps: `python digits.py`.

The generator, the order of rows and the arithmetic are those of the example; its losses must be these. Everything is drawn
from one SplitMix64, in this order: first layer's weights, second layer's, then a shuffle of the training rows per epoch. The rate falls linearly to zero: at a constant one the accuracy
after the last step depends on rounding.
"""

import gzip
import pathlib
import time

import torch

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "examples" / "data" / "digits.csv.gz"
HIDDEN, BATCH, EPOCHS, RATE, MOMENTUM, SEED, RECORDED = 256, 16, 20, 0.1, 0.9, 1, 20


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def unit(self):
        """From 0 to 1, exclusive."""
        return (self.next() >> 11) * 2.0**-53

    def weights(self, fan_in, fan_out):
        """Row-major [fan_in, fan_out], uniform within 1 / sqrt(fan_in)."""
        values = [(2.0 * self.unit() - 1.0) / fan_in**0.5 for _ in range(fan_in * fan_out)]
        return torch.tensor(values, dtype=torch.float64).reshape(fan_in, fan_out)

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.next() % (i + 1)
            items[i], items[j] = items[j], items[i]


def load():
    """Pixels over 16 and labels; every fifth row, from the first, is for the test."""
    with gzip.open(DATA, "rt") as file:
        rows = torch.tensor([[int(v) for v in line.split(",")] for line in file])
    x, y = rows[:, :64].double() / 16.0, rows[:, 64]
    test = torch.arange(len(rows)) % 5 == 0
    return x[~test], y[~test], x[test], y[test]


def train(dtype, seed=SEED, epochs=EPOCHS):
    """The loss of each step and the accuracy on the test rows."""
    random = SplitMix64(seed)
    x, y, test_x, test_y = load()
    x, test_x = x.to(dtype), test_x.to(dtype)
    w1, w2 = random.weights(64, HIDDEN), random.weights(HIDDEN, 10)
    params = [w1, torch.zeros(HIDDEN), w2, torch.zeros(10)]
    params = [p.to(dtype).requires_grad_() for p in params]
    speeds = [torch.zeros_like(p) for p in params]

    def logits(x):
        return torch.relu(x @ params[0] + params[1]) @ params[2] + params[3]

    order, losses = list(range(len(x))), []
    steps = epochs * (len(order) // BATCH)
    for _ in range(epochs):
        random.shuffle(order)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            loss = torch.nn.functional.cross_entropy(logits(x[rows]), y[rows])
            rate = RATE * (1.0 - len(losses) / steps)
            losses.append(loss.item())
            grads = torch.autograd.grad(loss, params)
            with torch.no_grad():
                for p, v, g in zip(params, speeds, grads):
                    v.mul_(MOMENTUM).add_(g)
                    p.sub_(rate * v)
    return losses, (logits(test_x).argmax(1) == test_y).double().mean().item()


if __name__ == "__main__":
    for dtype in (torch.float64, torch.float32):
        start = time.time()
        losses, accuracy = train(dtype)
        print(f"{dtype}: test accuracy {accuracy:.4f}, last loss {losses[-1]:.3g}, {time.time() - start:.1f} s")
        if dtype == torch.float64:
            head = f"# Made by digits.py with PyTorch {torch.__version__}: losses of the first {RECORDED} steps in f64."
            text = "\n".join([head] + [repr(loss) for loss in losses[:RECORDED]])
            (HERE / "digits_losses.txt").write_text(text + "\n")
