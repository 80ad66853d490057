"""Writes the reference values that main.rs compares with: `python make.py`, with torch and mpmath installed.

Each file holds one case per line, f64 in the shortest decimals that read back exactly:

    name | rf af rg ag | inputs | seeds | outputs | gradients

Tensors are separated by `;` and read `f[2,3] 1 2 3 4 5 6`: kind (f float, i int, b bool), shape, elements row-major.
`-` stands for no gradient or no seed. A value v agrees with the reference r if |v - r| <= a + r_tol * |r|, NaN with NaN and an
infinity with itself; rf and af are for outputs, rg and ag for gradients. Seeds are the gradients of the outputs.
`orders.py` says what the parts of its cases are.
"""

import pathlib

import torch

import composites
import elementwise
import gallery
import orders
import quantized
import reductions
import schemes
import special

HERE = pathlib.Path(__file__).parent


def write(name, cases):
    lines = [f"# Made by make.py with PyTorch {torch.__version__}, f64. The format is described there."]
    lines += [case.line() for case in cases]
    path = HERE / f"{name}.txt"
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(cases)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    torch.set_num_threads(1)
    write("unary", elementwise.unary())
    write("binary", elementwise.binary())
    write("reductions", reductions.cases())
    write("composites", composites.cases())
    write("orders", orders.cases())
    write("quantized", quantized.cases())
    write("schemes", schemes.cases())
    write("special", special.cases())
    write("gallery", gallery.cases())
