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
            assert!(
                y != 0.0 || want.is_sign_negative() == y.is_sign_negative(),
                "{name}({x:e}) in f32: sign of {y}"
            );
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
    erfc = libm::erfc, 4, 5;
    sqrt = libm::sqrt, 0, 0;
    sin = libm::sin, 1, 0;
    cos = libm::cos, 1, 0;
    tan = libm::tan, 1, 0;
    asin = libm::asin, 1, 2;
    acos = libm::acos, 1, 2;
    atan = libm::atan, 1, 2;
    sinh = libm::sinh, 1, 3;
    cosh = libm::cosh, 1, 2;
    asinh = libm::asinh, 1, 3;
    acosh = |x: f64| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, 1, 3;
    atanh = libm::atanh, 1, 3;
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
    pairs!(f32, |a, b| a.pow(b).store(), libm::powf(a, b));
    pairs!(f32, |a, b| a.atan2(b).store(), a.atan2(b));
    pairs!(f64, |a, b| f64::from(u8::from(a.lt(b))), f64::from(u8::from(a < b)));
    pairs!(f64, |a, b| f64::from(u8::from(a.not_equal(b))), f64::from(u8::from(a != b)));
}

/// Applies a function of two lanes to pairs.
struct ApplyTwo<'a, F, E>(&'a [(E, E)], F);

macro_rules! apply_two {
    ($t:ident) => {
        impl<F: FunctionOfTwo> Routine for ApplyTwo<'_, F, $t> {
            type Output = Vec<$t>;
            #[inline(always)]
            fn run<I: Isa>(self) -> Vec<$t> {
                let lane = Scalar::<$t, I>::load;
                self.0.iter().map(|(a, b)| F::at(lane(*a), lane(*b)).store()).collect()
            }
        }
    };
}

/// A function of two lanes.
trait FunctionOfTwo {
    fn at<L: Lane>(a: L, b: L) -> L;
}

apply_two!(f32);
apply_two!(f64);

struct Pow;
impl FunctionOfTwo for Pow {
    #[inline(always)]
    fn at<L: Lane>(a: L, b: L) -> L {
        a.pow(b)
    }
}

struct Atan2;
impl FunctionOfTwo for Atan2 {
    #[inline(always)]
    fn at<L: Lane>(a: L, b: L) -> L {
        a.atan2(b)
    }
}

/// Powers that are neither zero nor infinite, and whole powers of negative numbers.
#[test]
fn powers() {
    let moderate = (0..4_000).flat_map(|i| {
        let base = (i as f32 * 0.0173 - 20.0).exp2();
        (-40..40).map(move |j| (base, j as f32 * 0.0711)).chain([(-base, 3.0), (-base, -2.0), (-base, 0.5)])
    });
    let near_one = (-2_000..2_000).flat_map(|i| {
        let base = 1.0 + i as f32 * 3e-7;
        [-1e5, -33.3, 1e4, 1e5].map(|power| (base, power))
    });
    let bits = samples32().into_iter().map(|x| (x, (x * 0.37).sin() * 3.0));
    let pairs: Vec<(f32, f32)> = moderate.chain(near_one).step_by(SPARSE).chain(bits).collect();
    for level in LEVELS {
        for ((x, y), got) in pairs.iter().zip(dispatch_at(level, ApplyTwo(&pairs, Pow))) {
            let want = libm::pow(f64::from(*x), f64::from(*y)) as f32;
            assert!(ulps32(got, want) <= 1, "{x:e} to the power {y:e}, {level:?}: {got:e}, want {want:e}");
        }
    }
}

/// Points of all directions and lengths.
#[test]
fn angles_of_points() {
    let lengths = [1e-310, 1e-30, 1.0, 3.7, 1e200, f64::INFINITY, 0.0, -0.0, f64::NAN];
    let turns = (0..20_000).flat_map(|i| lengths.map(|length| (length, f64::from(i) * 3.1e-4)));
    let round = turns.map(|(length, angle)| (length * angle.sin(), length * angle.cos()));
    let mixed = lengths.iter().flat_map(|y| lengths.iter().flat_map(move |x| [(*y, *x), (-*y, -*x)]));
    let pairs: Vec<(f64, f64)> = round.step_by(SPARSE).chain(mixed).collect();
    let halves: Vec<(f32, f32)> = pairs.iter().map(|(y, x)| (*y as f32, *x as f32)).collect();
    for level in LEVELS {
        for ((y, x), got) in pairs.iter().zip(dispatch_at(level, ApplyTwo(&pairs, Atan2))) {
            let want = libm::atan2(*y, *x);
            let found = ulps64(got, want);
            let same_sign = got.is_nan() || got.is_sign_negative() == want.is_sign_negative();
            assert!(
                found <= 2 && same_sign,
                "({x:e}, {y:e}), {level:?}: {got:e}, want {want:e}, {found} ulps"
            );
        }
        for ((y, x), got) in halves.iter().zip(dispatch_at(level, ApplyTwo(&halves, Atan2))) {
            let want = libm::atan2(f64::from(*y), f64::from(*x)) as f32;
            assert!(ulps32(got, want) <= 1, "({x:e}, {y:e}), {level:?}: {got:e}, want {want:e}");
        }
    }
}

/// Powers of zeros and infinities have signs too.
#[test]
fn signs_of_powers() {
    let bases = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, -1.5];
    for (base, power) in bases.into_iter().flat_map(|base| [-3.0, -2.0, -0.5, 2.0, 3.0].map(|p| (base, p))) {
        let got = Scalar::<f32, super::isa::Baseline>::load(base).pow(Scalar::load(power)).store();
        let want = libm::powf(base, power);
        let same_sign = got.is_sign_negative() == want.is_sign_negative();
        assert!(
            got == want && same_sign || got.is_nan() && want.is_nan(),
            "{base} ** {power}: {got}, want {want}"
        );
    }
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

#[test]
fn quotients_and_remainders_of_all_ints() {
    let mut numbers: Vec<i64> = vec![0, i64::MAX, i64::MIN];
    for power in 0..63 {
        numbers.extend((-2..=2).flat_map(|by| [(1_i64 << power) + by, by - (1_i64 << power)]));
    }
    // A linear congruential generator (Knuth, MMIX), cut to numbers of all lengths.
    let mut state = 1_u64;
    for at in 0..400 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.push((state as i64) >> (at % 63));
    }
    let multiples: Vec<i64> = numbers.iter().map(|number| number.wrapping_mul(3_037_000_499)).collect();
    numbers.extend(multiples);
    for a in &numbers {
        for b in &numbers {
            let found = ((Int(*a) / Int(*b)).0, (Int(*a) % Int(*b)).0);
            let expected = if *b == 0 { (0, 0) } else { (a.wrapping_div(*b), a.wrapping_rem(*b)) };
            assert_eq!(found, expected, "{a} by {b}");
        }
    }
}
