//! How much of a claim is checked: the seed, the level, the dtypes, and the work that a level allows.

use crate::random;
use crate::report::Tally;
use crate::sample::SamplePlan;
use std::cell::Cell;
use std::ffi::OsStr;
use tensor_op_core::{Backend, DType, Device, Dynamic, Error, ErrorKind, Op, Result};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// The environment variable that sets the level of all generated tests.
pub const LEVEL_VARIABLE: &str = "TENSOR_OP_TESTS";

/// How many cases the generated tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// About three seconds for each op in a build without optimisation: each dtype and each kind of case, but
    /// not each case in each dtype.
    Quick,
    /// All cases, for CI: `TENSOR_OP_TESTS=full`.
    Full,
}

impl Level {
    /// The level of this run: from the environment, or [`Level::Quick`].
    ///
    /// # Errors
    ///
    /// If the variable is neither `quick` nor `full`.
    pub fn of_environment() -> Result<Level> {
        std::env::var_os(LEVEL_VARIABLE).map_or(Ok(Level::Quick), |text| Level::parsed(&text))
    }

    fn parsed(text: &OsStr) -> Result<Level> {
        match text.to_str().map(str::trim) {
            Some("quick") => Ok(Level::Quick),
            Some("full") => Ok(Level::Full),
            Some(_) | None => {
                let message = format!(
                    "{LEVEL_VARIABLE} is `{}`; write `quick` or `full`, or leave it out for `quick`",
                    text.to_string_lossy()
                );
                Err(Error::new(ErrorKind::Unsupported, message))
            }
        }
    }
}

/// Dtypes of floats and of ints. They are paired in this order.
const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];
const INTS: [DType; 4] = [DType::I64, DType::I32, DType::U32, DType::U8];

/// How many elements of nodes the reference computes for one part of a claim at [`Level::Quick`]. This takes
/// about a fifth of a second without optimisation.
const ALLOWANCE: usize = 24_000;
/// At [`Level::Full`] no case has more elements than this. It takes a second; only ops with windows have such
/// cases, since their values have many more elements than their arguments.
const MOST: usize = 500_000;
/// The same for cases that are run in many layouts and dtypes.
const MOST_IN_ALL_LAYOUTS: usize = 60_000;

/// How much one check of a claim may do.
#[derive(Clone, Debug)]
pub struct Scope {
    seed: u64,
    level: Level,
    /// An empty list stands for all.
    dtypes: Vec<DType>,
    /// How many elements of nodes may be computed at [`Level::Quick`], and how many were computed so far.
    allowance: usize,
    spent: Cell<usize>,
}

impl Scope {
    /// A scope with the seed and the level of the environment, and all dtypes.
    ///
    /// # Errors
    ///
    /// If a variable has no valid value.
    pub fn of_environment() -> Result<Scope> {
        Ok(Scope {
            seed: random::seed()?,
            level: Level::of_environment()?,
            dtypes: vec![],
            allowance: ALLOWANCE,
            spent: Cell::new(0),
        })
    }

    /// The same scope at another level.
    #[must_use]
    pub fn at(self, level: Level) -> Scope {
        Scope { level, ..self }
    }

    /// The same scope, restricted to these dtypes. If the list has no float, all floats stay; likewise for
    /// ints.
    #[must_use]
    pub fn in_dtypes(self, dtypes: &[DType]) -> Scope {
        Scope { dtypes: dtypes.to_vec(), ..self }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// Whether a device is tested in a dtype: the device has it, and the declaration allows it.
    pub(crate) fn has(&self, device: &Device, dtype: DType) -> bool {
        Dynamic::supports_dtype(device, dtype) && self.takes(dtype)
    }

    /// Whether the declaration allows a dtype.
    pub(crate) fn takes(&self, dtype: DType) -> bool {
        let mut alike = self.dtypes.iter().filter(|other| other.kind() == dtype.kind()).peekable();
        alike.peek().is_none() || alike.any(|other| *other == dtype)
    }

    /// Pairs of dtypes for an op's floats and ints on a device. Each dtype that the device has occurs in some
    /// pair, if the op has arguments of its kind.
    pub(crate) fn dtypes(&self, graph: &Graph, device: &Device) -> Vec<(DType, DType)> {
        let takes = |wanted: Kind| {
            let is = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind, .. } if *kind == wanted);
            graph.args.iter().any(|arg| is(&arg.ty))
        };
        let of = |all: &[DType]| -> Vec<DType> {
            all.iter().copied().filter(|dtype| self.has(device, *dtype)).collect()
        };
        // If the op has floats but no float argument, they are f32.
        let (floats, ints) = (if takes(Kind::Float) { of(&FLOATS) } else { of(&[DType::F32]) }, of(&INTS));
        let counts = [(Kind::Float, floats.len()), (Kind::Int, ints.len())];
        let most = counts.into_iter().filter(|(kind, _)| takes(*kind)).map(|(_, count)| count).max();
        let (floats, ints) = (floats.into_iter().cycle(), ints.into_iter().cycle());
        floats.zip(ints).take(most.unwrap_or(1)).collect()
    }

    /// f32, or the first other float in which the device is tested.
    pub(crate) fn ordinary(&self, device: &Device) -> Option<DType> {
        let others = FLOATS.into_iter().filter(|dtype| *dtype != DType::F32);
        std::iter::once(DType::F32).chain(others).find(|dtype| self.has(device, *dtype))
    }

    /// f64, or the widest other float in which the device is tested; f32 if the op has no float argument.
    pub(crate) fn widest(&self, graph: &Graph, device: &Device) -> Option<DType> {
        self.dtypes(graph, device).first().map(|(float, _)| *float)
    }

    /// The cases of this turn. At [`Level::Quick`] it is one case, and turns go through all cases; at
    /// [`Level::Full`] every turn has all of them.
    pub(crate) fn in_turn<T>(&self, turn: usize, all: Vec<T>) -> Vec<T> {
        match self.level {
            Level::Full => all,
            Level::Quick => {
                let count = all.len().max(1);
                all.into_iter().skip(turn % count).take(1).collect()
            }
        }
    }

    /// Chooses one of two values by the level.
    pub(crate) fn of<T>(&self, quick: T, full: T) -> T {
        match self.level {
            Level::Quick => quick,
            Level::Full => full,
        }
    }

    /// The first of these sizes at which an op can be checked several times, or else the last size.
    pub(crate) fn largest<const N: usize>(&self, op: &dyn Op, sizes: [usize; N]) -> usize {
        let graph = op.spec().graph();
        let fits = |size: &usize| {
            let plan = SamplePlan::uniform(graph, *size, &[*size], self.seed);
            work(op, &plan) <= self.of(ALLOWANCE / 8, MOST_IN_ALL_LAYOUTS)
        };
        sizes.into_iter().find(fits).unwrap_or(sizes[N - 1])
    }

    /// The scope for a part of a claim, with an allowance of its own.
    pub(crate) fn part(&self) -> Scope {
        Scope { spent: Cell::new(0), allowance: ALLOWANCE, ..self.clone() }
    }

    /// Does the same as [`Scope::part`], for one of several parts that share an allowance.
    pub(crate) fn share(&self, parts: usize) -> Scope {
        Scope { allowance: ALLOWANCE / parts.max(1), ..self.part() }
    }

    /// Runs a check that costs `work`, or leaves it out if too little of the allowance is left. The first
    /// check is always run.
    pub(crate) fn spend(
        &self,
        work: usize,
        check: impl FnOnce() -> std::result::Result<Tally, String>,
    ) -> std::result::Result<Tally, String> {
        let spent = self.spent.get();
        let is_left = spent == 0 || spent.saturating_add(work) <= self.allowance;
        if self.level == Level::Quick && !is_left {
            return Ok(Tally::left_out());
        }
        self.spent.set(spent.saturating_add(work));
        check()
    }

    /// Whether a case is too much even if nothing was spent yet.
    pub(crate) fn is_too_much(&self, work: usize) -> bool {
        work > self.of(ALLOWANCE, MOST)
    }
}

/// How many elements all nodes of an op and its gradient have at a plan.
pub(crate) fn work(op: &dyn Op, plan: &SamplePlan) -> usize {
    let of = |graph: &Graph| plan.elements(graph).into_iter().fold(0usize, usize::saturating_add);
    let graph = op.spec().graph();
    // A derived gradient has the dims of the op, but a hand-written one may have others.
    let gradient = op.backward().filter(|op| op.spec().graph().dims == graph.dims);
    of(graph).saturating_add(gradient.map_or(0, |op| of(op.spec().graph())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_a_word_or_an_error_that_says_so() {
        assert_eq!(Level::parsed(OsStr::new(" full ")), Ok(Level::Full));
        assert_eq!(Level::parsed(OsStr::new("quick")), Ok(Level::Quick));
        for text in ["", "all", "FULL"] {
            let error = Level::parsed(OsStr::new(text)).unwrap_err().to_string();
            assert!(error.contains(&format!("TENSOR_OP_TESTS is `{text}`; write `quick`")), "{error}");
        }
    }

    #[test]
    fn the_quick_level_leaves_out_what_is_beyond_its_allowance() {
        let run = |level: Level| {
            let scope = Scope::of_environment().unwrap().at(level).share(2);
            let checked = (0..4).map(|_| scope.spend(ALLOWANCE / 4, || Ok(Tally::CASE)).unwrap().cases);
            checked.sum::<usize>()
        };
        assert_eq!((run(Level::Quick), run(Level::Full)), (2, 4));
    }

    #[test]
    fn dtypes_of_one_kind_leave_the_other_alone() {
        let scope = Scope::of_environment().unwrap();
        let only = scope.clone().in_dtypes(&[DType::F32]);
        assert!(scope.takes(DType::F64) && only.takes(DType::F32) && only.takes(DType::U8));
        assert!(!only.takes(DType::F64));
    }
}
