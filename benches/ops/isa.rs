//! Loops by hand, compiled for the baseline and for the machine.

use crate::case::Loops;

/// An instruction set to compile for.
pub(crate) enum Level {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The best set of this machine that a compilation may use.
pub(crate) fn level(loops: Loops) -> Level {
    #[cfg(target_arch = "x86_64")]
    if loops == Loops::Simd && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
        return if avx512 { Level::Avx512 } else { Level::Avx2 };
    }
    let _ = loops;
    Level::Baseline
}

/// What the compilations do differently.
pub(crate) trait Math {
    fn exp(x: f32) -> f32;
}

/// `exp` of std, one call per element.
pub(crate) struct Std;

/// A polynomial that vectorises where a fused multiply-add is one instruction. Within 2 ulp.
pub(crate) struct Polynomial;

impl Math for Std {
    #[inline(always)]
    fn exp(x: f32) -> f32 {
        x.exp()
    }
}

impl Math for Polynomial {
    #[inline(always)]
    fn exp(x: f32) -> f32 {
        // Adding and subtracting this rounds to a whole number.
        const ROUND: f32 = 12_582_912.0;
        let x = x.clamp(-87.0, 88.0);
        let n = x.mul_add(std::f32::consts::LOG2_E, ROUND) - ROUND;
        let r = (-n).mul_add(6.931_457_5e-1, x);
        let r = (-n).mul_add(1.428_606_8e-6, r);
        let p = 0.000_198_909_97_f32.mul_add(r, 0.001_393_365_6).mul_add(r, 0.008_333_31);
        let p = p.mul_add(r, 0.041_666_463).mul_add(r, 0.166_666_67).mul_add(r, 0.5);
        let power = f32::from_bits(((n + ROUND).to_bits() << 23).wrapping_add(1_f32.to_bits()));
        (r * r).mul_add(p, r + 1.0) * power
    }
}

/// Accumulators of a sum, which one register or a few hold: a sum in order does not vectorise.
const LANES: usize = 32;

/// The sum of `f` over two rows of one length.
#[inline(always)]
pub(crate) fn sum(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            lanes[k] += f(a[k], b[k]);
        }
    }
    for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        lanes[k] += f(*a, *b);
    }
    lanes.iter().sum()
}

/// The largest of a row.
#[inline(always)]
pub(crate) fn max(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for k in 0..LANES {
            lanes[k] = if chunk[k] > lanes[k] { chunk[k] } else { lanes[k] };
        }
    }
    let lanes = lanes.iter().chain(rest);
    lanes.fold(f32::NEG_INFINITY, |max, x| if *x > max { *x } else { max })
}

/// Defines a loop in two compilations, chosen by its first argument.
macro_rules! loops {
    (fn $name:ident<$math:ident>($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        #[allow(clippy::too_many_arguments, reason = "operands of a loop")]
        fn $name(loops: $crate::case::Loops, $($arg: $ty),*) {
            #[inline(always)]
            fn body<$math: $crate::isa::Math>($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($arg: $ty),*) {
                body::<$crate::isa::Polynomial>($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512dq")]
            fn avx512($($arg: $ty),*) {
                body::<$crate::isa::Polynomial>($($arg),*);
            }

            match $crate::isa::level(loops) {
                $crate::isa::Level::Baseline => body::<$crate::isa::Std>($($arg),*),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the machine has these features.
                $crate::isa::Level::Avx2 => unsafe { avx2($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the machine has these features.
                $crate::isa::Level::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}

pub(crate) use loops;
