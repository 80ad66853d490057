//! Windows of every family.

/// A convolution with all of its numbers.
pub(crate) const CONV: &str = "fn f(x: Tensor![n], w: Tensor![k], stride: usize, pad: i64, dilation: usize) \
    -> Tensor![o = (n + 2 * pad - dilation * (k - 1) - 1) / stride + 1] \
    { sum(at(x, n = o * stride + k * dilation - pad, or = 0.0) * w, k) }";

/// The adjoint of a convolution.
pub(crate) const TRANSPOSED: &str = "fn f(x: Tensor![n], w: Tensor![k], stride: usize, pad: usize) \
    -> Tensor![o = (n - 1) * stride + k - 2 * pad] \
    { sum(at(x, n = div_exact(o + pad - k, stride), or = 0.0) * w, k) }";

/// Declarations, each with the numbers at which it is checked.
pub(crate) const WINDOWS: &[(&str, &[&str])] = &[
    (
        CONV,
        &[
            "n=7 k=3 stride=1 pad=0 dilation=1",
            "n=7 k=3 stride=2 pad=1 dilation=1",
            "n=6 k=3 stride=3 pad=2 dilation=2",
            // A stride that is greater than the window, and padding that cuts elements off.
            "n=9 k=2 stride=3 pad=0 dilation=1",
            "n=7 k=2 stride=1 pad=-1 dilation=2",
            // All is padding.
            "n=1 k=2 stride=2 pad=3 dilation=1",
        ],
    ),
    (TRANSPOSED, &["n=3 k=3 stride=1 pad=0", "n=3 k=2 stride=3 pad=1", "n=4 k=4 stride=2 pad=1"]),
    // A step that may be zero or negative.
    (
        "fn f(x: Tensor![n], y: Tensor![m], w: Tensor![k], stride: i64) -> Tensor![m] {
            y * sum(at(x, n = iota(m) * stride + iota(k), or = 0.0) * w, k)
        }",
        &["n=9 k=3 m=3 stride=2", "n=3 k=2 m=2 stride=0", "n=3 k=3 m=3 stride=-1"],
    ),
    // Pads: constants, and values that are no literals.
    (
        "fn f(x: Tensor![n], l: usize, r: usize) -> Tensor![o = n + l + r] { square(at(x, n = o - l, or = 1.5)) }",
        &["n=3 l=2 r=1", "n=2 l=0 r=0"],
    ),
    (
        "fn f(x: Tensor![n], v: Tensor![n]) -> Tensor![o = n + 2] { square(at(x, n = o - 1, or = sum(v, n))) }",
        &["n=3"],
    ),
    ("fn f(x: Tensor![n], v: f64) -> Tensor![o = n + 2] { exp(at(x, n = o - 1, or = v)) }", &["n=3"]),
    // Backwards, shifted, every other element, a part.
    ("fn f(x: Tensor![m, n]) -> Tensor![m, n] { square(at(x, n = len(n) - 1 - n)) }", &["m=2 n=3"]),
    (
        "fn f(x: Tensor![n], s: usize) -> Tensor![n] { x * at(x, n = n - s, or = 0.0) }",
        &["n=4 s=1", "n=3 s=3"],
    ),
    ("fn f(x: Tensor![n], s: i64) -> Tensor![n] { x * at(x, n = n - s, or = 0.0) }", &["n=4 s=-2"]),
    (
        "fn f(x: Tensor![n], s: usize) -> Tensor![o = (n + s - 1) / s] { exp(at(x, n = o * s)) }",
        &["n=5 s=2", "n=5 s=7"],
    ),
    ("fn f(x: Tensor![n]) -> Tensor![o = n - 1] { square(at(x, n = o + 1) - at(x, n = o)) }", &["n=4"]),
    ("fn f(x: Tensor![n]) -> Tensor![o = n / 2] { exp(at(x, n = len(n) - 1 - 2 * o)) }", &["n=5"]),
    ("fn f(x: Tensor![n]) -> Tensor![o = n / 2] { exp(at(x, n = o + o)) }", &["n=5"]),
    // One index along two dims.
    ("fn f(x: Tensor![n, m = n]) -> Tensor![d = n] { square(at(x, n = d, m = d)) }", &["n=3"]),
    ("fn f(x: Tensor![b, n, m = n]) -> Tensor![b] { sum(square(at(x, n = m)), m) }", &["b=2 n=3"]),
    (
        "fn f(x: Tensor![m, n]) -> Tensor![d = n] { square(at(x, m = d - 1, n = d, or = 0.5)) }",
        &["m=3 n=3", "m=2 n=4"],
    ),
    // An index along a dim that the source has too.
    ("fn f(x: Tensor![m, n]) -> Tensor![m] { exp(at(x, n = m)) }", &["m=2 n=3"]),
    ("fn f(x: Tensor![m, n]) -> Tensor![m, k = 2] { exp(at(x, n = m * 2 + k - 1, or = 0.0)) }", &["m=2 n=3"]),
    ("fn f(x: Tensor![m, n]) -> Tensor![m, n] { x * at(x, n = n - m, or = 0.0) }", &["m=3 n=4"]),
    // Numbers.
    ("fn f(x: Tensor![m, n]) -> Tensor![m] { square(at(x, n = 1)) }", &["m=2 n=3"]),
    ("fn f(x: Tensor![m, n], i: usize) -> Tensor![m] { square(at(x, n = i)) }", &["m=2 n=3 i=2"]),
    (
        "fn f(x: Tensor![m, n], i: i64) -> Tensor![m] { square(at(x, n = i, or = 3.0)) }",
        &["m=2 n=3 i=-1", "m=2 n=3 i=0"],
    ),
    (
        "fn f(x: Tensor![.., (half = 2, n)]) -> Tensor![.., n] { at(x, half = 0) * exp(at(x, half = 1)) }",
        &["n=3"],
    ),
    // Pooling.
    (
        "fn f(x: Tensor![n], k: usize, stride: usize) -> Tensor![o = (n - k) / stride + 1] { max(at(x, n = o * stride + iota(k)), k) }",
        &["n=6 k=3 stride=1", "n=6 k=2 stride=2"],
    ),
    (
        "fn f(x: Tensor![n], k: usize, pad: usize) -> Tensor![o = n + 2 * pad - k + 1] { max(at(x, n = o + iota(k) - pad, or = -INFINITY), k) }",
        &["n=4 k=3 pad=1"],
    ),
    (
        "fn f(x: Tensor![n], k: usize) -> Tensor![o = n - k + 1] { mean(square(at(x, n = o + iota(k))), k) }",
        &["n=5 k=2"],
    ),
    // Windows of windows.
    (
        "fn f(x: Tensor![n]) -> Tensor![n] { square(at(at(x, n = n - 1, or = 0.5), n = len(n) - 1 - n)) }",
        &["n=4"],
    ),
    (
        "fn f(x: Tensor![n], w: Tensor![k], j: usize) -> Tensor![p = j - k + 1] { let y = exp(at(x, n = iota(j) - 1, or = 2.0)); sum(at(y, j = p + k) * w, k) }",
        &["n=4 k=2 j=6"],
    ),
    (
        "fn f(x: Tensor![n], u: Tensor![k], v: Tensor![l], j: usize) -> Tensor![p = j - l + 1] { sum(u * v * square(at(at(x, n = iota(j) * 2 + k), j = p + l)), (k, l)) }",
        &["n=8 k=2 l=2 j=3"],
    ),
    (
        "fn f(x: Tensor![n], j: usize) -> Tensor![n] { let y = square(at(x, n = iota(j) * 2, or = 0.5)); at(y, j = div_exact(n, 2), or = 1.0) }",
        &["n=5 j=3"],
    ),
    // Dims that the formula makes.
    (
        "fn f(x: Tensor![n]) -> Tensor![n] { sum(select(iota(m = n) <= iota(n), square(at(x, n = m)), 0.0), m) }",
        &["n=4"],
    ),
    (
        "fn f(x: Tensor![n, d]) -> Tensor![n] { let y = at(x, n = iota(m = len(n))); mean(square(x - y) * len(m), (m, d)) }",
        &["n=3 d=2"],
    ),
    (
        "fn f(x: Tensor![n], k: usize) -> Tensor![n] { let y = at(x, n = n + iota(w = 2 * k + 1) - k, or = 0.5); prod(y, w) * cast(sum(iota(v = w + 1), v), float) }",
        &["n=3 k=1", "n=2 k=0"],
    ),
    // An index from memory beside an affine one, and one that clamps.
    (
        "fn f(x: Tensor![m, n], ids: IntTensor![b]) -> Tensor![b, k = 2] { square(at(x, m = ids, n = b + k - 1, or = 0.5)) }",
        &["m=2 n=3 b=2"],
    ),
    ("fn f(x: Tensor![n]) -> Tensor![n] { x * at(x, n = minimum(n + 1, len(n) - 1)) }", &["n=4"]),
    // Indices that are brought inside, from near and from far; and one that is inside as it is.
    (
        "fn f(x: Tensor![n], l: i64, r: usize) -> Tensor![o = n + r] { square(at(x, n = wrap(o - l))) }",
        &["n=3 l=2 r=3", "n=2 l=-5 r=0", "n=1 l=4 r=1"],
    ),
    (
        "fn f(x: Tensor![n], l: i64, r: usize) -> Tensor![o = n + r] { square(at(x, n = clamp(o - l))) }",
        &["n=3 l=2 r=3", "n=1 l=4 r=1"],
    ),
    (
        "fn f(x: Tensor![n], l: i64, r: usize) -> Tensor![o = n + r] { square(at(x, n = reflect(o - l))) }",
        &["n=3 l=2 r=3", "n=2 l=-5 r=2", "n=1 l=4 r=1"],
    ),
    (
        "fn f(x: Tensor![m, n]) -> Tensor![m, n] { square(at(x, m = m - 1, n = wrap(len(n) - 1 - n), or = 0.5)) }",
        &["m=2 n=3"],
    ),
    (
        "fn f(x: Tensor![m, n]) -> Tensor![m, n] { square(at(x, n = reflect(n - 2), m = m - 1, or = 0.5)) }",
        &["m=2 n=3"],
    ),
];
