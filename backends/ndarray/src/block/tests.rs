//! Compares blocks of every length with a plain loop, folds with their definitions, and conversions with the
//! crate half.

use super::fold::{self, Best};
use super::rows::{self, Rows};
use super::{BLOCK, Block, BlockArgs, ByKind, Compute, Elements, Pass, PassFns, column, convert};
use crate::lane::{IntLane, Lane};
use half::{bf16, f16};

/// A pass with so many operands and results of all kinds that its results are staged.
struct Many;

impl Pass for Many {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([scale], [limit], [flip]) = block.uniforms();
        block.elements(|[x, y, z], [i], [m]| {
            let chosen = L::select(m & i.lt(limit), x * y, z);
            ([chosen * scale, x + y, -z], [i * i + limit], [m ^ flip])
        });
    }
}

struct Scaled;

impl Pass for Scaled {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([scale], [], []) = block.uniforms();
        block.elements(|[x], [], []| ([x * scale], [], []));
    }
}

struct PerRow;

impl Pass for PerRow {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([a, b], [i], []) = block.uniforms();
        block.per_row([a + b, a * b], [-i], [a.gt(b)]);
    }
}

const MANY: PassFns = PassFns::of::<Many>();
const SCALED: PassFns = PassFns::of::<Scaled>();
const ROWS: PassFns = PassFns::of::<PerRow>();

/// Small integers, so that every type computes them exactly.
fn values<E: From<i8>>(n: usize, step: usize) -> Vec<E> {
    (0..n).map(|i| E::from((i * step % 23) as i8 - 11)).collect()
}

fn many<
    E: Compute
        + From<i8>
        + PartialEq
        + std::ops::Mul<Output = E>
        + std::ops::Add<Output = E>
        + std::ops::Neg<Output = E>,
>(
    n: usize,
) {
    let [x, y, z]: [Vec<E>; 3] = [values(n, 3), values(n, 5), values(n, 7)];
    let (i, m): (Vec<i64>, Vec<bool>) = (values(n, 2), (0..n).map(|i| i % 3 == 0).collect());
    let (mut a, mut b, mut c) = (vec![E::default(); n + 1], vec![E::default(); n], vec![E::default(); n]);
    let (mut j, mut p) = (vec![0; n], vec![false; n]);
    MANY.run(&mut BlockArgs {
        len: n,
        uniforms: ByKind { floats: &[E::from(2)], ints: &[4], bools: &[true] },
        elements: ByKind { floats: &[&x, &y, &z], ints: &[&i], bools: &[&m] },
        of_rows: Elements::NONE,
        results: ByKind { floats: &mut [&mut a, &mut b, &mut c], ints: &mut [&mut j], bools: &mut [&mut p] },
    });
    for k in 0..n {
        let chosen = if m[k] && i[k] < 4 { x[k] * y[k] } else { z[k] };
        assert_eq!((a[k], b[k], c[k]), (chosen * E::from(2), x[k] + y[k], -z[k]), "at {k} of {n}");
        assert_eq!((j[k], p[k]), (i[k] * i[k] + 4, !m[k]), "at {k} of {n}");
    }
    assert_eq!(a[n], E::default(), "past the end of {n}");
}

#[test]
fn passes_compute_every_element_and_no_more() {
    for n in (0..70).chain([127, 128, 129, 255, 256, 300, BLOCK]) {
        many::<f32>(n);
        many::<f64>(n);
        let x: Vec<f32> = values(n, 3);
        let mut y = vec![0.5; n + 1];
        SCALED.run(&mut BlockArgs {
            len: n,
            uniforms: ByKind { floats: &[3.0], ints: &[], bools: &[] },
            elements: ByKind { floats: &[&x], ints: &[], bools: &[] },
            of_rows: Elements::NONE,
            results: ByKind { floats: &mut [&mut y], ints: &mut [], bools: &mut [] },
        });
        assert!(x.iter().zip(&y).all(|(x, y)| x * 3.0 == *y) && y[n] == 0.5, "{n}");
    }
}

#[test]
fn per_row_passes_write_one_element() {
    let (mut a, mut b, mut i, mut m) = ([0.0; 2], [0.0; 2], [0; 2], [false; 2]);
    ROWS.run(&mut BlockArgs {
        len: 1,
        uniforms: ByKind { floats: &[3.0, 2.0], ints: &[5], bools: &[] },
        elements: Elements::NONE,
        of_rows: Elements::NONE,
        results: ByKind { floats: &mut [&mut a, &mut b], ints: &mut [&mut i], bools: &mut [&mut m] },
    });
    assert_eq!((a, b, i, m), ([5.0, 0.0], [6.0, 0.0], [-5, 0], [true, false]));
}

#[test]
fn folds_of_every_length() {
    for n in (0..100).chain([BLOCK - 1, BLOCK]) {
        let (x, i): (Vec<f32>, Vec<i64>) = (values(n, 3), values(n, 3));
        let total: i64 = i.iter().sum();
        assert_eq!((fold::sum(&x), fold::sum(&i)), (total as f64, total));
        let largest = i.iter().copied().max().unwrap_or(i64::MIN);
        assert_eq!(fold::max(&i, i64::MIN), largest);
        assert_eq!(fold::max(&x, f32::NEG_INFINITY), if n == 0 { f32::NEG_INFINITY } else { largest as f32 });
        assert_eq!(fold::min(&i, -3), i.iter().copied().min().unwrap_or(-3).min(-3));
        let first =
            i.iter().position(|v| *v == largest).map(|at| Best { value: largest, index: at as i64 + 10 });
        assert_eq!(fold::argmax(&i, 10, None), first);
        assert_eq!(
            fold::argmax(&i, 10, Some(Best { value: 11, index: 2 })),
            Some(Best { value: 11, index: 2 })
        );
        let flags: Vec<bool> = i.iter().map(|v| *v == 5).collect();
        assert_eq!((fold::any(&flags), fold::all(&flags)), (flags.contains(&true), !flags.contains(&false)));
    }
    assert_eq!(fold::prod(&[2.0f32; 10]), 1024.0);
    assert_eq!(fold::prod(&[i64::MAX, 2]), -2);
    // Products that leave the range of f32 in between.
    assert_eq!(fold::prod(&[1e30f32, 1e30, 1e-30, 1e-30]) as f32, 1.0);
}

#[test]
fn folds_see_nan_wherever_it_is() {
    for n in [1, 31, 32, 33, 100] {
        for at in 0..n {
            let mut x: Vec<f64> = values(n, 3);
            x[at] = f64::NAN;
            assert!(fold::max(&x, f64::NEG_INFINITY).is_nan() && fold::min(&x, f64::INFINITY).is_nan());
            assert!(fold::sum(&x).is_nan());
            assert_eq!(fold::argmax(&x, 0, None).map(|best| best.index), Some(at as i64));
            assert_eq!(fold::argmin(&x, 0, None).map(|best| best.index), Some(at as i64));
        }
    }
    assert!(fold::max(&[1.0], f64::NAN).is_nan());
    let earlier = Some(Best { value: f64::NAN, index: 1 });
    assert_eq!(fold::argmax(&[f64::NAN], 5, earlier).map(|best| best.index), Some(1));
}

#[test]
fn sums_are_accurate() {
    let x: Vec<f32> = (0..BLOCK).map(|i| (i as f32 * 0.37).sin() + 1.0).collect();
    let exact: f64 = x.iter().map(|x| f64::from(*x)).sum();
    assert!(
        (fold::sum(&x) - exact).abs() <= 4.0 * exact * f64::from(f32::EPSILON),
        "{} {exact}",
        fold::sum(&x)
    );
}

#[test]
fn columns_fold_row_by_row() {
    let rows: Vec<Vec<f32>> = (1..6).map(|step| values(37, step)).collect();
    let (mut sum, mut prod) = (vec![0.0; 37], vec![1.0; 37]);
    let (mut max, mut min) = (vec![f32::NEG_INFINITY; 37], vec![f32::INFINITY; 37]);
    let (mut top, mut at) = (rows[0].clone(), vec![0; 37]);
    for (k, row) in rows.iter().enumerate() {
        column::sum(&mut sum, row);
        column::prod(&mut prod, row);
        column::max(&mut max, row);
        column::min(&mut min, row);
        column::argmax(&mut top, &mut at, row, k as i64);
    }
    for j in 0..37 {
        let of: Vec<f32> = rows.iter().map(|row| row[j]).collect();
        assert_eq!(sum[j], f64::from(of.iter().sum::<f32>()));
        assert_eq!(prod[j], f64::from(of.iter().product::<f32>()));
        let largest = of.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!((max[j], min[j]), (largest, of.iter().copied().fold(f32::INFINITY, f32::min)));
        assert_eq!((top[j], of[at[j] as usize]), (largest, largest));
        assert!(of[..at[j] as usize].iter().all(|v| *v < largest), "the first of equals");
    }
}

#[test]
fn halves_convert_as_crate_half_does() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let (b, h): (Vec<bf16>, Vec<f16>) =
        bits.iter().map(|x| (bf16::from_bits(*x), f16::from_bits(*x))).unzip();
    let (mut from_b, mut from_h) = (vec![0.0; bits.len()], vec![0.0; bits.len()]);
    convert::bf16_to_f32(&b, &mut from_b);
    convert::f16_to_f32(&h, &mut from_h);
    for k in 0..bits.len() {
        assert!(from_b[k] == b[k].to_f32() || b[k].is_nan() && from_b[k].is_nan());
        assert!(from_h[k] == h[k].to_f32() || h[k].is_nan() && from_h[k].is_nan());
    }
    let x: Vec<f32> = (0..100_000u32).map(|i| f32::from_bits(i.wrapping_mul(42_949))).collect();
    let (mut to_b, mut to_h) = (vec![bf16::ZERO; x.len()], vec![f16::ZERO; x.len()]);
    convert::f32_to_bf16(&x, &mut to_b);
    convert::f32_to_f16(&x, &mut to_h);
    for k in 0..x.len() {
        assert_eq!(to_b[k].to_bits(), bf16::from_f32(x[k]).to_bits(), "{:e}", x[k]);
        assert!(to_h[k] == f16::from_f32(x[k]) || x[k].is_nan() && to_h[k].is_nan());
    }
}

/// Whatever the rows are: each has the bits of a fold of it alone, and a value spread over it is at each of
/// its elements.
#[test]
fn rows_fold_as_they_do_alone() {
    for len in (1..40).chain([64, 65, 100]) {
        for inner in (1..10).chain([16, 19]) {
            let rows = Rows { len, inner };
            let mut block: Vec<f32> = values::<f32>(3 * len * inner, 7).iter().map(|x| x / 3.0).collect();
            block[len * inner] = f32::NAN;
            block[0] = -0.0;
            let mut found = [(); 4].map(|()| vec![0.0_f32; 3 * inner]);
            rows::sum(&block, rows, &mut found[0]);
            rows::prod(&block, rows, &mut found[1]);
            rows::max(&block, rows, &mut found[2]);
            rows::min(&block, rows, &mut found[3]);
            let mut spread = vec![0.0; block.len()];
            rows::spread(&found[2], rows, &mut spread);
            let alone = |row: usize| {
                let first = row / inner * len * inner + row % inner;
                (0..len).map(|k| first + k * inner).collect::<Vec<_>>()
            };
            for (row, largest) in found[2].iter().enumerate() {
                let places = alone(row);
                let alone: Vec<f32> = places.iter().map(|at| block[*at]).collect();
                let ends = (fold::max(&alone, f32::NEG_INFINITY), fold::min(&alone, f32::INFINITY));
                let expected = [fold::sum(&alone) as f32, fold::prod(&alone) as f32, ends.0, ends.1];
                let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
                let own: [f32; 4] = std::array::from_fn(|fold| found[fold][row]);
                assert_eq!(own.map(bits), expected.map(bits), "{len} {inner}, row {row}");
                assert!(places.iter().all(|at| bits(spread[*at]) == bits(*largest)), "{len} {inner}");
            }
        }
    }
}
