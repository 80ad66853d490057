//! Makes plans smaller: sizes shrink to 1, groups lose axes, broadcasting and scalars return to the default,
//! and values get few digits.

use super::plan::{SamplePlan, Spread};
use proptest::strategy::ValueTree;

/// A plan that proptest makes smaller as long as it fails.
#[derive(Clone, Debug)]
pub(crate) struct Shrinking {
    plan: SamplePlan,
    /// The plan to return to if the present plan does not fail.
    before: Option<SamplePlan>,
    /// The next way to make the plan smaller.
    step: usize,
}

impl Shrinking {
    pub(crate) fn new(plan: SamplePlan) -> Shrinking {
        Shrinking { plan, before: None, step: 0 }
    }
}

impl ValueTree for Shrinking {
    type Value = SamplePlan;

    fn current(&self) -> SamplePlan {
        self.plan.clone()
    }

    fn simplify(&mut self) -> bool {
        while let Some(smaller) = smaller(&self.plan, self.step) {
            if smaller != self.plan {
                self.before = Some(std::mem::replace(&mut self.plan, smaller));
                return true;
            }
            self.step += 1;
        }
        false
    }

    fn complicate(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.plan = before;
        self.step += 1;
        true
    }
}

/// The plan, made smaller in the n-th way. It may stay the same. `None` if there are no more ways. A way that
/// helped is tried again.
fn smaller(plan: &SamplePlan, step: usize) -> Option<SamplePlan> {
    let mut plan = plan.clone();
    let dims = plan.dims.len();
    let sizes = 3 * dims;
    let scalars = plan.scalars.len();
    match step {
        0 => plan.bits = plan.bits.min(2),
        1 => plan.bits = plan.bits.min(7),
        2 => plan.spread.fill(Spread::Full),
        3 => plan.from_end = false,
        4 => plan.axis = 0,
        5 => drop(plan.group.pop()),
        6 => drop((!plan.group.is_empty()).then(|| plan.group.remove(0))),
        7 => plan.group.iter_mut().for_each(|size| *size = (*size).min(1)),
        8 => plan.group.iter_mut().for_each(|size| *size = size.div_ceil(2)),
        9 => decrease(plan.group.iter_mut().max()),
        step if step - 10 < sizes => {
            let size = &mut plan.dims[(step - 10) / 3];
            match (step - 10) % 3 {
                0 => *size = (*size).min(1),
                1 => *size = size.div_ceil(2),
                _ => decrease(Some(size)),
            }
        }
        step if step - 10 - sizes < scalars => plan.scalars[step - 10 - sizes] = 0,
        _ => return None,
    }
    Some(plan)
}

fn decrease(size: Option<&mut usize>) {
    if let Some(size) = size.filter(|size| **size > 1) {
        *size -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> SamplePlan {
        SamplePlan {
            dims: vec![67, 5],
            group: vec![4, 3],
            spread: vec![Spread::Short],
            scalars: vec![3],
            axis: 2,
            from_end: true,
            bits: 40,
            seed: 7,
        }
    }

    #[track_caller]
    fn smallest(fails: impl Fn(&SamplePlan) -> bool) -> SamplePlan {
        let mut tree = Shrinking::new(plan());
        let mut found = tree.current();
        while tree.simplify() {
            if fails(&tree.current()) {
                found = tree.current();
            } else if !tree.complicate() {
                break;
            }
        }
        found
    }

    #[test]
    fn all_that_does_not_matter_goes() {
        let all = smallest(|_| true);
        assert_eq!((all.dims, all.group, all.scalars, all.bits), (vec![1, 1], vec![], vec![0], 2));
        let long = smallest(|plan| plan.dims[0] > 8 && plan.group.contains(&3));
        assert_eq!((long.dims, long.group, long.spread), (vec![9, 1], vec![3], vec![Spread::Full]));
    }
}
