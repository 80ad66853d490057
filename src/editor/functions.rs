//! Functions of the language. Each is a method too: `x.sum(n)` is `sum(x, n)`.

#![allow(unused_variables, clippy::wrong_self_convention, reason = "names of the language, never run")]

use super::{Dims, Indices, Operand, Optional, OptionalDims, Settings, Value};

/// Each function twice: free, and as a method of what its first argument is.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($first:ident $(, $arg:ident: $ty:ident)*);)*) => {
        $(
            $(#[$doc])*
            pub fn $name($first: impl Operand $(, $arg: impl $ty)*) -> Value {
                Value
            }
        )*

        /// The functions as methods.
        pub trait Methods: Operand {
            $(
                $(#[$doc])*
                fn $name(self $(, $arg: impl $ty)*) -> Value {
                    Value
                }
            )*
        }
        impl<T: Operand> Methods for T {}
    };
}

/// The number of elements along dims, which adapts to the kind that it meets: `len(n)`, `len((m, n))`.
pub fn len(dims: impl Dims) -> Value {
    Value
}

/// The index along a dim, an int value over that dim: 0, 1, 2, .. for `iota(n)`. Along several dims it counts
/// row-major: `iota((m, n))`, `iota(..)`. `iota(m = len(n))` makes the dim `m` with this size, if neither an
/// argument nor a result has it.
pub fn iota(dims: impl Dims) -> Value {
    Value
}

functions! {
    /// The exponential, e to the power of `x`.
    exp(x);
    /// 2 to the power of `x`.
    exp2(x);
    /// `exp(x) - 1`, without the loss of digits near 0.
    expm1(x);
    /// The natural logarithm.
    ln(x);
    /// The logarithm to the base 2.
    log2(x);
    /// `ln(1 + x)`, without the loss of digits near 0.
    log1p(x);
    /// The square root.
    sqrt(x);
    /// The reciprocal of the square root, `1 / sqrt(x)`.
    rsqrt(x);
    /// The reciprocal, `1 / x`.
    recip(x);
    /// The sine of an angle in radians.
    sin(x);
    /// The cosine of an angle in radians.
    cos(x);
    /// The tangent of an angle in radians.
    tan(x);
    /// The inverse of the sine, in radians.
    asin(x);
    /// The inverse of the cosine, in radians.
    acos(x);
    /// The inverse of the tangent, in radians.
    atan(x);
    /// The hyperbolic sine.
    sinh(x);
    /// The hyperbolic cosine.
    cosh(x);
    /// The hyperbolic tangent.
    tanh(x);
    /// The inverse of the hyperbolic sine.
    asinh(x);
    /// The inverse of the hyperbolic cosine.
    acosh(x);
    /// The inverse of the hyperbolic tangent.
    atanh(x);
    /// The error function.
    erf(x);
    /// The complementary error function, `1 - erf(x)` without the loss of digits for large `x`.
    erfc(x);
    /// The natural logarithm of the absolute value of the gamma function.
    lgamma(x);
    /// The derivative of `lgamma`.
    digamma(x);
    /// The derivative of `digamma`. It has no derivative in the language: see `stop_grad`.
    trigamma(x);
    /// The largest integer that is not above `x`. It has no derivative: see `stop_grad`.
    floor(x);
    /// The smallest integer that is not below `x`. It has no derivative: see `stop_grad`.
    ceil(x);
    /// The integer next to `x` on the side of zero. It has no derivative: see `stop_grad`.
    trunc(x);
    /// The nearest integer, and the even one of two. It has no derivative: see `stop_grad`.
    round(x);
    /// The absolute value.
    abs(x);
    /// -1, 0 or 1, as `x` is negative, zero or positive.
    sign(x);
    /// The larger of two values, element by element. NaN if one of them is. The largest along a dim is
    /// `max(x, n)`.
    maximum(a, b: Operand);
    /// The smaller of two values, element by element. NaN if one of them is. The smallest along a dim is
    /// `min(x, n)`.
    minimum(a, b: Operand);
    /// `a` to the power of `b`.
    pow(a, b: Operand);
    /// The angle of the point with the coordinates `(b, a)`, from -PI to PI.
    atan2(a, b: Operand);
    /// Whether the value is NaN.
    is_nan(x);
    /// Whether the value is neither infinite nor NaN.
    is_finite(x);
    /// `a` where `cond` is true, and `b` elsewhere. The gradient flows to what is chosen, and none to `cond`.
    select(cond, a: Operand, b: Operand);
    /// The value as another kind: `cast(x, float)`, `cast(x, int)`, `cast(x, bool)`.
    cast(x, kind: Operand);
    /// The value without a gradient: in the backward pass it is a constant.
    stop_grad(x);
    /// An optional tensor if it was passed, and `value` if it was not: `bias.unwrap_or(0.0)`. Each has a
    /// formula of its own.
    unwrap_or(x, value: Operand);
    /// Whether an optional tensor was passed, which a formula knows: `if bias.is_some() { a } else { b }`.
    is_some(x);
    /// The elements of `x` at the indices `n = ids` of dim `n`. `ids` takes the place of dim `n`: dims that
    /// `x` has too are walked together, others are new. In an index the name of a dim is the index along it.
    /// Several indices replace several dims. An index out of range is an `Err`, unless `or = value` says what
    /// lies outside: `at(x, m = i - 1, n = j * stride + k, or = 0.0)`.
    at(x, indices: Indices);
    /// `a / b` as an index of `at`. Where `b` does not divide `a` the value is that of `or`:
    /// `at(x, n = div_exact(o - k, stride), or = 0.0)`.
    div_exact(a, b: Operand);
    /// An index of `at` that goes around: `at(x, n = wrap(i - shift))` reads the last element at -1, and the
    /// first one at `len(n)`.
    wrap(i);
    /// An index of `at` that is mirrored at the ends, which are not repeated: `at(x, n = reflect(i - pad))`
    /// reads the element 1 at -1.
    reflect(i);
    /// The sum over dims: `sum(x, n)`, `sum(x, (m, n))`. A product that is summed over a shared dim is a
    /// matrix product.
    sum(x, dims: Dims);
    /// The product over dims.
    prod(x, dims: Dims);
    /// The largest element along dims. The larger of two values is `maximum(a, b)`.
    max(x, dims: Dims);
    /// The smallest element along dims. The smaller of two values is `minimum(a, b)`.
    min(x, dims: Dims);
    /// The index of the largest element along dims, the first one of several.
    argmax(x, dims: Dims);
    /// The index of the smallest element along dims, the first one of several.
    argmin(x, dims: Dims);
    /// Whether any element along dims is true.
    any(x, dims: Dims);
    /// Whether all elements along dims are true.
    all(x, dims: Dims);
    /// The sum of the elements so far, along one dim: `cumsum(x, n)`. With `reverse = true` it starts at the
    /// last element. With `exclusive = true` each element is left out of its own sum.
    cumsum(x, dim: Dims, settings: Settings);
    /// The product of the elements so far, along one dim. It takes `reverse` and `exclusive` as `cumsum`
    /// does.
    cumprod(x, dim: Dims, settings: Settings);
    /// The largest element so far, along one dim. With `reverse = true` it starts at the last element.
    cummax(x, dim: Dims, settings: Settings);
    /// The smallest element so far, along one dim. With `reverse = true` it starts at the last element.
    cummin(x, dim: Dims, settings: Settings);
    /// `y[t] = decay[t] * y[t - 1] + x[t]` along one dim: `linear_recurrence(decay, x, t)`. It starts from 0,
    /// or from `init = h`. With `reverse = true` it starts at the last element.
    linear_recurrence(decay, x: Operand, dim: Dims, settings: Settings);
    /// The logarithm of the sum of the exponentials so far, along one dim, without overflow on the way.
    logcumsumexp(x, dim: Dims);
    /// The sums of the elements that have one index: `scatter_add(x, n, s = ids)` adds each element along `n`
    /// at the place `ids` along `s`. Several indices address several dims: `scatter_add(x, n, s = i, t = j)`.
    scatter_add(x, dims: Dims, index: Indices);
    /// The products of the elements that have one index: `scatter_mul(x, n, s = ids)`.
    scatter_mul(x, dims: Dims, index: Indices);
    /// The largest of the elements that have one index, or minus infinity if there is none. For ints that is
    /// the smallest number of 64 bits.
    scatter_max(x, dims: Dims, index: Indices);
    /// The smallest of the elements that have one index, or infinity if there is none. For ints that is the
    /// largest number of 64 bits.
    scatter_min(x, dims: Dims, index: Indices);
    /// The means of the elements that have one index, or 0 if there is none.
    scatter_mean(x, dims: Dims, index: Indices);
    /// The elements along one dim in ascending order: `sort(x, n)`. With `descending = true` the largest one
    /// comes first. With `first = k` the result has the dim `k` instead, and the first elements alone.
    sort(x, dim: Dims, settings: Settings);
    /// The positions of the elements along one dim in ascending order, for `at(x, n = order)`. It takes
    /// `descending` and `first` as `sort` does.
    argsort(x, dim: Dims, settings: Settings);
    /// For each element of `x`, how many elements are smaller of what is sorted along a dim:
    /// `searchsorted(sorted, x, n)`. With `right = true` equal elements count too.
    searchsorted(sorted, x: Operand, dim: Dims, settings: Settings);
    /// The middle element along one dim, the smaller one of two.
    median(x, dim: Dims);
    /// The value below which the fraction `q` of the elements along a dim lies, linear between elements:
    /// `quantile(x, 0.9, n)`.
    quantile(x, q: Operand, dim: Dims);
    /// Random numbers in [0, 1), one for each position along dims: `uniform(seed, (m, n))`. Equal seeds and
    /// positions give equal numbers. `stream = 1` behind the dims gives other numbers for the same seed.
    uniform(seed, dims: Dims, settings: Settings);
    /// Random numbers of mean 0 and standard deviation 1, one for each position along dims.
    normal(seed, dims: Dims, settings: Settings);
    /// Random numbers of the exponential distribution of rate 1, one for each position along dims.
    exponential(seed, dims: Dims, settings: Settings);
    /// Random numbers of the standard Gumbel distribution, one for each position along dims: the largest of
    /// `logits + gumbel(seed, n)` is drawn by the softmax of the logits.
    gumbel(seed, dims: Dims, settings: Settings);
    /// True with probability `p`, for each position along dims: `bernoulli(p, seed, n)`.
    bernoulli(p, seed: Operand, dims: Dims, settings: Settings);
    /// 0 with probability `p`, and `x / (1 - p)` else, for each position along the dims of `x`:
    /// `dropout(x, p, seed)`. With fewer dims, `dropout(x, p, seed, n)`, elements share a draw.
    dropout(x, p: Operand, seed: Operand, dims: OptionalDims, settings: Settings);
    /// A random number in [0, 1) for three ints: `random(seed, stream, position)`.
    random(seed, stream: Operand, position: Operand);
    /// The arithmetic mean over dims.
    mean(x, dims: Dims);
    /// The logarithm of the sum of exponentials over dims, without overflow on the way.
    logsumexp(x, dims: Dims);
    /// The variance over dims, divided by the number of elements: `var(x, n)`. A third argument is taken off
    /// that number, so that `var(x, n, 1)` is the variance of a sample.
    var(x, dims: Dims, correction: Optional);
    /// The standard deviation over dims, the square root of `var`, with the same third argument.
    std(x, dims: Dims, correction: Optional);
    /// The length of the vector along dims, the square root of the sum of squares.
    norm(x, dims: Dims);
    /// `maximum(x, 0)`; NaN passes.
    relu(x);
    /// The logistic function, `1 / (1 + exp(-x))`.
    sigmoid(x);
    /// `x * sigmoid(x)`, also called swish.
    silu(x);
    /// The Gaussian error linear unit, `x` times the normal distribution function of `x`.
    gelu(x);
    /// `gelu` in its approximation by `tanh`.
    gelu_tanh(x);
    /// `ln(1 + exp(x))`, a smooth `relu`.
    softplus(x);
    /// `x * tanh(softplus(x))`.
    mish(x);
    /// `x` where it is between `low` and `high`, and elsewhere the bound that is nearer. Of one argument it
    /// is an index of `at`, whose bounds are the ends of the dim: `at(x, n = clamp(i - pad))`.
    clamp(x, low: Optional, high: Optional);
    /// `sqrt(a * a + b * b)`, without overflow on the way.
    hypot(a, b: Operand);
    /// `ln(exp(a) + exp(b))`, without overflow on the way.
    logaddexp(a, b: Operand);
    /// `sin(PI * x) / (PI * x)`, and 1 at 0.
    sinc(x);
    /// The quotient, rounded down, of floats or of ints: `floor_div(-7, 2)` is -4. Of ints it is 0 if `b` is
    /// 0.
    floor_div(a, b: Operand);
    /// The rest of the quotient that is rounded down, with the sign of `b`: `remainder(-7, 2)` is 1. `a % b`
    /// has the sign of `a`.
    remainder(a, b: Operand);
    /// The number of ones among the bits of the absolute value of an int.
    popcount(x);
    /// `x * x`.
    square(x);
    /// `x * x * x`.
    cube(x);
    /// Exponentials along dims, divided by their sum.
    softmax(x, dims: Dims);
    /// The logarithm of `softmax(x, n)`.
    log_softmax(x, dims: Dims);
}
