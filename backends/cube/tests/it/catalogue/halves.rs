//! Functions in ops on halves, which may be as exact as halves need, against the host's of f64.
//!
//! A half hides most digits of a result. So an op is told the result as a half, `y`, and gives what is left
//! of it, which has digits of its own. The argument is a sum of two halves times a power of two: it has more
//! digits than a half, and the exponents of bf16, as a value that an op computes.

use super::accuracy::{of_exp, unit};
use std::f64::consts::{FRAC_PI_2, LN_2};
use tensor_op::backend::Prim;
use tensor_op::prelude::*;
use tensor_op_core::f16;

/// What is left is multiplied by this, so that an f16 holds it.
const SCALE: f64 = 1024.0;
/// How much of a number its rounding to f16 takes.
const ROUNDING: f64 = 1.0 / 2048.0;

/// A function under test, and its value on the host.
struct Case {
    prim: Prim,
    exact: fn(f64, f64) -> f64,
    /// How many more units the exponential in it may be off.
    more: fn(f64) -> f64,
    /// The op that gives what is left.
    left: fn(&[Tensor; 6]) -> Result<Tensor>,
    /// The op that gives the result.
    plain: fn(&[Tensor; 2]) -> Result<Tensor>,
}

/// Passes the second operand, if the function has one.
macro_rules! second {
    ($name:ident of $($arg:tt)+) => { &$($arg)+ };
}

/// Cases with their ops, which take `x` in two parts.
macro_rules! cases {
    ($($name:ident($($second:ident)?) = $prim:ident, $exact:expr, $more:expr;)+) => {$(
        mod $name {
            use tensor_op::prelude::*;

            #[tensor_op(tests = false)]
            pub(super) fn left(
                x: Tensor![n],
                d: Tensor![n],
                x_scale: Tensor![n],
                y: Tensor![n],
                y_scale: Tensor![n]
                $(, $second: Tensor![n])?
            ) -> Tensor![n] {
                let argument = (x + d) * square(square(square(x_scale)));
                let result = y * square(square(square(y_scale)));
                ($name(argument $(, $second)?) - result) / result * 1024.0
            }

            #[tensor_op(tests = false)]
            pub(super) fn plain(x: Tensor![n] $(, $second: Tensor![n])?) -> Tensor![n] {
                $name(x $(, $second)?)
            }
        }
    )+
    const CASES: &[Case] = &[$(Case {
        prim: Prim::$prim,
        exact: $exact,
        more: $more,
        left: |x| $name::left(&x[0], &x[1], &x[2], &x[3], &x[4] $(, second!($second of x[5]))?),
        plain: |x| $name::plain(&x[0] $(, second!($second of x[1]))?),
    }),+];};
}

fn none(_: f64) -> f64 {
    0.0
}

cases! {
    ln() = Ln, |x, _| x.ln(), none;
    log2() = Log2, |x, _| x.log2(), none;
    rsqrt() = Rsqrt, |x, _| 1.0 / x.sqrt(), none;
    log1p() = Log1p, |x, _| x.ln_1p(), none;
    expm1() = Expm1, |x, _| x.exp_m1(), of_exp;
    sin() = Sin, |x, _| x.sin(), none;
    cos() = Cos, |x, _| x.cos(), none;
    tan() = Tan, |x, _| x.tan(), none;
    asin() = Asin, |x, _| x.asin(), none;
    acos() = Acos, |x, _| x.acos(), none;
    atan() = Atan, |x, _| x.atan(), none;
    sinh() = Sinh, |x, _| x.sinh(), of_exp;
    cosh() = Cosh, |x, _| x.cosh(), of_exp;
    tanh() = Tanh, |x, _| x.tanh(), none;
    asinh() = Asinh, |x, _| x.asinh(), none;
    acosh() = Acosh, |x, _| x.acosh(), none;
    atanh() = Atanh, |x, _| x.atanh(), none;
    erf() = Erf, |x, _| libm::erf(x), none;
    erfc() = Erfc, |x, _| libm::erfc(x), none;
    pow(p) = Pow, f64::powf, none;
    atan2(p) = Atan2, f64::atan2, none;
}

/// Arguments of all exponents, near the points where functions vanish, and where they change their formula.
fn arguments() -> impl Iterator<Item = f64> {
    let bits = (0..=u32::MAX).step_by(65_521).map(|bits| f64::from(f32::from_bits(bits)));
    let near_one = (-2000..2000).map(|k| 1.0 + f64::from(k) * 1e-5);
    let turns = (-600..600).flat_map(|k| {
        let at = f64::from(k) * FRAC_PI_2;
        [at, at + 1e-4, at - 1e-3, at + 0.785]
    });
    let small = (-40_000..40_000).map(|k| f64::from(k) * 1e-4);
    let exponents = (-260..260).map(|k| f64::from(k) * LN_2 / 2.0);
    bits.chain(near_one).chain(turns).chain(small).chain(exponents)
}

/// Second operands, each for some arguments.
const SECOND: [f64; 12] = [0.5, -1.0, 2.0, 3.0, -2.5, 0.125, 7.0, 1e-3, -40.0, 12.25, 1.0, 30.0];

/// A number of f32 as the sum of two halves, and the eighth root of the power of two that they are multiplied
/// by.
fn parts(x: f64) -> [f16; 3] {
    let eighth = x.abs().log2().div_euclid(8.0).clamp(-14.0, 15.0) as i32;
    let x = f64::from(x as f32) * 2f64.powi(-8 * eighth);
    let high = f16::from_f64(x);
    [high, f16::from_f64(x - high.to_f64()), f16::from_f64(2f64.powi(eighth))]
}

fn number([high, low, scale]: [f16; 3]) -> f64 {
    (high.to_f64() + low.to_f64()) * scale.to_f64().powi(8)
}

/// The worst result that is further off than the primitive promises.
fn check(case: &Case) -> Result<Option<String>> {
    let mut columns: [Vec<f16>; 6] = Default::default();
    let mut expected = Vec::new();
    for (x, p) in arguments().zip(SECOND.into_iter().cycle()) {
        let (x, p) = (parts(x), f16::from_f64(p));
        let exact = (case.exact)(number(x), p.to_f64());
        let [y, _, y_scale] = parts(exact);
        let is_fit = |x: f64| (1e-30..3e38).contains(&x.abs());
        if is_fit(number(x)) && is_fit(exact) {
            for (column, value) in columns.iter_mut().zip([x[0], x[1], x[2], y, y_scale, p]) {
                column.push(value);
            }
            expected.push((number(x), exact, number([y, f16::ZERO, y_scale])));
        }
    }
    let device = Device::new("wgpu")?;
    let tensor = |column: &Vec<f16>| Tensor::from_vec(column.clone(), [column.len()], &device);
    let [x, d, x_scale, y, y_scale, p] = columns.each_ref().map(tensor);
    let found = (case.left)(&[x?, d?, x_scale?, y?, y_scale?, p?])?.to_vec::<f16>()?;
    let mut worst = (1.0, None);
    for ((x, exact, y), found) in expected.into_iter().zip(found) {
        let left = (exact - y) / y * SCALE;
        let rounding = left.abs() * ROUNDING + f16::from_bits(1).to_f64();
        let off = (found.to_f64() - left).abs() - rounding;
        let off = off / SCALE * y.abs() / unit(exact as f32);
        let bound = case.prim.ulps_for_halves() + (case.more)(x);
        let off_by_bound = if off.is_nan() { f64::INFINITY } else { off / bound };
        if off_by_bound > worst.0 {
            let message = format!("{:?} of {x:?}: {off} units off, not {bound}", case.prim);
            worst = (off_by_bound, Some(message));
        }
    }
    Ok(worst.1)
}

#[test]
fn functions_are_as_exact_as_they_promise() -> Result<()> {
    let wrong = CASES.iter().filter_map(|case| check(case).transpose()).collect::<Result<Vec<String>>>()?;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Second operands at which powers and angles are special.
const SPECIAL: [f64; 14] =
    [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e4];

/// Whether a result is next to the true one. Infinities, zeros with their signs and NaN are exact.
fn is_near(found: f64, exact: f64) -> bool {
    let rounded = f16::from_f64(exact).to_f64();
    if rounded.is_nan() || exact == 0.0 || exact.is_infinite() {
        return if rounded.is_nan() { found.is_nan() } else { found.to_bits() == rounded.to_bits() };
    }
    let next = (exact.abs() * 2.0 * ROUNDING).max(f16::from_bits(1).to_f64());
    found == rounded || (found - exact).abs() <= next
}

/// The first result on a half that is wrong.
fn check_all(case: &Case, second: f16) -> Result<Option<String>> {
    let arguments: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let device = Device::new("wgpu")?;
    let tensor = |column: Vec<f16>| Tensor::from_vec(column, [1 << 16], &device);
    let args = [tensor(arguments.clone())?, tensor(vec![second; 1 << 16])?];
    let found = (case.plain)(&args)?.to_vec::<f16>()?;
    Ok(arguments.into_iter().zip(found).find_map(|(x, found)| {
        let exact = (case.exact)(x.to_f64(), second.to_f64());
        let message = || format!("{:?} of {x:?}, {second:?} is {found:?}, not {exact:?}", case.prim);
        (!is_near(found.to_f64(), exact)).then(message)
    }))
}

#[test]
fn functions_of_all_halves() -> Result<()> {
    let mut wrong = Vec::new();
    for case in CASES {
        let count = if matches!(case.prim, Prim::Pow | Prim::Atan2) { SPECIAL.len() } else { 1 };
        for second in &SPECIAL[..count] {
            wrong.extend(check_all(case, f16::from_f64(*second))?);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
