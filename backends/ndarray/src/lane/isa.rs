//! The instruction sets that code is compiled for, and the choice among them at run time.
//!
//! A [`Routine`] goes in; it runs in a function that has the features of the best set of this machine, so
//! everything inlined into it is compiled for that set. All `unsafe` of vectorisation is here, but for sums
//! of neighbours (`kernel/scan/sums.rs`).

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set, as a type: code that is generic over it is compiled for each set separately.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// Whether a fused multiply-add is one instruction.
    const FMA: bool;
    /// Whether a block has elements of many rows.
    const OF_ROWS: bool = false;
}

/// What every machine of the target has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Baseline;
/// AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2;
/// AVX-512 F, BW, DQ and VL.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512;

/// The instruction set `I`, in blocks that have elements of many rows. It is a type of its own, so that a
/// body is compiled for both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfRows<I>(PhantomData<I>);

impl<I: Isa> Isa for OfRows<I> {
    const FMA: bool = I::FMA;
    const OF_ROWS: bool = true;
}

impl Isa for Baseline {
    const FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
}
#[cfg(target_arch = "x86_64")]
impl Isa for Avx2 {
    const FMA: bool = true;
}
#[cfg(target_arch = "x86_64")]
impl Isa for Avx512 {
    const FMA: bool = true;
}

/// The level that code runs with, or [`UNKNOWN`] until somebody asks.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

/// An instruction set, as a value; later is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every machine of the target has: SSE2, NEON.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Level {
    /// The best one of this machine.
    pub fn of_machine() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(Level::detect)
    }

    /// From now on all code of this process runs with this instruction set at most. So a test sees what ops
    /// compute on lesser machines. Products of matrices choose for themselves.
    #[doc(hidden)]
    pub fn limit(self) {
        CURRENT.store(self.min(Level::of_machine()) as u8, Ordering::Relaxed);
    }

    /// The one that code runs with.
    #[inline]
    pub(crate) fn current() -> Level {
        match CURRENT.load(Ordering::Relaxed) {
            0 => Level::Baseline,
            1 => Level::Avx2,
            2 => Level::Avx512,
            _ => Level::first(),
        }
    }

    #[cold]
    fn first() -> Level {
        let level = Level::of_machine();
        // A limit that was set meanwhile stays.
        let set = CURRENT.compare_exchange(UNKNOWN, level as u8, Ordering::Relaxed, Ordering::Relaxed);
        if set.is_ok() { level } else { Level::current() }
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Level {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx2, avx512) {
            (true, true) => Level::Avx512,
            (true, false) => Level::Avx2,
            (false, _) => Level::Baseline,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Level {
        Level::Baseline
    }
}

/// Work that is compiled once per instruction set. `run` and what it calls must be `#[inline(always)]`: only
/// what is inlined is compiled for the set.
pub(crate) trait Routine {
    /// What it gives.
    type Output;
    /// Runs with the features of `I`.
    fn run<I: Isa>(self) -> Self::Output;
}

/// Runs a routine with the best instruction set of this machine, up to the limit.
#[inline]
pub(crate) fn dispatch<R: Routine>(routine: R) -> R::Output {
    // SAFETY: the current level is at most that of this machine.
    unsafe { run_at(Level::current(), routine) }
}

/// Runs a generated body with the best instruction set of this machine, up to the limit. A build without
/// optimisation of this crate has bodies for the baseline alone: no loop is vectorised there, and each
/// instruction set takes as long to build as the first one.
#[inline]
pub(crate) fn dispatch_body<R: Routine>(body: R) -> R::Output {
    if cfg!(unoptimized) { body.run::<Baseline>() } else { dispatch(body) }
}

/// Runs a routine with an instruction set, or the best of this machine if that is less.
#[cfg(test)]
pub(crate) fn dispatch_at<R: Routine>(level: Level, routine: R) -> R::Output {
    // SAFETY: the level is at most that of this machine.
    unsafe { run_at(level.min(Level::of_machine()), routine) }
}

/// Runs a routine with an instruction set.
///
/// # Safety
/// This machine has it.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn run_at<R: Routine>(level: Level, routine: R) -> R::Output {
    match level {
        Level::Baseline => routine.run::<Baseline>(),
        // SAFETY: the caller guarantees it.
        Level::Avx2 => unsafe { with_avx2(routine) },
        // SAFETY: the caller guarantees it.
        Level::Avx512 => unsafe { with_avx512(routine) },
    }
}

/// Runs a routine with an instruction set.
///
/// # Safety
/// None: there is one instruction set only.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
unsafe fn run_at<R: Routine>(_level: Level, routine: R) -> R::Output {
    routine.run::<Baseline>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx512>()
}
