//! Accuracy of the elementary functions at every instruction set of this machine, and the special values.

use super::isa::dispatch_at;
use super::{Int, IntLane, Isa, Lane, Level, Routine, Scalar};
use tensor_op_spec::prim::gamma;

const LEVELS: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

/// A function of one lane.
trait Function {
    fn at<L: Lane>(x: L) -> L;
}

struct Apply<'a, F, E>(&'a [E], F);

macro_rules! apply {
    ($t:ident) => {
        impl<F: Function> Routine for Apply<'_, F, $t> {
            type Output = Vec<$t>;
            #[inline(always)]
            fn run<I: Isa>(self) -> Vec<$t> {
                self.0.iter().map(|x| F::at(Scalar::<$t, I>::load(*x)).store()).collect()
            }
        }
    };
}

apply!(f32);
apply!(f64);

/// Units in the last place between two floats, as counted along the floats; 0 for two NaN.
fn ulps64(a: f64, b: f64) -> u64 {
    let ordered =
        |x: f64| if x.is_sign_negative() { -(x.abs().to_bits() as i64) } else { x.to_bits() as i64 };
    if a.is_nan() && b.is_nan() { 0 } else { ordered(a).abs_diff(ordered(b)) }
}

fn ulps32(a: f32, b: f32) -> u32 {
    let ordered =
        |x: f32| if x.is_sign_negative() { -(x.abs().to_bits() as i32) } else { x.to_bits() as i32 };
    if a.is_nan() && b.is_nan() { 0 } else { ordered(a).abs_diff(ordered(b)) }
}

/// An unoptimised build takes one sample in so many.
const SPARSE: usize = if cfg!(debug_assertions) { 29 } else { 1 };

/// Floats of all magnitudes by their bits, a dense grid where functions change, and the special ones.
fn samples64() -> Vec<f64> {
    let all = (0..200_000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let grid = (-400_000..400_000).map(|i| f64::from(i) * 1.000_3e-4);
    let wide = (-20_000..20_000).map(|i| f64::from(i) * 0.0547);
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN];
    let small = [
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        1e-310,
        1e-20,
        -1e-20,
        1.5e-16,
        709.782,
        709.783,
        -745.13,
        -745.14,
    ];
    all.chain(grid).chain(wide).step_by(SPARSE).chain(special).chain(small).collect()
}

fn samples32() -> Vec<f32> {
    let all = (0..400_000u32).map(|i| f32::from_bits(i.wrapping_mul(10_739)));
    let grid = (-200_000..200_000).map(|i| i as f32 * 2.000_3e-4);
    let wide = (-20_000..20_000).map(|i| i as f32 * 0.0087);
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
    let small = [1e-45, -1e-45, f32::MIN_POSITIVE, 1e-40, 1e-20, -1e-20, 88.72, 88.73, -103.97, -103.98];
    all.chain(grid).chain(wide).step_by(SPARSE).chain(special).chain(small).collect()
}

/// Compares with references at every level; the sign of zero counts.
fn check<F: Function + Copy>(f: F, name: &str, reference: fn(f64) -> f64, most32: u32, most64: u64) {
    for level in LEVELS {
        let xs = samples64();
        for (x, y) in xs.iter().zip(dispatch_at(level, Apply(&xs, f))) {
            let want = reference(*x);
            let found = ulps64(y, want);
            assert!(found <= most64, "{name}({x:e}) in f64, {level:?}: {y:e}, want {want:e}, {found} ulps");
            assert!(
                y != 0.0 || want.is_sign_negative() == y.is_sign_negative(),
                "{name}({x:e}): sign of {y}"
            );
        }
        let xs = samples32();
        for (x, y) in xs.iter().zip(dispatch_at(level, Apply(&xs, f))) {
            let want = reference(f64::from(*x)) as f32;
            let found = ulps32(y, want);
            assert!(found <= most32, "{name}({x:e}) in f32, {level:?}: {y:e}, want {want:e}, {found} ulps");
        }
    }
}

macro_rules! accuracy {
    ($($name:ident = $reference:expr, $most32:expr, $most64:expr;)*) => {$(
        #[test]
        fn $name() {
            #[derive(Clone, Copy)]
            struct F;
            impl Function for F {
                #[inline(always)]
                fn at<L: Lane>(x: L) -> L {
                    x.$name()
                }
            }
            check(F, stringify!($name), $reference, $most32, $most64);
        }
    )*};
}

// Name, reference, largest difference in f32 and in f64. The f64 reference is itself off by up to 1.
accuracy! {
    exp = libm::exp, 1, 1;
    exp2 = libm::exp2, 1, 1;
    expm1 = libm::expm1, 2, 2;
    ln = libm::log, 1, 1;
    log2 = libm::log2, 1, 1;
    log1p = libm::log1p, 1, 2;
    tanh = libm::tanh, 2, 3;
    erf = libm::erf, 1, 2;
    erfc = libm::erfc, 1, 5;
    sqrt = libm::sqrt, 0, 0;
    sin = libm::sin, 1, 0;
    cos = libm::cos, 1, 0;
    tan = libm::tan, 1, 0;
    asin = libm::asin, 1, 0;
    acos = libm::acos, 1, 0;
    atan = libm::atan, 1, 0;
    sinh = libm::sinh, 1, 0;
    cosh = libm::cosh, 1, 0;
    asinh = libm::asinh, 2, 0;
    acosh = |x: f64| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, 2, 0;
    atanh = libm::atanh, 2, 0;
    lgamma = libm::lgamma, 0, 0;
    digamma = gamma::digamma, 0, 0;
    trigamma = gamma::trigamma, 0, 0;
    round = libm::rint, 0, 0;
    floor = libm::floor, 0, 0;
    ceil = libm::ceil, 0, 0;
    trunc = libm::trunc, 0, 0;
}

/// A function of two lanes, at the pairs of a few special values.
macro_rules! pairs {
    ($t:ident, |$a:ident, $b:ident| $lane:expr, $want:expr) => {
        let specials = [0.0, -0.0, 1.0, -2.5, 3.5, $t::INFINITY, $t::NEG_INFINITY, $t::NAN];
        for x in specials {
            for y in specials {
                let got = {
                    let ($a, $b) = (Scalar::<$t, super::isa::Baseline>::load(x), Scalar::load(y));
                    $lane
                };
                let want = {
                    let ($a, $b) = (x, y);
                    $want
                };
                assert!(got == want || (got.is_nan() && want.is_nan()), "{x} and {y}: {got}, want {want}");
            }
        }
    };
}

#[test]
fn binary_functions_at_special_values() {
    pairs!(f64, |a, b| a.maximum(b).store(), if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) });
    pairs!(f64, |a, b| a.minimum(b).store(), if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) });
    pairs!(f32, |a, b| a.maximum(b).store(), if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) });
    pairs!(f32, |a, b| (a % b).store(), a % b);
    pairs!(f64, |a, b| a.pow(b).store(), libm::pow(a, b));
    pairs!(f64, |a, b| a.atan2(b).store(), libm::atan2(a, b));
    pairs!(f32, |a, b| a.atan2(b).store(), a.atan2(b));
    pairs!(f64, |a, b| f64::from(u8::from(a.lt(b))), f64::from(u8::from(a < b)));
    pairs!(f64, |a, b| f64::from(u8::from(a.not_equal(b))), f64::from(u8::from(a != b)));
}

#[test]
fn signs_and_casts_at_special_values() {
    type Lane64 = Scalar<f64, super::isa::Baseline>;
    let lane = Lane64::load;
    assert_eq!([3.0, -3.0, 0.0, -0.0, f64::NAN].map(|x| lane(x).sign().store()), [1.0, -1.0, 0.0, 0.0, 0.0]);
    let truncated = [2.9, -2.9, 1e300, -1e300, f64::NAN].map(|x| lane(x).to_int().store());
    assert_eq!(truncated, [2, -2, i64::MAX, i64::MIN, 0]);
    assert_eq!([0.0, -0.0, 0.1, f64::NAN].map(|x| lane(x).to_mask()), [false, false, true, true]);
    assert_eq!(Lane64::select(true, lane(1.0), lane(2.0)).store(), 1.0);
    assert!(Lane64::select_mask(false, false, true));
    assert_eq!(Lane64::int_from_mask(true), Int(1));
    assert!(!lane(f64::INFINITY).is_finite() && lane(f64::NAN).is_nan());
}

#[test]
fn integers_are_total() {
    let int = Int;
    assert_eq!(int(7) / int(-2), int(-3));
    assert_eq!(int(-7) % int(2), int(-1));
    assert_eq!(int(7) / int(0), int(0));
    assert_eq!(int(7) % int(0), int(0));
    assert_eq!(int(i64::MIN) / int(-1), int(i64::MIN));
    assert_eq!(int(i64::MIN) % int(-1), int(0));
    assert_eq!(int(i64::MAX) + int(1), int(i64::MIN));
    assert_eq!(int(i64::MIN).abs(), int(i64::MIN));
    assert_eq!(int(-3).sign(), int(-1));
    assert_eq!(int(-3).maximum(int(2)), int(2));
}
