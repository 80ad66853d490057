//! Runs the claims of an op's generated tests, for correct and for faulty ops.

use crate::family::{Family, What};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::Op;
use tensor_op::testing::{Claim, Level, Scope};

/// The result of the claims for a family.
pub(crate) struct Checked {
    /// What is written by hand.
    pub(crate) what: What,
    /// The declaration of the family's members.
    pub(crate) declaration: String,
    /// A claim that fails for the correct op.
    pub(crate) refused: Option<String>,
    pub(crate) caught: Vec<Caught>,
}

/// A fault, and the claims that fail because of it.
pub(crate) struct Caught {
    pub(crate) fault: &'static str,
    pub(crate) claims: Vec<Claim>,
    /// The lowest level at which one of them fails.
    pub(crate) level: Level,
}

impl Checked {
    /// The faults that no claim catches.
    pub(crate) fn missed(&self) -> impl Iterator<Item = String> + '_ {
        let missed = self.caught.iter().filter(|caught| caught.claims.is_empty());
        missed.map(|caught| format!("{}, in `{}`", caught.fault, self.declaration))
    }
}

/// Checks several families at the same time. Each family is checked in order, because some faults depend on
/// what earlier calls left behind.
pub(crate) fn check(families: &[Family]) -> Vec<Checked> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || {
        while let Some((place, family)) = take(families, &next) {
            let checked = check_one(family);
            done.lock().expect("no worker panics while it adds its result").push((place, checked));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut done = done.into_inner().expect("no worker panicked");
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, checked)| checked).collect()
}

fn take<'f>(families: &'f [Family], next: &AtomicUsize) -> Option<(usize, &'f Family)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    Some((place, families.get(place)?))
}

fn check_one(family: &Family) -> Checked {
    let right = family.right;
    let words: Vec<&str> = family.declaration.split_whitespace().collect();
    let slow = if family.what == What::Kernel { &SLOW[..] } else { &[] };
    let claims = quick(right, family.what).chain(slow.iter().copied());
    let at_each =
        |claim: Claim| [Level::Quick, Level::Full].map(|level| claim.check_in(right, &scope(level)));
    let refused = claims.flat_map(at_each).find_map(|checked| checked.err());
    let caught = family.wrong.iter().map(|(fault, op)| caught(fault, *op, family.what));
    Checked {
        what: family.what,
        declaration: words.join(" ").trim_matches(['[', ']']).to_string(),
        refused: refused.map(|failure| format!("{}: {failure}", family.declaration)),
        caught: caught.collect(),
    }
}

/// The claims that fail at the quick level. If none does, the claims that fail at the full level.
fn caught(fault: &'static str, op: &'static dyn Op, what: What) -> Caught {
    let quick = failing(op, what, Level::Quick);
    if quick.is_empty() {
        return Caught { fault, claims: failing(op, what, Level::Full), level: Level::Full };
    }
    Caught { fault, claims: quick, level: Level::Quick }
}

/// The claims that fail.
fn failing(op: &'static dyn Op, what: What, level: Level) -> Vec<Claim> {
    // A claim that could not compare anything has not caught anything.
    let fails = |claim: &Claim| claim.check_in(op, &scope(level)).is_err_and(|failure| failure.is_wrong);
    let failing: Vec<Claim> = quick(op, what).filter(fails).collect();
    if failing.is_empty() { SLOW.into_iter().filter(fails).collect() } else { failing }
}

fn scope(level: Level) -> Scope {
    Scope::of_environment().expect("the environment sets a seed and a level, or none").at(level)
}

/// Claims about kernels with many elements. They are checked only for faulty ops that pass all other claims.
const SLOW: [Claim; 2] = [Claim::Repeatable, Claim::Guards];

/// The other claims of the generated tests of such an op.
fn quick(op: &'static dyn Op, what: What) -> impl Iterator<Item = Claim> {
    let applies = move |claim: &Claim| match claim {
        Claim::Forward | Claim::Views | Claim::Shapes | Claim::SpecialValues => true,
        Claim::Lanes | Claim::SameBuffers => true,
        Claim::Masks | Claim::Gradcheck | Claim::Gradgradcheck => op.backward().is_some(),
        Claim::Jvp | Claim::Checkpoint | Claim::GradLayouts => op.backward().is_some(),
        Claim::GivenRule => what == What::Rule,
        Claim::Repeatable | Claim::Guards | Claim::Associative => false,
    };
    Claim::ALL.iter().copied().filter(applies)
}
