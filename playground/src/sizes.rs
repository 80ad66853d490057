//! Sizes of dims, for which a call is made up.

use std::collections::BTreeMap;
use tensor_op_spec::ir::{DimKind, Graph};
use tensor_op_testing::sample::SamplePlan;

/// A dim whose size a reader may choose.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Dim {
    /// Its name, or `..`.
    pub name: String,
    /// Its size; those of all its axes, if it is `..`.
    pub sizes: Vec<usize>,
}

/// Sizes by the names of dims. Those of `..` are a list, and any other dim has one.
pub type Sizes = BTreeMap<String, Vec<usize>>;

/// Sizes of dims in their order, so that most dims differ.
const SIZES: [usize; 4] = [2, 3, 8, 5];
/// Sizes of the axes of `..`.
const GROUP: [usize; 2] = [3, 4];
/// The most elements of a tensor that are computed in the page.
const MOST: usize = 1 << 18;

/// Sizes at which the op can be called, with those that are given.
///
/// # Errors
///
/// Says which sizes the op refuses.
pub(crate) fn plan(graph: &Graph, given: &Sizes, seed: u64) -> Result<SamplePlan, String> {
    let with = |sizes: &mut dyn Iterator<Item = usize>| {
        let group = given.get("..").map_or(&GROUP[..], Vec::as_slice);
        let mut plan = SamplePlan::uniform(graph, 1, group, seed);
        for (dim, size) in graph.dims.iter().zip(&mut plan.dims).filter(|(dim, _)| is_free(&dim.kind)) {
            let chosen = sizes.next().unwrap_or(1);
            *size = given.get(&dim.name).and_then(|given| given.first()).copied().unwrap_or(chosen);
        }
        plan
    };
    let mut plans = vec![with(&mut SIZES.into_iter().cycle())];
    plans.extend((1..=4).rev().map(|size| with(&mut std::iter::repeat(size))));
    let fits = plans.iter().position(|plan| plan.check(graph).is_ok()).unwrap_or(0);
    let plan = plans.swap_remove(fits);
    plan.check(graph).map_err(|error| error.to_string())?;
    within_reason(graph, &plan)?;
    Ok(plan)
}

/// The dims whose sizes a reader may choose, with those of a plan.
pub(crate) fn dims(graph: &Graph, plan: &SamplePlan) -> Vec<Dim> {
    let of = |(dim, size): (&tensor_op_spec::ir::Dim, &usize)| match dim.kind {
        DimKind::Group => Some(Dim { name: "..".to_string(), sizes: plan.group.clone() }),
        _ if is_free(&dim.kind) => Some(Dim { name: dim.name.clone(), sizes: vec![*size] }),
        DimKind::Named | DimKind::Sized(_) => None,
        DimKind::Axis(_) | DimKind::Fixed(_) | DimKind::Computed(_) => None,
    };
    graph.dims.iter().zip(&plan.dims).filter_map(of).collect()
}

fn is_free(dim: &DimKind) -> bool {
    match dim {
        DimKind::Named | DimKind::Sized(_) => true,
        DimKind::Group | DimKind::Axis(_) | DimKind::Fixed(_) | DimKind::Computed(_) => false,
    }
}

/// Refuses what would keep the page busy. A value inside of a formula may have all dims.
fn within_reason(graph: &Graph, plan: &SamplePlan) -> Result<(), String> {
    let group = plan.group.iter().copied();
    let free = graph.dims.iter().zip(&plan.dims).filter(|(dim, _)| is_free(&dim.kind)).map(|(_, size)| *size);
    match group.chain(free).try_fold(1, usize::checked_mul) {
        Some(0..=MOST) => Ok(()),
        Some(_) | None => {
            Err(format!("all dims together have more than {MOST} elements: choose smaller sizes"))
        }
    }
}
