//! Sums of f32, whose neighbours are added in vectors where processors have AVX2: in steps of 1, 2 and 4
//! (Hillis and Steele, Data Parallel Algorithms, 1986). Other types gain nothing: one by one, sums of f64 and
//! of ints reach the rate of a copy.

use super::step::{BLOCK, Step};
#[cfg(target_arch = "x86_64")]
use crate::lane::Level;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;
use std::marker::PhantomData;
use std::ops::Add;

/// The sum so far, carried as `W`. If that is f64, errors don't grow with the row: only sums within a block
/// are rounded to f32.
#[derive(Clone, Copy)]
pub(super) struct Sum<W>(pub(super) PhantomData<W>);

/// A type that sums of f32 are carried in.
pub(super) trait Carried: Copy + Send + Sync + From<f32> + Add<Output = Self> {
    /// The nearest f32.
    fn nearest(self) -> f32;
    /// The nearest finite f32, and what it lacks.
    #[cfg(target_arch = "x86_64")]
    fn parts(self) -> [f32; 2];
    /// The sum with an exact one.
    #[cfg(target_arch = "x86_64")]
    fn plus(self, sum: f64) -> Self;
}

impl Carried for f32 {
    #[inline(always)]
    fn nearest(self) -> f32 {
        self
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn parts(self) -> [f32; 2] {
        [self, 0.0]
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn plus(self, sum: f64) -> f32 {
        (f64::from(self) + sum) as f32
    }
}

impl Carried for f64 {
    #[inline(always)]
    fn nearest(self) -> f32 {
        self as f32
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn plus(self, sum: f64) -> f64 {
        self + sum
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn parts(self) -> [f32; 2] {
        let nearest = self.nearest().clamp(f32::MIN, f32::MAX);
        [nearest, (self - f64::from(nearest)) as f32]
    }
}

impl<W: Carried> Step<f32> for Sum<W> {
    type State = W;
    #[inline(always)]
    fn first(self, b: f32) -> W {
        b.into()
    }
    #[inline(always)]
    fn next(self, y: W, _: f32, b: f32) -> W {
        y + b.into()
    }
    #[inline(always)]
    fn stored(self, y: W) -> f32 {
        y.nearest()
    }
    #[inline(always)]
    fn times(self, factors: f32, _: f32) -> f32 {
        factors
    }
    #[inline(always)]
    fn behind(self, y: W, _: f32, own: W) -> W {
        y + own
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn in_vectors<const REVERSED: bool>(
        self,
        before: Option<W>,
        from: &[f32],
        to: &mut [f32],
    ) -> (usize, Option<W>) {
        if Level::current() < Level::Avx2 || from.len() < WIDTH {
            return (0, before);
        }
        let y = before.unwrap_or(W::from(0.0));
        // The last elements are the first ones of a scan that is reversed.
        let rest = if REVERSED { from.len() % WIDTH } else { 0 };
        let (from, to) = (from[rest..].as_chunks().0, to[rest..].as_chunks_mut().0);
        let blocks = from.iter().zip(to);
        // SAFETY: this machine has AVX2 and FMA.
        let sum =
            unsafe { if REVERSED { sums::<W, true>(y, blocks.rev()) } else { sums::<W, false>(y, blocks) } };
        sum.map_or((0, before), |sum| (from.len() * WIDTH, Some(sum)))
    }
    #[inline(always)]
    fn total(self, b: [f32; BLOCK]) -> Option<W> {
        let mut sums = b.map(W::from);
        for count in [8, 4, 2, 1] {
            for at in 0..count {
                sums[at] = sums[2 * at] + sums[2 * at + 1];
            }
        }
        Some(sums[0])
    }
}

/// Elements of a vector.
#[cfg(target_arch = "x86_64")]
const LANES: usize = 8;
/// Elements of a block: the sum so far is needed once for each.
#[cfg(target_arch = "x86_64")]
const WIDTH: usize = 4 * LANES;

/// The sums so far of blocks, from what comes before them. `None` if a sum of neighbours overflows: then the
/// results may still be finite, and are taken one by one.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn sums<'a, W: Carried, const REVERSED: bool>(
    mut y: W,
    blocks: impl Iterator<Item = (&'a [f32; WIDTH], &'a mut [f32; WIDTH])>,
) -> Option<W> {
    let zero = x86::_mm256_setzero_ps();
    let mut probe = zero;
    for (from, to) in blocks {
        let [near, rest] = y.parts();
        let (near, rest) = (x86::_mm256_set1_ps(near), x86::_mm256_set1_ps(rest));
        let (mut before, mut exact) = (zero, x86::_mm256_setzero_pd());
        for vector in 0..WIDTH / LANES {
            let at = LANES * if REVERSED { WIDTH / LANES - 1 - vector } else { vector };
            let (from, to) = (&from[at..at + LANES], &mut to[at..at + LANES]);
            // SAFETY: there are as many elements.
            let x = unsafe { x86::_mm256_loadu_ps(from.as_ptr()) };
            exact = x86::_mm256_add_pd(exact, in_pairs(x));
            let x = x86::_mm256_add_ps(before, prefixes(if REVERSED { backwards(x) } else { x }));
            let last = x86::_mm256_permute_ps::<0xff>(x);
            before = x86::_mm256_permute2f128_ps::<0x11>(last, last);
            // It becomes NaN by what is infinite or no number.
            probe = x86::_mm256_fmadd_ps(x, zero, probe);
            let sums = x86::_mm256_add_ps(near, x86::_mm256_add_ps(rest, x));
            let sums = if REVERSED { backwards(sums) } else { sums };
            // SAFETY: as above.
            unsafe { x86::_mm256_storeu_ps(to.as_mut_ptr(), sums) };
        }
        y = y.plus(total(exact));
    }
    let is_finite = x86::_mm256_movemask_ps(x86::_mm256_cmp_ps::<{ x86::_CMP_EQ_OQ }>(probe, zero)) == 0xff;
    is_finite.then_some(y)
}

/// The sums so far within a vector: first in each half, then with the last of the lower half.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn prefixes(x: x86::__m256) -> x86::__m256 {
    let one_further = x86::_mm256_slli_si256::<4>(x86::_mm256_castps_si256(x));
    let x = x86::_mm256_add_ps(x, x86::_mm256_castsi256_ps(one_further));
    let two_further = x86::_mm256_slli_si256::<8>(x86::_mm256_castps_si256(x));
    let x = x86::_mm256_add_ps(x, x86::_mm256_castsi256_ps(two_further));
    let lower = x86::_mm256_permute2f128_ps::<0x08>(x, x);
    x86::_mm256_add_ps(x, x86::_mm256_permute_ps::<0xff>(lower))
}

/// The sums of elements that are four apart, in f64.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn in_pairs(x: x86::__m256) -> x86::__m256d {
    let [lower, upper] = [x86::_mm256_castps256_ps128(x), x86::_mm256_extractf128_ps::<1>(x)];
    x86::_mm256_add_pd(x86::_mm256_cvtps_pd(lower), x86::_mm256_cvtps_pd(upper))
}

/// The sum of all elements.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn total(x: x86::__m256d) -> f64 {
    let both = x86::_mm_add_pd(x86::_mm256_castpd256_pd128(x), x86::_mm256_extractf128_pd::<1>(x));
    x86::_mm_cvtsd_f64(x86::_mm_add_sd(both, x86::_mm_unpackhi_pd(both, both)))
}

/// The elements in the other order.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn backwards(x: x86::__m256) -> x86::__m256 {
    x86::_mm256_permutevar8x32_ps(x, x86::_mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
}
