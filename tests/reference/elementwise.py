"""Cases of the elementwise primitives and formulas, each unary one checked against mpmath as well."""

import math

import mpmath
import torch

from case import F64, Case, tensor

INF, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, INF, -INF, NAN]
TINY = [5e-324, 1e-310, -1e-310, 1e-200, 1e-20, -1e-20, 1e-8, -1e-8]
UNIT = [1e-3, -1e-3, 0.1, -0.1, 0.3, -0.4, 0.5, -0.5, 0.7, -0.8, 0.95, -0.95]
ONE = [1.0, -1.0]
MORE = [1.25, -1.5, 2.0, -2.0, 2.5, -2.5, 3.25, -3.5, 4.75, -5.0]
MID = [7.5, -8.0, 12.0, -12.5, 19.0, -20.5, 26.0, -30.0]
BIG = [100.0, -100.0, 345.0, -345.0, 700.0, -700.0, 708.5, -708.5, 740.0, -740.0, 1e4]
HUGE = [1e10, -1e10, 1e100, -1e100, 1e300, -1e300]

# Enough for differences of functions that saturate, such as erf(26).
mpmath.mp.dps = 450


GELU = "0.5 x erfc(-x/sqrt 2) under torch autograd; torch's own gelu is the same function but cancels at large negative x"
SOFTPLUS = "logaddexp(x, 0) under torch autograd; torch's own softplus is the identity above a threshold"
CLAMP = "gradient 1 at the bounds, the convention of torch up to 2.12; the recorded version's own gives 0 there"
SINC = "its series within 0.75 of 0, where the gradient of torch's own is a difference of large numbers"


def clamp(x):
    """torch.clamp(x, -1, 1), but for the gradient at the bounds."""
    return torch.where((x >= -1.0) & (x <= 1.0), x, torch.clamp(x.detach(), -1.0, 1.0))


def gelu(x):
    return 0.5 * x * torch.erfc(-x / math.sqrt(2.0))


def gelu_tanh(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def softplus(x):
    return torch.logaddexp(x, torch.zeros_like(x))


def sinc(x):
    is_near = x.abs() < 0.75
    z = (math.pi * torch.where(is_near, x, 0.0)) ** 2
    near = sum((-z) ** k * (1 / math.factorial(2 * k + 1)) for k in range(20))
    return torch.where(is_near, near, torch.sinc(torch.where(is_near, 1.0, x)))


def trigamma(x):
    return torch.polygamma(1, x)


def mp_trigamma(x):
    return mpmath.psi(1, x) if x > 0 else (mpmath.pi / mpmath.sinpi(x)) ** 2 - mpmath.psi(1, 1 - x)


def is_pole(x):
    """Of the gamma function; not 0, whose sign says on which side of it."""
    return x < 0 and math.isfinite(x) and x == math.floor(x)


def mp_logistic(x):
    return 1 / (1 + mpmath.exp(-x))


def rows():
    """Name, torch function, mpmath function or None, points, and tolerances other than the default."""
    m = mpmath
    all_points = EDGES + TINY + UNIT + ONE + MORE
    wide = all_points + MID + BIG + HUGE
    half = m.mpf(1) / 2
    return [
        ("neg", torch.neg, lambda x: -x, wide, {}),
        ("exp", torch.exp, m.exp, all_points + MID + BIG, {}),
        ("exp2", torch.exp2, lambda x: m.mpf(2) ** x, all_points + MID + [100.5, -100.5, 1023.0, -1030.0, 1024.0, 3e3, -3e3], {}),
        # out + 1 cancels at large negative x.
        ("expm1", torch.expm1, m.expm1, all_points + MID + BIG, {"ag": 1e-15}),
        ("ln", torch.log, m.ln, wide, {}),
        ("log2", torch.log2, lambda x: m.log(x, 2), wide, {}),
        ("log1p", torch.log1p, m.log1p, wide, {}),
        ("sqrt", torch.sqrt, m.sqrt, wide, {}),
        ("rsqrt", torch.rsqrt, lambda x: 1 / m.sqrt(x), wide, {}),
        ("recip", torch.reciprocal, lambda x: 1 / x, wide, {}),
        ("sin", torch.sin, m.sin, all_points + MID + BIG, {}),
        ("cos", torch.cos, m.cos, all_points + MID + BIG, {}),
        ("tan", torch.tan, m.tan, all_points + MID + BIG, {}),
        ("asin", torch.asin, m.asin, all_points, {}),
        ("acos", torch.acos, m.acos, all_points, {}),
        ("atan", torch.atan, m.atan, all_points + MID + BIG + [1e10, -1e100], {}),
        ("sinh", torch.sinh, m.sinh, all_points + MID + BIG, {}),
        ("cosh", torch.cosh, m.cosh, all_points + MID + BIG, {}),
        # 1 - out^2 cancels where tanh saturates.
        ("tanh", torch.tanh, m.tanh, wide, {"ag": 1e-15}),
        ("asinh", torch.asinh, m.asinh, all_points + MID + BIG + [1e10, -1e10, 1e100, -1e100], {}),
        # Not -1: outside the domain, where the sign of the infinite slope is that of a zero by one formula or another.
        ("acosh", torch.acosh, m.acosh, [x for x in all_points if x != -1.0] + MID + BIG + [1e10, 1e100], {}),
        ("atanh", torch.atanh, m.atanh, all_points, {}),
        ("erf", torch.erf, m.erf, all_points + MID + BIG, {}),
        ("erfc", torch.erfc, m.erfc, all_points + MID + BIG, {}),
        # It cancels near zeros below 0, as its gradient does.
        ("lgamma", torch.lgamma, lambda x: m.loggamma(x).real, wide, {"af": 1e-14, "ag": 1e-14}),
        # Its gradient is torch's trigamma. It cancels near zeros below 0.
        ("digamma", torch.digamma, m.digamma, [x for x in wide if not is_pole(x)], {"af": 1e-14, "rg": 2e-9}),
        # torch's has nine digits, and misses the poles below 0.
        ("trigamma", trigamma, mp_trigamma, [x for x in all_points + MID + HUGE if not is_pole(x)], {"rf": 2e-9, "grad": False}),
        ("abs", torch.abs, abs, wide, {}),
        ("sign", torch.sign, None, wide, {"grad": False}),
        ("floor", torch.floor, None, wide, {"grad": False}),
        ("ceil", torch.ceil, None, wide, {"grad": False}),
        ("trunc", torch.trunc, None, wide, {"grad": False}),
        ("round", torch.round, None, wide + [0.5, 1.5, 2.5, 3.5, -0.5, 4503599627370495.5, 0.49999999999999994], {"grad": False}),
        ("is_nan", torch.isnan, None, wide, {"grad": False}),
        ("is_finite", torch.isfinite, None, wide, {"grad": False}),
        ("cast_int", lambda x: x.to(torch.int64), None, UNIT + ONE + MORE + MID + BIG + [1e15, -1e15], {"grad": False}),
        ("cast_bool", lambda x: x.to(torch.bool), None, wide, {"grad": False}),
        ("stop_grad", lambda x: x * x.detach(), None, all_points, {}),
        ("relu", torch.relu, lambda x: max(x, m.mpf(0)), wide, {}),
        # 1 - out cancels where sigmoid saturates.
        ("sigmoid", torch.sigmoid, mp_logistic, all_points + MID + BIG, {"ag": 1e-15}),
        ("silu", torch.nn.functional.silu, lambda x: x * mp_logistic(x), all_points + MID + BIG, {"ag": 1e-14}),
        ("gelu", gelu, lambda x: half * x * m.erfc(-x / m.sqrt(2)), all_points + MID + BIG, {"note": GELU}),
        # 1 + tanh cancels at large negative x.
        ("gelu_tanh", gelu_tanh, lambda x: half * x * (1 + m.tanh(m.sqrt(2 / m.pi) * (x + m.mpf(0.044715) * x**3))), all_points + MID + BIG, {"af": 1e-15, "ag": 1e-13}),
        ("softplus", softplus, lambda x: m.log1p(m.exp(x)), all_points + MID + BIG, {"note": SOFTPLUS}),
        ("mish", torch.nn.functional.mish, lambda x: x * m.tanh(m.log1p(m.exp(x))), all_points + MID + BIG, {"ag": 1e-14}),
        # torch rounds pi x, and so is off by a rounding of 1 over pi x at whole numbers.
        ("sinc", sinc, m.sincpi, all_points + MID + BIG, {"af": 1e-15, "ag": 1e-15, "note": SINC}),
        ("square", torch.square, lambda x: x * x, wide, {}),
        ("cube", lambda x: x * x * x, lambda x: x**3, wide, {}),
    ]


def verify(case, reference):
    """PyTorch must agree with mpmath, wherever both are finite, to a part of the tolerance that the tests use."""
    rf, af, rg, ag = case.tolerances
    columns = [case.inputs[0], case.outputs[0], case.gradients[0], case.seeds[0]]
    absent = torch.full_like(case.inputs[0], NAN)
    for x, out, slope, seed in zip(*[(absent if c is None else c.detach()).tolist() for c in columns]):
        if not math.isfinite(x) or not math.isfinite(out):
            continue
        want = reference(mpmath.mpf(x))
        if abs(want - out) > af + rf / 2 * abs(want):
            raise ValueError(f"{case.name}({x!r}) is {out!r} in torch, {mpmath.nstr(want, 20)} in mpmath")
        if abs(x) < 1e-100 or not math.isfinite(slope) or x in KINKS.get(case.name, []):
            continue
        h = mpmath.mpf(10) ** -30 * (abs(x) or 1)
        want = seed * (reference(x + h) - reference(x - h)) / (2 * h)
        if abs(want - slope) > ag + rg / 2 * abs(want):
            raise ValueError(f"{case.name}'({x!r}) is {slope!r} in torch, {mpmath.nstr(want, 20)} in mpmath")


KINKS = {"relu": [0.0], "abs": [0.0]}


def unary():
    cases = []
    for name, f, reference, points, options in rows():
        case = Case(name, f, tensor(points), **options)
        if reference is not None:
            verify(case, reference)
        cases.append(case)
    cases.append(Case("digamma", torch.digamma, tensor([x for x in MORE + MID + HUGE if is_pole(x)]), grad=False))
    ints = torch.tensor([0, 1, -1, 5, -7, 1 << 53, -(1 << 40)])
    cases.append(Case("cast_float", lambda i: i.to(F64), ints))
    cases.append(Case("not", torch.logical_not, torch.tensor([False, True])))
    return cases


def pairs(left, right):
    """All pairs, as two vectors."""
    grid = torch.cartesian_prod(tensor(left), tensor(right))
    return grid[:, 0].contiguous(), grid[:, 1].contiguous()


def broadcast():
    """Either side, both, a scalar, and groups of different ranks; with ties, zeros and infinities where the op knows them."""
    mixed = [0.0, 1.0, -2.0, 3.0, INF, -INF, 0.5, 1.0, 1.0, -2.0, 4.0, 0.0]
    positive = [0.5, 1.0, 2.5, 3.0, 0.125, 7.0, 1.0, 2.0, 1.5, 0.25, 4.0, 6.0]
    cases = []

    def take(values, shape):
        return tensor([values[i % len(values)] for i in range(math.prod(shape))]).reshape(shape)

    for left, right in [((3, 1), (1, 4)), ((5,), (2, 3, 5)), ((2, 1, 2), (3, 1)), ((), (2, 2)), ((2, 2), (1, 1, 1))]:
        for name in ["add", "maximum", "minimum", "logaddexp"]:
            cases.append(Case(name, getattr(torch, name), take(mixed, left), take(mixed, right)))
        for name in ["mul", "div", "pow", "atan2", "hypot"]:
            cases.append(Case(name, getattr(torch, name), take(positive, left), take(positive[::-1], right), ag=1e-14))
        cond = take(mixed, left) == 1.0
        cases.append(Case("select", torch.where, cond, take(mixed, right), take(positive, left)))
    return cases


def binary():
    few = [0.0, -0.0, 1.0, -3.0, INF, -INF, NAN]
    some = [0.0, -0.0, 0.3, 1.0, -1.0, -3.0, 1e-200, -1e200, INF, -INF, NAN]
    arithmetic = pairs(some, some)
    finite = pairs([0.3, 1.0, -1.0, 2.5, -3.0, 1e-5, 700.0, 0.0], [0.3, 1.0, -1.0, 2.5, -3.0, 1e-5, -45.0, 0.0])
    powers = pairs([0.0, -0.0, 0.3, 1.0, -1.0, 2.5, -3.0, INF, -INF, NAN], [0.0, -0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 2.7, INF, -INF, NAN])
    angles = pairs([0.0, -0.0, 0.3, 1.0, -1.0, -3.0, 1e-5], [0.3, 1.0, -1.0, 2.5, -3.0, 0.0, -0.0])
    limits = pairs([INF, -INF, NAN, 2.0], [INF, -INF, NAN, -2.0])
    cases = [
        Case("add", torch.add, *pairs(few, few)),
        Case("sub", torch.sub, *pairs(few, few)),
        Case("mul", torch.mul, *arithmetic),
        Case("div", torch.div, *arithmetic),
        Case("rem", torch.fmod, *pairs([0.0, 5.5, -5.5, 7.0, -7.0, 0.3, 1e10, INF, NAN], [2.0, -2.0, 0.7, 3.5, 0.0, INF, NAN])),
        Case("maximum", torch.maximum, *arithmetic),
        Case("minimum", torch.minimum, *arithmetic),
        Case("pow", torch.pow, *powers),
        Case("atan2", torch.atan2, *angles),
        Case("atan2", torch.atan2, *limits),
        Case("hypot", torch.hypot, *finite),
        Case("hypot", torch.hypot, *limits),
        # The sum cancels where it is near zero.
        Case("logaddexp", torch.logaddexp, *finite, af=1e-15),
        Case("logaddexp", torch.logaddexp, *limits),
    ]
    cases += broadcast()
    for name in ["lt", "le", "gt", "ge", "eq", "ne"]:
        cases.append(Case(name, getattr(torch, name), *pairs(few, few), grad=False))
    bits = torch.tensor([False, False, True, True]), torch.tensor([False, True, False, True])
    cases.append(Case("and", torch.logical_and, *bits))
    cases.append(Case("or", torch.logical_or, *bits))
    left, right = pairs([0.0, 1.5, NAN, INF], [2.0, -3.0, NAN, -INF])
    cases.append(Case("select", torch.where, torch.arange(16) % 3 == 0, left, right))
    x = tensor([-INF, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.0000001, 7.0, INF, NAN])
    cases.append(Case("clamp", clamp, x, note=CLAMP))
    low, high = tensor([[-1.0], [0.5], [3.0]]), tensor([1.5, 2.5, 0.75, -2.0, INF, 0.0])
    cases.append(Case("clamp_bounds", torch.clamp, tensor([-INF, -3.0, 0.25, 1.0, 7.0, INF]), low, high))
    for x, low, high in [(few, NAN, 1.0), (few, -1.0, NAN), ([NAN], -1.0, 1.0)]:
        cases.append(Case("clamp_bounds", torch.clamp, tensor(x), tensor(low), tensor(high), grad=False))
    a, b = torch.cartesian_prod(torch.tensor([7, -7, 0, 12]), torch.tensor([2, -2, 5, -5])).unbind(1)
    for name, f in [("add_int", torch.add), ("sub_int", torch.sub), ("mul_int", torch.mul), ("rem_int", torch.fmod)]:
        cases.append(Case(name, f, a, b))
    cases.append(Case("div_int", lambda a, b: torch.div(a, b, rounding_mode="trunc"), a, b))
    return cases
