//! A generated body and its entry points.

use super::{Block, BlockArgs};
use crate::lane::{Isa, Lane, Routine, Scalar, dispatch};
use std::fmt;
use std::marker::PhantomData;

/// One generated pass of a kernel. It takes uniforms from the block, then calls [`Block::elements`] or
/// [`Block::per_row`].
///
/// `run` must be `#[inline(always)]`.
pub trait Pass {
    /// Computes one block.
    fn run<L: Lane>(block: &mut Block<'_, '_, L>);
}

/// The entry points of a pass; generated code keeps one in a `static`.
#[derive(Clone, Copy)]
pub struct PassFns {
    f32: fn(&mut BlockArgs<'_, '_, f32>),
    f64: fn(&mut BlockArgs<'_, '_, f64>),
}

impl PassFns {
    /// The entry points of the pass `P`.
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

/// The element types that bodies compute in.
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
        P::run::<Scalar<f32, I>>(&mut Block::new(self.0));
    }
}

impl<P: Pass> Routine for PassRoutine<P, &mut BlockArgs<'_, '_, f64>> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        P::run::<Scalar<f64, I>>(&mut Block::new(self.0));
    }
}
