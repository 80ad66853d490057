"""Cases of the special functions of the catalogue: values and derivatives of mpmath with 60 digits."""

import mpmath
from mpmath import besseli, besselj, erfc, exp, factorial, log, mpf, pi, psi, sign, sqrt

from case import Case, seed_like, tensor

# Both signs from 0.25 to 7.75 by halves, around 8, where the formulas change, and beyond.
WAVES = [x / 4 for x in range(1, 32, 2)] + [7.999, 8.0, 8.001] + [x + 0.7 for x in range(8, 40, 3)]
SMALL = [0.0, 1e-300, 1e-20, 1e-8, 1e-4]
UNIT = [x / 16 for x in range(1, 16)] + [0.001, 0.849, 0.85, 0.851, 0.97, 0.99, 0.9999, 1 - 1e-8, 1 - 2.0**-53]
SHARES = [x / 32 for x in range(1, 32)] + [0.0749, 0.075, 0.0751, 0.925, 0.99, 1e-3, 1e-5, 1e-10, 1.3e-11, 1e-12]
ORDERS = [1.0001, 1.25, 2.0, 3.5, 7.0, 20.0, 60.0]
ABOVE = [1e-3, 0.1, 0.5, 1.0, 1.75, 3.0, 9.5, 20.0, 123.0, 1e4]


def both(values):
    return values + [-x for x in values]


def normal_quantile(p):
    """By Newton's method on the logarithm of the smaller tail."""
    if p > 0.5:
        return -normal_quantile(1 - p)
    x = -sqrt(-2 * log(p)) if p < 0.1 else mpf(0)
    for _ in range(60):
        below = erfc(-x / sqrt(2)) / 2
        x -= (log(below) - log(p)) * below * sqrt(2 * pi) * exp(x * x / 2)
    return x


def hurwitz(s, q):
    """By Euler and Maclaurin after 100 terms: mpmath's own function loses digits where s and q are large."""
    total = sum((q + k) ** -s for k in range(100))
    w = q + 100
    total += w ** (1 - s) / (s - 1) + w**-s / 2
    factor = s
    for k in range(1, 30):
        total += mpmath.bernoulli(2 * k) / factorial(2 * k) * factor * w ** (1 - s - 2 * k)
        factor *= (s + 2 * k - 1) * (s + 2 * k)
    return total


def erfinv(x):
    y = mpmath.erfinv(x) if abs(x) < 0.5 else sign(x) * normal_quantile((1 + abs(x)) / 2) / sqrt(2)
    return y, sqrt(pi) / 2 * exp(y * y)


def ndtri(p):
    y = normal_quantile(p)
    return y, sqrt(2 * pi) * exp(y * y / 2)


def slope_of_1(zero, one, x):
    return mpf(1) / 2 if x == 0 else zero - one / x


def i0(x):
    return besseli(0, x), besseli(1, x)


def i1(x):
    zero, one = i0(x)
    return one, slope_of_1(zero, one, x)


def scaled(f):
    def value(x):
        y, slope = f(x)
        return y * exp(-abs(x)), (slope - sign(x) * y) * exp(-abs(x))

    return value


def bessel_j0(x):
    return besselj(0, x), -besselj(1, x)


def bessel_j1(x):
    zero, one = besselj(0, x), besselj(1, x)
    return one, slope_of_1(zero, one, x)


def zeta(s, q):
    return hurwitz(s, q), mpmath.diff(lambda s: hurwitz(s, q), s), -s * hurwitz(s + 1, q)


def polygamma(n):
    return lambda x: (psi(n, x), psi(n + 1, x))


class Exact:
    """A case whose function gives its value and its derivatives."""

    def __init__(self, name, f, *inputs, rf=1e-13, af=0.0, rg=1e-12, ag=0.0):
        found = [f(*map(mpf, values)) for values in zip(*inputs)]
        value, *slopes = [tensor([float(x) for x in column]) for column in zip(*found)]
        seed = seed_like(value)
        self.name, self.tolerances, self.note = name, (rf, af, rg, ag), None
        self.inputs, self.outputs = [tensor(values) for values in inputs], [value]
        self.seeds, self.gradients = [seed], [slope * seed for slope in slopes]

    line = Case.line


def cases():
    mpmath.mp.dps = 60
    pairs = [(s, q) for s in ORDERS for q in ABOVE if s * abs(mpmath.log10(q)) < 290]
    far = [99.0, 1e3, 1e5, 1e9]
    return [
        Exact("erfinv", erfinv, both(SMALL[1:] + UNIT) + [0.0]),
        Exact("ndtri", ndtri, SHARES + [1e-50, 1e-100, 1e-300]),
        Exact("i0", i0, both(SMALL + WAVES + [99.0, 700.0, 712.0])),
        Exact("i0e", scaled(i0), both(SMALL[1:] + WAVES + far) + [0.0]),
        Exact("i1", i1, both(SMALL + WAVES + [99.0, 700.0])),
        Exact("i1e", scaled(i1), both(SMALL[1:] + WAVES + far) + [0.0]),
        # Absolute near their zeros.
        Exact("bessel_j0", bessel_j0, both(SMALL + WAVES + far), af=1e-14, ag=1e-14),
        Exact("bessel_j1", bessel_j1, both(SMALL + WAVES + far), af=1e-14, ag=1e-14),
        Exact("zeta", zeta, *map(list, zip(*pairs))),
        Exact("trigamma", polygamma(1), ABOVE + [-0.25, -1.5, -7.875]),
        Exact("polygamma_0", polygamma(0), ABOVE + [-0.25, -1.5, -7.875]),
        Exact("polygamma_1", polygamma(1), ABOVE),
        Exact("polygamma_2", polygamma(2), ABOVE),
        Exact("polygamma_7", polygamma(7), ABOVE),
        Exact("polygamma_30", polygamma(30), ABOVE[1:]),
    ]
