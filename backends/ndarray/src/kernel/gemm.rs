//! One product of two matrices, by the crates `gemm-f32` and `gemm-f64`. The crate `gemm` around them also
//! has kernels of complex numbers, which take a quarter of the default build.

use super::real::Real;
use gemm_common::Parallelism;

pub(super) const OUT: usize = 0;
pub(super) const LHS: usize = 1;
pub(super) const RHS: usize = 2;

/// One axis of a matrix product: its length, and its strides in out, lhs and rhs.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    pub(super) len: usize,
    pub(super) strides: [isize; 3],
}

/// Writes the product of lhs and rhs to out.
///
/// # Safety
/// All points of the three matrices are valid. Those of `out` are valid for writes, and the other matrices
/// don't overlap them.
pub(super) unsafe fn gemm<E: Real>(
    (mut out, mut lhs, mut rhs): (*mut E, *mut E, *mut E),
    [mut m, mut n, mut k]: [Matrix; 3],
    threads: Parallelism,
) {
    if k.len == 0 {
        for i in 0..m.len as isize {
            for j in 0..n.len as isize {
                // SAFETY: this is a point of `out`.
                unsafe { *out.offset(i * m.strides[OUT] + j * n.strides[OUT]) = E::default() };
            }
        }
        return;
    }
    if m.len == 0 || n.len == 0 {
        return;
    }
    // The kernels write columns, whose elements should be neighbours.
    if n.strides[OUT].abs() < m.strides[OUT].abs() {
        (lhs, rhs, m, n) = (rhs, lhs, n, m);
        for axis in [&mut m, &mut n, &mut k] {
            axis.strides.swap(LHS, RHS);
        }
    }
    // They take no negative strides of the result, and none of lhs along k.
    if m.strides[OUT] < 0_isize {
        reverse(&mut m, [Some(&mut out), Some(&mut lhs), None]);
    }
    if n.strides[OUT] < 0_isize {
        reverse(&mut n, [Some(&mut out), None, Some(&mut rhs)]);
    }
    if k.strides[LHS] < 0_isize {
        reverse(&mut k, [None, Some(&mut lhs), Some(&mut rhs)]);
    }
    let (zero, one) = (E::from_f64(0.0), E::from_f64(1.0));
    // SAFETY: the caller guarantees it, and `out` is written without being read.
    unsafe {
        E::gemm()(
            m.len,
            n.len,
            k.len,
            out,
            n.strides[OUT],
            m.strides[OUT],
            false,
            lhs.cast_const(),
            k.strides[LHS],
            m.strides[LHS],
            rhs.cast_const(),
            n.strides[RHS],
            k.strides[RHS],
            zero,
            one,
            false,
            false,
            false,
            threads,
        );
    }
}

/// Walks an axis from its end, in the matrices that have it. It has elements.
fn reverse<E>(axis: &mut Matrix, matrices: [Option<&mut *mut E>; 3]) {
    for (stride, matrix) in axis.strides.iter_mut().zip(matrices) {
        if let Some(start) = matrix {
            *start = start.wrapping_offset((axis.len as isize - 1) * *stride);
            *stride = -*stride;
        }
    }
}
