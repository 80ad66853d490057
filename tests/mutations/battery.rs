//! Runs the claims that an op's generated tests make, for the right ops and the faulty ones.

use crate::family::{Family, What};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::Op;
use tensor_op::testing::Claim;

/// What the claims say about a family.
pub struct Checked {
    /// What is given by hand.
    pub what: What,
    /// What its members are declared as.
    pub declaration: String,
    /// A claim that fails of the right op.
    pub refused: Option<String>,
    /// Each fault with the claims that fail.
    pub caught: Vec<(&'static str, Vec<Claim>)>,
}

impl Checked {
    /// Faults that no claim catches.
    pub fn missed(&self) -> impl Iterator<Item = String> + '_ {
        let missed = self.caught.iter().filter(|(_, claims)| claims.is_empty());
        missed.map(|(fault, _)| format!("{fault}, in `{}`", self.declaration))
    }
}

/// Families side by side, each by itself: some faults are about what earlier calls left.
pub fn check(families: &[Family]) -> Vec<Checked> {
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
    let t0 = std::time::Instant::now();
    let refused = claims(family.right, family.what).find_map(|claim| claim.check(family.right).err());
    eprintln!("DBG right {:?} {}", t0.elapsed(), family.declaration);
    let caught = family.wrong.iter().map(|(fault, op)| {
        let failing = claims(*op, family.what).filter(|claim| claim.check(*op).is_err());
        let t = std::time::Instant::now();
        let f: Vec<Claim> = failing.collect();
        eprintln!("DBG {:?} {fault}: {f:?}", t.elapsed());
        (*fault, f)
    });
    Checked {
        what: family.what,
        declaration: family.declaration.split_whitespace().collect::<Vec<_>>().join(" "),
        refused: refused.map(|failure| failure.to_string()),
        caught: caught.collect(),
    }
}

/// The claims that the generated tests of such an op check.
fn claims(op: &'static dyn Op, what: What) -> impl Iterator<Item = Claim> {
    let applies = move |claim: &Claim| match claim {
        Claim::Forward | Claim::Views | Claim::Shapes | Claim::SpecialValues | Claim::Repeatable | Claim::Guards => true,
        Claim::Masks | Claim::Gradcheck | Claim::Gradgradcheck => op.backward().is_some(),
        Claim::GivenRule => what == What::Rule,
    };
    Claim::ALL.iter().copied().filter(applies)
}
