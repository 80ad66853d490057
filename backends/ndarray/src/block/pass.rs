//! A generated body and its entry points.

use super::{Block, BlockArgs};
use crate::lane::{Isa, Lane, OfRows, Routine, Scalar, dispatch_body};
use std::fmt;
use std::marker::PhantomData;

/// One generated pass of a kernel. It takes uniforms from the block, then calls [`Block::elements`],
/// [`Block::elements_of_rows`] or [`Block::per_row`].
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
    /// The same, over elements of many rows.
    of_rows: Option<RowsFns>,
}

#[derive(Clone, Copy)]
struct RowsFns {
    f32: fn(&mut BlockArgs<'_, '_, f32>),
    f64: fn(&mut BlockArgs<'_, '_, f64>),
}

impl PassFns {
    /// The entry points of the pass `P`.
    pub const fn of<P: Pass>() -> PassFns {
        PassFns { f32: run_f32::<P>, f64: run_f64::<P>, of_rows: None }
    }

    /// The entry points of the pass `P`, which can also compute elements of many rows at once: it calls
    /// [`Block::elements_of_rows`].
    pub const fn of_rows<P: Pass>() -> PassFns {
        let of_rows = RowsFns { f32: run_rows_f32::<P>, f64: run_rows_f64::<P> };
        PassFns { of_rows: Some(of_rows), ..PassFns::of::<P>() }
    }

    /// Whether it can compute elements of many rows at once.
    pub(crate) fn takes_rows(&self) -> bool {
        self.of_rows.is_some()
    }

    /// Computes one block, with the best instruction set of this machine.
    ///
    /// # Panics
    /// If there are fewer operands than the pass takes or one is shorter than the block.
    #[inline]
    pub fn run<E: Compute>(&self, args: &mut BlockArgs<'_, '_, E>) {
        E::entry(self)(args);
    }

    /// Computes a block of elements of many rows, with the best instruction set of this machine.
    ///
    /// # Panics
    /// As [`run`](PassFns::run), and if the pass can't do that.
    #[inline]
    pub(crate) fn run_rows<E: Compute>(&self, args: &mut BlockArgs<'_, '_, E>) {
        E::entry_of_rows(self).expect("the pass was made for many rows")(args);
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
    /// The entry point over elements of many rows, if there is one.
    fn entry_of_rows(fns: &PassFns) -> Option<fn(&mut BlockArgs<'_, '_, Self>)>;
}

impl Compute for f32 {
    #[inline]
    fn entry(fns: &PassFns) -> fn(&mut BlockArgs<'_, '_, f32>) {
        fns.f32
    }
    #[inline]
    fn entry_of_rows(fns: &PassFns) -> Option<fn(&mut BlockArgs<'_, '_, f32>)> {
        fns.of_rows.map(|of_rows| of_rows.f32)
    }
}

impl Compute for f64 {
    #[inline]
    fn entry(fns: &PassFns) -> fn(&mut BlockArgs<'_, '_, f64>) {
        fns.f64
    }
    #[inline]
    fn entry_of_rows(fns: &PassFns) -> Option<fn(&mut BlockArgs<'_, '_, f64>)> {
        fns.of_rows.map(|of_rows| of_rows.f64)
    }
}

fn run_f32<P: Pass>(args: &mut BlockArgs<'_, '_, f32>) {
    dispatch_body(PassRoutine::<P, _>(args, PhantomData));
}

fn run_f64<P: Pass>(args: &mut BlockArgs<'_, '_, f64>) {
    dispatch_body(PassRoutine::<P, _>(args, PhantomData));
}

fn run_rows_f32<P: Pass>(args: &mut BlockArgs<'_, '_, f32>) {
    dispatch_body(RowsRoutine::<P, _>(args, PhantomData));
}

fn run_rows_f64<P: Pass>(args: &mut BlockArgs<'_, '_, f64>) {
    dispatch_body(RowsRoutine::<P, _>(args, PhantomData));
}

struct PassRoutine<P, A>(A, PhantomData<P>);
struct RowsRoutine<P, A>(A, PhantomData<P>);

/// Runs a pass in the lanes of an instruction set.
macro_rules! routine {
    ($name:ident, $t:ident, $isa:ty) => {
        impl<P: Pass> Routine for $name<P, &mut BlockArgs<'_, '_, $t>> {
            type Output = ();
            #[inline(always)]
            fn run<I: Isa>(self) {
                P::run::<Scalar<$t, $isa>>(&mut Block::new(self.0));
            }
        }
    };
}

routine!(PassRoutine, f32, I);
routine!(PassRoutine, f64, I);
routine!(RowsRoutine, f32, OfRows<I>);
routine!(RowsRoutine, f64, OfRows<I>);
