//! A generated body, and the loop that carries it over a block.

use super::BlockArgs;
use crate::lane::{IntLane, Isa, Lane, MaskLane, Routine, Scalar, dispatch};
use std::fmt;
use std::marker::PhantomData;

/// One pass of a kernel, generated: takes uniforms from the block, then calls [`Block::elements`] or [`Block::per_row`].
///
/// `run` must be `#[inline(always)]`.
pub trait Pass {
    /// Computes one block.
    fn run<L: Lane>(block: &mut Block<'_, '_, '_, L>);
}

/// The operands of one call, as lanes.
pub struct Block<'b, 'a, 'r, L: Lane> {
    args: &'b mut BlockArgs<'a, 'r, L::Element>,
}

/// Results are staged in this many elements: the compiler then knows that a store touches no operand.
const STAGE: usize = 128;

impl<L: Lane> Block<'_, '_, '_, L> {
    /// The values that are one per row: floats, ints, bools.
    #[inline(always)]
    pub fn uniforms<const F: usize, const I: usize, const B: usize>(&self) -> ([L; F], [L::Int; I], [L::Mask; B]) {
        let uniforms = &self.args.uniforms;
        (
            std::array::from_fn(|i| L::load(uniforms.floats[i])),
            std::array::from_fn(|i| L::int(uniforms.ints[i])),
            std::array::from_fn(|i| L::mask(uniforms.bools[i])),
        )
    }

    /// Evaluates `body` at each element: floats, ints, bools in; floats, ints, bools out.
    #[inline(always)]
    pub fn elements<const F: usize, const I: usize, const B: usize, const RF: usize, const RI: usize, const RB: usize>(
        &mut self,
        body: impl Fn([L; F], [L::Int; I], [L::Mask; B]) -> ([L; RF], [L::Int; RI], [L::Mask; RB]),
    ) {
        let (n, elements, results) = (self.args.len, &self.args.elements, &mut self.args.results);
        let mut start = 0;
        while start < n {
            let len = (n - start).min(STAGE);
            let floats: [&[L::Element]; F] = std::array::from_fn(|i| &elements.floats[i][start..start + len]);
            let ints: [&[i64]; I] = std::array::from_fn(|i| &elements.ints[i][start..start + len]);
            let bools: [&[bool]; B] = std::array::from_fn(|i| &elements.bools[i][start..start + len]);
            let mut staged_floats = [[L::Element::default(); STAGE]; RF];
            let mut staged_ints = [[0; STAGE]; RI];
            let mut staged_bools = [[false; STAGE]; RB];
            for j in 0..len {
                let (f, i, b) = body(
                    std::array::from_fn(|k| L::load(floats[k][j])),
                    std::array::from_fn(|k| L::int(ints[k][j])),
                    std::array::from_fn(|k| L::mask(bools[k][j])),
                );
                for k in 0..RF {
                    staged_floats[k][j] = f[k].store();
                }
                for k in 0..RI {
                    staged_ints[k][j] = i[k].store();
                }
                for k in 0..RB {
                    staged_bools[k][j] = b[k].store();
                }
            }
            for k in 0..RF {
                results.floats[k][start..start + len].copy_from_slice(&staged_floats[k][..len]);
            }
            for k in 0..RI {
                results.ints[k][start..start + len].copy_from_slice(&staged_ints[k][..len]);
            }
            for k in 0..RB {
                results.bools[k][start..start + len].copy_from_slice(&staged_bools[k][..len]);
            }
            start += len;
        }
    }

    /// Writes results that are one per row.
    #[inline(always)]
    pub fn per_row<const F: usize, const I: usize, const B: usize>(
        &mut self,
        floats: [L; F],
        ints: [L::Int; I],
        bools: [L::Mask; B],
    ) {
        let results = &mut self.args.results;
        for (result, value) in results.floats.iter_mut().zip(floats) {
            result[0] = value.store();
        }
        for (result, value) in results.ints.iter_mut().zip(ints) {
            result[0] = value.store();
        }
        for (result, value) in results.bools.iter_mut().zip(bools) {
            result[0] = value.store();
        }
    }
}

/// The entry points of a pass; generated code keeps one in a `static`.
#[derive(Clone, Copy)]
pub struct PassFns {
    f32: fn(&mut BlockArgs<'_, '_, f32>),
    f64: fn(&mut BlockArgs<'_, '_, f64>),
}

impl PassFns {
    /// Those of the pass `P`.
    pub const fn of<P: Pass>() -> PassFns {
        PassFns { f32: run_f32::<P>, f64: run_f64::<P> }
    }

    /// Computes one block, with the best instruction set of this machine.
    ///
    /// # Panics
    /// If there are fewer operands than the pass takes or one is shorter than the block.
    #[inline]
    pub fn run<E: Compute>(&self, args: &mut BlockArgs<'_, '_, E>) {
        E::entry(self)(args);
    }
}

impl fmt::Debug for PassFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PassFns")
    }
}

/// The elements that bodies compute in.
pub trait Compute: Copy + fmt::Debug + Default + Send + Sync + 'static {
    /// The entry point of a pass for this element.
    fn entry(fns: &PassFns) -> fn(&mut BlockArgs<'_, '_, Self>);
}

impl Compute for f32 {
    #[inline]
    fn entry(fns: &PassFns) -> fn(&mut BlockArgs<'_, '_, f32>) {
        fns.f32
    }
}

impl Compute for f64 {
    #[inline]
    fn entry(fns: &PassFns) -> fn(&mut BlockArgs<'_, '_, f64>) {
        fns.f64
    }
}

fn run_f32<P: Pass>(args: &mut BlockArgs<'_, '_, f32>) {
    dispatch(PassRoutine::<P, _>(args, PhantomData));
}

fn run_f64<P: Pass>(args: &mut BlockArgs<'_, '_, f64>) {
    dispatch(PassRoutine::<P, _>(args, PhantomData));
}

struct PassRoutine<P, A>(A, PhantomData<P>);

impl<P: Pass> Routine for PassRoutine<P, &mut BlockArgs<'_, '_, f32>> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        P::run::<Scalar<f32, I>>(&mut Block { args: self.0 });
    }
}

impl<P: Pass> Routine for PassRoutine<P, &mut BlockArgs<'_, '_, f64>> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        P::run::<Scalar<f64, I>>(&mut Block { args: self.0 });
    }
}
