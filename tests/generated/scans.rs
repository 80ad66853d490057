//! Scans: of each kind, in both directions, along inner, outer and chosen axes, of ints, and with operands
//! that lack dims.
#![allow(dead_code, reason = "what is called are the tests that they generate")]

use tensor_op::prelude::*;

/// Declares ops, one a line: `name(arguments) -> result = formula;`.
macro_rules! ops {
    ($($name:ident($($argument:tt)*) -> [$($result:tt)*] = $formula:expr;)+) => {
        $(
            #[tensor_op]
            fn $name($($argument)*) -> $($result)* {
                $formula
            }
        )+
    };
}

ops! {
    sums(x: Tensor![.., n]) -> [Tensor![.., n]] = cumsum(x, n);
    sums_outer(x: Tensor![n, d]) -> [Tensor![n, d]] = cumsum(exp(x), n, reverse = true);
    sums_of_ints(x: IntTensor![b, n]) -> [IntTensor![b, n]] = cumsum(x, n, exclusive = true);
    products(x: Tensor![b, n]) -> [Tensor![b, n]] = cumprod(x, n);
    products_of_ints(x: IntTensor![n]) -> [IntTensor![n]] = cumprod(x, n, reverse = true);
    largest(x: Tensor![n, d]) -> [Tensor![n, d]] = cummax(x, n);
    smallest(x: IntTensor![b, n]) -> [IntTensor![b, n]] = cummin(x, n, reverse = true);
    log_sums(x: Tensor![b, n]) -> [Tensor![b, n]] = logcumsumexp(x, n);
    along(x: Tensor, dim: Axis) -> [Tensor] = cumsum(x, dim);
    recurrence(a: Tensor![b, n], x: Tensor![b, n]) -> [Tensor![b, n]] = linear_recurrence(a, x, n);
    of_one_factor(a: Tensor![d], x: Tensor![n, d], h: Tensor![d]) -> [Tensor![n, d]] =
        linear_recurrence(sigmoid(a), x, n, init = h);
    average(x: Tensor![.., n], #[default(0.9)] decay: f64) -> [Tensor![.., n]] =
        linear_recurrence(decay, (1.0 - decay) * x, n, reverse = true);
    selective(u: Tensor![t, d], delta: Tensor![t, d], a: Tensor![d, s], b: Tensor![t, s], c: Tensor![t, s]) -> [Tensor![t, d]] =
        sum(linear_recurrence(exp(-softplus(delta) * exp(a)), delta * b * u, t) * c, s);
}

/// PyTorch adds up in f64, too. With a sum in f32 the last elements were off by 13.
#[test]
fn a_long_sum_is_rounded_once() {
    let terms: Vec<f32> = (0..1 << 18).map(|i| (i as f32 * 0.618_034).fract() * 8.0 - 3.0).collect();
    let exact = terms.iter().scan(0.0, |sum, x| {
        *sum += f64::from(*x);
        Some(*sum as f32)
    });
    let exact: Vec<f32> = exact.collect();
    let run = |columns: usize| {
        let terms = terms.iter().flat_map(|x| vec![*x; columns]).collect();
        let x = Tensor::from_vec(terms, [exact.len(), columns], &Device::default())?;
        along(&x, 0)?.to_vec::<f32>()
    };
    assert!(run(1).expect("it runs") == exact);
    assert!(run(16).expect("it runs").chunks(16).map(|row| row[3]).eq(exact.iter().copied()));
}
