"""Prints the polynomials of src/catalogue/special/bessel.rs: `python polynomials.py`, with mpmath installed.

Each is the interpolation at Chebyshev points of a smooth factor of a Bessel function, which is within twice the best error.
The number after the name is the largest absolute error, far below the rounding of f64.
"""

from mpmath import besseli, besselj, bessely, chebyfit, cos, exp, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 40


def near(bessel, order):
    """By z from 0 to 1, where x is 8 sqrt(z): the function over x^order."""

    def value(z):
        x = 8 * sqrt(z)
        return mpf(1) / (1 + order) if x == 0 else bessel(order, x) / x**order

    return value


def centred(f):
    """By t from -1 to 1, where z is (1 + t) / 2: coefficients of signs that alternate would cancel."""
    return lambda t: f((1 + t) / 2)


def less_one_over_square(t):
    """Of order 0, by t from -1 to 1, where x is sqrt(32 (1 + t)): so that 1 at 0 is exact."""
    x = sqrt(32 * (1 + t))
    return mpf(-1) / 4 if x == 0 else (besselj(0, x) - 1) / x**2


def growth(order):
    """By t from -1 to 1, where x is 16 / (1 - t): the modified function times sqrt(x) exp(-x)."""

    def value(t):
        if t == 1:
            return 1 / sqrt(2 * pi)
        x = 16 / (1 - t)
        return besseli(order, x) * sqrt(x) * exp(-x)

    return value


def wave(order, part):
    """By z from 0 to 1, where x is 8 / sqrt(z): the factor of the cosine, or x times that of the sine."""

    def value(z):
        if z == 0:
            return mpf(1) if part == "cos" else mpf(4 * order**2 - 1) / 8
        x = 8 / sqrt(z)
        phase = x - (2 * order + 1) * pi / 4
        j, y = besselj(order, x), bessely(order, x)
        size = sqrt(pi * x / 2)
        if part == "cos":
            return size * (j * cos(phase) + y * sin(phase))
        return size * x * (y * cos(phase) - j * sin(phase))

    return value


def formula(coefficients, x):
    """In Horner's form, three coefficients a line."""
    lines, rest = [], coefficients[-1]
    starts = range(0, len(coefficients) - 1, 3)
    for name, start in zip(reversed("abcdefgh"[: len(starts)]), reversed(starts)):
        part = coefficients[start : min(start + 3, len(coefficients) - 1)]
        line = rest
        for coefficient in reversed(part):
            line = f"{coefficient} + {x} * " + (f"({line})" if " " in line else line)
        lines.append(line if start == 0 else f"let {name} = {line};")
        rest = name
    return "\n".join("    " + line for line in lines)


CASES = [
    ("i0_near", near(besseli, 0), 0, 17),
    ("i0_far", growth(0), -1, 24),
    ("i1_near", near(besseli, 1), 0, 16),
    ("i1_far", growth(1), -1, 24),
    ("j0_near", less_one_over_square, -1, 17),
    ("j1_near", centred(near(besselj, 1)), -1, 17),
    ("j0_cos", wave(0, "cos"), 0, 13),
    ("j0_sin", wave(0, "sin"), 0, 13),
    ("j1_cos", wave(1, "cos"), 0, 13),
    ("j1_sin", wave(1, "sin"), 0, 13),
]

if __name__ == "__main__":
    for name, f, low, count in CASES:
        coefficients, error = chebyfit(f, [low, 1], count, error=True)
        print(f"{name}: {nstr(error, 2)}")
        print(formula([repr(float(c)) for c in reversed(coefficients)], "z" if low == 0 else "t"))
