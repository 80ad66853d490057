//! Runs the claims that an op's generated tests make, for the right ops and the faulty ones.

use crate::family::{Family, What};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::Op;
use tensor_op::testing::{Claim, Level, Scope};

/// What the claims say about a family.
pub(crate) struct Checked {
    /// What is given by hand.
    pub(crate) what: What,
    /// What its members are declared as.
    pub(crate) declaration: String,
    /// A claim that fails of the right op.
    pub(crate) refused: Option<String>,
    pub(crate) caught: Vec<Caught>,
}

/// A fault with the claims that fail.
pub(crate) struct Caught {
    pub(crate) fault: &'static str,
    pub(crate) claims: Vec<Claim>,
    /// The lowest at which one fails.
    pub(crate) level: Level,
}

impl Checked {
    /// Faults that no claim catches.
    pub(crate) fn missed(&self) -> impl Iterator<Item = String> + '_ {
        let missed = self.caught.iter().filter(|caught| caught.claims.is_empty());
        missed.map(|caught| format!("{}, in `{}`", caught.fault, self.declaration))
    }
}

/// Families side by side, each by itself: some faults are about what earlier calls left.
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

/// The claims that fail at the quick level; if none does, those at the full one.
fn caught(fault: &'static str, op: &'static dyn Op, what: What) -> Caught {
    let quick = failing(op, what, Level::Quick);
    if quick.is_empty() {
        return Caught { fault, claims: failing(op, what, Level::Full), level: Level::Full };
    }
    Caught { fault, claims: quick, level: Level::Quick }
}

/// The claims that fail.
fn failing(op: &'static dyn Op, what: What, level: Level) -> Vec<Claim> {
    // A claim that could compare nothing has caught nothing.
    let fails = |claim: &Claim| claim.check_in(op, &scope(level)).is_err_and(|failure| failure.is_wrong);
    let failing: Vec<Claim> = quick(op, what).filter(fails).collect();
    if failing.is_empty() { SLOW.into_iter().filter(fails).collect() } else { failing }
}

fn scope(level: Level) -> Scope {
    Scope::of_environment().expect("the environment sets a seed and a level, or none").at(level)
}

/// Claims about kernels with many elements: of faulty ops, they are asked of those alone that pass the
/// others.
const SLOW: [Claim; 2] = [Claim::Repeatable, Claim::Guards];

/// The other claims that the generated tests of such an op check.
fn quick(op: &'static dyn Op, what: What) -> impl Iterator<Item = Claim> {
    let applies = move |claim: &Claim| match claim {
        Claim::Forward | Claim::Views | Claim::Shapes | Claim::SpecialValues => true,
        Claim::Lanes | Claim::SameBuffers => true,
        Claim::Masks | Claim::Gradcheck | Claim::Gradgradcheck => op.backward().is_some(),
        Claim::Jvp | Claim::Checkpoint | Claim::GradLayouts => op.backward().is_some(),
        Claim::GivenRule => what == What::Rule,
        Claim::Repeatable | Claim::Guards => false,
    };
    Claim::ALL.iter().copied().filter(applies)
}
